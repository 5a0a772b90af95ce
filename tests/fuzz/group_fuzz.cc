// An accepted group equals what storing its events gives, header included. Its chain hash is the same whether
// read from the bytes or from the parsed group. Input: the first position (4 bytes), then the group.
#include <cstdint>
#include <cstring>
#include <string>

#include "engine/log/group.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view input) {
  std::uint32_t first = 0;
  if (input.size() < sizeof first) return;
  std::memcpy(&first, input.data(), sizeof first);
  const Bytes stored = as_bytes(input).subspan(sizeof first);
  const auto group = Group::parse(first, stored);
  if (!group) {
    require(!group.error().code.empty() && !group.error().message.empty(), "a refusal says why");
    return;
  }
  require(!group->events().empty(), "a group is not empty");
  require(Group::stored_chain(stored) == group->chain(), "one chain hash");
  PendingGroup pending(first);
  for (std::size_t i = 0; i < group->events().size(); ++i) {
    require(group->events()[i]->position() == first + i, "positions follow each other");
    pending.add(group->event_bytes(i));
  }
  const std::string again = Group::encode(pending, group->chain());
  const std::string_view as_given(reinterpret_cast<const char*>(stored.data()), stored.size());
  require(again == as_given, "one way to store a group");
}
