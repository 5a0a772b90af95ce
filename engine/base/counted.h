// Numbers in sentences. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// "1,234,567"
std::string grouped(std::uint64_t number);

/// "1 warning", "1,234 warnings". `many`: the plural, if it is not `one` with an s: "1 job of it", "2 jobs of
/// it".
std::string counted(std::uint64_t number, std::string_view one, std::string_view many = {});

}  // namespace luzia
