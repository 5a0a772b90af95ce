#include "tools/luziad/storage.h"

#include <malloc.h>
#include <spdlog/spdlog.h>

#include <future>

#include "engine/base/failpoint.h"
#include "engine/base/store_file.h"
#include "engine/log/rocks_event_log.h"
#include "engine/view/new_views.h"
#include "engine/view/rocks_view_store.h"
#include "engine/view/scratch_views.h"
#include "projections/registry.h"
#include "tools/luziad/attempts/run_dir.h"
#include "tools/luziad/hooks/notifications.h"
#include "tools/luziad/upkeep/disk_room.h"

namespace luzia {

Status Storage::open(const DaemonOptions& options, const std::string& site_name) {
  // Opening writes too, and RocksDB may abort if it cannot.
  if (release_ballast(folder)) spdlog::warn("the disk is full: gave up the ballast so that the store opens");
  LUZIA_TRY(need_room_to_open(folder));
  LUZIA_TRY(check_store_files(folder));
  LogOptions log_options;
  log_options.accept_end = options.accept_log_end;
  log_options.held_lock = options.held_lock;
  if (options.accept_log_end) spdlog::warn("the end of the log in {} is accepted as it is", folder);
  std::future<Result<OpenedViews>> rows;  // opened beside the log: both mostly wait for the disk
  log_options.proved = [this, &rows] {
    remove_left_views(folder);
    rows = std::async(std::launch::async, [path = folder + "/views"] {
      return open_rocks_view_store(path, OpenMode::read_write);
    });
  };
  log = LUZIA_TRY(open_rocks_event_log(folder, log_options));
  keep_ballast(folder);
  remove_left_scratch(folder);
  LUZIA_TRY(prepare_run_dir(folder));
  auto opened = LUZIA_TRY(rows.get());
  LUZIA_TRY(open_rows(std::move(opened), options.accept_log_end));
  malloc_trim(0);  // memory for folding a long history, up to 60 MB, is not needed again
  site = LUZIA_TRY(find_site(*log, site_name));
  auto key = LUZIA_TRY(AttemptCredentials::open(folder));
  credentials = std::make_unique<AttemptCredentials>(std::move(key));
  return {};
}

/// Brings this program's rows up to date, or builds them. An older program's rows are served as far as
/// possible: rebuilding all of them may take minutes, and runs in the background (Upkeep::replace_rows).
Status Storage::open_rows(OpenedViews opened, bool accept_log_end) {
  if (opened.cleared) spdlog::warn("the rows in {}/views were damaged: replaying them from the log", folder);
  views = std::move(opened.store);
  LUZIA_TRY(ask_for_acceptance(accept_log_end));
  const auto rows = views->snapshot();
  const auto matches = LUZIA_TRY(cursor_matches(*log, rows->cursor()));
  auto older = matches ? find_older_versions(*rows, all_projections()) : std::nullopt;
  if (older) return use_older_rows(*older);
  checkpoints = std::make_unique<ViewCheckpoints>(folder, *log, all_projections(), std::move(opened.copy));
  const auto reached = [this](FoldProgress fold) { rows_reached(fold.done, fold.total); };
  return catch_up(*log, all_projections(), *views, ~Position{0}, reached);
}

/// An acceptance given to an earlier daemon that died before recording it still covers the remaining signs.
Status Storage::ask_for_acceptance(bool accept_log_end) {
  const auto sign = LUZIA_TRY(find_rollback());
  rollback_ = kept_accepted(folder);
  const bool covered = rollback_ && sign && sign->log_end >= rollback_->log_end;
  if (!sign || covered) return {};
  if (!accept_log_end) return tl::unexpected(log_rolled_back(folder, *sign));
  spdlog::warn("an older log is accepted: {}", sign->words());
  rollback_ = sign;
  return keep_accepted(folder, *sign);
}

Status Storage::record_acceptance(const std::function<void(SystemNote, Reply)>& note) {
  if (!rollback_) return {};
  const bool recorded = LUZIA_TRY(is_recorded(*log, *rollback_));
  if (recorded) {
    forget_accepted(folder);
    return {};
  }
  note({rollback_accepted(*rollback_)}, [this](const Result<Outcome>& noted) {
    if (!noted) return;
    failpoint("rollback.recorded");
    forget_accepted(folder);
  });
  return {};
}

/// Looks for anything in the store that has seen a longer log than this one. An empty log proves nothing
/// either way.
Result<std::optional<RollbackSign>> Storage::find_rollback() const {
  auto in_rows = rollback_in_rows(*log, views->snapshot()->cursor());
  if (!in_rows || *in_rows) return in_rows;
  const Position end = log->tip().position, notified = read_notified(folder).value_or(0);
  if (end == 0 || notified <= end) return std::nullopt;
  return RollbackSign{"notified", notified, end};
}

Status Storage::use_older_rows(const OlderVersions& versions) {
  spdlog::info("the rows in {}/views are of an older version: they serve until new ones are made", folder);
  stored_views = std::move(views);
  rows_making = std::make_shared<RowsInTheMaking>();
  folded_views = fold_into_older_rows(*stored_views, versions);
  views = show_older_rows(*stored_views, versions, rows_making);
  LUZIA_TRY(mark_older_rows(*stored_views, versions));
  return catch_up(*log, all_projections(), *folded_views);
}

void Storage::rows_reached(Position position, Position end) const {
  if (Status made = checkpoints->reached(position, end); !made) spdlog::warn("{}", made.error().message);
}

void Storage::make_room() const {
  if (release_ballast(folder))
    spdlog::warn("the disk is full: gave up the ballast so that cancel still works");
}

}  // namespace luzia
