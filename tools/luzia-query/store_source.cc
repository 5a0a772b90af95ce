#include "tools/luzia-query/store_source.h"

#include "engine/base/counted.h"
#include "engine/base/store_file.h"
#include "engine/base/try.h"
#include "engine/device/push.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/verify_chain.h"
#include "engine/view/new_views.h"
#include "engine/view/rocks_view_store.h"
#include "engine/view/rollback.h"
#include "engine/view/scratch_views.h"
#include "engine/view/view_checkpoints.h"
#include "projections/clock_stretches.h"
#include "projections/past_views.h"
#include "projections/registry.h"

namespace luzia {
namespace {

/// Attempts to open the views: a running daemon replaces files while we open them, and each try sees newer
/// ones.
constexpr int kOpenTries = 8;

Result<OpenedViews> open_views_for_reading(const std::string& store) {
  auto opened = open_rocks_view_store(store + "/views", OpenMode::read_only);
  for (int tries = 1; tries < kOpenTries && !opened && opened.error().code == "views_unreadable"; ++tries) {
    opened = open_rocks_view_store(store + "/views", OpenMode::read_only);
  }
  return opened;
}

/// Whether the log alone answers the query. Events of some jobs or projects are found through rows.
bool needs_no_rows(const wire::QueryT& query) {
  if (query.view != wire::View::events) return false;
  const wire::FilterT* filter = query.filter.get();
  return filter == nullptr ||
         (filter->ended && filter->jobs.empty() && filter->projects.empty() && filter->agents.empty() &&
          filter->tags.empty() && filter->states.empty() && !filter->proved && !filter->refuted);
}

bool asks_of_time(const wire::QueryT& query) {
  return query.at_time_us != 0 || (query.filter && query.filter->since_us > 0);
}

bool asks_one_job(const wire::QueryT& query) {
  return query.view == wire::View::jobs && query.filter && query.filter->jobs.size() == 1 &&
         query.at_position == 0 && query.at_time_us == 0;
}

/// `log_rolled_back`: the rows have seen events that the log lacks. Unreadable rows are ignored.
Status refuse_rollback(const std::string& store, const EventLog& log, const ViewReader& rows) {
  if (!rows.status()) return {};
  const auto sign = LUZIA_TRY(rollback_in_rows(log, rows.cursor()));
  return sign ? Status(tl::unexpected(log_rolled_back(store, *sign))) : Status{};
}

std::function<void(FoldProgress)> fold_progress(const ProgressSink& progress, std::string what) {
  return [&progress, what = std::move(what)](FoldProgress fold) { progress(what, fold.done, fold.total); };
}

}  // namespace

Result<std::unique_ptr<EventLog>> open_log_for_reading(const std::string& store, bool hold_files) {
  LogOptions options;
  options.mode = OpenMode::read_only;
  options.create = false;
  options.hold_files = hold_files;
  return open_rocks_event_log(store, options);
}

/// Opens the rows before the log: a running daemon puts only durable events into rows, so a log opened later
/// contains them all.
Status StoreSource::open(bool hold_files) {
  if (opened_) return {};
  auto views = open_views_for_reading(store_);
  auto log = LUZIA_TRY(open_log_for_reading(store_, hold_files));
  log_ = std::move(log);
  opened_ = true;
  if (views) {
    views_ = std::move(views->store);
    stored_ = views_->snapshot();
  } else if (log_->tip() != log_->base()) {
    note_(views.error().message + ": replaying the whole log in memory");
  }
  return {};
}

/// The stored rows, if they belong to this log and were written for this program's views; else null.
std::shared_ptr<const ViewReader> StoreSource::open_stored_rows() {
  if (!stored_) return nullptr;
  const auto matches = cursor_matches(*log_, stored_->cursor());
  if (!matches || !*matches) {
    note_("the rows in " + store_ + "/views belong to another log: replaying the whole log in memory");
    return nullptr;
  }
  if (!Fold(all_projections(), *views_).fits_store()) {
    note_("the rows in " + store_ +
          "/views were written by another version: replaying the whole log in memory");
    return nullptr;
  }
  return stored_;
}

Status StoreSource::fold_tail(std::shared_ptr<const ViewReader> stored) {
  if (stored && stored->cursor() == log_->tip()) {
    rows_ = std::move(stored);
    return {};
  }
  overlay_ = std::make_unique<OverlayStore>(std::move(stored));
  Status folded =
      catch_up(*log_, all_projections(), *overlay_, ~Position{0}, fold_progress(progress_, "folding"));
  if (folded) rows_ = overlay_->snapshot();
  return folded;
}

Status StoreSource::open_current_rows(bool hold_files) {
  if (rows_) return {};
  LUZIA_TRY(open(hold_files));
  auto stored = open_stored_rows();
  // Rows whose cursor cannot be read must not be folded further.
  if (stored_ && !stored_->status()) return stored_->status();
  return fold_tail(std::move(stored));
}

Result<RowPage> StoreSource::query(const wire::QueryT& query) {
  if (needs_no_rows(query)) return query_log(query);
  const bool quick = !beside_writer_ && asks_one_job(query);
  auto page = query_rows(query, !quick);
  if (page || !quick || page.error().code != "log_unreadable") return page;
  // A daemon has just started and replaced a file.
  close();
  return query_rows(query, true);
}

Result<RowPage> StoreSource::query_rows(const wire::QueryT& query, bool hold_files) {
  LUZIA_TRY(open_current_rows(hold_files));
  const auto earlier = [this](Position at) { return open_checkpoint(store_, *log_, all_projections(), at); };
  LUZIA_TRY(prepare_past(past_, *log_, *rows_, query, earlier));
  return run_query(*rows_, {*log_, {}, {}, {}, &past_, now_, flows_ended_since_}, query);
}

void StoreSource::close() {
  past_ = {};
  rows_.reset();
  clock_rows_.reset();
  overlay_.reset();
  stored_.reset();
  views_.reset();
  log_.reset();
  opened_ = false;
}

Status StoreSource::open_log() {
  if (log_) return {};
  auto log = LUZIA_TRY(open_log_for_reading(store_));
  log_ = std::move(log);
  return {};
}

Result<Position> StoreSource::end() {
  LUZIA_TRY(open_log());
  return log_->tip().position;
}

Status StoreSource::open_clock_rows() {
  if (clock_rows_) return {};
  LUZIA_TRY(open(true));
  const bool sound = stored_ && stored_->status();
  auto rows = LUZIA_TRY(fold_clock_stretches(*log_, sound ? open_stored_rows() : nullptr));
  clock_rows_ = std::move(rows);
  return {};
}

/// Answers from the log alone, so that a log without views or with a long tail is exported without folding.
/// Only if the query is about time, the rows about clock steps are folded.
Result<RowPage> StoreSource::query_log(const wire::QueryT& query) {
  const bool of_time = asks_of_time(query);
  LUZIA_TRY(of_time ? open_clock_rows() : open_log());
  wire::QueryT up_to_tip(query);
  if (query.at_position == 0 && query.at_time_us == 0) up_to_tip.at_position = log_->tip().position;
  const auto no_rows = OverlayStore().snapshot();
  return run_query(of_time ? *clock_rows_ : *no_rows, {*log_, {}, {}}, up_to_tip);
}

Result<std::string> StoreSource::verify(const ProgressSink& progress) {
  LUZIA_TRY(open(true));
  const Position total = log_->tip().position;
  const auto report = LUZIA_TRY(
      verify_chain(*log_, [&](Position position) { progress("walking the chain", position, total); }));
  const std::string chain = proof_words(report);
  if (!stored_) return chain + "; there are no rows to compare with a replay";
  LUZIA_TRY(refuse_rollback(store_, *log_, *stored_));
  if (stored_->status() && !Fold(all_projections(), *views_).fits_store()) {
    return chain + "; the rows were written by another version and not compared: luziad rebuilds them";
  }
  auto scratch = LUZIA_TRY(ScratchViews::open(store_, total));
  const auto differences = LUZIA_TRY(verify_views(*log_, all_projections(), *stored_, &scratch.rows(),
                                                  fold_progress(progress, "replaying rows")));
  if (differences.empty()) return chain + "; rows equal their replay byte for byte";
  std::string list;
  for (const std::string& difference : differences) list += "\n  " + difference;
  return fail(ErrorKind::trouble, "views_differ", "rows differ from a replay of the log:" + list,
              "luzia-query replay --rebuild rebuilds them");
}

Result<std::string> StoreSource::rebuild(const ProgressSink& progress) {
  // Opening for writing takes the store's lock, so that no daemon starts meanwhile.
  auto log = LUZIA_TRY(open_rocks_event_log(store_, {.mode = OpenMode::read_write, .create = false}));
  // If the log was rolled back, only the old rows show it. The daemon must see them, because it records that.
  if (const auto rows = open_views_for_reading(store_)) {
    LUZIA_TRY(refuse_rollback(store_, *log, *rows->store->snapshot()));
  }
  const auto reached =
      LUZIA_TRY(make_new_views(*log, all_projections(), store_, fold_progress(progress, "replaying")));
  LUZIA_TRY(take_new_views(store_));
  return "the rows were replayed from the log up to position " + std::to_string(reached);
}

Result<std::string> StoreSource::backup(const std::string& target, const ProgressSink& progress) {
  auto log = LUZIA_TRY(open_log_for_reading(store_));
  progress("copying and verifying", 0, 0);
  const auto report = LUZIA_TRY(backup_log(*log, target));
  LUZIA_TRY(copy_store_file(kPushKeyFile, store_, target));
  return "copied and verified " + counted(report.events, "event") + " up to position " +
         std::to_string(report.tip.position) + " to " + target;
}

Result<Position> position_by_time(const EventLog& log, TimeUs time) {
  const auto rows = LUZIA_TRY(fold_clock_stretches(log, nullptr));
  return position_at_time(log, *rows, time);
}

Result<Position> position_of(const EventLog& log, const Moment& at) {
  if (at.time_us != 0) return position_by_time(log, at.time_us);
  if (at.position == 0) return log.tip().position;
  if (at.position <= log.tip().position) return at.position;
  return fail(ErrorKind::usage, "no_such_position",
              "the log has no position " + std::to_string(at.position) + ": it ends at " +
                  std::to_string(log.tip().position));
}

}  // namespace luzia
