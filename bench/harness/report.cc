#include "bench/harness/report.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace luzia::bench {
namespace {

std::string number(double value) {
  char text[64];
  snprintf(text, sizeof text, value >= 1000 ? "%.0f" : value >= 10 ? "%.1f" : "%.3f", value);
  return text;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

std::string figures_table(const std::vector<Figure>& figures) {
  std::string text =
      "| figure | measured | p50 us | p99 us | yardstick | ratio | goal | met "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const Figure& figure : figures) {
    text += "| " + figure.name + " | " + number(figure.value) + " " + figure.unit + " | " +
            (figure.p50_us ? number(*figure.p50_us) : "") + " | " +
            (figure.p99_us ? number(*figure.p99_us) : "") + " | " +
            (figure.yardstick.empty() ? "" : figure.yardstick + ": " + number(figure.yardstick_value)) +
            " | " + (figure.yardstick.empty() ? "" : number(figure.ratio())) + " | " + figure.goal + " | " +
            (figure.met ? "yes" : "no") + " |\n";
  }
  return text;
}

std::string figures_json(const std::vector<Figure>& figures) {
  utsname system{};
  uname(&system);
  nlohmann::ordered_json out;
  out["machine"] = {{"cores", sysconf(_SC_NPROCESSORS_ONLN)},
                    {"memory_mib", sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024},
                    {"processor", processor()},
                    {"kernel", system.release},
                    {"version", LUZIA_VERSION}};
  out["results"] = nlohmann::ordered_json::array();
  for (const Figure& figure : figures) {
    nlohmann::ordered_json row;
    row["name"] = figure.name;
    row["value"] = figure.value;
    row["unit"] = figure.unit;
    row["p50_us"] = figure.p50_us ? nlohmann::ordered_json(*figure.p50_us) : nlohmann::ordered_json();
    row["p99_us"] = figure.p99_us ? nlohmann::ordered_json(*figure.p99_us) : nlohmann::ordered_json();
    row["yardstick"] = figure.yardstick;
    row["yardstick_value"] = figure.yardstick_value;
    row["ratio"] = figure.ratio();
    row["goal"] = figure.goal;
    row["met"] = figure.met;
    row["spread"] = figure.spread;
    out["results"].push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

}  // namespace luzia::bench
