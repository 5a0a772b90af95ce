// Rows as tables of plain values: what analytics exports, SQL queries and reports are made of. One list of
// tables serves CSV, JSON and SQLite, so that they cannot differ. Columns may be added; none is ever renamed
// or changes its type. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/time.h"
#include "projections/rows/json_writer.h"
#include "protocol.fb.h"

namespace luzia {

/// Nothing (not yet, none, unknown), a number, or text as it was recorded.
using ExportValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using ExportRow = std::vector<ExportValue>;

enum class ExportType : std::uint8_t { text, integer, real };

struct ExportColumn {
  std::string_view name;
  ExportType type = ExportType::text;
  std::string_view about;  // unit and meaning, one sentence
};

struct ExportTable {
  std::string_view name;
  std::string_view about;
  wire::View view = wire::View::jobs;  // whose rows it is made of
  std::vector<ExportColumn> columns;
  std::size_t key = 1;                    // the first so many columns name a row
  std::vector<std::string_view> indexes;  // columns that are searched
  /// Appends what one row of the view (a finished FlatBuffer, aligned to 8) becomes: one row, or several.
  /// `as_of`: what running durations count up to. False: the bytes are no such row.
  bool (*append)(Bytes row, TimeUs as_of, std::vector<ExportRow>& rows) = nullptr;
};

/// jobs, questions, approvals, issues, issue_stats, tool_usage, costs, outcomes, flows, flow_steps,
/// solutions, facts; those of one view side by side.
std::span<const ExportTable> export_tables();
/// Null when there is none of that name.
const ExportTable* find_export_table(std::string_view name);

/// As JSON: null, a number or a text.
void write_value(JsonWriter& json, const ExportValue& value);
/// The row as one JSON object, its columns the fields.
std::string export_row_json(const ExportTable& table, const ExportRow& row);

/// As a field of CSV, not quoted yet; nothing is empty.
std::string csv_field(const ExportValue& value);
/// One CSV record, as csv_record writes it; nothing is an empty field.
std::string export_row_csv(const ExportTable& table, const ExportRow& row);
std::string export_header_csv(const ExportTable& table);

// export_jobs.cc
ExportTable jobs_export_table();
// export_inputs.cc
ExportTable questions_export_table();
ExportTable approvals_export_table();
// export_issues.cc
ExportTable issues_export_table();
ExportTable issue_stats_export_table();
// export_usage.cc
ExportTable tool_usage_export_table();
ExportTable costs_export_table();
ExportTable outcomes_export_table();
// export_flows.cc
ExportTable flows_export_table();
ExportTable flow_steps_export_table();
// export_learning.cc
ExportTable solutions_export_table();
ExportTable facts_export_table();

}  // namespace luzia
