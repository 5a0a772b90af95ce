// Uses rows that an older program left in a store while all rows are rebuilt beside them. Where the present
// program can read an older view, it folds on into its rows. A statistic that it cannot read is reported as
// being rebuilt. The store is marked meanwhile, so that any other program rebuilds the rows from the log.
//
// Rejected: two cursors in one store, one of them for the views that fit. The views of one projection must
// follow from the same rows.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/view/projection.h"

namespace luzia {

/// The differences between the rows of a store and those of this program.
struct OlderVersions {
  struct View {
    ProjectionInfo info;
    std::optional<std::uint8_t> stored;  // nullopt: no readable rows
  };
  std::vector<View> views;  // only views that differ
  std::string own_row;      // value of kViewsKey for this program's rows
  std::string mark;         // value of kViewsKey while the older rows are in use
};

/// nullopt: the rows are this program's already, or the daemon cannot work with them.
std::optional<OlderVersions> find_older_versions(const ViewReader& rows, const ProjectionRegistry& registry);

/// Progress of the rebuild. Any thread.
class RowsInTheMaking {
 public:
  void reached(unsigned percent);
  void failed(std::string why);
  /// For people: "being rebuilt, 42 %", or "not rebuilt: " and why.
  std::string text() const;
  /// The error for queries of a view that is being rebuilt: `views_rebuilding` (trouble).
  Status told_of(std::string_view view) const;

 private:
  mutable std::mutex mutex_;
  unsigned percent_ = 0;  // under mutex_
  std::string failed_;    // under mutex_
};

/// The store of older rows with the keys of this program's rows: one wrapper to fold into, one to read from.
/// A reader's status() becomes `views_rebuilding` once a view without readable rows was read. `store` must
/// outlive both.
std::unique_ptr<ViewStore> fold_into_older_rows(ViewStore& store, OlderVersions versions);
std::unique_ptr<ViewStore> show_older_rows(ViewStore& store, OlderVersions versions,
                                           std::shared_ptr<const RowsInTheMaking> making);

/// Marks older rows. Call before their first change.
Status mark_older_rows(ViewStore& store, const OlderVersions& versions);

}  // namespace luzia
