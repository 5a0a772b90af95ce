#include "projections/rows/json_writer.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "engine/base/utf8.h"

namespace luzia {
namespace {

bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/// How many bytes at the beginning need no escape. Eight at a time: most strings need none at all.
std::size_t plain_bytes(std::string_view text) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kHigh = 0x80 * kEach;
  const auto zeros = [](std::uint64_t bytes) { return (bytes - kEach) & ~bytes; };
  std::size_t plain = 0;
  for (std::uint64_t bytes = 0; plain + sizeof bytes <= text.size(); plain += sizeof bytes) {
    std::memcpy(&bytes, text.data() + plain, sizeof bytes);
    const std::uint64_t quoted = zeros(bytes ^ ('"' * kEach)) | zeros(bytes ^ ('\\' * kEach));
    if (((bytes | (bytes + kEach) | (bytes - 0x20 * kEach) | quoted) & kHigh) != 0) break;
  }
  while (plain < text.size() && is_plain(static_cast<unsigned char>(text[plain]))) ++plain;
  return plain;
}

void append_escape(std::string& out, unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
  }
}

/// Control characters beyond ASCII, and line separators: valid in JSON, but unwanted on a terminal.
bool wants_escape(std::uint32_t code) {
  return code < 0xa0 || code == 0x2028 || code == 0x2029;
}

void append_wide_escape(std::string& out, std::uint32_t code) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[code >> shift & 15];
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_bytes(text);
    out.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character c = first_character(text);
    if (!c.valid) {
      out += kReplacement;
    } else if (c.size == 1) {
      append_escape(out, static_cast<unsigned char>(c.code));
    } else if (wants_escape(c.code)) {
      append_wide_escape(out, c.code);
    } else {
      out.append(text, 0, c.size);
    }
    text.remove_prefix(c.size);
  }
  out += '"';
}

}  // namespace

void JsonWriter::before_value() {
  if (!first_ && !after_key_) out_ += ',';
  first_ = after_key_ = false;
}

void JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
}

void JsonWriter::key(std::string_view name) {
  before_value();
  append_string(out_, name);
  out_ += ':';
  after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  before_value();
  append_string(out_, value);
}

void JsonWriter::text_or_null(std::string_view value) {
  if (value.empty()) {
    null();
  } else {
    text(value);
  }
}

void JsonWriter::boolean(bool value) {
  raw(value ? "true" : "false");
}
void JsonWriter::null() {
  raw("null");
}

void JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
}

void JsonWriter::unsigned_number(std::uint64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  raw({digits, static_cast<std::size_t>(end - digits)});
}

void JsonWriter::signed_number(std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  raw({digits, static_cast<std::size_t>(end - digits)});
}

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  raw({digits, static_cast<std::size_t>(end - digits)});
}

}  // namespace luzia
