#include "tools/luzia-fleet/postgres_orders.h"

#include "engine/base/try.h"
#include "engine/base/utf8.h"
#include "engine/base/whole_number.h"
#include "tools/luzia-fleet/order_request.h"
#include "tools/luzia-fleet/stored_values.h"

namespace luzia {
namespace {

/// Whoever may withdraw an order can leave the transaction open.
constexpr const char* kListen = "LISTEN luzia_orders; SET lock_timeout = '1s'";
constexpr const char* kLockTimeout = "55P03";

/// Kinds, labels and sites have no characters that an array would have to quote.
PostgresValue array_of(const std::vector<std::string>& names) {
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() == 1 ? "" : ",") + name;
  return {text + "}"};
}

PostgresValue number_value(std::int64_t number) {
  return {std::to_string(number)};
}

std::string field(const PostgresRow& row, std::size_t column) {
  return column < row.size() ? row[column].value_or("") : "";
}

std::int64_t number_in(const PostgresRow& row, std::size_t column) {
  return static_cast<std::int64_t>(parse_whole_number<std::uint64_t>(field(row, column)).value_or(0));
}

/// Who ordered it, as the machine's log names people.
std::string person_of(const std::string& role) {
  constexpr std::size_t kMostPerson = 64;
  if (!is_plain_line(role, kMostPerson)) return "unknown (fleet)";
  const std::string person = role + " (fleet)";
  return person.size() <= kMostPerson ? person : role;
}

Status nothing_else(const Result<PostgresRows>& done) {
  return done ? Status() : tl::unexpected(done.error());
}

}  // namespace

Result<std::unique_ptr<OrderDatabase>> PostgresOrders::over(Postgres database, const std::string& site) {
  LUZIA_TRY(database.script(kListen));
  return std::unique_ptr<OrderDatabase>(new PostgresOrders(std::move(database), site));
}

Result<PostgresRows> PostgresOrders::call(const std::string& sql, const std::vector<PostgresValue>& values) {
  auto found = database_.run(sql, values);
  if (found) return found;
  Error error = with_schema_hint(found.error(), database_.last_sqlstate());
  if (database_.last_sqlstate() == kLockTimeout) error.code = kLater;
  return tl::unexpected(std::move(error));
}

Result<bool> PostgresOrders::wait(std::chrono::milliseconds most, int beside) {
  return database_.wait_notified(most, beside);
}

Result<HeldSite> PostgresOrders::site() {
  return find_site(database_, site_);
}

Status PostgresOrders::offer(const OrderRules& rules) {
  return nothing_else(call("SELECT luzia.offer_orders($1, $2, $3)",
                           {{site_}, array_of(rules.kinds), array_of(rules.labels)}));
}

Result<std::optional<ClaimedOrder>> PostgresOrders::claim(const OrderRules& rules,
                                                          std::chrono::milliseconds least_age) {
  const auto found = LUZIA_TRY(
      call("SELECT id, fence, kind, project, about, placed_by, encode(request, 'hex') FROM "
           "luzia.claim_order($1, $2, $3, $4) WHERE id IS NOT NULL",
           {{site_}, array_of(rules.kinds), array_of(rules.labels), number_value(least_age.count())}));
  if (found.rows.empty()) return std::optional<ClaimedOrder>();
  const PostgresRow& row = found.rows.front();
  return std::optional(ClaimedOrder{field(row, 0), number_in(row, 1), field(row, 2), field(row, 3),
                                    field(row, 4), person_of(field(row, 5)), bytes_of_hex(field(row, 6))});
}

Result<bool> PostgresOrders::has_shared(const OrderRules& rules) {
  const auto found = LUZIA_TRY(call("SELECT luzia.has_shared_order($1, $2, $3)",
                                    {{site_}, array_of(rules.kinds), array_of(rules.labels)}));
  return !found.rows.empty() && field(found.rows.front(), 0) == "t";
}

Result<bool> PostgresOrders::accept(const std::string& id, std::int64_t fence, const std::string& job) {
  const auto found = LUZIA_TRY(
      call("SELECT luzia.accept_order($1, $2, $3, $4)", {{site_}, {id}, number_value(fence), {job}}));
  return !found.rows.empty() && field(found.rows.front(), 0) == "t";
}

Status PostgresOrders::finish(const std::string& id, std::int64_t fence,
                              const Result<wire::ReplyUnion>& reply) {
  const std::string bytes = reply_bytes(reply ? *reply : reply_of(reply.error()));
  const PostgresValue error = reply ? PostgresValue{} : PostgresValue{storable_text(reply.error().message)};
  return nothing_else(
      call("SELECT luzia.finish_order($1, $2, $3, $4, $5, $6)",
           {{site_}, {id}, number_value(fence), {reply ? "done" : "refused"}, {bytes, true}, error}));
}

Status PostgresOrders::pass(const std::string& id, std::int64_t fence, const Error& why) {
  return nothing_else(call("SELECT luzia.pass_order($1, $2, $3, $4, $5)", {{site_},
                                                                           {id},
                                                                           number_value(fence),
                                                                           {reply_bytes(reply_of(why)), true},
                                                                           {storable_text(why.message)}}));
}

Status PostgresOrders::release_claims() {
  return nothing_else(call("SELECT luzia.release_claims($1)", {{site_}}));
}

Result<std::vector<AcceptedOrder>> PostgresOrders::accepted() {
  const auto found = LUZIA_TRY(call("SELECT id, fence, job FROM luzia.accepted_orders($1)", {{site_}}));
  std::vector<AcceptedOrder> orders;
  for (const PostgresRow& row : found.rows)
    orders.push_back({field(row, 0), number_in(row, 1), field(row, 2)});
  return orders;
}

Result<std::vector<FencedJob>> PostgresOrders::fences() {
  const auto found =
      LUZIA_TRY(call("SELECT job, project, by_order, to_site FROM luzia.fences_of($1)", {{site_}}));
  std::vector<FencedJob> fences;
  for (const PostgresRow& row : found.rows)
    fences.push_back({field(row, 0), field(row, 1), field(row, 2), field(row, 3)});
  return fences;
}

Status PostgresOrders::hear_fence(const FencedJob& fenced, const std::string& result) {
  return nothing_else(call("SELECT luzia.hear_fence($1, $2, $3, $4)",
                           {{site_}, {fenced.job}, {fenced.by_order}, {storable_text(result)}}));
}

Result<OrderReport> PostgresOrders::report() {
  OrderReport found;
  const auto people = LUZIA_TRY(call("SELECT role, projects FROM luzia.operators_for($1)", {{site_}}));
  for (const PostgresRow& row : people.rows) {
    const std::string projects = field(row, 1);
    found.people.push_back(field(row, 0) + " (" + (projects == "*" ? "all projects" : projects) + ")");
  }
  const auto refused =
      LUZIA_TRY(call("SELECT id, kind, project, placed_by, (extract(epoch FROM done_at) * 1000000)::bigint, "
                     "error, encode(reply, 'hex') FROM luzia.refused_orders($1)",
                     {{site_}}));
  for (const PostgresRow& row : refused.rows) {
    RefusedOrder order{
        field(row, 0), field(row, 1), field(row, 2), field(row, 3), number_in(row, 4), field(row, 5), {}};
    const auto reply = parse_reply(bytes_of_hex(field(row, 6)));
    if (const auto* why = reply ? reply->AsRefused() : nullptr) order.hint = why->hint;
    found.refused.push_back(std::move(order));
  }
  return found;
}

}  // namespace luzia
