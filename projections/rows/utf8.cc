#include "projections/rows/utf8.h"

namespace luzia {
namespace {

struct Lead {
  std::size_t size;
  std::uint32_t bits;
  std::uint32_t least;  // smaller code points would be overlong
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xe0) == 0xc0) return {2, byte & 0x1fU, 0x80};
  if ((byte & 0xf0) == 0xe0) return {3, byte & 0x0fU, 0x800};
  if ((byte & 0xf8) == 0xf0) return {4, byte & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

Character first_character(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.size == 0 || text.size() < lead.size) return {};
  std::uint32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    code = code << 6 | (byte & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < lead.least || code > 0x10ffff || surrogate) return {};
  return {code, lead.size, true};
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) { out.push_back(static_cast<char>(0x80 | (code >> shift & 0x3f))); };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0 | code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | code >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace luzia
