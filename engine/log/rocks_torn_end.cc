#include "engine/log/rocks_torn_end.h"

#include <algorithm>
#include <vector>

#include "engine/log/rocks_log_db.h"

namespace luzia {
namespace {

constexpr std::string_view kGroupMagic = "LZG1";
constexpr std::size_t kLongestLength = 5;  // bytes of a varint32

/// A row in a record is: key length (8), key, value length (varint), value. `value`: offset of bytes that
/// look like a group. Returns the position in the key before it; 0: it is no row.
Position group_before(std::string_view bytes, std::size_t value) {
  for (std::size_t length = 1; length <= kLongestLength; ++length) {
    const std::size_t before = length + kPositionKeySize + 1;
    if (value < before) return 0;
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
    bool varint = byte(value - 1) < 0x80;
    for (std::size_t i = 2; i <= length; ++i) varint = varint && byte(value - i) >= 0x80;
    if (!varint || byte(value - before) != kPositionKeySize) continue;
    return key_position({bytes.data() + value - length - kPositionKeySize, kPositionKeySize});
  }
  return 0;
}

}  // namespace

Position greatest_group_in(std::string_view bytes) {
  Position greatest = 0;
  for (auto at = bytes.find(kGroupMagic); at != std::string_view::npos; at = bytes.find(kGroupMagic, at + 1))
    greatest = std::max(greatest, group_before(bytes, at));
  return greatest;
}

bool groups_behind(rocksdb::Env& env, const std::string& log, const Tip& end) {
  std::vector<std::string> names;
  if (!env.GetChildren(log, &names).ok()) return true;
  return std::ranges::any_of(names, [&](const std::string& name) {
    if (!name.ends_with(".log")) return false;
    std::string bytes;
    if (!rocksdb::ReadFileToString(&env, log + "/" + name, &bytes).ok()) return true;
    return greatest_group_in(bytes) > end.position + 1;
  });
}

}  // namespace luzia
