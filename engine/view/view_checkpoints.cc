#include "engine/view/view_checkpoints.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "engine/base/whole_number.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpoint = "views-";
constexpr std::string_view kHalfMade = "views-tmp.";

std::string checkpoint_folder(const std::string& store, Position position) {
  return (fs::path(store) / std::string(kCheckpoint).append(std::to_string(position))).string();
}

/// The store of a checkpoint if its rows are what this program would have folded from this log; else null.
std::unique_ptr<ViewStore> open_fitting(const std::string& store, const EventLog& log,
                                        const ProjectionRegistry& registry, Position position) {
  auto opened = open_rocks_view_store(checkpoint_folder(store, position), OpenMode::read_only);
  if (!opened) return nullptr;
  const ViewCursor cursor = opened->store->snapshot()->cursor();
  const auto matches = cursor_matches(log, cursor);
  const bool fits =
      cursor.position != 0 && matches && *matches && Fold(registry, *opened->store).fits_store();
  return fits && opened->store->status() ? std::move(opened->store) : nullptr;
}

/// Whether a checkpoint is too near to the one before it to be worth its space, given its distance from the
/// newest.
bool too_near(Position position, Position before, Position newest) {
  return (position - before) * 2 < newest - position;
}

}  // namespace

std::vector<Position> superfluous_checkpoints(const std::vector<Position>& positions,
                                              std::size_t newest_kept) {
  std::vector<Position> superfluous;
  if (positions.size() <= newest_kept) return superfluous;
  const Position newest = positions.back();
  Position kept = positions.front();
  for (std::size_t i = 1; i + newest_kept < positions.size(); ++i) {
    if (too_near(positions[i], kept, newest)) {
      superfluous.push_back(positions[i]);
    } else {
      kept = positions[i];
    }
  }
  return superfluous;
}

Position least_missed_checkpoint(const std::vector<Position>& positions) {
  constexpr std::size_t kAlwaysKept = 2;
  std::size_t least = 0;
  double least_missed = 0;
  for (std::size_t i = 0; i + kAlwaysKept < positions.size(); ++i) {
    const Position before = i == 0 ? 0 : positions[i - 1];
    const double missed =
        static_cast<double>(positions[i + 1] - before) / static_cast<double>(positions.back() - positions[i]);
    if (i > 0 && missed >= least_missed) continue;
    least = i;
    least_missed = missed;
  }
  return positions[least];
}

std::uint64_t bytes_of_checkpoints(const std::string& store) {
  std::set<std::pair<dev_t, ino_t>> seen;
  const auto bytes_not_seen = [&](const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      struct stat file {};
      if (stat(entry.path().c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
      if (seen.emplace(file.st_dev, file.st_ino).second) bytes += static_cast<std::uint64_t>(file.st_size);
    }
    return bytes;
  };
  bytes_not_seen(fs::path(store) / "views");
  std::uint64_t bytes = 0;
  for (const Position position : list_checkpoints(store)) {
    bytes += bytes_not_seen(checkpoint_folder(store, position));
  }
  return bytes;
}

std::vector<Position> list_checkpoints(const std::string& store) {
  std::vector<Position> positions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(store, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kCheckpoint)) continue;
    const auto position = parse_whole_number<Position>(std::string_view(name).substr(kCheckpoint.size()));
    if (position) positions.push_back(*position);
  }
  std::ranges::sort(positions);
  return positions;
}

std::shared_ptr<const ViewReader> open_checkpoint(const std::string& store, const EventLog& log,
                                                  const ProjectionRegistry& registry, Position at) {
  const std::vector<Position> positions = list_checkpoints(store);
  for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
    if (*position > at) continue;
    if (const auto rows = open_fitting(store, log, registry, *position)) return rows->snapshot();
  }
  return nullptr;
}

void remove_checkpoints(const std::string& store) {
  std::error_code ignored;
  for (const Position position : list_checkpoints(store)) {
    fs::remove_all(checkpoint_folder(store, position), ignored);
  }
}

