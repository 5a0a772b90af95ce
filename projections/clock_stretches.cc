#include "projections/clock_stretches.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "engine/view/overlay_store.h"
#include "view.fb.h"

namespace luzia {
namespace {

/// Sorts after all positions.
constexpr std::string_view kMarkKey = "\xff mark";
constexpr TimeUs kEndOfTime = std::numeric_limits<TimeUs>::max();

class ClockStretches : public OneView<Projection, view::ClockStretch, kClockStretchesView> {
 public:
  using OneView::OneView;

  void fold(const schema::Event& event) override {
    const TimeUs time = std::max<TimeUs>(0, event.time_us());
    if (!mark_) read_mark();
    const TimeUs ahead = time - *mark_;
    if (ahead >= -kClockSlackUs && ahead < kClockSlackUs) return;
    if (ahead < 0) {
      view::ClockStretchT& stretch = rows_.add(big_endian_64(event.position()));
      stretch.time_us = time;
      stretch.before_us = *mark_;
    }
    mark_ = time;
    rows_.edit(kMarkKey).time_us = time;
  }

 private:
  /// Before the first event the mark is at the end of time, so that a stretch begins with that event.
  void read_mark() {
    const view::ClockStretchT* mark = rows_.find(kMarkKey);
    mark_ = mark ? mark->time_us : kEndOfTime;
  }
  std::optional<TimeUs> mark_;  // as in the rows; nullopt: not read yet
};

struct Stretch {
  Position first, last;
  TimeUs begin_us;   // no event is more than kClockSlackUs before this
  TimeUs latest_us;  // no event is kClockSlackUs or more after this
};

/// Visits stretches from the last one back, until `visit` returns false.
void visit_stretches_back(const EventLog& log, const ViewReader& rows, Position until,
                          const std::function<bool(const Stretch&)>& visit) {
  const Position base = log.base().position;
  Position last = std::min({until, rows.cursor().position, log.tip().position});
  TimeUs latest = kEndOfTime;
  rows.scan_back(row_key(kClockStretchesView, ""), row_key(kClockStretchesView, big_endian_64(last + 1)),
                 [&](std::string_view key, std::string_view value) {
                   if (last <= base) return false;
                   const StoredRow<view::ClockStretch> row(value);
                   const Position first = number_from_big_endian(key.substr(2));
                   const bool goes_on = visit({std::max(first, base + 1), last, row->time_us(), latest});
                   last = first - 1;
                   latest = row->before_us();
                   return goes_on;
                 });
}

/// Binary search as if times rose: a position in the stretch that is not later than `time` and before one
/// that is later. If there is none, the position before the stretch.
Result<Position> cut_stretch(const EventLog& log, const Stretch& stretch, TimeUs time) {
  Position low = stretch.first - 1, high = stretch.last + 1;
  while (low + 1 < high) {
    const auto read = LUZIA_TRY(log.read_from(low + (high - low) / 2)->next());
    if (!read) break;
    const Position first = std::max(read->first_position(), low + 1);
    const Position last = std::min(read->last_position(), high - 1);
    const auto events = std::span(read->events()).subspan(first - read->first_position(), last - first + 1);
    if (events.front()->time_us() > time) {
      high = first;
    } else if (events.back()->time_us() <= time) {
      low = last;
    } else {
      return (*std::ranges::find_if(events, [&](auto* e) { return e->time_us() > time; }))->position() - 1;
    }
  }
  return low;
}

/// The last position in the stretch that is not later than `time`. If there is none, the position before the
/// stretch.
Result<Position> last_not_later(const EventLog& log, const Stretch& stretch, TimeUs time) {
  const auto cut = cut_stretch(log, stretch, time);
  if (!cut || *cut >= stretch.last) return cut;
  Position found = *cut;
  for (const auto groups = log.read_from(*cut + 1);;) {
    const auto group = LUZIA_TRY(groups->next());
    if (!group) return found;
    for (const schema::Event* event : group->events()) {
      if (event->position() <= *cut) continue;
      const bool over = event->position() > stretch.last || event->time_us() - time >= 2 * kClockSlackUs;
      if (over) return found;
      if (event->time_us() <= time) found = event->position();
    }
  }
}

}  // namespace

std::unique_ptr<Projection> make_clock_stretches_projection(ViewReaderSource rows) {
  return std::make_unique<ClockStretches>(std::move(rows));
}

Result<Position> position_at_time(const EventLog& log, const ViewReader& rows, TimeUs time, Position until) {
  time = std::max<TimeUs>(time, -1);
  Result<Position> found = log.base().position;
  visit_stretches_back(log, rows, until, [&](const Stretch& stretch) {
    if (stretch.begin_us - kClockSlackUs > time) return true;
    auto last = last_not_later(log, stretch, time);
    if (last && *last < stretch.first) return true;
    found = std::move(last);
    return false;
  });
  LUZIA_TRY(rows.status());
  return found;
}

Result<std::vector<PositionRange>> positions_since(const EventLog& log, const ViewReader& rows, TimeUs since,
                                                   Position after, Position until) {
  since = std::max<TimeUs>(since, 0);
  const Position known = rows.cursor().position;
  std::vector<PositionRange> ranges;
  if (until > std::max(known, after)) ranges.push_back({std::max(known, after), until});
  Status read;
  visit_stretches_back(log, rows, until, [&](const Stretch& stretch) {
    if (stretch.last <= after) return false;
    if (since - stretch.latest_us >= kClockSlackUs) return true;
    const auto cut = cut_stretch(log, stretch, since - 1 - 2 * kClockSlackUs);
    if (!cut) read = tl::unexpected(cut.error());
    if (!cut || *cut >= stretch.last) return cut.has_value();
    const Position from = std::max(*cut, after);
    if (!ranges.empty() && ranges.back().after == stretch.last) {
      ranges.back().after = from;
    } else {
      ranges.push_back({from, stretch.last});
    }
    return true;
  });
  if (read) read = rows.status();
  if (!read) return tl::unexpected(read.error());
  std::ranges::reverse(ranges);
  return ranges;
}

Result<std::unique_ptr<ViewReader>> fold_clock_stretches(const EventLog& log,
                                                         std::shared_ptr<const ViewReader> rows,
                                                         const std::stop_token& stop, FoldThreads threads) {
  OverlayStore store(std::move(rows));
  Fold fold({make_clock_stretches_projection}, store, threads);
  LUZIA_TRY(fold_log(log, fold, ~Position{0}, {}, stop));
  return store.snapshot();
}

}  // namespace luzia
