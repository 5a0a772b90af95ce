// Folding brings a set of projections and their store up to a position of the log. The same code runs live in
// the view thread, for rebuild and verify, and for past states (--at).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/log/event_log.h"
#include "engine/view/projection.h"

namespace luzia {

/// The store's own row (id 0): id and version of each view whose rows it holds, one byte each.
inline constexpr std::string_view kViewsKey{"\0views", 6};

using GroupSpan = std::span<const std::shared_ptr<const Group>>;

/// Resources for folding many events. several: own threads and tens of MiB, which is faster. one: only the
/// caller's thread and little memory, for callers of which many may fold at once.
enum class FoldThreads { several, one };

/// All projections of a registry over one store. One thread at a time.
class Fold {
 public:
  /// Number of events after which rows are written if many are folded. Small enough that the rows being
  /// changed stay in the processor's cache, which saves more than writing each row less often.
  static constexpr Position kEventsPerFlush = 512;

  Fold(const ProjectionRegistry& registry, ViewStore& store, FoldThreads threads = FoldThreads::several);
  ~Fold();
  ViewCursor cursor() const { return cursor_; }
  FoldThreads threads() const { return threads_; }
  /// Folds the events of `group` after cursor(), up to and including `until`, without writing. A cursor
  /// inside a group has no chain hash, so it matches no log once it is stored. Only rows of a past state may
  /// end there.
  void apply(const Group& group, Position until = ~Position{0});
  /// apply() for consecutive groups, then flush(). Folds many events on two threads if several are allowed:
  /// core views on this one, the others on the second. The rows are the same.
  Status apply_and_flush(GroupSpan groups, Position until = ~Position{0});
  /// Folds one event without moving the cursor, for the history of single streams.
  void apply_event(const schema::Event& event);
  /// Writes the changed rows and the cursor as one batch. After an error the fold must not be used any more.
  Status flush();
  /// Tells the store whether the rows of many events follow (ViewStore::expect_many()).
  Status expect_many(bool many) { return store_.expect_many(many); }
  /// Whether the store is empty or its rows were written by these views (same ids and versions).
  bool fits_store() const;
  /// The value of kViewsKey for rows written by these views.
  std::string views_row() const;

 private:
  /// Projections that share no state with the other side, so each side may run on any thread.
  struct Side {
    std::vector<std::unique_ptr<Projection>> projections;
    std::unique_ptr<ViewReader> rows;  // as of the last flush; null until needed
    RowBatch batch;                    // empty between flushes; its memory is reused

    void apply(const schema::Event& event);
    void apply(GroupSpan groups, Position after, Position until);
    void pack();
  };

  bool apply_beside(GroupSpan groups, Position until);
  void move_cursor(const Group& group, Position until);
  Status write();

  ViewStore& store_;
  FoldThreads threads_;
  std::string views_row_;
  Side core_, others_;
  ViewCursor cursor_;
  bool views_row_missing_ = false;  // at the start of the fold
  bool views_row_stored_ = false;
};

struct FoldProgress {
  Position done = 0;
  Position total = 0;
  std::uint64_t bytes = 0;  // of the groups that were read so far
};

/// Folds from the fold's cursor to `until`, or to the log's tip if that is sooner. Flushes every few thousand
/// events and calls `progress` after each flush. `cancelled` (trouble) soon after a stop is requested; the
/// rows are then valid up to their cursor.
Status fold_log(const EventLog& log, Fold& fold, Position until,
                const std::function<void(FoldProgress)>& progress = {}, const std::stop_token& stop = {});

/// fold_log() from the store's cursor. Clears the store and starts at the base if its rows are of another
/// registry (newer or older program), or if its cursor does not match the log (restored backup, other log).
/// In the latter case a daemon calls this only after a person accepted it (rollback.h).
Status catch_up(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store,
                Position until = ~Position{0}, const std::function<void(FoldProgress)>& progress = {},
                const std::stop_token& stop = {}, FoldThreads threads = FoldThreads::several);

/// Whether the log has a group that ends at cursor.position with the cursor's chain hash. A cursor of 0
/// always matches; a log shorter than the cursor does not.
Result<bool> cursor_matches(const EventLog& log, const ViewCursor& cursor);

/// Compares two sets of rows byte by byte, without the store's own rows. Returns descriptions of the first
/// differences (at most 10). Ends early if a stop is requested.
std::vector<std::string> compare_rows(const ViewReader& left, const ViewReader& right,
                                      const std::stop_token& stop = {});

}  // namespace luzia
