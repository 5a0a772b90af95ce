// Where the programs under test are. The build tells programs.cc alone, so that no other object depends on
// the folder that it was built in.
#pragma once

#include <string>

namespace luzia {

extern const std::string kLuzia, kLuziad, kLuziaQuery, kShiftedClock;

}  // namespace luzia
