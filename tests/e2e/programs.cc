#include "tests/e2e/programs.h"

namespace luzia {

const std::string kLuzia = LUZIA_PROGRAM;
const std::string kLuziad = LUZIAD_PROGRAM;
const std::string kLuziaQuery = LUZIA_QUERY_PROGRAM;
const std::string kShiftedClock = LUZIA_SHIFTED_CLOCK;

}  // namespace luzia
