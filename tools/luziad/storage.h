// What the daemon keeps on disk: the log, the rows that follow it, and what else identifies the store. Opens
// the store, and keeps its ballast. Owned by Daemon; loop thread, except where noted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/core/engine.h"
#include "engine/log/event_log.h"
#include "engine/view/older_rows.h"
#include "engine/view/rocks_view_store.h"
#include "engine/view/rollback.h"
#include "engine/view/view_checkpoints.h"
#include "engine/view/view_store.h"
#include "tools/luziad/daemon.h"
#include "tools/luziad/rights/attempt_credentials.h"
#include "tools/luziad/upkeep/site.h"

namespace luzia {

/// Members are destroyed in reverse order, so a member comes before those that use it.
struct Storage {
  std::string folder;
  std::unique_ptr<EventLog> log;
  std::unique_ptr<ViewStore> stored_views;       // rows of an older program, or null
  std::unique_ptr<ViewStore> folded_views;       // rows to fold into; or null
  std::unique_ptr<ViewStore> views;              // what readers use
  std::shared_ptr<RowsInTheMaking> rows_making;  // replacement of the older rows, or null
  std::unique_ptr<ViewCheckpoints> checkpoints;  // null while rows of an older program serve
  std::unique_ptr<AttemptCredentials> credentials;
  Site site;

  /// Opens `folder`, and brings its rows up to date. `site_name`: the configuration's.
  Status open(const DaemonOptions& options, const std::string& site_name);
  /// Records that a person accepted an older log, if one did and the log does not have it. `note` submits.
  Status record_acceptance(const std::function<void(SystemNote, Reply)>& note);
  /// Makes a checkpoint if one is due. Runs during the start, and later on a worker, while rows are read and
  /// folded. Without a checkpoint, queries of the past are only slower.
  void rows_reached(Position position, Position end = 0) const;
  ViewStore& rows_to_fold() const { return folded_views ? *folded_views : *views; }
  /// Gives up the ballast if the disk is full.
  void make_room() const;

 private:
  Status open_rows(OpenedViews opened, bool accept_log_end);
  Status ask_for_acceptance(bool accept_log_end);
  Result<std::optional<RollbackSign>> find_rollback() const;
  Status use_older_rows(const OlderVersions& versions);

  std::optional<RollbackSign> rollback_;  // set if a person accepted it
};

}  // namespace luzia
