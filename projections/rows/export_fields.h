// Helpers to define export tables. A field is a column, and a function that takes its value from a row.
#pragma once

#include <concepts>

#include "engine/event/event.h"
#include "projections/rows/export_table.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/table.h"
#include "projections/rows/times.h"

namespace luzia {

inline constexpr ExportType kText = ExportType::text, kInteger = ExportType::integer,
                            kReal = ExportType::real;

template <class Row>
struct ExportField {
  ExportColumn column;
  ExportValue (*value)(const Row& row, TimeUs as_of);
};

inline ExportValue text_value(std::string_view text) {
  return text.empty() ? ExportValue() : ExportValue(std::string(text));
}
inline ExportValue text_value(const flatbuffers::String* value) {
  return text_value(text(value));
}
inline ExportValue count_value(std::integral auto count) {
  return static_cast<std::int64_t>(count);
}
/// Nothing for 0.
inline ExportValue count_or_none(std::integral auto count) {
  return count == 0 ? ExportValue() : ExportValue(static_cast<std::int64_t>(count));
}
inline ExportValue time_value(TimeUs time) {
  return text_value(full_time(time));
}
inline ExportValue seconds_value(std::integral auto duration_us) {
  return static_cast<double>(duration_us) / kSecondUs;
}
/// "2026-11-21" for a day counted from 1970.
inline ExportValue day_value(std::uint32_t day) {
  return format_rfc3339(static_cast<TimeUs>(day) * kDayUs).substr(0, 10);
}
/// All of them, separated by commas; nothing if there are none.
inline ExportValue list_value(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* values) {
  std::string list;
  if (values) {
    for (const auto* value : *values) list.append(list.empty() ? "" : ",").append(value->string_view());
  }
  return text_value(list);
}

template <class Row, std::size_t kCount>
std::vector<ExportColumn> columns_of(const ExportField<Row> (&fields)[kCount]) {
  std::vector<ExportColumn> columns;
  for (const ExportField<Row>& field : fields) columns.push_back(field.column);
  return columns;
}

template <class Row, std::size_t kCount>
ExportRow values_of(const ExportField<Row> (&fields)[kCount], const Row& row, TimeUs as_of) {
  ExportRow values;
  values.reserve(kCount);
  for (const ExportField<Row>& field : fields) values.push_back(field.value(row, as_of));
  return values;
}

/// The same columns as a table, for the CSV of a command.
template <class Row, std::size_t kCount>
Table data_table(const ExportField<Row> (&fields)[kCount], const std::vector<const Row*>& rows,
                 TimeUs as_of) {
  std::vector<Column> columns;
  for (const ExportField<Row>& field : fields) columns.push_back({std::string(field.column.name)});
  Table table(std::move(columns));
  for (const Row* row : rows) {
    std::vector<Cell> cells;
    for (const ExportField<Row>& field : fields) cells.push_back({csv_field(field.value(*row, as_of))});
    table.add(std::move(cells));
  }
  return table;
}

/// ExportTable::append for tables with exactly one row per row of their view.
template <class Row, const auto& kFields>
bool append_one(Bytes bytes, TimeUs as_of, std::vector<ExportRow>& rows) {
  const Row* row = verified_row<Row>(bytes);
  if (row == nullptr) return false;
  rows.push_back(values_of(kFields, *row, as_of));
  return true;
}

}  // namespace luzia
