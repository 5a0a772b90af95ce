#include "tools/luzia-query/view_checkpoints.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/registry.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpoint = "views-";

std::string checkpoint_folder(const std::string& store, Position position) {
  return (fs::path(store) / std::string(kCheckpoint).append(std::to_string(position))).string();
}

/// The store of a checkpoint's rows if they are what this program would have folded from this log.
std::unique_ptr<ViewStore> open_fitting(const std::string& store, const EventLog& log, Position position) {
  auto opened = open_rocks_view_store(checkpoint_folder(store, position), OpenMode::read_only);
  if (!opened) return nullptr;
  const ViewCursor cursor = opened->store->snapshot()->cursor();
  const auto matches = cursor_matches(log, cursor);
  const bool fits =
      cursor.position != 0 && matches && *matches && Fold(all_projections(), *opened->store).fits_store();
  return fits && opened->store->status() ? std::move(opened->store) : nullptr;
}

}  // namespace

std::vector<Position> superfluous_checkpoints(const std::vector<Position>& positions) {
  constexpr std::size_t kAlwaysKept = 2;
  std::vector<Position> superfluous;
  if (positions.size() <= kAlwaysKept) return superfluous;
  const Position newest = positions.back();
  Position kept = positions.front();
  for (std::size_t i = 1; i + kAlwaysKept < positions.size(); ++i) {
    const Position age = newest - positions[i];
    if ((positions[i] - kept) * 2 < age) {
      superfluous.push_back(positions[i]);
    } else {
      kept = positions[i];
    }
  }
  return superfluous;
}

std::vector<Position> list_checkpoints(const std::string& store) {
  std::vector<Position> positions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(store, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kCheckpoint)) continue;
    Position position = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + kCheckpoint.size(), end, position);
    if (error == std::errc{} && stop == end) positions.push_back(position);
  }
  std::ranges::sort(positions);
  return positions;
}

std::shared_ptr<const ViewReader> open_checkpoint(const std::string& store, const EventLog& log,
                                                  Position at) {
  const std::vector<Position> positions = list_checkpoints(store);
  for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
    if (*position > at) continue;
    if (const auto rows = open_fitting(store, log, *position)) return rows->snapshot();
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
    if (name.starts_with(kCheckpoint) && name.ends_with(".tmp")) half_made.push_back(entry.path());
  }
  for (const fs::path& path : half_made) fs::remove_all(path, ignored);
}

ViewCheckpoints::ViewCheckpoints(std::string store, const EventLog& log, Copy copy, Position every,
                                 std::uint64_t room_to_leave)
    : store_(std::move(store)),
      log_(log),
      copy_(std::move(copy)),
      every_(every),
      room_to_leave_(room_to_leave),
      next_(every) {}

Status ViewCheckpoints::reached(Position position) {
  if (position < next_) return {};
  next_ = (position / every_ + 1) * every_;
  const auto there = list_checkpoints(store_);
  const bool has_one = std::ranges::any_of(there, [&](Position other) {
    return other / every_ == position / every_ && open_fitting(store_, log_, other);
  });
  if (has_one) return {};
  std::error_code error;
  const auto space = fs::space(store_, error);
  if (error || space.available < room_to_leave_) return {};
  const std::string folder = checkpoint_folder(store_, position);
  fs::remove_all(folder, error);
  Status copied = copy_(folder);
  tidy();
  return copied;
}

void ViewCheckpoints::tidy() const {
  std::error_code ignored;
  for (const Position position : list_checkpoints(store_)) {
    if (!open_fitting(store_, log_, position)) fs::remove_all(checkpoint_folder(store_, position), ignored);
  }
  for (const Position position : superfluous_checkpoints(list_checkpoints(store_))) {
    fs::remove_all(checkpoint_folder(store_, position), ignored);
  }
}

}  // namespace luzia
