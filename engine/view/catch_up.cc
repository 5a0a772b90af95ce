// Bringing a store to the log's tip, and telling whether its rows belong to the log at all.
#include <algorithm>

#include "engine/base/cancelled.h"
#include "engine/view/fold.h"

namespace luzia {
namespace {

/// Rows of this many events are gathered before they are written: more than in the view thread, because in a
/// whole history a job's row changes often and is then written once, and nobody waits for a part of it.
constexpr Position kEventsPerFlush = 8192;

Status fold_from_cursor(const EventLog& log, Fold& fold, Position until,
                        const std::function<void(FoldProgress)>& progress, const std::stop_token& stop) {
  const Position total = std::min(until, log.tip().position);
  if (fold.cursor().position >= total) return {};
  auto groups = log.read_from(std::max(fold.cursor().position, log.base().position) + 1);
  Position flushed = fold.cursor().position;
  while (fold.cursor().position < total) {
    if (stop.stop_requested()) return cancelled("folding the log");
    auto group = groups->next();
    if (!group) return tl::unexpected(group.error());
    if (!*group) break;
    fold.apply(**group, total);
    if (fold.cursor().position - flushed < kEventsPerFlush) continue;
    if (Status written = fold.flush(); !written) return written;
    flushed = fold.cursor().position;
    if (progress) progress({flushed, total});
  }
  if (Status written = fold.flush(); !written) return written;
  if (progress) progress({fold.cursor().position, total});
  return {};
}

}  // namespace

Result<bool> cursor_matches(const EventLog& log, const ViewCursor& cursor) {
  if (cursor.position == 0) return true;
  if (cursor == log.base() || cursor == log.tip()) return true;
  if (cursor.position <= log.base().position || cursor.position > log.tip().position) return false;
  auto group = log.read_from(cursor.position)->next();
  if (!group) return tl::unexpected(group.error());
  return *group && (*group)->last_position() == cursor.position && (*group)->chain() == cursor.chain;
}

Status catch_up(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store, Position until,
                const std::function<void(FoldProgress)>& progress, const std::stop_token& stop) {
  const auto matches = cursor_matches(log, store.snapshot()->cursor());
  if (!matches) return tl::unexpected(matches.error());
  if (!*matches || !Fold(registry, store).fits_store()) {
    if (Status cleared = store.clear(); !cleared) return cleared;
  }
  Fold fold(registry, store);
  return fold_from_cursor(log, fold, until, progress, stop);
}

}  // namespace luzia
