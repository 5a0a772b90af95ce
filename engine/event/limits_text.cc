#include "engine/event/limits_text.h"

#include <utility>

namespace luzia {

std::string size_words(std::uint64_t bytes) {
  constexpr std::pair<const char*, std::uint64_t> kUnits[] = {
      {" TiB", 1ULL << 40}, {" GiB", 1ULL << 30}, {" MiB", 1ULL << 20}, {" KiB", 1ULL << 10}};
  for (const auto& [name, unit] : kUnits) {
    if (bytes < unit) continue;
    const std::uint64_t tenths = bytes % unit * 10 / unit;
    return std::to_string(bytes / unit) + (tenths == 0 ? "" : "." + std::to_string(tenths)) + name;
  }
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string process_words(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " process or thread" : " processes and threads");
}

std::string limits_text(const schema::AttemptLimitsT& limits) {
  std::string text;
  const auto add = [&text](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (limits.memory_bytes != 0) add(size_words(limits.memory_bytes) + " of memory");
  if (limits.cpu_percent != 0) add(std::to_string(limits.cpu_percent) + " % of a core");
  if (limits.processes != 0) add(process_words(limits.processes));
  if (limits.disk_bytes != 0) add(size_words(limits.disk_bytes) + " of disk");
  return text;
}

}  // namespace luzia
