// A bounded text that is built by appending. Text that does not fit is cut off, which is never an error.
// luzia-run has no std::string.
#pragma once

#include <stdarg.h>

#include <cstddef>

namespace luzia::run {

class TextView {
 public:
  TextView(char* bytes, std::size_t capacity) : bytes_(bytes), capacity_(capacity) { bytes_[0] = '\0'; }

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...);
  void add_char(char c);
  /// Appends text as in a JSON string: quotes, backslashes and control characters escaped.
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

/// Converts `text` to one line of valid UTF-8: control characters become blanks, bytes that are not UTF-8
/// become '?', including a sequence cut off at the end.
void make_line(char* text);

}  // namespace luzia::run
