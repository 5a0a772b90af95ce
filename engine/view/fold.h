// Folding: brings a set of projections and their store up to a position of the log. The same code runs live
// in the view thread, for rebuild and verify, and for the state as it was (--at).
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

/// Row of the store itself (id 0): id and version of each view that its rows are of, a byte each.
inline constexpr std::string_view kViewsKey{"\0views", 6};

using GroupSpan = std::span<const std::shared_ptr<const Group>>;

/// What a fold of many events may use: threads of its own and tens of MiB, which is faster, or the caller's
/// thread alone and little memory, where many may fold at once.
enum class FoldThreads { several, one };

/// All projections of a registry over one store. One thread at a time.
class Fold {
 public:
  /// Where many events are folded, rows are written after so many: often enough that what is worked on stays
  /// in the processor's cache, which saves more than writing a row that changes again soon only once.
  static constexpr Position kEventsPerFlush = 512;

  Fold(const ProjectionRegistry& registry, ViewStore& store, FoldThreads threads = FoldThreads::several);
  ~Fold();
  ViewCursor cursor() const { return cursor_; }
  FoldThreads threads() const { return threads_; }
  /// Folds the events of `group` after cursor() up to and including `until`, without writing. A cursor inside
  /// a group has no chain hash and so matches no log when it is stored; only rows of the past are left at
  /// one.
  void apply(const Group& group, Position until = ~Position{0});
  /// apply() of groups that follow on each other, then flush(). Many events are folded on two threads, core
  /// views on this one and the others beside it, where several may be used; the rows are the same.
  Status apply_and_flush(GroupSpan groups, Position until = ~Position{0});
  /// Folds one event by itself, without moving the cursor: for the history of single streams.
  void apply_event(const schema::Event& event);
  /// Writes the changed rows and the cursor as one batch. After an error the fold is of no more use.
  Status flush();
  /// Tells the store that the rows of many events follow, or no longer do (ViewStore::expect_many()).
  Status expect_many(bool many) { return store_.expect_many(many); }
  /// Whether the store's rows were written by these views (ids and versions) or by none yet.
  bool fits_store() const;
  /// What the store's own row kViewsKey says of rows that these views have written.
  std::string views_row() const;

 private:
  /// Projections that share no state with those of the other side: each side on any one thread.
  struct Side {
    std::vector<std::unique_ptr<Projection>> projections;
    std::unique_ptr<ViewReader> rows;  // the store's as of the last flush; null until asked for
    RowBatch batch;                    // empty between flushes; its memory is used again

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
  bool views_row_missing_ = false;  // when the fold began
  bool views_row_stored_ = false;
};

struct FoldProgress {
  Position done = 0;
  Position total = 0;
  std::uint64_t bytes = 0;  // of the groups that were read so far
};

/// Folds from the fold's cursor to `until` (or the log's tip), flushing every few thousand events; progress
/// is told after each flush. `cancelled` (trouble) soon after a stop is asked for; the rows are then sound up
/// to their cursor.
Status fold_log(const EventLog& log, Fold& fold, Position until,
                const std::function<void(FoldProgress)>& progress = {}, const std::stop_token& stop = {});

/// fold_log() from the store's cursor on. A cursor that does not match the log (restored backup, other log),
/// which a daemon calls only when a person has accepted that (rollback.h), or rows of another registry (newer
/// or older program) clear the store and start at the base.
Status catch_up(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store,
                Position until = ~Position{0}, const std::function<void(FoldProgress)>& progress = {},
                const std::stop_token& stop = {}, FoldThreads threads = FoldThreads::several);

/// Whether the group that ends at cursor.position has that chain hash (a cursor of 0 always matches). A log
/// shorter than the cursor does not match.
Result<bool> cursor_matches(const EventLog& log, const ViewCursor& cursor);

/// Compares two sets of rows byte for byte, the store's own apart. Returns a description of the first
/// differences (at most 10). Ends early when a stop is asked for.
std::vector<std::string> compare_rows(const ViewReader& left, const ViewReader& right,
                                      const std::stop_token& stop = {});

}  // namespace luzia
