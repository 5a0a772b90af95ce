#include "tools/luzia-run/text.h"

#include <stdio.h>
#include <string.h>

namespace luzia::run {

void TextView::add(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = ::vsnprintf(bytes_ + size_, capacity_ - size_, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  const std::size_t wanted = size_ + static_cast<std::size_t>(length);
  size_ = wanted < capacity_ ? wanted : capacity_ - 1;
}

void TextView::add_char(char c) {
  if (size_ + 1 >= capacity_) return;
  bytes_[size_++] = c;
  bytes_[size_] = '\0';
}

void TextView::add_json(const char* text) {
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') add_char('\\');
    if (static_cast<unsigned char>(*text) < 0x20) {
      add("\\u%04x", static_cast<unsigned>(*text));
    } else {
      add_char(*text);
    }
  }
}

void TextView::clear() {
  size_ = 0;
  bytes_[0] = '\0';
}

namespace {

// Length of the UTF-8 sequence at `text`; 0 if it is invalid (RFC 3629: no overlong forms, no surrogates).
std::size_t utf8_length(const unsigned char* text) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || text[1] < low || text[1] > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (text[i] < 0x80 || text[i] > 0xBF) return 0;
  }
  return length;
}

}  // namespace

void make_line(char* text) {
  auto* at = reinterpret_cast<unsigned char*>(text);
  while (*at != 0) {
    const std::size_t length = utf8_length(at);
    if (length == 0) {
      *at++ = '?';
    } else {
      if (*at < 0x20 || *at == 0x7F) *at = ' ';
      at += length;
    }
  }
}

}  // namespace luzia::run
