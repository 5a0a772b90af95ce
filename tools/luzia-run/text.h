// A bounded text, built by appending: what does not fit is cut off, never an error. luzia-run has no
// std::string.
#pragma once

#include <stdarg.h>

#include <cstddef>

namespace luzia::run {

class TextView {
 public:
  TextView(char* bytes, std::size_t capacity) : bytes_(bytes), capacity_(capacity) { bytes_[0] = '\0'; }

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...);
  void add_char(char c);
  /// As the inside of a JSON string: quotes, backslashes and control characters escaped.
  void add_json(const char* text);
  void clear();

  const char* c_str() const { return bytes_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  char* bytes() { return bytes_; }

 private:
  char* bytes_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

template <std::size_t kCapacity>
class Text : public TextView {
 public:
  Text() : TextView(storage_, kCapacity) {}
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

 private:
  char storage_[kCapacity];
};

/// Makes one line of valid UTF-8 of it: control characters become blanks, bytes that are no UTF-8 become '?'
/// (also a sequence that was cut off at the end).
void make_line(char* text);

}  // namespace luzia::run
