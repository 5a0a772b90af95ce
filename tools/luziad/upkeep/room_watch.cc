#include "tools/luziad/upkeep/room_watch.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace luzia {

bool RoomWatch::turn(TimeUs monotonic) {
  constexpr std::uint64_t kLookAgainMs = 2'000;
  const bool was_spent = spent();
  look_at_store(monotonic);
  look_at_jobs(monotonic);
  const std::string& lack = store_lack_.empty() ? jobs_lack_ : store_lack_;
  if (!lack.empty()) timer_->start(kLookAgainMs, [] {});  // wakes the loop to check
  const std::string before = std::exchange(lack_, lack);
  if (before == lack_) return was_spent != spent();
  if (lack_.empty()) {
    spdlog::info("there is room on the disk again: jobs start");
  } else if (before.empty()) {
    spdlog::warn("{}: nothing new starts", lack_);
  }
  return true;
}

/// Called in each turn, because a turn may start jobs. A result may be a few milliseconds old: what starts
/// meanwhile needs far less than the threshold leaves.
void RoomWatch::look_at_store(TimeUs monotonic) {
  constexpr TimeUs kGoodFor = 5 * kMillisecondUs;
  if (room_ == DiskRoom::plenty && store_seen_at_ != 0 && monotonic - store_seen_at_ < kGoodFor) return;
  store_seen_at_ = monotonic;
  const DiskRoom before = std::exchange(room_, disk_room(store_));
  store_lack_ = room_ == DiskRoom::plenty ? std::string() : lack_of_room(store_);
  // Freed between the two checks; the next one will show it.
  if (room_ != DiskRoom::plenty && store_lack_.empty()) store_lack_ = "the disk of " + store_ + " was full";
  if (before != DiskRoom::plenty && room_ == DiskRoom::plenty) keep_ballast(store_);
}

void RoomWatch::look_at_jobs(TimeUs monotonic) {
  constexpr TimeUs kGoodFor = kSecondUs;
  if (looks_at_jobs_ || (jobs_seen_at_ != 0 && monotonic - jobs_seen_at_ < kGoodFor)) return;
  jobs_seen_at_ = monotonic;
  looks_at_jobs_ = run_aside([this, post = mailbox_.poster(), root = jobs_root_()] {
    post([this, lack = lack_of_room(root)] {
      jobs_lack_ = lack;
      jobs_seen_at_ = monotonic_now();
      looks_at_jobs_ = false;
    });
  });
}

}  // namespace luzia
