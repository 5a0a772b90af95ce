#include "adapters/config/map_values.h"

#include <algorithm>
#include <charconv>

#include "adapters/config/config_keys.h"
#include "adapters/config/gate_policy.h"
#include "adapters/config/nearest.h"
#include "adapters/config/single_values.h"
#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/base/variable_name.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxHeaders = 50;

/// Whether it is a token by RFC 9110.
bool is_header_name(std::string_view name) {
  constexpr std::string_view kTokens =
      "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !name.empty() && name.find_first_not_of(kTokens) == std::string_view::npos;
}

}  // namespace

void MapValues::headers(const char* name, std::map<std::string, std::string>& values) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::table);
  if (entry == nullptr) return;
  static const std::vector<std::string> ours = {"content-length",  "content-type",   "host",
                                                "idempotency-key", "luzia-position", "transfer-encoding"};
  for (const TomlEntry& header : entry->value.entries) {
    const std::string full = cursor_.full_name(name) + "." + header.key;
    if (header.value.kind != TomlKind::text) {
      cursor_.wrong(header.value.place, "config_type",
                    full + " is " + std::string(kind_name(header.value.kind)) + ", it must be a string");
    } else if (!is_header_name(header.key)) {
      cursor_.wrong(header.place, "config_range",
                    cursor_.full_name(name) + ": '" + header.key + "' cannot be a header");
    } else if (std::find(ours.begin(), ours.end(), lower_case(header.key)) != ours.end()) {
      cursor_.wrong(header.place, "config_range", full + " is one that luzia sets itself", "leave it out");
    } else if (has_control_characters(header.value.text) || header.value.text.size() > kMaxUrlBytes) {
      cursor_.wrong(header.value.place, "config_range",
                    full + " has a line break or control character, or is too long");
    } else {
      values[header.key] = header.value.text;
    }
  }
  if (values.size() > kMaxHeaders) {
    cursor_.wrong(entry->value.place, "config_range",
                  cursor_.full_name(name) + " has over " + std::to_string(kMaxHeaders) + " headers");
  }
}

void MapValues::text_map(const char* name, std::map<std::string, std::string>& values) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::table);
  if (entry == nullptr) return;
  for (const TomlEntry& variable : entry->value.entries) {
    if (variable.value.kind != TomlKind::text) {
      cursor_.wrong(variable.value.place, "config_type",
                    cursor_.full_name(name) + "." + variable.key + " is " +
                        std::string(kind_name(variable.value.kind)) + ", it must be a string");
    } else if (!is_variable_name(variable.key) || variable.value.text.find('\0') != std::string::npos) {
      cursor_.wrong(variable.place, "config_range",
                    cursor_.full_name(name) + ": '" + variable.key + "' cannot be a variable");
    } else {
      values[variable.key] = variable.value.text;
    }
  }
}

void MapValues::real_map(const char* name, std::map<std::string, double>& values,
                         std::initializer_list<const char*> keys) {
  cursor_.table(name, [&] {
    for (const char* key : keys) {
      double number = -1;
      SingleValues(cursor_).real(key, number, 0, 1e9);
      if (number >= 0) values[key] = number;
    }
  });
}

void MapValues::limits(const char* name, std::map<std::string, std::uint32_t>& values) {
  cursor_.each_entry(name, [&](const TomlEntry& entry) {
    if (cursor_.check_name(entry))
      SingleValues(cursor_).integer(entry.key.c_str(), values[entry.key], 1, 100'000);
  });
}

void MapValues::exit_codes(const char* name, std::map<int, schema::ExitMeaning>& codes) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::table);
  if (entry == nullptr) return;
  static const std::vector<std::string> words = {"completed", "retriable", "failed", "needs_clarification"};
  for (const TomlEntry& row : entry->value.entries) {
    int code = -1;
    const char* end = row.key.data() + row.key.size();
    const auto parsed = std::from_chars(row.key.data(), end, code);
    const auto meaning = parse_exit_meaning(row.value.text);
    if (parsed.ec != std::errc() || parsed.ptr != end || code < 0 || code > 255) {
      cursor_.wrong(row.place, "config_range",
                    cursor_.full_name(name) + ": '" + row.key + "' is no exit code, 0 to 255 are");
    } else if (row.value.kind != TomlKind::text || !meaning) {
      cursor_.wrong(row.value.place, "config_range",
                    cursor_.full_name(name) + "." + row.key + " must be one of " + listed_words(words),
                    did_you_mean(lower_case(row.value.text), words));
    } else {
      codes[code] = *meaning;
    }
  }
}

void MapValues::gates(const char* name, std::map<std::string, GatePolicy>& values) {
  static const std::vector<std::string> words = {"ask", "always", "never", "auto-after 30m"};
  cursor_.each_entry(name, [&](const TomlEntry& gate) {
    if (gate.key.empty() || gate.key.size() > kMaxGateName || has_control_characters(gate.key)) {
      cursor_.wrong(gate.place, "config_range", cursor_.path() + ": '" + gate.key + "' cannot be a gate",
                    "up to 200 bytes without control characters: a name, or Tool(input*)");
      return;
    }
    if (!cursor_.check_kind(gate, TomlKind::text)) return;
    const auto policy = parse_gate_policy(gate.value.text);
    if (policy) {
      cursor_.note_place(gate);
      values[gate.key] = *policy;
      return;
    }
    const std::string written = lower_case(gate.value.text);
    const std::string near = written.starts_with("auto-after ") ? "" : nearest_name(written, words);
    cursor_.wrong(gate.value.place, "config_range",
                  cursor_.full_name(gate.key) + " is '" + gate.value.text +
                      "', it must be ask, always, never or auto-after D",
                  near.empty() ? "D is a duration up to ten years: \"auto-after 30m\""
                               : "did you mean \"" + near + "\"?");
  });
}

}  // namespace luzia
