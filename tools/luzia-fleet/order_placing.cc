#include "tools/luzia-fleet/order_placing.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/luzia-fleet/site.h"
#include "tools/luzia-fleet/stored_values.h"

namespace luzia {
namespace {

constexpr const char* kColumns = "id, state, coalesce(claimed_by, site), encode(reply, 'hex'), error";

/// What the functions of orders.sql say with codes of their own.
Error refusal_of_order(Postgres& database, const Error& error) {
  const std::string code = database.last_sqlstate();
  if (code != "LZ004" && code != "LZ005" && code != "LZ006") return with_schema_hint(error, code);
  Error refused = error;
  refused.kind = ErrorKind::refused;
  refused.code = code == "LZ004" ? "order_id_taken" : "order_refused";
  return refused;
}

Result<PlacedOrder> order_row(Postgres& database, const std::string& call,
                              const std::vector<PostgresValue>& values) {
  const auto found = database.run("SELECT " + std::string(kColumns) + " FROM " + call, values);
  if (!found) return tl::unexpected(refusal_of_order(database, found.error()));
  if (found->rows.size() != 1 || found->rows.front().size() != 5 || !found->rows.front()[0]) {
    return fail(ErrorKind::not_found, "no_such_order", "there is no such order",
                "luzia-fleet orders lists them");
  }
  const PostgresRow& row = found->rows.front();
  PlacedOrder order{row[0].value_or(""), row[1].value_or(""), row[2].value_or("")};
  if (row[3]) order.reply = bytes_of_hex(*row[3]);
  order.error = row[4].value_or("");
  return order;
}

/// Where the job is; empty: the fleet does not know it.
Result<std::string> site_of(Postgres& database, const std::string& job) {
  const std::array<PostgresValue, 1> values = {PostgresValue{job}};
  const auto found = database.run("SELECT site FROM luzia.jobs WHERE id = $1", values);
  if (!found) return tl::unexpected(refusal_of_order(database, found.error()));
  return found->rows.size() == 1 ? found->rows.front()[0].value_or("") : std::string();
}

Result<bool> is_site(Postgres& database, const std::string& name) {
  const std::array<PostgresValue, 1> values = {PostgresValue{name}};
  const auto found = database.run(
      "SELECT FROM luzia.sites WHERE site = $1 UNION SELECT FROM luzia.order_takers WHERE site = $1", values);
  if (!found) return tl::unexpected(refusal_of_order(database, found.error()));
  return !found->rows.empty();
}

/// The tags of the old job, and the link to it.
std::vector<std::string> tags_of_retry(const std::string& tags, const std::string& job) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < tags.size();) {
    const std::size_t end = std::min(tags.find(',', at), tags.size());
    const std::string tag = tags.substr(at, end - at);
    if (!tag.empty() && !tag.starts_with("retry-of:")) all.push_back(tag);
    at = end + 1;
  }
  all.push_back("retry-of:" + job);
  return all;
}

/// A new job with what the row has of the old one.
Result<wire::RequestUnion> dispatch_instead(Postgres& database, const OrderedRequest& what,
                                            std::string& note) {
  constexpr std::size_t kMostTaskInRow = 4'096;
  const std::array<PostgresValue, 1> values = {PostgresValue{what.job}};
  const auto found =
      database.run("SELECT project, agent, task, tags, priority FROM luzia.jobs WHERE id = $1", values);
  if (!found) return tl::unexpected(refusal_of_order(database, found.error()));
  const PostgresRow row = found->rows.size() == 1 ? found->rows.front() : PostgresRow(5);
  wire::DispatchJobT job;
  job.project = row[0].value_or("");
  job.agent = row[1].value_or("");
  job.task = row[2].value_or("");
  if (job.task.empty() || job.task.size() >= kMostTaskInRow - 3) {
    return fail(ErrorKind::refused, "no_task",
                "the fleet does not have the whole task of job " + what.job + ", so nobody else can do it",
                "dispatch it: luzia --on fleet:NAME PROJECT --file TASK.md; then cancel the job where it is");
  }
  job.tags = tags_of_retry(row[3].value_or(""), what.job);
  if (row[4]) job.priority = parse_whole_number<std::uint8_t>(*row[4]).value_or(255);
  job.command_id = what.command_id;
  wire::DispatchT dispatch;
  dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(job)));
  note = "a new job with the project, agent, task, tags and priority of " + what.job +
         ", which is stopped where it is; variables, limits, checks, gates, its session, its files and "
         "a message are not carried over";
  wire::RequestUnion request;
  request.Set(std::move(dispatch));
  return request;
}

}  // namespace

Result<PlacedOrder> place_order(Postgres& database, const wire::RequestUnion& given, const std::string& to,
                                std::chrono::seconds expires, std::string& note) {
  auto what = LUZIA_TRY(order_of(given));
  wire::RequestUnion request = given;
  std::optional<std::string> about;
  if (!what.job.empty()) about = what.job;
  if (what.kind == "retry") {
    const auto owner = LUZIA_TRY(site_of(database, what.job));
    const auto names_site = LUZIA_TRY(is_site(database, to));
    if (!owner.empty() && names_site && owner != to) {
      request = LUZIA_TRY(dispatch_instead(database, what, note));
      what = LUZIA_TRY(order_of(request));
    }
  }
  std::string bytes = order_bytes(request);
  if (bytes.size() > kMostOrderBytes) {
    return fail(ErrorKind::usage, "bad_order", "this cannot be an order: it has over 1 MiB",
                "put the text into a file that the machine has, and name the file");
  }
  const std::vector<PostgresValue> values = {{what.command_id},
                                             {to},
                                             {what.kind},
                                             {storable_text(what.project)},
                                             {about},
                                             {std::move(bytes), true},
                                             {std::to_string(expires.count())}};
  return order_row(database, "luzia.place_order($1, $2, $3, $4, $5, $6, $7)", values);
}

Result<PlacedOrder> look_order(Postgres& database, const std::string& id) {
  return order_row(database, "luzia.look_order($1)", {{storable_text(id)}});
}

Result<PlacedOrder> withdraw_order(Postgres& database, const std::string& id) {
  return order_row(database, "luzia.withdraw_order($1)", {{storable_text(id)}});
}

wire::ReplyUnion reply_to(const PlacedOrder& order) {
  if (order.reply) {
    auto reply = parse_reply(*order.reply);
    return reply ? std::move(*reply) : reply_of(reply.error());
  }
  const bool expired = order.state == "expired";
  return reply_of(
      {ErrorKind::refused, expired ? "order_expired" : "order_refused",
       "order " + order.id + (expired ? " has expired before a machine took it" : ": " + order.error),
       expired ? "luzia-fleet status shows which machines are there" : "luzia-fleet orders"});
}

}  // namespace luzia
