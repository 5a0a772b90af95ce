#include "adapters/config/byte_size.h"

#include <charconv>
#include <limits>

#include "engine/base/lower_case.h"

namespace luzia {
namespace {

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr SizeUnit kSizeUnits[] = {{"TiB", std::uint64_t{1} << 40},
                                   {"GiB", std::uint64_t{1} << 30},
                                   {"MiB", std::uint64_t{1} << 20},
                                   {"KiB", std::uint64_t{1} << 10},
                                   {"B", 1}};

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return number;
  for (const SizeUnit& unit : kSizeUnits) {
    const std::string written = lower_case(text), name = lower_case(unit.name);
    if (written != name && written != name.substr(0, 1)) continue;
    if (number > std::numeric_limits<std::uint64_t>::max() / unit.bytes) return std::nullopt;
    return number * unit.bytes;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> parse_percent(std::string_view text) {
  constexpr std::uint32_t kMost = 1'000'000;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number > kMost) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text.empty() || text == "%" ? std::optional(number) : std::nullopt;
}

std::string bytes_text(std::uint64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (bytes != 0 && bytes % unit.bytes == 0) {
      return std::to_string(bytes / unit.bytes) + std::string(unit.name);
    }
  }
  return "0B";
}

}  // namespace luzia
