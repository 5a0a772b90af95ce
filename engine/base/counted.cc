#include "engine/base/counted.h"

namespace luzia {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  std::string count = grouped(number) + " ";
  if (number == 1) return count.append(one);
  return many.empty() ? count.append(one) + "s" : count.append(many);
}

}  // namespace luzia
