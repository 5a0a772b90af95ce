// Hints for errors of the machine, whatever operation failed. Any thread.
#pragma once

#include <string_view>

namespace luzia {

/// A hint for a failing, full or read-only disk, a used-up quota, or too many open files. Empty: the caller
/// knows a better hint.
std::string_view errno_hint(int errno_value);

}  // namespace luzia
