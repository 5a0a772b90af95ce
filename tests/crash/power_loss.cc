#include "tests/crash/power_loss.h"

#include <filesystem>

#include "engine/view/fold.h"
#include "projections/registry.h"

namespace luzia::test {
namespace {

constexpr std::size_t kSmallHistories = 8, kLargeHistories = 2;

std::string emptied(const std::string& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace

Histories::Histories() {
  for (unsigned seed = 0; seed < kSmallHistories; ++seed) small_.push_back(KnownHistory::of_jobs(seed, 300));
  for (unsigned seed = 0; seed < kLargeHistories; ++seed)
    large_.push_back(KnownHistory::of_large_texts(seed, 60));
}

const KnownHistory& Histories::of_seed(std::uint64_t seed) const {
  return seed % 8 == 7 ? *large_[seed / 8 % kLargeHistories] : *small_[seed % kSmallHistories];
}

PowerLoss::Counts& PowerLoss::Counts::operator+=(const Counts& other) {
  losses += other.losses;
  while_opening += other.while_opening;
  acknowledged_groups += other.acknowledged_groups;
  in_flight_kept += other.in_flight_kept;
  flushes += other.flushes;
  rebuilt_views += other.rebuilt_views;
  return *this;
}

PowerLoss::PowerLoss(const Histories& histories, std::uint64_t seed, const std::string& folder)
    : dice_(seed), history_(histories.of_seed(seed)), store_(emptied(folder) + "/store"), fragile_(store_) {}

void PowerLoss::broken(const std::string& why) {
  if (broken_.empty()) broken_ = why;
  tell("BROKEN: " + why);
}

std::string PowerLoss::run() {
  constexpr std::uint64_t kShort = 60, kLong = 300;
  const std::uint64_t lives = 3 + dice_.below(6);
  for (std::uint64_t life = 0; life < lives && broken_.empty(); ++life) {
    fragile_.disk().lose_power_at(1 + dice_.below(dice_.one_in(2) ? kShort : kLong));
    live();
    if (!broken_.empty()) break;
    const bool opened = log_ != nullptr;
    close();
    ++counts_.losses;
    counts_.while_opening += opened ? 0 : 1;
    fragile_.disk().come_back(dice_);
    tell("the power is back");
  }
  if (broken_.empty() && open()) close();
  return broken_;
}

/// Opens the store and works until the power goes; sometimes closes it cleanly and opens it again.
void PowerLoss::live() {
  if (!open()) return;
  while (on() && broken_.empty()) {
    act();
    if (on() && dice_.one_in(25)) {
      tell("closed");
      close();
      if (on() && !open()) return;
    }
  }
  tell("the power is gone");
}

void PowerLoss::act() {
  switch (dice_.below(12)) {
    case 0:
      return (void)log_->sync_watermark();
    case 1:
      return flush();
    case 2:
      return erase();
    case 3:
    case 4:
    case 5:
      return fold();
    default:
      return append();
  }
}

void PowerLoss::append() {
  if (acknowledged_ == history_.groups().size()) return (void)log_->sync_watermark();
  tried_ = acknowledged_ + 1;
  if (auto appended = log_->append(history_.groups()[acknowledged_]); appended) {
    acknowledged_ = tried_;
    ++counts_.acknowledged_groups;
    tell("group " + std::to_string(acknowledged_) + " is acknowledged");
  } else if (on()) {
    broken("a group is refused: " + appended.error().message);
  }
}

void PowerLoss::flush() {
  const bool flushed = flush_log(*log_).has_value();
  counts_.flushes += flushed ? 1 : 0;
  tell("flush of the log");
  if (!flushed && on()) broken("the log cannot be flushed");
}

void PowerLoss::erase() {
  if (acknowledged_ == 0) return;
  const PendingGroup& group = history_.groups()[dice_.below(acknowledged_)];
  if (group.blobs().empty()) return;
  const auto& placed = group.blobs()[dice_.below(group.blobs().size())];
  const std::pair key{placed.event, placed.blob.index};
  maybe_erased_.insert(key);
  if (log_->erase_blob(key.first, key.second)) {
    erased_.insert(key);
    tell("the text of event " + std::to_string(key.first) + " is erased");
  }
  if (dice_.one_in(3)) (void)log_->drop_erased();
}

void PowerLoss::fold() {
  if (auto caught_up = catch_up(*log_, all_projections(), *views_); !caught_up && on())
    broken("the views cannot follow: " + caught_up.error().message);
}

bool PowerLoss::open() {
  return open_log() && open_views();
}

bool PowerLoss::open_log() {
  auto opened = open_rocks_event_log(store_, {.env = fragile_.env()});
  if (!opened) {
    tell("not opened: " + opened.error().message);
    if (on()) broken("the store is refused: " + opened.error().message);
    return false;
  }
  log_ = std::move(*opened);
  check_log();
  return broken_.empty();
}

bool PowerLoss::open_views() {
  auto opened = open_rocks_view_store(store_ + "/views", OpenMode::read_write, fragile_.env());
  if (!opened) {
    if (on()) broken("the views are refused: " + opened.error().message);
    return false;
  }
  views_ = std::move(opened->store);
  const Position cursor = views_->snapshot()->cursor().position;
  counts_.rebuilt_views += cursor == 0 ? 1 : 0;
  if (cursor > log_->tip().position) broken("the views are ahead of the log");
  fold();
  if (on() && broken_.empty()) check_views();
  return broken_.empty();
}

void PowerLoss::close() {
  views_.reset();
  log_.reset();
}

/// The log must be a prefix of the history without holes and contain everything that was acknowledged. A
/// group in flight is there whole or not at all; if it is there, it stays.
void PowerLoss::check_log() {
  const auto proof = prove_log(*log_);
  // This test erases texts without an event, so prove_log reports them; check_blobs() knows which may be
  // erased.
  const bool holds = !proof->fault || (proof->fault->code == "text_damaged" && !maybe_erased_.empty());
  if (!holds) return on() ? broken("the chain does not hold: " + proof->fault->message) : void();
  const ChainReport* const report = &proof->report;
  const int groups = history_.groups_until(report->tip);
  if (groups < 0) return broken("the log ends at no place of the history");
  if (report->tip != log_->tip()) return broken("the log's end is not its tip");
  const auto found = static_cast<std::size_t>(groups);
  if (found < acknowledged_) {
    return broken("group " + std::to_string(acknowledged_) + " was acknowledged, the log has " +
                  std::to_string(found));
  }
  if (found > tried_) return broken("the log has more than was ever written");
  counts_.in_flight_kept += found > acknowledged_ ? 1 : 0;
  acknowledged_ = found;
  tell("opened with " + std::to_string(found) + " groups");
  check_blobs();
}

void PowerLoss::check_blobs() {
  for (std::size_t i = 0; i < acknowledged_; ++i) {
    for (const auto& placed : history_.groups()[i].blobs()) check_blob(placed);
  }
}

void PowerLoss::check_blob(const PendingGroup::PlacedBlob& placed) {
  const std::pair key{placed.event, placed.blob.index};
  const auto text = log_->blob(key.first, key.second);
  const std::string name = "the text of event " + std::to_string(key.first);
  if (text) {
    if (erased_.contains(key)) return broken(name + " was erased and is back");
    if (*text != placed.blob.content) return broken(name + " has changed");
    maybe_erased_.erase(key);
  } else if (text.error().code == "blob_erased") {
    if (!maybe_erased_.contains(key)) return broken(name + " is erased, and nobody did");
    erased_.insert(key);
  } else if (on()) {
    broken(name + " is lost: " + text.error().message);
  }
}

void PowerLoss::check_views() {
  const auto differences =
      differences_from_replay(history_.memory(), log_->tip().position, *views_->snapshot());
  if (!differences.empty()) broken("the rows differ from their replay: " + differences);
}

}  // namespace luzia::test
