#include "adapters/config/single_values.h"

#include <algorithm>
#include <charconv>

#include "adapters/config/byte_size.h"
#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/base/places.h"
#include "engine/hook/daily_time.h"
#include "engine/hook/quiet_hours.h"

namespace luzia {
namespace {

std::string number_text(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number);
  return std::string(text, end.ptr);
}

/// Why the URL cannot be used, or empty. Never quotes the URL, which may hold a secret.
std::string wrong_with_url(std::string_view url) {
  const std::string low = lower_case(url.substr(0, 8));
  const std::size_t host = low.starts_with("https://") ? 8 : low.starts_with("http://") ? 7 : 0;
  if (host == 0) return "must begin with https:// or http://";
  if (url.size() == host || url[host] == '/' || url[host] == '?' || url[host] == '#') return "names no host";
  if (url.size() > kMaxUrlBytes) return "is over " + std::to_string(kMaxUrlBytes) + " bytes long";
  if (url.find(' ') != std::string_view::npos || has_control_characters(url))
    return "has blanks or control characters";
  return {};
}

}  // namespace

void SingleValues::flag(const char* name, bool& value) {
  if (const TomlEntry* entry = cursor_.find(name, TomlKind::boolean)) value = entry->value.boolean;
}

void SingleValues::optional_flag(const char* name, std::optional<bool>& value) {
  if (const TomlEntry* entry = cursor_.find(name, TomlKind::boolean)) value = entry->value.boolean;
}

std::optional<std::int64_t> SingleValues::whole_number(const char* name, std::int64_t least,
                                                       std::int64_t most) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::integer);
  if (entry == nullptr) return std::nullopt;
  const std::int64_t number = entry->value.integer;
  if (number < least || number > most) {
    cursor_.out_of_range(name, entry->value.place,
                         " is " + std::to_string(number) + ", it must be " + std::to_string(least) + " to " +
                             std::to_string(most));
    return std::nullopt;
  }
  return number;
}

void SingleValues::real(const char* name, double& value, double least, double most) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::real);
  if (entry == nullptr) return;
  const double number = entry->value.real;
  if (!(number >= least && number <= most)) {
    cursor_.out_of_range(
        name, entry->value.place,
        " is " + number_text(number) + ", it must be " + number_text(least) + " to " + number_text(most));
    return;
  }
  value = number;
}

void SingleValues::text(const char* name, std::string& value) {
  if (const TomlEntry* entry = cursor_.find(name, TomlKind::text)) value = entry->value.text;
}

void SingleValues::account(const char* name, std::string& value) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string& account = entry->value.text;
  if (account == "root" || account.find_first_of(std::string_view(":/\n\0", 4)) != std::string::npos) {
    cursor_.out_of_range(name, entry->value.place, " is '" + account + "', it must be a user other than root",
                         "root has a job run as root by asking for it: luzia PROJECT TASK --user root");
    return;
  }
  value = account;
}

void SingleValues::choice(const char* name, std::string& value, const std::vector<std::string>& known) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string word = lower_case(entry->value.text);
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    cursor_.out_of_range(name, entry->value.place,
                         " is '" + entry->value.text + "', it must be one of " + listed_words(known),
                         did_you_mean(word, known));
    return;
  }
  value = word;
}

std::optional<std::string> expanded_path(TomlCursor& cursor, const TomlEntry& entry, const TomlValue& value) {
  const std::string& path = value.text;
  if (path == "~" || path.rfind("~/", 0) == 0) {
    const std::string home = home_directory();
    if (!home.empty()) return home + path.substr(1);
  } else if (path.empty() || (path.front() == '/' && path.find('\0') == std::string::npos)) {
    return path;
  }
  cursor.wrong(value.place, "config_range",
               cursor.full_name(entry.key) + " is '" + path + "', it must be an absolute path",
               "begin it with / or ~/");
  return std::nullopt;
}

void SingleValues::path(const char* name, std::string& value) {
  if (const TomlEntry* entry = cursor_.find(name, TomlKind::text)) {
    if (auto expanded = expanded_path(cursor_, *entry, entry->value)) value = std::move(*expanded);
  }
}

const TomlEntry* SingleValues::measured(const char* name, std::string& written) {
  const TomlEntry* entry = cursor_.find(name);
  if (entry == nullptr) return nullptr;
  const bool is_integer = entry->value.kind == TomlKind::integer;
  if (!is_integer && !cursor_.check_kind(*entry, TomlKind::text)) return nullptr;
  written = is_integer ? std::to_string(entry->value.integer) : entry->value.text;
  return entry;
}

void SingleValues::duration(const char* name, std::uint64_t& value_ms, std::uint64_t least,
                            std::uint64_t most) {
  std::string written;
  const TomlEntry* entry = measured(name, written);
  if (entry == nullptr) return;
  const auto parsed = parse_duration_ms(written);
  if (parsed && *parsed >= least && *parsed <= most) {
    value_ms = *parsed;
  } else if (parsed) {
    cursor_.out_of_range(name, entry->value.place,
                         " is '" + written + "', it must be " + std::to_string(least) + "ms to " +
                             std::to_string(most) + "ms");
  } else {
    cursor_.out_of_range(name, entry->value.place, " is '" + written + "', it must be a duration",
                         "write \"90s\", \"10m\", \"2h30m\" or a number of seconds");
  }
}

void SingleValues::bytes(const char* name, std::uint64_t& value) {
  std::string written;
  const TomlEntry* entry = measured(name, written);
  if (entry == nullptr) return;
  const auto parsed = parse_bytes(written);
  if (parsed) {
    value = *parsed;
  } else {
    cursor_.out_of_range(name, entry->value.place, " is '" + written + "', it must be a size",
                         "write \"500KiB\", \"10MiB\", \"1G\" or a number of bytes");
  }
}

void SingleValues::percent(const char* name, std::uint32_t& value) {
  std::string written;
  const TomlEntry* entry = measured(name, written);
  if (entry == nullptr) return;
  if (const auto parsed = parse_percent(written)) {
    value = *parsed;
  } else {
    cursor_.out_of_range(name, entry->value.place,
                         " is '" + written + "', it must be a percentage of one core",
                         "write \"200%\" for two cores");
  }
}

void SingleValues::url(const char* name, std::string& value) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string trouble = wrong_with_url(entry->value.text);
  if (trouble.empty()) {
    value = entry->value.text;
  } else {
    cursor_.out_of_range(name, entry->value.place, " " + trouble);
  }
}

void SingleValues::hours(const char* name, std::string& value) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string written = lower_case(entry->value.text);
  if (written.empty() || written == "none" || parse_quiet_hours(written)) {
    value = written;
    return;
  }
  cursor_.out_of_range(name, entry->value.place, " is '" + written + "', it must be two times of the day",
                       "write \"22:00-07:00\", or \"none\"");
}

void SingleValues::daily_time(const char* name, std::string& value) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string& written = entry->value.text;
  if (written.empty() || parse_daily_time(written)) {
    value = written;
    return;
  }
  cursor_.out_of_range(name, entry->value.place, " is '" + written + "', it must be a time of the day",
                       "write \"07:00\", or \"07:00 1-5\" for Monday to Friday");
}

}  // namespace luzia
