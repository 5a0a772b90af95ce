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
constexpr std::size_t kMostSecretName = 64;

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
      cursor_.out_of_range(name, header.place, ": '" + header.key + "' cannot be a header");
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
    cursor_.out_of_range(name, entry->value.place, " has over " + std::to_string(kMaxHeaders) + " headers");
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
      cursor_.out_of_range(name, variable.place, ": '" + variable.key + "' cannot be a variable");
    } else {
      values[variable.key] = variable.value.text;
    }
  }
}

const std::vector<std::string>& secret_kinds() {
  static const std::vector<std::string> kinds = {"file", "command", "env"};  // in the order of SecretKind
  return kinds;
}

/// nullopt, and an error of the cursor that never shows what is written there: it may be the secret itself.
std::optional<SecretPlace> MapValues::secret_place(const TomlEntry& secret) {
  const std::string full = cursor_.full_name(secret.key);
  const auto& kinds = secret_kinds();
  constexpr auto kForms =
      R"(write { file = "~/.token" }, { command = ["pass", "show", "x"] } or { env = "NAME" })";
  const auto wrong = [&](TomlPlace place, const std::string& what) {
    cursor_.wrong(place, "config_range", full + what, kForms);
    return std::nullopt;
  };
  if (secret.value.kind != TomlKind::table || secret.value.entries.size() != 1)
    return wrong(secret.value.place, " must say where its value comes from, never the value");
  const TomlEntry& from = secret.value.entries.front();
  const auto kind = std::ranges::find(kinds, from.key);
  if (kind == kinds.end())
    return wrong(from.place, " has '" + from.key + "', which is not a place for a secret");
  SecretPlace place;
  place.kind = static_cast<schema::SecretKind>(kind - kinds.begin());
  for (const TomlValue& item : from.value.items) place.source.push_back(item.text);
  if (place.kind != schema::SecretKind::command) place.source = {from.value.text};
  const std::string& first = place.source.empty() ? std::string() : place.source.front();
  const bool has_nul = std::ranges::any_of(
      place.source, [](const std::string& text) { return text.find('\0') != std::string::npos; });
  const auto is_text = [](const TomlValue& item) { return item.kind == TomlKind::text; };
  bool good = from.value.kind == TomlKind::text && !has_nul;
  switch (place.kind) {
    case schema::SecretKind::file:
      if (good && !first.starts_with('/') && !first.starts_with("~/"))
        return wrong(from.value.place, ".file must be absolute, or begin with ~/");
      break;
    case schema::SecretKind::command:
      good = from.value.kind == TomlKind::array && !first.empty() && !has_nul &&
             std::ranges::all_of(from.value.items, is_text);
      break;
    case schema::SecretKind::env:
      good = good && is_variable_name(first);
      break;
  }
  if (!good) return wrong(from.value.place, "." + from.key + " is of the wrong form");
  return place;
}

void MapValues::secrets(const char* name, SecretPlaces& values) {
  cursor_.each_entry(name, [&](const TomlEntry& secret) {
    if (!is_variable_name(secret.key) || secret.key.size() > kMostSecretName ||
        secret.key.starts_with("LUZIA_")) {
      cursor_.wrong(secret.place, "config_range",
                    cursor_.path() + ": '" + secret.key + "' cannot be the variable of a secret",
                    "a name has up to 64 letters, digits and underscores, and does not begin with LUZIA_");
    } else if (const auto place = secret_place(secret)) {
      cursor_.note_place(secret);
      values[secret.key] = *place;
    }
  });
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
      cursor_.out_of_range(name, row.place, ": '" + row.key + "' is not an exit code (0 to 255)");
    } else if (row.value.kind != TomlKind::text || !meaning) {
      cursor_.out_of_range(name, row.value.place, "." + row.key + " must be one of " + listed_words(words),
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
    cursor_.out_of_range(gate.key, gate.value.place,
                         " is '" + gate.value.text + "', it must be ask, always, never or auto-after D",
                         near.empty() ? "D is a duration up to ten years: \"auto-after 30m\""
                                      : "did you mean \"" + near + "\"?");
  });
}

}  // namespace luzia
