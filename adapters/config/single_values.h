// Reads configuration keys that have a single value. A bad value is an error of the cursor, and leaves the
// configuration unchanged. Private to adapters/config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/config/toml_cursor.h"
#include "engine/base/durations.h"

namespace luzia {

/// The longest URL, and the longest value of a header.
constexpr std::size_t kMaxUrlBytes = 8'000;

class SingleValues {
 public:
  explicit SingleValues(TomlCursor& cursor) : cursor_(cursor) {}

  void flag(const char* name, bool& value);
  void optional_flag(const char* name, std::optional<bool>& value);
  void bytes(const char* name, std::uint64_t& value);
  /// A whole number of percent, with or without the sign.
  void percent(const char* name, std::uint32_t& value);
  template <class Number>
  void integer(const char* name, Number& value, std::int64_t least, std::int64_t most) {
    if (const auto number = whole_number(name, least, most)) value = static_cast<Number>(*number);
  }
  template <class Number>
  void optional_integer(const char* name, std::optional<Number>& value, std::int64_t least,
                        std::int64_t most) {
    if (const auto number = whole_number(name, least, most)) value = static_cast<Number>(*number);
  }
  void real(const char* name, double& value, double least, double most);
  void text(const char* name, std::string& value);
  /// Any account but root: only root may run jobs as root, and must say so for each job.
  void account(const char* name, std::string& value);
  /// One of `known`, which are in lower case; the file may use any case.
  void choice(const char* name, std::string& value, const std::vector<std::string>& known);
  void path(const char* name, std::string& value);
  void duration(const char* name, std::uint64_t& value_ms, std::uint64_t least = 0,
                std::uint64_t most = kLongestDurationMs);
  void url(const char* name, std::string& value);
  /// "22:00-07:00", "none" or "".
  void hours(const char* name, std::string& value);
  void daily_time(const char* name, std::string& value);

 private:
  std::optional<std::int64_t> whole_number(const char* name, std::int64_t least, std::int64_t most);
  /// The key as text if it is one, or a whole number; nullptr: it is neither.
  const TomlEntry* measured(const char* name, std::string& written);

  TomlCursor& cursor_;
};

/// With ~ replaced by the home directory. nullopt, and an error of the cursor: it is not absolute.
std::optional<std::string> expanded_path(TomlCursor& cursor, const TomlEntry& entry, const TomlValue& value);

}  // namespace luzia
