#include "tests/simulation/fleet/memory_fleet.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia::test {
namespace {

constexpr TimeUs kLease = 30 * kSecondUs, kAfterOwnClaim = 10 * kSecondUs, kForgotten = 30 * kDayUs;

tl::unexpected<Error> sql_error(const char* sqlstate, const std::string& why) {
  return fail(ErrorKind::trouble, sqlstate, why, "");
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// luzia.suits
bool suits(const FleetOrder& order, const std::string& site, const OrderRules& rules) {
  const bool named =
      order.site.empty() ? order.label.empty() || has(rules.labels, order.label) : order.site == site;
  const bool replaces_own = order.kind == "dispatch" && order.about_site == site;
  return has(rules.kinds, order.kind) && !order.passed_by.contains(site) && named && !replaces_own;
}

}  // namespace

void MemoryFleet::expire() {
  std::erase_if(orders_, [&](const auto& each) {
    return each.second.done_at != 0 && each.second.done_at < now - kForgotten;
  });
  for (auto& [id, order] : orders_) {
    if (is_takeable(order) && order.expires_at <= now) end(order, "expired", order.error);
  }
}

bool MemoryFleet::is_takeable(const FleetOrder& order) const {
  if (order.state != "claimed") return order.state == "open";
  return order.lease_until <= now && !claims_never_end;
}

bool MemoryFleet::is_left_to_others(const FleetOrder& order, const std::string& site,
                                    TimeUs least_age) const {
  const TimeUs after_own_claim = order.claimed_by == site ? order.lease_until + kAfterOwnClaim : 0;
  return now < std::max(order.placed_at + least_age, after_own_claim);
}

void MemoryFleet::end(FleetOrder& order, const std::string& state, const std::string& error) {
  order.state = state;
  order.error = error;
  order.done_at = now;
  order.lease_until = 0;
}

bool MemoryFleet::has_taker(const FleetOrder& order) const {
  return std::ranges::any_of(takers_,
                             [&](const auto& taker) { return suits(order, taker.first, taker.second); });
}

Status MemoryFleet::find_about(FleetOrder& made, const std::string& to) const {
  const auto known = jobs_.find(made.about);
  if (known == jobs_.end()) return sql_error("LZ005", "no machine alone has job " + made.about);
  made.about_site = known->second.site;
  const std::string wanted = std::exchange(made.project, known->second.project);
  if (made.kind == "dispatch") {
    if (made.project != wanted) return sql_error("LZ005", "the job is of another project");
    const auto taker = takers_.find(made.about_site);
    if (taker == takers_.end() || !has(taker->second.kinds, "retry"))
      return sql_error("LZ005", "its site would not stop it");
    return {};
  }
  if (!made.site.empty() && made.site != made.about_site)
    return sql_error("LZ005", "job " + made.about + " is not of site " + to);
  made.site = made.about_site;
  made.label.clear();
  return {};
}

Result<FleetOrder> MemoryFleet::place(const std::string& id, const std::string& to, const std::string& kind,
                                      const std::string& project, const std::string& about,
                                      const std::string& request, std::int64_t seconds) {
  FleetOrder made;
  made.id = id;
  made.kind = kind;
  made.project = project;
  made.about = about;
  made.request = request;
  if (sites_.contains(to) || takers_.contains(to)) {
    made.site = to;
  } else if (to != "any") {
    made.label = to;
  }
  const auto held = orders_.find(id);
  if (const Status found = about.empty() ? Status() : find_about(made, to); !found) {
    return tl::unexpected(found.error());
  }
  if (held != orders_.end()) {
    const FleetOrder& order = held->second;
    const bool same = order.request == request && order.kind == kind && order.about == about &&
                      order.label == made.label && order.site == made.site;
    return same ? Result<FleetOrder>(order) : sql_error("LZ004", "order " + id + " is another one");
  }
  if (!has_taker(made)) return sql_error("LZ005", "no machine takes it");
  made.placed_at = now;
  made.expires_at = now + std::clamp<std::int64_t>(seconds, 1, 2'592'000) * kSecondUs;
  return orders_[id] = made;
}

Result<FleetOrder> MemoryFleet::look(const std::string& id) {
  expire();
  const auto held = orders_.find(id);
  if (held == orders_.end()) return sql_error("none", "there is no order " + id);
  return held->second;
}

Result<FleetOrder> MemoryFleet::withdraw(const std::string& id) {
  FleetOrder held = LUZIA_TRY(look(id));
  if (held.state == "accepted" || held.state == "done") return sql_error("LZ006", "it is accepted already");
  if (held.state == "open" || held.state == "claimed") end(orders_[id], "refused", "withdrawn");
  return orders_[id];
}

bool MemoryFleet::has_shared(const std::string& site, const OrderRules& rules) const {
  return std::ranges::any_of(orders_, [&](const auto& each) {
    const FleetOrder& order = each.second;
    return is_takeable(order) && order.expires_at > now && order.site.empty() && suits(order, site, rules);
  });
}

std::optional<ClaimedOrder> MemoryFleet::claim(const std::string& site, const OrderRules& rules,
                                               TimeUs least_age) {
  expire();
  FleetOrder* oldest = nullptr;
  for (auto& [id, order] : orders_) {
    if (!is_takeable(order) || order.expires_at <= now || !suits(order, site, rules)) continue;
    if (order.site.empty() && is_left_to_others(order, site, least_age)) continue;
    if (oldest == nullptr || order.placed_at < oldest->placed_at) oldest = &order;
  }
  if (oldest == nullptr) return std::nullopt;
  oldest->state = "claimed";
  oldest->claimed_by = site;
  oldest->fence = ++last_fence_;
  oldest->lease_until = now + kLease;
  return ClaimedOrder{oldest->id,    oldest->fence, oldest->kind,   oldest->project,
                      oldest->about, "eva (fleet)", oldest->request};
}

bool MemoryFleet::accept(const std::string& site, const std::string& id, std::int64_t fence,
                         const std::string& job) {
  const auto found = orders_.find(id);
  if (found == orders_.end()) return false;
  FleetOrder& order = found->second;
  if (accepts_any_fence) return true;
  if (order.claimed_by != site || order.fence != fence) return false;
  if (order.state == "accepted" || order.state == "done") return order.job == job;
  if (order.state != "claimed" || std::max(order.expires_at, order.lease_until) <= now) return false;
  order.state = "accepted";
  order.job = job;
  order.lease_until = 0;
  if (order.kind == "dispatch" && !order.about.empty())
    fenced_[order.about] = {order.about_site, order.project, id, site};
  return true;
}

FleetOrder* MemoryFleet::claimed(const std::string& site, const std::string& id, std::int64_t fence) {
  const auto found = orders_.find(id);
  const bool is_its =
      found != orders_.end() && found->second.claimed_by == site && found->second.fence == fence;
  return is_its ? &found->second : nullptr;
}

bool MemoryFleet::finish(const std::string& site, const std::string& id, std::int64_t fence,
                         const std::string& error) {
  FleetOrder* order = claimed(site, id, fence);
  if (order == nullptr || (order->state != "claimed" && order->state != "accepted")) return false;
  end(*order, error.empty() ? "done" : "refused", error);
  return true;
}

void MemoryFleet::pass(const std::string& site, const std::string& id, std::int64_t fence,
                       const std::string& error) {
  FleetOrder* order = claimed(site, id, fence);
  if (order == nullptr || order->state != "claimed") return;
  order->passed_by.insert(site);
  order->state = "open";
  order->lease_until = 0;
  if (!has_taker(*order)) end(*order, "refused", error);
}

void MemoryFleet::release_claims(const std::string& site) {
  if (claims_never_end) return;
  for (auto& [id, order] : orders_) {
    if (order.state != "claimed" || order.claimed_by != site) continue;
    order.state = "open";
    order.claimed_by.clear();
    order.lease_until = 0;
  }
}

std::vector<AcceptedOrder> MemoryFleet::accepted(const std::string& site) const {
  std::vector<AcceptedOrder> accepted;
  for (const auto& [id, order] : orders_) {
    if (order.claimed_by == site && order.state == "accepted")
      accepted.push_back({id, order.fence, order.job});
  }
  return accepted;
}

std::vector<FencedJob> MemoryFleet::fences(const std::string& site) const {
  std::vector<FencedJob> unheard;
  for (const auto& [job, fence] : fenced_) {
    if (fence.site == site && !fence.heard)
      unheard.push_back({job, fence.project, fence.by_order, fence.to_site});
  }
  return unheard;
}

void MemoryFleet::hear_fence(const std::string& site, const FencedJob& fenced) {
  const auto found = fenced_.find(fenced.job);
  if (found == fenced_.end() || found->second.site != site || found->second.by_order != fenced.by_order)
    return;
  found->second.heard = true;
}

bool MemoryFleet::has_unheard_fence() const {
  return std::ranges::any_of(fenced_, [](const auto& each) { return !each.second.heard; });
}

const FleetRow* MemoryFleet::find(const std::string& site) const {
  const auto found = sites_.find(site);
  return found == sites_.end() ? nullptr : &found->second;
}

Status MemoryFleet::copy(FleetRow& row, const GroupsRead& read) {
  if (read.groups.empty()) return {};
  const bool is_new = row.held.position == 0;
  const Group& first = read.groups.front();
  if (!is_new && first.first_position() == row.held.begins_at && first.chain() != row.held.genesis)
    return sql_error("LZ002", "another log");
  if (!is_new && first.first_position() <= row.held.position) return sql_error("LZ003", "it went back");
  Position position = is_new ? first.first_position() - 1 : row.held.position;
  Hash chain = is_new ? read.previous : row.held.chain;
  const Hash* previous = &read.previous;
  for (const Group& group : read.groups) {
    if (group.first_position() != position + 1 || *previous != chain)
      return sql_error("LZ001", "it does not continue");
    position = group.last_position();
    chain = group.chain();
    previous = &group.chain();
  }
  if (is_new) {
    row.held.genesis = first.chain();
    row.held.begins_at = first.first_position();
  }
  row.held.position = position;
  row.held.chain = chain;
  for (const Group& group : read.groups) {
    std::string value =
        Group::encode_header(static_cast<std::uint32_t>(group.events().size()), group.chain());
    value += as_text(group.frames());
    auto stored = LUZIA_TRY(Group::parse(group.first_position(), as_bytes(value)));
    row.groups.push_back(std::make_shared<const Group>(std::move(stored)));
  }
  return {};
}

// ------------------------------------------------------------------------------------------ one machine

Result<HeldSite> MemoryOrders::site() {
  const FleetRow* found = fleet_.find(site_);
  return found == nullptr ? HeldSite() : found->held;
}

Status MemoryOrders::offer(const OrderRules& rules) {
  fleet_.offer(site_, rules);
  return {};
}

Result<std::optional<ClaimedOrder>> MemoryOrders::claim(const OrderRules& rules,
                                                        std::chrono::milliseconds least_age) {
  return fleet_.claim(site_, rules, least_age.count() * kMillisecondUs);
}

Result<bool> MemoryOrders::has_shared(const OrderRules& rules) {
  return fleet_.has_shared(site_, rules);
}

Result<bool> MemoryOrders::accept(const std::string& id, std::int64_t fence, const std::string& job) {
  return fleet_.accept(site_, id, fence, job);
}

Status MemoryOrders::finish(const std::string& id, std::int64_t fence,
                            const Result<wire::ReplyUnion>& reply) {
  (void)fleet_.finish(site_, id, fence, reply ? "" : reply.error().message);
  return {};
}

Status MemoryOrders::pass(const std::string& id, std::int64_t fence, const Error& why) {
  fleet_.pass(site_, id, fence, why.message);
  return {};
}

Status MemoryOrders::release_claims() {
  fleet_.release_claims(site_);
  return {};
}

Result<std::vector<AcceptedOrder>> MemoryOrders::accepted() {
  return fleet_.accepted(site_);
}

Result<std::vector<FencedJob>> MemoryOrders::fences() {
  return fleet_.fences(site_);
}

Status MemoryOrders::hear_fence(const FencedJob& fenced, const std::string& /*result*/) {
  fleet_.hear_fence(site_, fenced);
  return {};
}

}  // namespace luzia::test
