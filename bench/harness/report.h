// Formats a run's figures: as JSON to keep, and as a table for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/harness/measure.h"
#include "engine/base/result.h"

namespace luzia::bench {

/// The context of every figure: cores, memory, processor, kernel, compiler, RocksDB, date.
nlohmann::ordered_json describe_machine();

/// {"machine":{…},"results":[{name, value, unit, p50_us, p99_us, yardstick, yardstick_value, ratio, goal,
/// met, spread, size, not_measured}]}: one result per figure. p50_us and p99_us are null if operations were
/// not timed individually; size is present only for points of a curve. Where not_measured says why there is
/// no value, value is null.
std::string figures_json(const nlohmann::ordered_json& machine, const std::vector<Figure>& figures);

struct Run {
  std::string machine;  // one line
  std::vector<Figure> figures;
};
/// `bad_result` (usage): not the format of figures_json().
Result<Run> parse_run(const std::string& json, const std::string& file_name);
/// `bad_result` (usage), also if the file cannot be read.
Result<Run> read_run(const std::string& file);

/// Markdown.
std::string figures_table(const std::vector<Figure>& figures);

/// The table's number format: three significant figures.
std::string short_number(double value);

}  // namespace luzia::bench
