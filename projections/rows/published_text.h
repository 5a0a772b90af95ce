// What was published about a job and has no column of its own, as words for job, watch and why. Any thread.
#pragma once

#include <string>

#include "view.fb.h"

namespace luzia {

/// "1m30s"; bounded, whatever was published.
std::string seconds_text(double seconds);
/// "at position 3 after t-5, t-6, for about 30s"; empty: no place was published.
std::string published_place(const view::Reported& said);
/// "APPROVED, 4 findings, 5 recommendations"; empty: no result was published.
std::string published_result(const view::Job& job);
/// "hot (critical)"; empty: no alert was published.
std::string published_alert(const view::Reported& said);
/// All of it in one line: what it does, how long it takes, where it waits, what is wrong, what came out.
/// Empty: nothing was published. Texts are as published, and may hold anything.
std::string published_line(const view::Job& job);

}  // namespace luzia
