// Helpers to define export tables. A field is a column, and a function that takes its value from a row.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

#include "engine/base/joined_names.h"
#include "engine/event/event.h"
#include "projections/rows/export_table.h"
#include "projections/rows/json_object.h"
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

/// A value of a row as it is: 1 or 0 for true or false, strings separated by commas, nothing for an empty
/// text.
inline ExportValue plain_value(std::string_view value) {
  return value.empty() ? ExportValue() : ExportValue(std::string(value));
}
inline ExportValue plain_value(const flatbuffers::String* value) {
  return plain_value(text(value));
}
inline ExportValue plain_value(std::integral auto value) {
  return static_cast<std::int64_t>(value);
}
inline ExportValue plain_value(double value) {
  return value;
}
inline ExportValue plain_value(const auto& optional)
  requires requires {
    *optional;
    optional.has_value();
  }
{
  return optional.has_value() ? plain_value(*optional) : ExportValue();
}
inline ExportValue plain_value(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* values) {
  return plain_value(joined_names(values, ","));
}
/// Nothing for 0.
inline ExportValue count_or_none(std::integral auto count) {
  return count == 0 ? ExportValue() : plain_value(count);
}
inline ExportValue time_value(TimeUs time) {
  return plain_value(full_time(time));
}
inline ExportValue seconds_value(std::integral auto duration_us) {
  return static_cast<double>(duration_us) / kSecondUs;
}

template <class Member>
struct RowOfMember;
template <class Row, class Member>
struct RowOfMember<Member Row::*> {
  using type = Row;
};
template <auto kMember>
using RowOf = typename RowOfMember<decltype(kMember)>::type;

// Functions of fields whose value is a member of the row, or what its member function returns.
template <auto kMember>
ExportValue as_is(const RowOf<kMember>& row, TimeUs) {
  return plain_value(std::invoke(kMember, row));
}
/// Nothing for 0.
template <auto kMember>
ExportValue as_some(const RowOf<kMember>& row, TimeUs) {
  return count_or_none(std::invoke(kMember, row));
}
/// Part of a key: a text that may be empty, but is never missing.
template <auto kMember>
ExportValue as_key(const RowOf<kMember>& row, TimeUs) {
  const auto& member = std::invoke(kMember, row);
  if constexpr (std::is_pointer_v<std::decay_t<decltype(member)>>)
    return std::string(text(member));
  else
    return std::string(member);
}
/// RFC 3339.
template <auto kMember>
ExportValue as_time(const RowOf<kMember>& row, TimeUs) {
  return time_value(std::invoke(kMember, row));
}
/// A duration in microseconds, in seconds.
template <auto kMember>
ExportValue as_seconds(const RowOf<kMember>& row, TimeUs) {
  return seconds_value(std::invoke(kMember, row));
}
/// The name or the text that `kName` has for it.
template <auto kMember, auto kName>
ExportValue as_named(const RowOf<kMember>& row, TimeUs) {
  return plain_value(kName(std::invoke(kMember, row)));
}
/// One kind of the tokens in the row's sum.
template <auto kKind, class Row>
ExportValue as_tokens(const Row& row, TimeUs) {
  return plain_value(row.tokens.*kKind);
}
/// A member of a part of the row; 0 if the row lacks that part.
template <auto kPart, auto kMember>
ExportValue as_part(const RowOf<kPart>& row, TimeUs) {
  const auto* part = std::invoke(kPart, row);
  return part ? plain_value(std::invoke(kMember, *part)) : plain_value(0);
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

/// The fields as one JSON object.
template <class Row, std::size_t kCount>
std::string fields_json(const ExportField<Row> (&fields)[kCount], const Row& row) {
  JsonObject object;
  for (const ExportField<Row>& field : fields) {
    write_value(object.at(field.column.name), field.value(row, 0));
  }
  return object.take();
}

/// Rows, or pointers to rows, as a table with the fields as columns: the CSV of a command.
template <class Row, std::size_t kCount, class Each>
Table data_table(const ExportField<Row> (&fields)[kCount], const std::vector<Each>& rows, TimeUs as_of = 0) {
  std::vector<Column> columns;
  for (const ExportField<Row>& field : fields) {
    columns.push_back({.title = std::string(field.column.name),
                       .align = field.column.type == kText ? Align::left : Align::right,
                       .heading = heading_of(field.column)});
  }
  Table table(std::move(columns));
  for (const Each& each : rows) {
    const Row* row = nullptr;
    if constexpr (std::is_pointer_v<Each>)
      row = each;
    else
      row = &each;
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

/// Such a table. `key`: how many of its first columns identify a row.
template <class Row, const auto& kFields>
ExportTable table_of(std::string_view name, std::string_view about, wire::View view, std::size_t key,
                     std::vector<std::string_view> indexes) {
  return {name, about, view, columns_of(kFields), key, std::move(indexes), append_one<Row, kFields>};
}

}  // namespace luzia
