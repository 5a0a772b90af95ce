// The text of a digest for one channel: what `luzia digest` prints, of the channel's projects alone, without
// terminal marks, and bounded for where it goes. Blocks while it reads rows; for a delivery thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/notify/notice.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

/// Of what time a digest is.
struct DigestSpan {
  TimeUs since = 0, now = 0;
  Position after = 0, last = 0;  // as in DigestSource
};

/// For whom it is.
struct DigestReader {
  std::vector<std::string> projects;  // empty: all
  std::size_t most_bytes = 0;         // of the text
};

/// Of all but the desktop. Telegram and ntfy take 4,096 bytes, and Telegram's messages leave room for an
/// outcome.
constexpr std::size_t kDigestBytes = 3'300;
constexpr std::size_t kDesktopDigestBytes = 700;

/// Puts the digest into the notice of the event that it is due: its text, the field `digest` of its JSON (as
/// `luzia digest --json`, with the first jobs of each kind) beside `text`, and LUZIA_TEXT, a line that
/// counts. False: it says that nothing happened, and nothing is left to do.
Result<bool> write_digest(const DigestSpan& span, const DigestReader& reader, const EventLog& log,
                          const ViewReader& rows, Notice& notice);

/// Of what a digest of this queue tells, if the last one that was delivered is the event at `told` (0: none
/// was): since then; the first of at least a day, and since it was configured.
Result<DigestSpan> span_since(const EventLog& log, const view::HookCursorT& queue, Position told, TimeUs now);
/// The row of the queue `hook`; empty if the log does not know it.
view::HookCursorT digest_cursor(const ViewReader& rows, const std::string& hook);

}  // namespace luzia
