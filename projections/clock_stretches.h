// View clock_stretches: where the wall clock went back. It is used to find positions of the log by time.
//
// Within a stretch, the times of events rise, except for falls below 2 * kClockSlackUs. The mark is the time
// of the stretch's first event, or of a later event that was at least kClockSlackUs after the mark before it.
// A new stretch begins with the first event of the log, and with each event more than kClockSlackUs before
// the mark. So a row needs a fall of more than kClockSlackUs, and the mark's row changes at most once in that
// time.
//
// Key: big-endian position of the stretch's first event; one more row holds the mark.
//
// Rejected: using the stretches between ClockStepped events. There is no such event if the clock went back
// during a reboot, and commands received before the step was noticed are on the wrong side of it.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/time.h"
#include "engine/log/event_log.h"
#include "engine/view/fold.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kClockStretchesView{11, 1, "clock_stretches", ViewKind::statistic};

constexpr TimeUs kClockSlackUs = 5 * kSecondUs;

std::unique_ptr<Projection> make_clock_stretches_projection(ViewReaderSource rows);

/// The highest position up to `until` and the cursor of `rows` whose event is not later than `time`. If the
/// clock went back past `time`, this is the last such position. If all events are later, returns the base's
/// position. Exact; reads what was recorded within 2 * kClockSlackUs after `time`. Any thread. Errors: those
/// of the log and of `rows`.
Result<Position> position_at_time(const EventLog& log, const ViewReader& rows, TimeUs time,
                                  Position until = ~Position{0});

/// The positions after < position <= last.
struct PositionRange {
  Position after = 0;
  Position last = 0;
  bool operator==(const PositionRange&) const = default;
};

/// Ranges of positions, ascending. They contain all events of after < position <= until that are not before
/// `since`, and a few others (some from the 4 * kClockSlackUs before). Events beyond the cursor of `rows` are
/// included. Otherwise like position_at_time().
Result<std::vector<PositionRange>> positions_since(const EventLog& log, const ViewReader& rows, TimeUs since,
                                                   Position after, Position until);

/// Rows of this view only, up to date with the log: folds on from `rows` (of this log; null: none) in memory.
/// `cancelled` if a stop is requested meanwhile.
Result<std::unique_ptr<ViewReader>> fold_clock_stretches(const EventLog& log,
                                                         std::shared_ptr<const ViewReader> rows,
                                                         const std::stop_token& stop = {},
                                                         FoldThreads threads = FoldThreads::several);

}  // namespace luzia
