// View clock_stretches: where the wall clock went back; and positions of the log by time, which are found
// with it. Within a stretch the times of events rise, but for falls of less than 2 * kClockSlackUs. A stretch
// begins with the first event, and with each that is over kClockSlackUs before the mark: the time of the
// stretch's first event, or of the last one that was kClockSlackUs or more behind the mark of then. So a row
// costs a fall of more than that, and the mark's row changes once in so long at most. Key: big-endian
// position of the stretch's first event; besides, the mark.
//
// (Rejected: the stretches between events ClockStepped. There is none where the clock went back over a
// reboot, and commands that were taken in before a step was seen lie on the wrong side of it.)
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

/// The highest position, up to `until` and the cursor of `rows`, whose event is not later than `time`: of
/// several where the clock went back past it, the last. The base's position when all are later. Exact; reads
/// what was recorded in the 2 * kClockSlackUs after `time`. Any thread. Errors: those of the log and of
/// `rows`.
Result<Position> position_at_time(const EventLog& log, const ViewReader& rows, TimeUs time,
                                  Position until = ~Position{0});

/// The positions after < position <= last.
struct PositionRange {
  Position after = 0;
  Position last = 0;
  bool operator==(const PositionRange&) const = default;
};

/// Where all events of after < position <= until are that are not before `since`, and few others (some of the
/// 4 * kClockSlackUs before). Rising. Events behind the cursor of `rows` are in it. Otherwise as
/// position_at_time().
Result<std::vector<PositionRange>> positions_since(const EventLog& log, const ViewReader& rows, TimeUs since,
                                                   Position after, Position until);

/// Rows of this view alone, current with the log: `rows` (of this log; null: none) folded on in memory.
/// `cancelled` when a stop is asked for meanwhile.
Result<std::unique_ptr<ViewReader>> fold_clock_stretches(const EventLog& log,
                                                         std::shared_ptr<const ViewReader> rows,
                                                         const std::stop_token& stop = {},
                                                         FoldThreads threads = FoldThreads::several);

}  // namespace luzia
