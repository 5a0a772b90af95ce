#include "engine/view/new_views.h"

#include <filesystem>

#include "engine/base/failpoint.h"
#include "engine/base/try.h"
#include "engine/view/rocks_view_store.h"
#include "engine/view/view_checkpoints.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

fs::path rows(const std::string& store) {
  return fs::path(store) / "views";
}
fs::path new_rows(const std::string& store) {
  return fs::path(store) / "views.new";
}
fs::path old_rows(const std::string& store) {
  return fs::path(store) / "views.old";
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto size = entry.file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

/// Needs free space because merging rows temporarily takes as much again.
Status need_room(const std::string& store) {
  constexpr std::uint64_t kToSpare = 128 << 20;
  std::error_code error;
  const auto space = fs::space(store, error);
  const std::uint64_t needed = 2 * bytes_in(rows(store)) + kToSpare;
  if (error || space.available >= needed) return {};
  return fail(ErrorKind::trouble, "no_room",
              "a second set of rows may take " + std::to_string(needed >> 20) + " MiB, and the disk of " +
                  store + " has " + std::to_string(space.available >> 20) + " MiB left",
              "free space; or stop luziad, remove " + rows(store).string() + " and start it again");
}

Status views_failed(const std::string& what, const std::error_code& error) {
  return fail_errno(error.value(), "views_failed", what + " failed", "check the permissions of the store");
}

/// Few enough that opening the daemon folds them within some milliseconds.
constexpr Position kFewEvents = 2'000;

Result<Position> fold_into(ViewStore& store, const EventLog& log, const ProjectionRegistry& registry,
                           const std::function<void(FoldProgress)>& progress, const std::stop_token& stop) {
  constexpr int kMostRounds = 4;  // bounds the loop if the log grows as fast as it is folded
  Position reached = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    LUZIA_TRY(catch_up(log, registry, store, ~Position{0}, progress, stop));
    reached = store.snapshot()->cursor().position;
    if (log.tip().position - reached < kFewEvents) break;
  }
  return reached;
}

}  // namespace

Result<Position> make_new_views(const EventLog& log, const ProjectionRegistry& registry,
                                const std::string& store, const std::function<void(FoldProgress)>& progress,
                                const std::stop_token& stop) {
  std::error_code error;
  fs::remove_all(new_rows(store), error);
  if (error) return tl::unexpected(views_failed("Removing " + new_rows(store).string(), error).error());
  LUZIA_TRY(need_room(store));
  auto opened = LUZIA_TRY(open_rocks_view_store(new_rows(store), OpenMode::read_write));
  remove_checkpoints(store);
  ViewCheckpoints checkpoints(store, log, registry, opened.copy);
  const auto told = [&](FoldProgress fold) {
    // Without a checkpoint, queries of the past are only slower.
    (void)checkpoints.reached(fold.done, fold.total);
    if (progress) progress(fold);
  };
  auto reached = fold_into(*opened.store, log, registry, told, stop);
  opened.store.reset();
  if (!reached) fs::remove_all(new_rows(store), error);
  return reached;
}

Status take_new_views(const std::string& store) {
  failpoint("views.made");
  std::error_code error;
  fs::remove_all(old_rows(store), error);
  if (!error && fs::exists(rows(store))) fs::rename(rows(store), old_rows(store), error);
  if (error) return views_failed("Putting the old rows of " + store + " aside", error);
  failpoint("views.aside");
  fs::rename(new_rows(store), rows(store), error);
  if (error) {
    std::error_code ignored;
    fs::rename(old_rows(store), rows(store), ignored);
    return views_failed("Putting the new rows of " + store + " in place", error);
  }
  failpoint("views.taken");
  fs::remove_all(old_rows(store), error);
  return {};
}

void remove_left_views(const std::string& store) {
  std::error_code ignored;
  fs::remove_all(new_rows(store), ignored);
  fs::remove_all(old_rows(store), ignored);
  remove_half_made_checkpoints(store);
}

}  // namespace luzia
