// What to do about trouble that is the machine's, whatever was tried.
#pragma once

#include <string_view>

namespace luzia {

/// Of a failing, full or read-only disk, a used-up quota, and too many open files. Empty: the one who tried
/// knows better.
std::string_view errno_hint(int errno_value);

}  // namespace luzia
