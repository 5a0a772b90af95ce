// The paths of the programs under test. Only programs.cc depends on the build folder, so ccache can share all
// other objects between folders.
#pragma once

#include <string>

namespace luzia {

extern const std::string kLuzia, kLuziad, kLuziaQuery, kShiftedClock;

}  // namespace luzia
