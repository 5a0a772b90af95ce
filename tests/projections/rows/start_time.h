// The time at which the tests of rows and facts begin.
#pragma once

#include "engine/base/time.h"

namespace luzia::test {

inline constexpr TimeUs kStart = 1'767'225'600'000'000;  // 2026-01-01T00:00:00Z

}  // namespace luzia::test
