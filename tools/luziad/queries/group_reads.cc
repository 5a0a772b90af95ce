#include "tools/luziad/queries/group_reads.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {
namespace {

constexpr std::size_t kUsualGroupBytes = 4 << 20, kMostGroupBytes = 8 << 20;

void add_stored_group(wire::GroupsT& groups, const Group& group) {
  const std::string header =
      Group::encode_header(static_cast<std::uint32_t>(group.events().size()), group.chain());
  auto stored = std::make_unique<wire::StoredGroupT>();
  stored->first_position = group.first_position();
  stored->value.reserve(header.size() + group.frames().size());
  stored->value.assign(header.begin(), header.end());
  stored->value.insert(stored->value.end(), group.frames().begin(), group.frames().end());
  groups.groups.push_back(std::move(stored));
}

tl::unexpected<Error> inside_group(Position after) {
  return fail(ErrorKind::refused, "inside_group",
              "no group of the log ends at position " + std::to_string(after) +
                  ": this is not the log that was read up to there",
              "luzia-fleet status shows what is mirrored; luzia-fleet rejoin mirrors this log");
}

/// The chain hash at `after`, where a group must end. Moves the cursor behind that group.
Result<Hash> chain_hash_at(GroupCursor& cursor, Position after) {
  const auto group = LUZIA_TRY(cursor.next());
  if (!group) return no_group_for(after);
  if (group->last_position() != after) return inside_group(after);
  return group->chain();
}

}  // namespace

Result<GroupBatch> read_groups(const EventLog& log, Position after, Position until, std::size_t most_bytes,
                               const std::optional<Hash>& previous) {
  const Tip base = log.base();
  GroupBatch batch;
  batch.groups.tip = until;
  batch.groups.begins_after = base.position;
  if (after < base.position) {
    batch.end = base;
    batch.groups.previous.assign(base.chain.begin(), base.chain.end());
    return batch;
  }
  const bool is_known = previous || after == base.position;
  const auto cursor = log.read_from(is_known ? after + 1 : after);
  batch.end = {after, previous.value_or(base.chain)};
  if (!is_known) batch.end.chain = LUZIA_TRY(chain_hash_at(*cursor, after));
  batch.groups.previous.assign(batch.end.chain.begin(), batch.end.chain.end());
  std::size_t bytes = 0;
  while (batch.end.position < until) {
    const auto group = LUZIA_TRY(cursor->next());
    if (!group) return no_group_for(batch.end.position + 1);
    if (group->first_position() != batch.end.position + 1) return inside_group(after);
    bytes += group->frames().size();
    if (bytes > most_bytes && !batch.groups.groups.empty()) break;
    add_stored_group(batch.groups, *group);
    batch.end = {group->last_position(), group->chain()};
  }
  return batch;
}

Status GroupReads::check(const Caller& caller, const wire::ReadGroups& /*request*/) {
  if (caller.trusted && !caller.device) return {};
  return fail(ErrorKind::refused, "not_allowed", caller.name + " may not read the log as it is stored",
              "only root and the daemon's user may");
}

Status GroupReads::add(const RequestId& to, const Caller& /*caller*/, const wire::ReadGroups& request) {
  if (const Position end = desk_.engine.durable(); request.after() > end) {
    return fail(
        ErrorKind::refused, "no_such_position",
        "the log has no position " + std::to_string(request.after()) + ": it ends at " + std::to_string(end),
        "if the store was restored from a backup, luzia-fleet rejoin --as NAME mirrors it beside the old "
        "one");
  }
  LUZIA_TRY(may_subscribe(desk_, to, reads_));
  if (const auto first = reads_.lower_bound({to.connection, 0});
      first != reads_.end() && first->first.connection == to.connection) {
    return fail(ErrorKind::refused, "too_many_subscriptions",
                "this connection reads groups already, by request " + std::to_string(first->first.request),
                "wait for its answer, or forget it");
  }
  Reading reading;
  reading.after = request.after();
  reading.most_bytes = request.most_bytes() == 0
                           ? kUsualGroupBytes
                           : std::min<std::size_t>(request.most_bytes(), kMostGroupBytes);
  reading.wait_ms = request.wait_ms();
  reads_.emplace(to, std::move(reading));
  read(to);
  return {};
}

std::optional<Hash> GroupReads::known_chain_at(Position position) const {
  for (const Tip& known : {committed_, read_, log_.base()}) {
    if (known.position == position) return known.chain;
  }
  return std::nullopt;
}

void GroupReads::read(const RequestId& to) {
  const auto found = reads_.find(to);
  if (found == reads_.end()) return;
  Reading& reading = found->second;
  const auto chain = known_chain_at(reading.after);
  if (chain && reading.after == desk_.engine.durable()) return wait(to, reading, *chain);
  turns_.take([this, to] { return reads_.contains(to); },
              [this, to, after = reading.after, most = reading.most_bytes, chain] {
                auto batch = std::make_shared<Result<GroupBatch>>(GroupBatch());
                threads_.workers.run([batch, after, most, chain, until = desk_.engine.durable(),
                                      &log = log_] { *batch = read_groups(log, after, until, most, chain); },
                                     [this, to, batch] {
                                       was_read(to, std::move(*batch));
                                       turns_.over();
                                     });
              });
}

void GroupReads::was_read(const RequestId& to, Result<GroupBatch> batch) {
  const auto found = reads_.find(to);
  if (found == reads_.end()) return;
  if (!batch) {
    reads_.erase(found);
    return refuse(desk_, to, batch.error());
  }
  read_ = batch->end;
  const bool is_archived = batch->groups.begins_after > found->second.after;
  if (is_archived || !batch->groups.groups.empty()) return answer(to, std::move(batch->groups));
  read(to);  // waits, unless a group was committed meanwhile, which woke nobody
}

void GroupReads::wait(const RequestId& to, Reading& reading, const Hash& chain) {
  wire::GroupsT none;
  none.previous.assign(chain.begin(), chain.end());
  none.tip = reading.after;
  if (reading.wait_ms == 0) return answer(to, std::move(none));
  reading.waits_behind = chain;
  reading.timer = std::make_unique<Timer>(threads_.loop);
  reading.timer->start(reading.wait_ms, [this, to, none = std::move(none)] { answer(to, none); });
}

void GroupReads::answer(const RequestId& to, wire::GroupsT groups) {
  groups.begins_after = log_.base().position;
  if (reads_.erase(to) > 0) send_reply(desk_, to, std::move(groups));
}

void GroupReads::committed(const std::shared_ptr<const Group>& group) {
  committed_ = {group->last_position(), group->chain()};
  std::vector<RequestId> woken;
  for (const auto& [to, reading] : reads_) {
    if (reading.waits_behind && reading.after + 1 == group->first_position()) woken.push_back(to);
  }
  for (const RequestId& to : woken) {
    const Hash& chain = *reads_.find(to)->second.waits_behind;
    wire::GroupsT groups;
    groups.previous.assign(chain.begin(), chain.end());
    groups.tip = desk_.engine.durable();
    add_stored_group(groups, *group);
    answer(to, std::move(groups));
  }
}

}  // namespace luzia
