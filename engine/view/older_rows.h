// Rows that an older program has left in a store: they serve while all rows are made anew beside them. The
// present program folds on into them where it can read them; a statistic that it can't read is told to be in
// the making. The store is marked meanwhile: any other program makes the rows anew from the log.
//
// (Rejected: two cursors in one store, one for the rows that fit: what views of one projection say follows
// from the same rows.)
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/view/projection.h"

namespace luzia {

/// How the rows of a store differ from those of this program.
struct OlderVersions {
  struct View {
    ProjectionInfo info;
    std::optional<std::uint8_t> stored;  // nullopt: there are none that can be read
  };
  std::vector<View> views;  // only those that differ
  std::string own_row;      // what this program's rows have under kViewsKey
  std::string mark;         // what these rows have there as long as they are used
};

/// nullopt: the rows are this program's already, or not to be used: without them the daemon can't act.
std::optional<OlderVersions> find_older_versions(const ViewReader& rows, const ProjectionRegistry& registry);

/// How far the new rows are. Any thread.
class RowsInTheMaking {
 public:
  void reached(unsigned percent);
  void failed(std::string why);
  /// "being made anew, 42 %", or why not.
  std::string text() const;
  /// What is said to whoever asks for them: `views_rebuilding` (trouble).
  Status told_of(std::string_view view) const;

 private:
  mutable std::mutex mutex_;
  unsigned percent_ = 0;  // under mutex_
  std::string failed_;    // under mutex_
};

/// The store of older rows under the names of this program's: one face to fold into, one to read from, whose
/// readers turn to `views_rebuilding` once they are asked for a view that isn't there. What lies beneath
/// outlives both.
std::unique_ptr<ViewStore> fold_into_older_rows(ViewStore& store, OlderVersions versions);
std::unique_ptr<ViewStore> show_older_rows(ViewStore& store, OlderVersions versions,
                                           std::shared_ptr<const RowsInTheMaking> making);

/// Before the first change of older rows: marks them.
Status mark_older_rows(ViewStore& store, const OlderVersions& versions);

}  // namespace luzia
