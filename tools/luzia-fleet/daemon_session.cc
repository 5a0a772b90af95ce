#include "tools/luzia-fleet/daemon_session.h"

#include <algorithm>
#include <utility>

#include "engine/base/try.h"

namespace luzia {
namespace {

/// Requests that are refused so leave the connection as it was.
bool keeps_connection(const Error& error) {
  constexpr std::string_view kAnswers[] = {"no_such_position", "inside_group"};
  return std::ranges::find(kAnswers, error.code) != std::end(kAnswers);
}

}  // namespace

Result<RowPage> DaemonSession::query(const wire::QueryT& query) {
  if (!rows_) rows_.emplace(LUZIA_TRY(connect_()), connect_);
  auto page = rows_->query(query);
  if (!page && page.error().kind == ErrorKind::trouble) rows_.reset();
  return page;
}

Result<wire::GroupsT> DaemonSession::ask_groups(Position after, std::uint32_t wait_ms,
                                                std::uint32_t most_bytes) {
  if (!log_) log_ = LUZIA_TRY(connect_());
  wire::ReadGroupsT request;
  request.after = after;
  request.wait_ms = wait_ms;
  request.most_bytes = most_bytes;
  const auto reply = log_->ask(request_of(std::move(request)), [this](Client& client) -> Status {
    if (!client.wait_beside(stop_fd_, std::chrono::milliseconds(-1)).first) return {};
    return fail(ErrorKind::trouble, "stopped", "stopped while it waited for the daemon");
  });
  auto* found = reply ? (*reply)->reply.AsGroups() : nullptr;
  // An answer that may still come belongs to nobody.
  if (found == nullptr && (reply || !keeps_connection(reply.error()))) log_.reset();
  if (!reply) return tl::unexpected(reply.error());
  if (found == nullptr) {
    return fail(ErrorKind::trouble, "protocol", "the daemon sent an unexpected answer",
                "use the same version of luzia-fleet and luziad");
  }
  return std::move(*found);
}

Result<GroupsRead> DaemonSession::groups(Position after, std::uint32_t wait_ms, std::uint32_t most_bytes) {
  wire::GroupsT found = LUZIA_TRY(ask_groups(after, wait_ms, most_bytes));
  if (after < found.begins_after) {
    return fail(ErrorKind::refused, "groups_archived",
                "the groups after position " + std::to_string(after) +
                    " were archived: the log begins after position " + std::to_string(found.begins_after),
                "luzia-fleet rejoin mirrors it from there");
  }
  std::vector<SentGroup> sent;
  for (auto& group : found.groups) sent.push_back({group->first_position, std::move(group->value)});
  return verified_groups(after, std::move(found.previous), sent, found.tip);
}

Result<Position> DaemonSession::begins_after() {
  return LUZIA_TRY(ask_groups(0, 0, 1)).begins_after;
}

}  // namespace luzia
