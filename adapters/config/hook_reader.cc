// Reads the value types that only [[hooks]], [[webhooks]], [notifications] and [telegram] use.
#include <algorithm>

#include "adapters/config/config_reader.h"
#include "adapters/config/nearest.h"
#include "engine/base/lower_case.h"
#include "engine/hook/quiet_hours.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxUrlBytes = 8'000;
constexpr std::size_t kMaxHeaders = 50;

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// Whether it is a token by RFC 9110.
bool is_header_name(std::string_view name) {
  constexpr std::string_view kTokens =
      "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !name.empty() && name.find_first_not_of(kTokens) == std::string_view::npos;
}

/// Why the URL cannot be used, or empty. Never quotes the URL, which may hold a secret.
std::string wrong_with_url(std::string_view url) {
  const std::string low = lower_case(url.substr(0, 8));
  const std::size_t host = low.starts_with("https://") ? 8 : low.starts_with("http://") ? 7 : 0;
  if (host == 0) return "must begin with https:// or http://";
  if (url.size() == host || url[host] == '/' || url[host] == '?' || url[host] == '#') return "names no host";
  if (url.size() > kMaxUrlBytes) return "is over " + std::to_string(kMaxUrlBytes) + " bytes long";
  if (url.find(' ') != std::string_view::npos || has_control(url)) return "has blanks or control characters";
  return {};
}

}  // namespace

void ConfigReader::each_item(const char* name, const std::function<void(const TomlEntry&)>& body) {
  const TomlEntry* list = find(name, TomlKind::array);
  if (list == nullptr) return;
  for (const TomlValue& item : list->value.items) {
    if (item.kind != TomlKind::table) {
      wrong(item.place, "config_type",
            full_name(name) + " holds " + std::string(kind_name(item.kind)) + ", it must hold tables",
            "write [[" + std::string(name) + "]] and the keys below it");
      continue;
    }
    const auto at = std::find_if(item.entries.begin(), item.entries.end(),
                                 [](const TomlEntry& entry) { return entry.key == "name"; });
    if (at == item.entries.end() || at->value.kind != TomlKind::text) {
      wrong(item.place, "config_range", "a [[" + std::string(name) + "]] has no name",
            "add name = \"...\": under it the log keeps what was delivered");
      continue;
    }
    // Name its keys like those of a table [name.NAME].
    Frame outer = frame_;
    frame_.path = full_name(name);
    body({at->value.text, item.place, item});
    frame_ = std::move(outer);
  }
}

bool ConfigReader::check_new_name(const TomlEntry& item, std::vector<std::string>& seen) {
  if (!check_name(item)) return false;
  if (std::find(seen.begin(), seen.end(), item.key) != seen.end()) {
    wrong(item.place, "config_range", "there are two [[" + frame_.path + "]] named '" + item.key + "'",
          "give each a name of its own");
    return false;
  }
  seen.push_back(item.key);
  return true;
}

void ConfigReader::words(const char* name, std::vector<std::string>& values,
                         const std::vector<std::string>& known) {
  std::vector<std::string> read;
  const std::size_t errors_before = errors_.size();
  texts(name, read);
  const TomlEntry* entry = find(name);
  if (entry == nullptr || errors_.size() != errors_before) return;
  for (std::string& word : read) word = lower_case(word);
  for (const TomlValue& item : entry->value.items) {
    if (std::find(known.begin(), known.end(), lower_case(item.text)) != known.end()) continue;
    const std::string near = nearest_name(lower_case(item.text), known);
    std::string all;
    for (const std::string& word : known) all += (all.empty() ? "known here: " : ", ") + word;
    wrong(item.place, "config_range", full_name(name) + " has '" + item.text + "', which is no event",
          near.empty() ? all : "did you mean " + near + "?");
  }
  // Set the list even after errors, so that it is not reported as missing too.
  values = std::move(read);
}

void ConfigReader::program(const char* name, std::vector<std::string>& words) {
  std::vector<std::string> read;
  const std::size_t errors_before = errors_.size();
  texts(name, read);
  const TomlEntry* entry = find(name);
  if (entry == nullptr || errors_.size() != errors_before) return;
  const bool has_nul = std::any_of(
      read.begin(), read.end(), [](const std::string& word) { return word.find('\0') != std::string::npos; });
  if (read.empty() || read.front().empty() || has_nul) {
    wrong(entry->value.place, "config_range",
          full_name(name) + (has_nul ? " has a word with a NUL in it" : " names no program"),
          "write [\"program\", \"argument\", ...]; for a shell's line [\"sh\", \"-c\", \"...\"]");
    return;
  }
  words = std::move(read);
}

void ConfigReader::url(const char* name, std::string& value) {
  const TomlEntry* entry = find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string trouble = wrong_with_url(entry->value.text);
  if (trouble.empty()) {
    value = entry->value.text;
  } else {
    wrong(entry->value.place, "config_range", full_name(name) + " " + trouble);
  }
}

void ConfigReader::hours(const char* name, std::string& value) {
  const TomlEntry* entry = find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string written = lower_case(entry->value.text);
  if (written.empty() || written == "none" || parse_quiet_hours(written)) {
    value = written;
    return;
  }
  wrong(entry->value.place, "config_range",
        full_name(name) + " is '" + written + "', it must be two times of the day",
        "write \"22:00-07:00\", or \"none\"");
}

void ConfigReader::whole_numbers(const char* name, std::vector<std::int64_t>& values) {
  const TomlEntry* entry = find(name, TomlKind::array);
  if (entry == nullptr) return;
  std::vector<std::int64_t> read;
  for (const TomlValue& item : entry->value.items) {
    if (item.kind != TomlKind::integer) {
      return wrong(
          item.place, "config_type",
          full_name(name) + " holds " + std::string(kind_name(item.kind)) + ", it must hold whole numbers");
    }
    read.push_back(item.integer);
  }
  values = std::move(read);
}

void ConfigReader::headers(const char* name, std::map<std::string, std::string>& values) {
  const TomlEntry* entry = find(name, TomlKind::table);
  if (entry == nullptr) return;
  static const std::vector<std::string> ours = {"content-length",  "content-type",   "host",
                                                "idempotency-key", "luzia-position", "transfer-encoding"};
  for (const TomlEntry& header : entry->value.entries) {
    const std::string full = full_name(name) + "." + header.key;
    if (header.value.kind != TomlKind::text) {
      wrong(header.value.place, "config_type",
            full + " is " + std::string(kind_name(header.value.kind)) + ", it must be a string");
    } else if (!is_header_name(header.key)) {
      wrong(header.place, "config_range", full_name(name) + ": '" + header.key + "' cannot be a header");
    } else if (std::find(ours.begin(), ours.end(), lower_case(header.key)) != ours.end()) {
      wrong(header.place, "config_range", full + " is one that luzia sets itself", "leave it out");
    } else if (has_control(header.value.text) || header.value.text.size() > kMaxUrlBytes) {
      wrong(header.value.place, "config_range",
            full + " has a line break or control character, or is too long");
    } else {
      values[header.key] = header.value.text;
    }
  }
  if (values.size() > kMaxHeaders) {
    wrong(entry->value.place, "config_range",
          full_name(name) + " has over " + std::to_string(kMaxHeaders) + " headers");
  }
}

}  // namespace luzia
