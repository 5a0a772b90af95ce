#include "projections/rows/export_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "projections/rows/json_object.h"
#include "projections/rows/table.h"

namespace luzia {
namespace {

std::vector<ExportTable> all_export_tables() {
  std::vector<ExportTable> tables;
  tables.push_back(jobs_export_table());
  tables.push_back(questions_export_table());
  tables.push_back(approvals_export_table());
  tables.push_back(issues_export_table());
  tables.push_back(issue_stats_export_table());
  tables.push_back(tool_usage_export_table());
  tables.push_back(costs_export_table());
  tables.push_back(outcomes_export_table());
  tables.push_back(flows_export_table());
  tables.push_back(flow_steps_export_table());
  tables.push_back(solutions_export_table());
  tables.push_back(facts_export_table());
  return tables;
}

}  // namespace

std::string heading_of(const ExportColumn& column) {
  if (column.title.empty()) {
    std::string heading(column.name);
    for (char& c : heading) c = c == '_' ? ' ' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return heading;
  }
  const std::string_view unit = column.name.ends_with("_seconds") ? " (s)"
                                : column.name.ends_with("_ms")    ? " (ms)"
                                                                  : "";
  return std::string(column.title).append(unit);
}

std::string csv_field(const ExportValue& value) {
  struct Shown {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(std::int64_t number) const { return fmt::to_string(number); }
    std::string operator()(double number) const { return fmt::to_string(number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Shown{}, value);
}

std::span<const ExportTable> export_tables() {
  static const std::vector<ExportTable> tables = all_export_tables();
  return tables;
}

const ExportTable* find_export_table(std::string_view name) {
  const auto tables = export_tables();
  const auto found = std::ranges::find(tables, name, &ExportTable::name);
  return found == tables.end() ? nullptr : &*found;
}

void write_value(JsonWriter& json, const ExportValue& value) {
  struct Written {
    JsonWriter& json;
    void operator()(std::monostate) const { json.null(); }
    void operator()(std::int64_t number) const { json.number(number); }
    void operator()(double number) const { json.number(number); }
    void operator()(const std::string& text) const { json.text(text); }
  };
  std::visit(Written{json}, value);
}

std::string export_row_json(const ExportTable& table, const ExportRow& row) {
  JsonObject object;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    write_value(object.at(table.columns[i].name), row[i]);
  }
  return object.take();
}

std::string export_row_csv(const ExportTable& table, const ExportRow& row) {
  std::vector<std::string> fields;
  fields.reserve(table.columns.size());
  for (const ExportValue& value : row) fields.push_back(csv_field(value));
  return csv_record(fields);
}

std::string export_header_csv(const ExportTable& table) {
  std::vector<std::string> fields;
  for (const ExportColumn& column : table.columns) fields.emplace_back(column.name);
  return csv_record(fields);
}

}  // namespace luzia
