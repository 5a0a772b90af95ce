// A run's figures: as JSON that keeps, and as a table for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/harness/measure.h"
#include "engine/base/result.h"

namespace luzia::bench {

/// What must be said beside every figure: cores, memory, processor, kernel, compiler, RocksDB, date.
nlohmann::ordered_json describe_machine();

/// {"machine":{…},"results":[{name, value, unit, p50_us, p99_us, yardstick, yardstick_value, ratio, goal,
/// met, spread, size}]}: one result per figure; p50_us and p99_us null where nothing was timed one by one,
/// size only in points of a curve.
std::string figures_json(const nlohmann::ordered_json& machine, const std::vector<Figure>& figures);

struct Run {
  std::string machine;  // one line
  std::vector<Figure> figures;
};
/// `bad_result` (usage): not what figures_json() writes.
Result<Run> parse_run(const std::string& json, const std::string& file_name);
/// `bad_result` (usage) also when it cannot be read.
Result<Run> read_run(const std::string& file);

/// Markdown.
std::string figures_table(const std::vector<Figure>& figures);

/// As in the table: three figures that count.
std::string short_number(double value);

}  // namespace luzia::bench
