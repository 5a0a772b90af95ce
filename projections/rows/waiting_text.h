// What a queued job waits for, in words for people. Any thread.
#pragma once

#include <string>

#include "engine/base/local_time.h"
#include "engine/base/time.h"
#include "view.fb.h"

namespace luzia {

/// One sentence without a full stop, e.g. "its turn: 3 jobs come first (0kx81, 0kx82, ...), in about 12m".
/// Control characters in names are left for the caller to make harmless.
/// `shown`: how a moment is written.
std::string waiting_text(const view::Waiting& waiting, TimeUs now,
                         std::string (*shown)(TimeUs) = format_local);

}  // namespace luzia