void remove_half_made_checkpoints(const std::string& store) {
  std::error_code ignored;
  std::vector<fs::path> half_made;
  for (const auto& entry : fs::directory_iterator(store, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kHalfMade)) half_made.push_back(entry.path());
  }
  for (const fs::path& path : half_made) fs::remove_all(path, ignored);
}

ViewCheckpoints::ViewCheckpoints(std::string store, const EventLog& log, const ProjectionRegistry& registry,
                                 Copy copy, const Limits& limits)
    : store_(std::move(store)),
      log_(log),
      registry_(registry),
      copy_(std::move(copy)),
      limits_(limits),
      next_(limits.every) {}

bool ViewCheckpoints::superfluous_at(Position end, Position position,
                                     const std::vector<Position>& there) const {
  if (position + kNewestCheckpoints * limits_.every >= end) return false;
  // Checkpoints of other views do not count; they will be removed.
  for (auto before = std::ranges::upper_bound(there, position); before != there.begin();) {
    if (!too_near(position, *--before, end)) return false;
    if (open_fitting(store_, log_, registry_, *before)) return true;
  }
  return false;
}

Status ViewCheckpoints::reached(Position position, Position end) {
  if (position < next_) return {};
  const Position every = limits_.every;
  next_ = (position / every + 1) * every;
  const auto there = list_checkpoints(store_);
  const bool has_one = std::ranges::any_of(there, [&](Position other) {
    return other / every == position / every && open_fitting(store_, log_, registry_, other);
  });
  if (has_one || superfluous_at(end, position, there)) return {};
  std::error_code error;
  const auto space = fs::space(store_, error);
  if (error || space.available < limits_.room_to_leave) return {};
  const auto made = make();
  tidy();
  if (!made) return tl::unexpected(made.error());
  next_ = std::max(next_, (*made / every + 1) * every);
  return {};
}

Result<Position> ViewCheckpoints::make() const {
  std::string beside = (fs::path(store_) / std::string(kHalfMade).append("XXXXXX")).string();
  if (mkdtemp(beside.data()) == nullptr) {
    return fail_errno(errno, "views_failed", "cannot make a folder for a copy of the rows in " + store_,
                      "check the permissions of the store");
  }
  auto made = make_in(beside);
  std::error_code ignored;
  fs::remove_all(beside, ignored);
  return made;
}

/// Folding may go on during the copy, so the position is read from the copy.
Result<Position> ViewCheckpoints::make_in(const std::string& beside) const {
  const std::string copy = beside + "/rows";
  LUZIA_TRY(copy_(copy));
  auto opened = LUZIA_TRY(open_rocks_view_store(copy, OpenMode::read_only));
  const Position position = opened.store->snapshot()->cursor().position;
  opened.store.reset();
  const std::string folder = checkpoint_folder(store_, position);
  std::error_code error;
  fs::remove_all(folder, error);
  fs::rename(copy, folder, error);
  if (!error) return position;
  return fail_errno(error.value(), "views_failed", "Keeping a copy of the rows in " + folder + " failed",
                    "check the permissions of the store");
}

void ViewCheckpoints::tidy() const {
  std::error_code ignored;
  for (const Position position : list_checkpoints(store_)) {
    if (!open_fitting(store_, log_, registry_, position))
      fs::remove_all(checkpoint_folder(store_, position), ignored);
  }
  for (const Position position : superfluous_checkpoints(list_checkpoints(store_))) {
    fs::remove_all(checkpoint_folder(store_, position), ignored);
  }
  std::uint64_t rows = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(store_) / "views", ignored)) {
    const auto size = entry.file_size(ignored);
    if (!ignored) rows += size;
  }
  const std::uint64_t most = limits_.room_of_all + limits_.times_rows * rows;
  for (auto left = list_checkpoints(store_); left.size() > 2; left = list_checkpoints(store_)) {
    if (bytes_of_checkpoints(store_) <= most) return;
    fs::remove_all(checkpoint_folder(store_, least_missed_checkpoint(left)), ignored);
    if (ignored) return;
  }
}

}  // namespace luzia
