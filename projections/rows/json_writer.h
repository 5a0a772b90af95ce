// A streaming JSON writer. It appends to a string, places commas, and emits valid JSON for any text: invalid
// UTF-8 becomes U+FFFD, control characters are escaped, and numbers that JSON lacks (NaN, infinity) become
// null. One object per use; not thread-safe; the output string belongs to the caller.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void text(std::string_view value);
  /// Like text(), but null if empty.
  void text_or_null(std::string_view value);
  void boolean(bool value);
  void null();
  void number(std::unsigned_integral auto value) { unsigned_number(value); }
  void number(std::signed_integral auto value) { signed_number(value); }
  void number(double value);
  /// Writes a value that is JSON already.
  void raw(std::string_view json);

 private:
  void open(char bracket);
  void close(char bracket);
  void before_value();
  void unsigned_number(std::uint64_t value);
  void signed_number(std::int64_t value);

  std::string& out_;
  bool first_ = true;  // true: no comma before the next value
  bool after_key_ = false;
};

}  // namespace luzia
