#include "engine/commit/committer.h"

#include "engine/base/failpoint.h"

namespace luzia {
namespace {

/// Bytes of one event's frame in a group: header and padding.
constexpr std::size_t kFrameOverhead = 16;

/// Appends `later` to the last group of `groups` if both fit the bounds, else adds it as a new group.
void append_group(std::deque<PendingGroup>& groups, PendingGroup&& later) {
  if (!groups.empty() && groups.back().has_room(later.count(), later.bytes())) {
    groups.back().append(std::move(later));
  } else {
    groups.push_back(std::move(later));
  }
}

}  // namespace

Committer::Committer(EventLog& log, std::function<void(CommitOutcome)> told)
    : log_(log), told_(std::move(told)), command_(log.tip().position + 1), thread_([this] { run(); }) {}

Committer::Committer(EventLog& log, std::function<void(CommitOutcome)> told, Stepped)
    : log_(log), told_(std::move(told)), command_(log.tip().position + 1) {}

Committer::~Committer() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Committer::add(Bytes encoded_event) {
  if (!command_.empty() && !command_.has_room(1, encoded_event.size() + kFrameOverhead)) end_command();
  command_.add(encoded_event);
}

void Committer::add_blob(Position event, Blob blob) {
  if (event >= command_.first_position()) {
    command_.add_blob(event, std::move(blob));
    return;
  }
  for (auto group = ready_.rbegin(); group != ready_.rend(); ++group) {
    if (event < group->first_position()) continue;
    group->add_blob(event, std::move(blob));
    return;
  }
  // The event was flushed already. The log refuses the misplaced blob, which reports the caller's mistake.
  command_.add_blob(event, std::move(blob));
}

void Committer::end_command() {
  if (command_.empty()) return;
  const Position next = command_.next_position();
  PendingGroup following(next);
  command_.move_blobs_from(next, following);
  append_group(ready_, std::move(command_));
  command_.restart(next);
  for (const auto& [event, blob] : following.blobs()) command_.add_blob(event, blob);
}

void Committer::flush() {
  end_command();
  if (ready_.empty()) return;
  {
    std::lock_guard lock(mutex_);
    if (!failed_) {
      for (PendingGroup& group : ready_) append_group(handed_, std::move(group));
      any_handed_ = true;
    }
  }
  ready_.clear();
  wake_.notify_one();
}

/// Yields the processor to whoever wants it.
void Committer::wait_awake() const {
  const auto until = told_at_ + kAwakeWait;
  while (!any_handed_ && Clock::now() < until) std::this_thread::yield();
}

std::optional<PendingGroup> Committer::take() {
  if (next_comes_soon_) wait_awake();
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return stopping_ || !handed_.empty(); };
  // A timer runs only while the watermark is behind the log.
  if (watermark_due_) {
    wake_.wait_until(lock, *watermark_due_, ready);
  } else {
    wake_.wait(lock, ready);
  }
  auto group = first_handed();
  next_comes_soon_ = group && waits_awake_after(group->count(), Clock::now() - told_at_);
  return group;
}

/// Under mutex_.
std::optional<PendingGroup> Committer::first_handed() {
  if (handed_.empty()) return std::nullopt;
  PendingGroup group = std::move(handed_.front());
  handed_.pop_front();
  any_handed_ = !handed_.empty();
  return group;
}

bool Committer::step() {
  std::optional<PendingGroup> group;
  {
    std::lock_guard lock(mutex_);
    group = first_handed();
  }
  if (!group) return false;
  if (auto written = write(*group); !written) fail_from(group->first_position(), written.error());
  return true;
}

void Committer::run() {
  for (;;) {
    const auto group = take();
    if (group) {
      if (auto written = write(*group); !written) return fail_from(group->first_position(), written.error());
    }
    const bool idle = !group;
    if (watermark_due_ && (idle || Clock::now() >= *watermark_due_)) {
      watermark_due_.reset();
      if (auto synced = log_.sync_watermark(); !synced)
        return fail_from(log_.tip().position + 1, synced.error());
    }
    std::lock_guard lock(mutex_);
    if (idle && stopping_ && handed_.empty()) return;
  }
}

Status Committer::write(const PendingGroup& group) {
  auto stored = LUZIA_TRY(log_.append(group));
  if (!watermark_due_) watermark_due_ = Clock::now() + kWatermarkDelay;
  failpoint("commit.tell");
  told_({group.first_position(), std::move(stored), {}});
  told_at_ = Clock::now();
  return {};
}

void Committer::fail_from(Position first, Error error) {
  {
    std::lock_guard lock(mutex_);
    failed_ = true;
    handed_.clear();
    any_handed_ = false;
  }
  told_({first, nullptr, std::move(error)});
}

}  // namespace luzia
