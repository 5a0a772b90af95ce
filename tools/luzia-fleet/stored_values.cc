#include "tools/luzia-fleet/stored_values.h"

#include <algorithm>

#include "engine/base/utf8.h"

namespace luzia {
namespace {

std::size_t place_of(const ExportTable& table, std::string_view column) {
  const auto found = std::ranges::find(table.columns, column, &ExportColumn::name);
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// RFC 3339 knows a year 0, which PostgreSQL calls 1 BC.
void make_storable_moment(std::string& moment) {
  if (moment.starts_with("0000-")) moment = "0001" + moment.substr(4) + " BC";
}

}  // namespace

std::string storable_text(std::string_view text) {
  std::string stored;
  stored.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    if (!next.valid) {
      stored += kReplacement;
    } else if (next.code != 0) {
      stored += text.substr(0, next.size);
    }
    text.remove_prefix(next.size);
  }
  return stored;
}

std::string storable_name(std::string_view text) {
  constexpr std::size_t kHashBytes = 16, kKept = kMaxIndexedText - 2 * kHashBytes - 1;
  std::string stored = storable_text(text);
  if (stored.size() <= kMaxIndexedText) return stored;
  const Hash hash = blake2b({as_bytes(text)});
  return bounded_utf8(stored, kKept) + "~" + to_hex(Bytes(hash).first(kHashBytes));
}

bool is_moment(const ExportColumn& column) {
  return column.type == ExportType::text && column.name.ends_with("_at");
}

std::vector<std::string_view> indexed_columns(const ExportTable& table) {
  std::vector<std::string_view> columns = table.indexes;
  for (std::string_view& column : columns) {
    if (!column.ends_with("_us")) continue;
    const std::string twin = std::string(column.substr(0, column.size() - 2)) + "at";
    if (const std::size_t place = place_of(table, twin); place < table.columns.size())
      column = table.columns[place].name;
  }
  return columns;
}

void make_storable(const ExportTable& table, ExportRow& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const ExportColumn& column = table.columns[i];
    const bool is_key = i < table.key;
    if (is_key && std::holds_alternative<std::monostate>(row[i])) {
      row[i] = column.type == ExportType::text ? ExportValue(std::string()) : ExportValue(std::int64_t{0});
    }
    auto* words = std::get_if<std::string>(&row[i]);
    if (words == nullptr) continue;
    const bool is_indexed = is_key || std::ranges::find(table.indexes, column.name) != table.indexes.end();
    *words = is_indexed ? storable_name(*words) : storable_text(*words);
    if (is_moment(column)) make_storable_moment(*words);
  }
}

std::string_view owner_column(const ExportTable& table) {
  const bool is_of_job = table.view == wire::View::questions || table.view == wire::View::approvals;
  if (is_of_job) return "job";
  return table.view == wire::View::facts ? "subject" : table.columns.front().name;
}

std::string owner_of(const ExportTable& table, const ExportRow& row) {
  std::string owner = csv_field(row[place_of(table, owner_column(table))]);
  if (!owner.empty() || table.view != wire::View::approvals) return owner;
  const std::string id = csv_field(row.front());
  return id.substr(0, id.find('/'));
}

std::string key_of(const ExportTable& table, const ExportRow& row) {
  std::string key;
  for (std::size_t i = 0; i < table.key; ++i) key.append(csv_field(row[i])).push_back('\0');
  return key;
}

}  // namespace luzia
