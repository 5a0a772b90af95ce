#include "tools/luzia-fleet/session.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {
namespace {

tl::unexpected<Error> broken_chain(Position position, const std::string& why) {
  return fail(ErrorKind::trouble, "log_corrupt",
              "the group at position " + std::to_string(position) + " of the log is damaged: " + why,
              "run luzia-query verify; nothing of it was mirrored");
}

}  // namespace

Result<GroupsRead> verified_groups(Position after, Bytes previous, std::span<const SentGroup> groups,
                                   Position tip) {
  GroupsRead read;
  read.tip = tip;
  if (previous.size() != read.previous.size()) return broken_chain(after + 1, "no chain hash precedes it");
  std::ranges::copy(previous, read.previous.begin());
  Hash chain = read.previous;
  for (const SentGroup& sent : groups) {
    if (sent.first_position != after + 1) return broken_chain(after + 1, "another group comes instead");
    Group group = LUZIA_TRY(Group::parse(sent.first_position, sent.value));
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

}  // namespace luzia
