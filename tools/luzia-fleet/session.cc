#include "tools/luzia-fleet/session.h"

#include <algorithm>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

/// Refused requests leave the connection as it was.
bool keeps_connection(const Error& error) {
  constexpr std::string_view kAnswers[] = {"groups_archived", "no_such_position", "inside_group"};
  return std::ranges::find(kAnswers, error.code) != std::end(kAnswers);
}

tl::unexpected<Error> broken_chain(Position position, const std::string& why) {
  return fail(ErrorKind::trouble, "log_corrupt",
              "the group at position " + std::to_string(position) + " of the log is damaged: " + why,
              "run luzia-query verify; nothing of it was mirrored");
}

}  // namespace

Result<GroupsRead> verified_groups(Position after, const wire::GroupsT& answer) {
  GroupsRead read;
  read.tip = answer.tip;
  if (answer.previous.size() != read.previous.size()) return broken_chain(after, "no chain hash precedes it");
  std::ranges::copy(answer.previous, read.previous.begin());
  Hash chain = read.previous;
  for (const auto& stored : answer.groups) {
    if (stored->first_position != after + 1) return broken_chain(after + 1, "another group comes instead");
    auto group = LUZIA_TRY(Group::parse(stored->first_position, stored->value));
    const auto count = static_cast<std::uint32_t>(group.events().size());
    if (chain_hash(chain, group.first_position(), count, group.frames()) != group.chain()) {
      return broken_chain(group.first_position(), "its chain hash is wrong");
    }
    chain = group.chain();
    after = group.last_position();
    read.groups.push_back(std::move(group));
  }
  return read;
}

std::optional<Position> archived_until(const Error& error) {
  if (error.code != "groups_archived") return std::nullopt;
  const std::string_view message = error.message;
  return parse_whole_number<Position>(message.substr(message.rfind(' ') + 1));
}

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
  return verified_groups(after, *found);
}

}  // namespace luzia
