// Brings a store to the log's tip, and checks whether its rows belong to this log.
#include <algorithm>
#include <utility>

#include "engine/base/cancelled.h"
#include "engine/log/read_ahead.h"
#include "engine/view/fold.h"

namespace luzia {
namespace {

/// Events whose rows are collected before they are written. More than in the view thread: in a whole history
/// a job's row changes often but is then written only once. So are rows that keep the last thousand of
/// something. Nobody waits for intermediate rows. 32,768 events would write a tenth less but take 50 MiB more
/// memory.
constexpr Position kEventsPerFlush = 16384;
/// The same for FoldThreads::one, where several folds may run at once.
constexpr Position kEventsPerFlushAlone = 8192;
/// Groups of large events are written earlier, because all of them are in memory until then.
constexpr std::size_t kBytesPerFlush = 16 << 20;
/// From this many events on the store is told to expect many: their rows exceed one of its buffers.
constexpr Position kManyEvents = 50'000;

/// Calls expect_many(false) at the end, however the fold ends.
class ManyExpected {
 public:
  explicit ManyExpected(Fold& fold) : fold_(fold) {}
  ~ManyExpected() { (void)take_back(); }
  ManyExpected(const ManyExpected&) = delete;
  ManyExpected& operator=(const ManyExpected&) = delete;

  Status tell() {
    told_ = true;
    return fold_.expect_many(true);
  }
  Status take_back() { return std::exchange(told_, false) ? fold_.expect_many(false) : Status(); }

 private:
  Fold& fold_;
  bool told_ = false;
};

}  // namespace

Status fold_log(const EventLog& log, Fold& fold, Position until,
                const std::function<void(FoldProgress)>& progress, const std::stop_token& stop) {
  const Position total = std::min(until, log.tip().position);
  Position reached = fold.cursor().position;
  if (reached >= total) return {};
  const Position first = std::max(reached, log.base().position) + 1;
  const bool alone = fold.threads() == FoldThreads::one;
  const Position per_flush = alone ? kEventsPerFlushAlone : kEventsPerFlush;
  ManyExpected many(fold);
  if (!alone && total >= first + kManyEvents) {
    LUZIA_TRY(many.tell());
  }
  const auto cursor = alone ? log.read_from(first) : read_ahead(log, first, total);
  std::vector<std::shared_ptr<const Group>> groups;
  std::uint64_t bytes = 0, written_bytes = 0;
  Position written_until = reached;
  bool ended = false;
  while (!ended) {
    if (stop.stop_requested()) return cancelled("folding the log");
    auto group = LUZIA_TRY(cursor->next());
    ended = !group;
    if (group) {
      reached = group->last_position();
      ended = reached >= total;
      bytes += group->frames().size();
      if (alone) {
        fold.apply(*group, total);
      } else {
        groups.push_back(std::move(group));
      }
    }
    const bool enough = reached >= written_until + per_flush || bytes - written_bytes >= kBytesPerFlush;
    if (!enough && !ended) continue;
    LUZIA_TRY(fold.apply_and_flush(groups, total));
    groups.clear();
    written_bytes = bytes;
    written_until = reached;
    if (progress) progress({fold.cursor().position, total, bytes});
  }
  return many.take_back();
}

Result<bool> cursor_matches(const EventLog& log, const ViewCursor& cursor) {
  if (cursor.position == 0) return true;
  if (cursor == log.base() || cursor == log.tip()) return true;
  if (cursor.position <= log.base().position || cursor.position > log.tip().position) return false;
  auto group = LUZIA_TRY(log.read_from(cursor.position)->next());
  return group && group->last_position() == cursor.position && group->chain() == cursor.chain;
}

Status catch_up(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store, Position until,
                const std::function<void(FoldProgress)>& progress, const std::stop_token& stop,
                FoldThreads threads) {
  const auto matches = LUZIA_TRY(cursor_matches(log, store.snapshot()->cursor()));
  if (!matches || !Fold(registry, store).fits_store()) {
    LUZIA_TRY(store.clear());
  }
  Fold fold(registry, store, threads);
  return fold_log(log, fold, until, progress, stop);
}

}  // namespace luzia
