// Parses when a usage limit resets from an agent's message to people. Needed if the agent reports the time in
// words only, as wall-clock time. Any thread.
//
// - Codex: "try again at 11:40 AM." if that is today, else "try again at Nov 3rd, 2026 11:40 AM."
// - Claude: "resets 11:33am (UTC)", "resets 3pm (Europe/Berlin)", "resets Nov 3, 5pm"
// - Gemini: "Your quota will reset after 8h44m7s"
#pragma once

#include <string_view>

#include "engine/base/time.h"

namespace luzia {

/// Returns when the limit resets: the end of the named minute, or `written` plus the named time span. The
/// clock is UTC if the message says so, else that of this process's time zone ($TZ, else the machine's).
///
/// Returns 0 if the message names no time or another time zone, or if the named minute is over by `now`: a
/// time parsed from words may be wrong and must not make a limit look as if it were over.
///
/// `written`: the latest time at which the message can have been written. It supplies a missing day and year.
/// If the result would not be after `written`, a "resets" without a day means tomorrow, and a day without a
/// year means next year. A date more than kLongestLimit after `written` is rejected.
TimeUs reset_in_words(std::string_view text, TimeUs written, TimeUs now);

}  // namespace luzia
