// When a usage limit is over that an agent tells people of, and nobody else: Codex says "try again at 11:40
// AM." where that is today, else "try again at Nov 3rd, 2026 11:40 AM.", by the clock on the machine's wall.
// Any thread.
#pragma once

#include <string_view>

#include "engine/base/time.h"

namespace luzia {

/// The end of the minute that the words name, in UTC where they say so, else in the time zone of this process
/// ($TZ, else the machine's). 0: they name none, or another zone, or one that is over by `now`: what is read
/// out of words may be wrong, and must not make a limit look as if it were over. `written`: when they were,
/// at the latest, which tells the day where they do not.
TimeUs reset_in_words(std::string_view text, TimeUs written, TimeUs now);

}  // namespace luzia
