#include "engine/log/read_ahead.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace luzia {
namespace {

/// Reading and verifying takes less time than any use of the events, so two threads keep up with it. A
/// consumer that does nothing (a benchmark) gets the speed of two processors.
constexpr std::size_t kReaders = 2;
/// Positions that one reader reads before it skips the stretch of the other reader.
constexpr Position kStretch = 8'192;
/// Bytes of a batch of groups passed to the consumer. Passing groups of one event one by one would cost as
/// much as reading them.
constexpr std::size_t kBatchBytes = 128 << 10;
/// A reader pauses while this much of what it read waits. This is more than a usual stretch, so that it
/// continues while the consumer takes the other reader's stretch.
constexpr std::size_t kMaxWaitingBytes = 4 << 20;

using GroupPointer = std::shared_ptr<const Group>;

/// What a reader passes to the consumer.
struct Batch {
  std::vector<GroupPointer> groups;
  std::size_t bytes = 0;
  bool ends_stretch = false;
  std::optional<Error> error;  // after the groups; nothing follows
};

/// A queue of batches from one thread to another.
class Waiting {
 public:
  /// False: the consumer is gone.
  bool put(Batch batch, const std::stop_token& gone) {
    std::unique_lock lock(mutex_);
    const bool room = changed_.wait(lock, gone, [this] { return bytes_ < kMaxWaitingBytes; });
    if (!room || gone.stop_requested()) return false;
    bytes_ += batch.bytes;
    batches_.push_back(std::move(batch));
    changed_.notify_all();
    return true;
  }
  Batch take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !batches_.empty(); });
    Batch batch = std::move(batches_.front());
    batches_.pop_front();
    bytes_ -= batch.bytes;
    changed_.notify_all();
    return batch;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Batch> batches_;  // under mutex_
  std::size_t bytes_ = 0;      // under mutex_
};

/// The log is divided into stretches of positions that the readers read in turn. A group belongs to the
/// stretch in which it begins; the very first group belongs to the first stretch.
class ReadAhead : public GroupCursor {
 public:
  ReadAhead(const EventLog& log, Position first, Position until) : log_(log), first_(first), until_(until) {
    for (std::size_t i = 0; i < kReaders; ++i) {
      readers_[i].thread = std::jthread([this, i](const std::stop_token& gone) { read(i, gone); });
    }
  }

  ~ReadAhead() override {
    // Stops both before it joins the first.
    for (Reader& reader : readers_) reader.thread.request_stop();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  Result<GroupPointer> next() override {
    while (at_ == batch_.groups.size()) {
      if (batch_.error) return tl::unexpected(*batch_.error);
      if (batch_.ends_stretch) ++stretch_;
      if (begin_of(stretch_) > until_) return nullptr;
      batch_ = readers_[stretch_ % kReaders].waiting.take();
      at_ = 0;
    }
    GroupPointer group = std::move(batch_.groups[at_++]);
    // Each cursor checks this only within its stretch.
    if (next_ != 0 && group->first_position() != next_) return no_group_for(next_);
    next_ = group->last_position() + 1;
    return group;
  }

 private:
  struct Reader {
    Waiting waiting;
    std::jthread thread;  // last, because it uses the others until it ends
  };

  Position begin_of(std::size_t stretch) const { return first_ + stretch * kStretch; }

  void read(std::size_t stretch, const std::stop_token& gone) {
    for (; begin_of(stretch) <= until_; stretch += kReaders) {
      if (!read_stretch(stretch, gone)) return;
    }
  }
  /// False: nothing follows.
  bool read_stretch(std::size_t stretch, const std::stop_token& gone) {
    const Position begin = begin_of(stretch), end = begin_of(stretch + 1);
    Waiting& waiting = readers_[stretch % kReaders].waiting;
    const auto groups = log_.read_from(begin);
    Batch batch;
    for (;;) {
      if (gone.stop_requested()) return false;
      auto group = groups->next();
      if (!group) batch.error = group.error();
      const bool read = group && *group;
      if (read && (*group)->first_position() < end && (stretch == 0 || (*group)->first_position() >= begin)) {
        batch.bytes += (*group)->frames().size();
        batch.groups.push_back(*group);
      }
      batch.ends_stretch = !read || (*group)->last_position() + 1 >= end;
      if (batch.bytes < kBatchBytes && !batch.ends_stretch) continue;
      const bool over = batch.ends_stretch, failed = batch.error.has_value();
      if (!waiting.put(std::exchange(batch, {}), gone) || failed) return false;
      if (over) return true;
    }
  }

  const EventLog& log_;
  const Position first_, until_;
  Batch batch_;              // the batch that the consumer is taking
  std::size_t at_ = 0;       // in batch_.groups
  std::size_t stretch_ = 0;  // of batch_
  Position next_ = 0;        // where the next group begins; 0: anywhere
  std::array<Reader, kReaders> readers_;
};

}  // namespace

std::unique_ptr<GroupCursor> read_ahead(const EventLog& log, Position first, Position until) {
  until = std::min(until, log.tip().position);
  if (until < first || until - first < kWorthReadingAhead) return log.read_from(first);
  try {
    return std::make_unique<ReadAhead>(log, first, until);
  } catch (const std::system_error&) {
    return log.read_from(first);  // perhaps no more threads are allowed; slower, but correct
  }
}

}  // namespace luzia
