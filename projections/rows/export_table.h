// Rows as tables of plain values, for analytics exports, SQL queries and reports. CSV, JSON and SQLite share
// one list of tables, so they cannot differ. Columns may be added; none is ever renamed or changes its type.
// Any thread.
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

/// Nothing (not yet, none or unknown), a number, or text as recorded.
using ExportValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using ExportRow = std::vector<ExportValue>;

enum class ExportType : std::uint8_t { text, integer, real };

struct ExportColumn {
  std::string_view name;
  ExportType type = ExportType::text;
  std::string_view about;  // unit and meaning, one sentence
  /// What tables for people call it; empty: as the field, in capitals.
  std::string_view title = {};
};

/// The heading of the field in a table for people: "TIME (s)", "STARTED AT".
std::string heading_of(const ExportColumn& column);

struct ExportTable {
  std::string_view name;
  std::string_view about;
  wire::View view = wire::View::jobs;  // the view of its rows
  std::vector<ExportColumn> columns;
  std::size_t key = 1;                    // number of leading columns that identify a row
  std::vector<std::string_view> indexes;  // columns to index for searches
  /// Appends the rows (one or several) that one row of the view becomes. The view's row is a finished
  /// FlatBuffer, aligned to 8. `as_of`: end of running durations. False: the bytes are not a row of this
  /// view.
  bool (*append)(Bytes row, TimeUs as_of, std::vector<ExportRow>& rows) = nullptr;
};

/// jobs, questions, approvals, issues, issue_stats, tool_usage, costs, outcomes, flows, flow_steps,
/// solutions, facts. Tables of the same view are adjacent.
std::span<const ExportTable> export_tables();
/// nullptr: there is none of that name.
const ExportTable* find_export_table(std::string_view name);

/// Writes null, a number or a text as JSON.
void write_value(JsonWriter& json, const ExportValue& value);
/// The row as one JSON object with the columns as fields.
std::string export_row_json(const ExportTable& table, const ExportRow& row);

/// A value as a CSV field, not quoted yet; an empty field stands for nothing.
std::string csv_field(const ExportValue& value);
/// One CSV record, as csv_record writes it.
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
