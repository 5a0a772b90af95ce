#include "tools/luzia-fleet/daemon_session.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {
namespace {

/// Requests that are refused so leave the connection as it was.
bool keeps_connection(const Error& error) {
  constexpr std::string_view kAnswers[] = {"groups_archived", "no_such_position", "inside_group"};
  return std::ranges::find(kAnswers, error.code) != std::end(kAnswers);
}

}  // namespace

Result<RowPage> DaemonSession::query(const wire::QueryT& query) {
  if (!rows_) rows_.emplace(LUZIA_TRY(connect_()), connect_);
  auto page = rows_->query(query);
  if (!page && page.error().kind == ErrorKind::trouble) rows_.reset();
  return page;
}

Result<GroupsRead> DaemonSession::groups(Position after, std::uint32_t wait_ms, std::uint32_t most_bytes) {
  if (!log_) log_ = LUZIA_TRY(connect_());
  wire::ReadGroupsT request;
  request.after = after;
  request.wait_ms = wait_ms;
  request.most_bytes = most_bytes;
  const auto reply = log_->ask(request_of(std::move(request)), [this](Client& client) -> Status {
    if (!client.wait_beside(stop_fd_, std::chrono::milliseconds(-1)).first) return {};
    return fail(ErrorKind::trouble, "stopped", "stopped while it waited for the daemon");
  });
  const auto* found = reply ? (*reply)->reply.AsGroups() : nullptr;
  // An answer that may still come belongs to nobody.
  if (found == nullptr && (reply || !keeps_connection(reply.error()))) log_.reset();
  if (!reply) return tl::unexpected(reply.error());
  if (found == nullptr) {
    return fail(ErrorKind::trouble, "protocol", "the daemon sent an unexpected answer",
                "use the same version of luzia-fleet and luziad");
  }
  std::vector<SentGroup> sent;
  for (const auto& group : found->groups) sent.push_back({group->first_position, group->value});
  return verified_groups(after, found->previous, sent, found->tip);
}

}  // namespace luzia
