// When a usage limit is over that an agent tells people of, and nobody else, by the clock on the machine's
// wall. Codex: "try again at 11:40 AM." where that is today, else "try again at Nov 3rd, 2026 11:40 AM.";
// Claude: "resets 11:33am (UTC)", "resets 3pm (Europe/Berlin)", "resets Nov 3, 5pm"; Gemini: "Your quota will
// reset after 8h44m7s". Any thread.
#pragma once

#include <string_view>

#include "engine/base/time.h"

namespace luzia {

/// The end of the minute that the words name, in UTC where they say so, else in the time zone of this process
/// ($TZ, else the machine's); or so long after `written` as they say. 0: they name none, or another zone, or
/// a minute that is over by `now`: what is read out of words may be wrong, and must not make a limit look as
/// if it were over. `written`: when they were, at the latest, which tells day and year where they do not; a
/// "resets" that is over by then is tomorrow's, and a day without a year that is over by then is the next
/// year's, if that is no longer away than kLongestLimit.
TimeUs reset_in_words(std::string_view text, TimeUs written, TimeUs now);

}  // namespace luzia
