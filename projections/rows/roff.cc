#include "projections/rows/roff.h"

namespace luzia {

std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool line_start = escaped.empty() || escaped.back() == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace luzia
