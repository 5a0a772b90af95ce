#include "bench/harness/report.h"

#include <rocksdb/version.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace luzia::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string processor() {
  std::ifstream from("/proc/cpuinfo");
  for (std::string line; std::getline(from, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string today() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  return {text, strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

std::string build_kind() {
#ifdef NDEBUG
  return "optimized";
#else
  return "debug";
#endif
}

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Figure& figure) {
  Json row;
  row["name"] = figure.name;
  row["value"] = figure.not_measured.empty() ? Json(figure.value) : Json();
  row["unit"] = figure.unit;
  row["p50_us"] = optional_number(figure.p50_us);
  row["p99_us"] = optional_number(figure.p99_us);
  row["yardstick"] = figure.yardstick;
  row["yardstick_value"] = figure.yardstick_value;
  row["ratio"] = figure.ratio();
  row["goal"] = figure.goal;
  row["met"] = figure.met;
  row["spread"] = figure.spread;
  if (figure.size > 0) row["size"] = figure.size;
  if (!figure.not_measured.empty()) row["not_measured"] = figure.not_measured;
  return row;
}

std::optional<double> number_or_null(const Json& row, const char* key) {
  const auto it = row.find(key);
  if (it == row.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

double number_of(const Json& row, const char* key) {
  return number_or_null(row, key).value_or(0);
}

std::string text_of(const Json& row, const char* key) {
  const auto it = row.find(key);
  return it != row.end() && it->is_string() ? it->get<std::string>() : std::string();
}

Figure figure_of(const Json& row) {
  Figure figure;
  figure.name = text_of(row, "name");
  figure.value = number_of(row, "value");
  figure.unit = text_of(row, "unit");
  figure.p50_us = number_or_null(row, "p50_us");
  figure.p99_us = number_or_null(row, "p99_us");
  figure.yardstick = text_of(row, "yardstick");
  figure.yardstick_value = number_of(row, "yardstick_value");
  figure.goal = text_of(row, "goal");
  const auto met = row.find("met");
  figure.met = met != row.end() && met->is_boolean() && met->get<bool>();
  figure.spread = number_of(row, "spread");
  figure.size = number_of(row, "size");
  figure.not_measured = text_of(row, "not_measured");
  return figure;
}

tl::unexpected<Error> bad_result(const std::string& file, const std::string& why) {
  return fail(ErrorKind::usage, "bad_result", "cannot read figures from " + file + ": " + why,
              "give a file that luzia-bench SCENARIO --json wrote");
}

}  // namespace

std::string short_number(double value) {
  char text[64];
  const double size = std::abs(value);
  snprintf(text, sizeof text, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
  return text;
}

Json describe_machine() {
  utsname system{};
  uname(&system);
  const std::string rocksdb = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + "." +
                              std::to_string(ROCKSDB_PATCH);
  return {{"date", today()},
          {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory_mib", sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024},
          {"processor", processor()},
          {"kernel", system.release},
          {"compiler", __VERSION__},
          {"build", build_kind()},
          {"rocksdb", rocksdb + " as installed (Debian's has its assertions on)"},
          {"version", LUZIA_VERSION}};
}

std::string figures_json(const Json& machine, const std::vector<Figure>& figures) {
  Json out;
  out["machine"] = machine;
  out["results"] = Json::array();
  for (const Figure& figure : figures) out["results"].push_back(json_of(figure));
  return out.dump(2) + "\n";
}

Result<Run> parse_run(const std::string& json, const std::string& file_name) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (parsed.is_discarded() || !parsed.is_object()) return bad_result(file_name, "it is no JSON object");
  const auto results = parsed.find("results");
  if (results == parsed.end() || !results->is_array()) return bad_result(file_name, "it has no results");
  Run run;
  if (const auto machine = parsed.find("machine"); machine != parsed.end() && machine->is_object()) {
    for (const auto& [key, value] : machine->items()) {
      run.machine += (run.machine.empty() ? "" : ", ") + key + " " +
                     (value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  for (const Json& row : *results) {
    if (!row.is_object() || text_of(row, "name").empty())
      return bad_result(file_name, "a result has no name");
    run.figures.push_back(figure_of(row));
  }
  return run;
}

Result<Run> read_run(const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  if (!from) return bad_result(file, "no such file, or not readable");
  return parse_run(std::string(std::istreambuf_iterator<char>(from), {}), file);
}

std::string figures_table(const std::vector<Figure>& figures) {
  std::string text =
      "| figure | measured | p50 us | p99 us | yardstick | ratio | goal | met |\n"
      "|---|---|---|---|---|---|---|---|\n";
  const auto optional = [](const std::optional<double>& value) { return value ? short_number(*value) : ""; };
  for (const Figure& figure : figures) {
    if (!figure.not_measured.empty()) {
      text += "| " + figure.name + " | not measured: " + figure.not_measured + " | | | | | | |\n";
      continue;
    }
    const bool beside = !figure.yardstick.empty();
    text += "| " + figure.name + " | " + short_number(figure.value) + " " + figure.unit + " | " +
            optional(figure.p50_us) + " | " + optional(figure.p99_us) + " | " +
            (beside ? figure.yardstick + ": " + short_number(figure.yardstick_value) : "") + " | " +
            (beside ? short_number(figure.ratio()) : "") + " | " + figure.goal + " | " +
            (figure.met ? "yes" : "no") + " |\n";
  }
  return text;
}

}  // namespace luzia::bench
