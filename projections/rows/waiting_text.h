// What a queued job waits for, as text for people. Any thread.
#pragma once

#include <string>

#include "engine/base/local_time.h"
#include "engine/base/time.h"
#include "view.fb.h"

namespace luzia {

/// One sentence without a full stop that says what a person can do about it: "waits for its turn: 2 of 2
/// slots are taken; 3 come first: 0kx81, 0kx82, 0kx83; starts in about 12m". Names may contain control
/// characters; the caller must make them harmless.
std::string waiting_text(const view::Waiting& waiting, TimeUs now);

/// The same as a stable code for scripts: the name of the WaitsFor; empty: it starts next.
std::string blocked_by(const view::Waiting& waiting);

}  // namespace luzia
