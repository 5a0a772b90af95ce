// Reads the value types that only [questions] and [projects.NAME.gates] use.
#include <algorithm>

#include "adapters/config/config_reader.h"
#include "adapters/config/gate_policy.h"
#include "adapters/config/nearest.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxMoments = 16;

}  // namespace

void ConfigReader::fractions(const char* name, std::vector<double>& values) {
  const TomlEntry* entry = find(name, TomlKind::array);
  if (entry == nullptr) return;
  std::vector<double> read;
  for (const TomlValue& item : entry->value.items) {
    if (item.kind != TomlKind::real && item.kind != TomlKind::integer) {
      return wrong(
          item.place, "config_type",
          full_name(name) + " holds " + std::string(kind_name(item.kind)) + ", it must hold numbers");
    }
    if (!(item.real > 0 && item.real < 1)) {
      return wrong(item.place, "config_range", full_name(name) + ": each must be between 0 and 1",
                   "0.5 is half the time until the deadline");
    }
    read.push_back(item.real);
  }
  if (read.size() > kMaxMoments) {
    return wrong(entry->value.place, "config_range",
                 full_name(name) + " has over " + std::to_string(kMaxMoments) + " numbers");
  }
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  values = std::move(read);
}

void ConfigReader::gates(const char* name, std::map<std::string, GatePolicy>& values) {
  static const std::vector<std::string> words = {"ask", "always", "never", "auto-after 30m"};
  table(name, [&] {
    const Frame here = frame_;
    for (const TomlEntry& gate : here.table->entries) {
      frame_.known.push_back(gate.key);
      const bool control = std::ranges::any_of(
          gate.key, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
      if (gate.key.empty() || gate.key.size() > kMaxGateName || control) {
        wrong(gate.place, "config_range", here.path + ": '" + gate.key + "' cannot be a gate",
              "up to 200 bytes without control characters: a name, or Tool(input*)");
        continue;
      }
      if (!check_kind(gate, TomlKind::text)) continue;
      const auto policy = parse_gate_policy(gate.value.text);
      if (policy) {
        places_[full_name(gate.key)] = where(gate.value.place);
        values[gate.key] = *policy;
        continue;
      }
      const std::string written = lower_case(gate.value.text);
      const std::string near = written.starts_with("auto-after ") ? "" : nearest_name(written, words);
      wrong(gate.value.place, "config_range",
            full_name(gate.key) + " is '" + gate.value.text +
                "', it must be ask, always, never or auto-after D",
            near.empty() ? "D is a duration up to ten years: \"auto-after 30m\""
                         : "did you mean \"" + near + "\"?");
    }
  });
}

}  // namespace luzia
