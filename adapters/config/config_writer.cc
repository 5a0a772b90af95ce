#include <charconv>
#include <functional>

#include "adapters/config/byte_size.h"
#include "adapters/config/config_keys.h"
#include "adapters/config/gate_policy.h"
#include "adapters/config/toml_text.h"

namespace luzia {
namespace {

std::string real_text(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  std::string written(text, end.ptr);
  // TOML distinguishes 1 and 1.0; an exponent alone makes a real number.
  return written.find_first_of(".einf") == std::string::npos ? written + ".0" : written;
}

/// Visits the keys and writes their values. Tables inside a named table are written inline.
class ConfigWriter {
 public:
  void table(const char* name, const std::function<void()>& body) {
    if (inside_) {
      std::string outer;
      outer.swap(inline_);
      inline_depth_ = true;
      body();
      inline_depth_ = false;
      const std::string fields = std::move(inline_);
      inline_ = std::move(outer);
      if (!fields.empty()) put(name, "{ " + fields + " }");
      return;
    }
    text_ += "\n[" + std::string(name) + "]\n";
    body();
  }
  template <class Value, class Body>
  void named(const char* name, std::map<std::string, Value>& values, Body body) {
    for (auto& [key, value] : values) {
      text_ += "\n[" + std::string(name) + "." + toml_key(key) + "]\n";
      inside_ = true;
      body(value);
      inside_ = false;
    }
  }
  template <class Value, class Body>
  void listed(const char* name, std::map<std::string, Value>& values, Body body) {
    for (auto& [key, value] : values) {
      text_ += "\n[[" + std::string(name) + "]]\nname = " + toml_string(key) + "\n";
      inside_ = true;
      body(value);
      inside_ = false;
    }
  }
  void flag(const char* name, bool value) { put(name, value ? "true" : "false"); }
  template <class Number>
  void integer(const char* name, Number value, std::int64_t, std::int64_t) {
    put(name, std::to_string(value));
  }
  template <class Number>
  void optional_integer(const char* name, const std::optional<Number>& value, std::int64_t, std::int64_t) {
    if (value) put(name, std::to_string(*value));
  }
  void optional_flag(const char* name, const std::optional<bool>& value) {
    if (value) flag(name, *value);
  }
  void percent(const char* name, std::uint32_t value) { put(name, std::to_string(value)); }
  void bytes(const char* name, std::uint64_t value) { put(name, toml_string(bytes_text(value))); }
  void real(const char* name, double value, double, double) { put(name, real_text(value)); }
  void text(const char* name, const std::string& value) {
    // Inside a project, unset means "inherited"; writing an empty string would mean the same.
    if (!inside_ || !value.empty()) put(name, toml_string(value));
  }
  void account(const char* name, const std::string& value) { text(name, value); }
  void choice(const char* name, const std::string& value, const std::vector<std::string>&) {
    if (!value.empty()) text(name, value);  // unset is not one of the words
  }
  void network(const char* name, const std::string& value, const std::vector<std::string>& hosts) {
    hosts.empty() ? choice(name, value, {}) : texts(name, hosts);
  }
  void path(const char* name, const std::string& value) { text(name, value); }
  void duration(const char* name, std::uint64_t value_ms, std::uint64_t = 0, std::uint64_t = 0) {
    put(name, toml_string(duration_text(value_ms)));
  }
  void texts(const char* name, const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + toml_string(value);
    put(name, "[" + list + "]");
  }
  void words(const char* name, const std::vector<std::string>& values, const std::vector<std::string>&) {
    texts(name, values);
  }
  void program(const char* name, const std::vector<std::string>& words) { texts(name, words); }
  void url(const char* name, const std::string& value) { text(name, value); }
  void hours(const char* name, const std::string& value) { text(name, value); }
  void daily_time(const char* name, const std::string& value) { text(name, value); }
  void whole_numbers(const char* name, const std::vector<std::int64_t>& values) {
    std::string list;
    for (const std::int64_t value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
    put(name, "[" + list + "]");
  }
  void headers(const char* name, const std::map<std::string, std::string>& values) { text_map(name, values); }
  void paths(const char* name, const std::vector<std::string>& values) { texts(name, values); }
  void home_paths(const char* name, const std::vector<std::string>& values) { texts(name, values); }
  void variables(const char* name, const std::vector<std::string>& names) { texts(name, names); }
  void command(const char* name, const std::vector<std::string>& words) { texts(name, words); }
  void text_map(const char* name, const std::map<std::string, std::string>& values) {
    inline_table(name, values,
                 [](const auto& pair) { return toml_key(pair.first) + " = " + toml_string(pair.second); });
  }
  void secrets(const char* name, const SecretPlaces& values) {
    if (values.empty()) return;
    inline_table(name, values, [](const auto& pair) {
      std::string words;
      for (const std::string& word : pair.second.source)
        words += (words.empty() ? "" : ", ") + toml_string(word);
      if (pair.second.kind == schema::SecretKind::command) words = "[" + words + "]";
      return toml_key(pair.first) + " = { " + secret_kinds()[static_cast<std::size_t>(pair.second.kind)] +
             " = " + words + " }";
    });
  }
  void real_map(const char* name, const std::map<std::string, double>& values,
                std::initializer_list<const char*>) {
    inline_table(name, values,
                 [](const auto& pair) { return toml_key(pair.first) + " = " + real_text(pair.second); });
  }
  void limits(const char* name, const std::map<std::string, std::uint32_t>& values) {
    inline_table(name, values,
                 [](const auto& pair) { return toml_key(pair.first) + " = " + std::to_string(pair.second); });
  }
  void exit_codes(const char* name, const std::map<int, schema::ExitMeaning>& codes) {
    inline_table(name, codes, [](const auto& pair) {
      return std::to_string(pair.first) + " = " + toml_string(exit_meaning_word(pair.second));
    });
  }
  void fractions(const char* name, const std::vector<double>& values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + real_text(value);
    put(name, "[" + list + "]");
  }
  void gates(const char* name, const std::map<std::string, GatePolicy>& values) {
    inline_table(name, values, [](const auto& pair) {
      return toml_key(pair.first) + " = " + toml_string(gate_policy_text(pair.second));
    });
  }
  std::string& written() { return text_; }

 private:
  void put(const char* name, const std::string& value) {
    if (inline_depth_) {
      inline_ += (inline_.empty() ? "" : ", ") + std::string(name) + " = " + value;
    } else {
      text_ += std::string(name) + " = " + value + "\n";
    }
  }
  template <class Map, class Pair>
  void inline_table(const char* name, const Map& values, Pair pair_text) {
    std::string fields;
    for (const auto& pair : values) fields += (fields.empty() ? "" : ", ") + pair_text(pair);
    put(name, fields.empty() ? "{}" : "{ " + fields + " }");
  }

  std::string text_, inline_;
  bool inside_ = false;        // within [projects.NAME] or [agents.NAME]
  bool inline_depth_ = false;  // within an inline table there
};

}  // namespace

std::string show_config(const Config& config) {
  ConfigWriter writer;
  writer.written() = "# The effective configuration.\n";
  for (const std::string& file : config.files) writer.written() += "# Read: " + toml_string(file) + "\n";
  Config copy = config;
  visit_keys(copy, writer);
  return writer.written();
}

}  // namespace luzia
