// Rows of export tables as PostgreSQL can store them, whatever agents and logs have in them. Pure, any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "projections/rows/export_table.h"

namespace luzia {

/// Longest text in a key or an indexed column: five of them fit an index entry of PostgreSQL (2,704 bytes).
inline constexpr std::size_t kMaxIndexedText = 400;

/// The text without NUL, and with U+FFFD for what is no UTF-8.
std::string storable_text(std::string_view text);
/// The same for a key or an indexed column. A longer text than kMaxIndexedText is cut, and the hash of the
/// whole text follows, so that different texts stay different.
std::string storable_name(std::string_view text);

/// Makes the values of a row storable. No value of the key is missing: an empty text or 0 stands for it.
void make_storable(const ExportTable& table, ExportRow& row);

/// The column whose value says to what a row belongs: its job, flow, day, ... All rows of an owner are
/// replaced together.
std::string_view owner_column(const ExportTable& table);
/// That value of a storable row. Of an approval without a job, which is the gate of a flow's step: the flow.
std::string owner_of(const ExportTable& table, const ExportRow& row);

/// The values of the key of a storable row, with NUL between them.
std::string key_of(const ExportTable& table, const ExportRow& row);

/// Whether PostgreSQL is to know the column as a moment (timestamptz): its name ends in _at.
bool is_moment(const ExportColumn& column);
/// The columns that get an index. Of queued_us, which has a twin queued_at, the twin: people filter by that.
std::vector<std::string_view> indexed_columns(const ExportTable& table);

/// An array of texts, as PostgreSQL reads it.
template <class Texts>
std::string text_array(const Texts& texts) {
  std::string array = "{";
  for (const std::string& text : texts) {
    array += array.size() == 1 ? "\"" : ",\"";
    for (const char c : text) array.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
    array += '"';
  }
  return array + "}";
}

}  // namespace luzia
