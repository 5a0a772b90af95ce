#include "tools/publisher/publisher.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>

#include "adapters/socket/readable.h"
#include "tools/publisher/sender.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using Clock = Sender::Clock;

/// Most publications that are sent and unanswered: enough for the daemon to record whole groups, few enough
/// to find answers quickly.
constexpr std::size_t kMostUnderWay = 512;
/// Time for the library's thread to notice that its connection was cut, after the destructor's wait is over.
constexpr milliseconds kGrace{1'000};

PublishResult not_answered(const std::string& trouble, const char* when) {
  return {0, "not_answered",
          "publishing: not answered " + std::string(when) + (trouble.empty() ? "" : "; " + trouble),
          "it may still be recorded; luzia doctor checks the daemon"};
}

/// The result for a publish() that waits behind buffered publications.
struct Waiter {
  std::optional<PublishResult> result;
};

struct Held {
  Outgoing outgoing;
  std::shared_ptr<Waiter> waiter;
};

}  // namespace

/// Shared by the Publisher and the library's thread. `sending` says who may use the sender: the library's
/// thread, or a publish() that has nothing buffered before it.
struct Publisher::State : std::enable_shared_from_this<Publisher::State> {
  enum class Sending { thread, caller };

  explicit State(PublisherOptions with)
      : options(std::move(with)), sender(destination_of(options)), mistake(destination_of(options).mistake) {
    wake_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  ~State() {
    if (wake_fd >= 0) ::close(wake_fd);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool is_full(std::size_t more_bytes) const {
    return open >= options.max_batches * kBatch || bytes + more_bytes > options.max_buffer_bytes;
  }

  /// Call with the lock held. False: the system has no thread left.
  bool start_thread() {
    if (thread.joinable()) return true;
    try {
      thread = std::thread([state = shared_from_this()] { state->run(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  /// Call with the lock held.
  void wake() {
    if (!asleep) return;
    asleep = false;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_fd, &one, sizeof one);
  }

  /// Call with the lock held.
  void hold(Publication publication, std::shared_ptr<Waiter> waiter) {
    bytes += text_bytes(publication);
    ++open;
    waiting.push_back({{++last_number, std::move(publication), 0, {}}, std::move(waiter)});
    wake();
  }

  void count(const PublishResult& result) { ++(result ? counted.recorded : counted.failed); }

  /// Finishes the oldest publication. Call with the lock held; releases it while on_failure runs.
  void finish(std::unique_lock<std::mutex>& lock, const Outgoing& outgoing) {
    const auto waiter = under_way_waiters.front();
    under_way_waiters.pop_front();
    bytes -= text_bytes(outgoing.publication);
    --open;
    done_through = outgoing.number;
    count(*outgoing.result);
    if (waiter) waiter->result = *outgoing.result;
    changed.notify_all();
    if (!*outgoing.result && !waiter && options.on_failure) {
      lock.unlock();
      options.on_failure(outgoing.publication, *outgoing.result);
      lock.lock();
    }
  }

  /// Moves buffered publications to the sender while it has room. Call with the lock held.
  void load_sender() {
    while (!waiting.empty() && sender.under_way() < kMostUnderWay) {
      under_way_waiters.push_back(std::move(waiting.front().waiter));
      sender.add(std::move(waiting.front().outgoing));
      waiting.pop_front();
    }
  }

  /// Handles arrived answers; false: there were none. Stops using the sender before it calls on_failure,
  /// because then another thread may use it.
  bool take_answers(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    pending = sender.advance();
    lock.lock();
    std::vector<Outgoing> answered;
    while (auto one = sender.take_answered()) answered.push_back(std::move(*one));
    for (const Outgoing& one : answered) finish(lock, one);
    return !answered.empty();
  }

  void run() {
    std::unique_lock lock(mutex);
    while (!abandoned && !(stopping && open == 0)) {
      pending = {};
      if (sending == Sending::thread) {
        load_sender();
        const bool some = sender.under_way() > 0 && take_answers(lock);
        const bool more = !waiting.empty() && under_way_waiters.size() < kMostUnderWay;
        if (some || more || abandoned) continue;
      }
      asleep = true;
      lock.unlock();
      wait_readable(pending.fd, wake_fd, pending.until);
      lock.lock();
      asleep = false;
      std::uint64_t drained = 0;
      [[maybe_unused]] const ssize_t count = ::read(wake_fd, &drained, sizeof drained);
    }
    over = true;
    changed.notify_all();
  }

  /// Sends the publication from the calling thread; nothing may be buffered before it.
  PublishResult send_directly(std::unique_lock<std::mutex>& lock, const Publication& publication) {
    sending = Sending::caller;
    ++open;
    const std::uint64_t number = ++last_number;
    lock.unlock();
    const auto deadline = Clock::now() + options.patience;
    sender.add({number, publication, 0, {}});
    std::optional<PublishResult> result;
    while (!result) {
      const Sender::Pending pending = sender.advance();
      if (auto answered = sender.take_answered()) {
        result = std::move(answered->result);
      } else if (Clock::now() >= deadline) {
        sender.give_up();
        result = not_answered(sender.trouble(), "in time");
      } else {
        wait_readable(pending.fd, -1, std::min(pending.until, deadline));
      }
    }
    lock.lock();
    sending = Sending::thread;
    --open;
    done_through = number;
    count(*result);
    wake();
    changed.notify_all();
    return *result;
  }

  /// Buffers the publication behind earlier ones and waits for its result.
  PublishResult send_behind(std::unique_lock<std::mutex>& lock, const Publication& publication) {
    if (!start_thread()) {
      ++counted.failed;
      return {0, "no_thread", "publishing: cannot start a thread", "raise the limit of threads"};
    }
    const auto waiter = std::make_shared<Waiter>();
    hold(publication, waiter);
    const bool answered =
        changed.wait_for(lock, options.patience, [&] { return waiter->result.has_value() || abandoned; });
    return answered && waiter->result ? *waiter->result : not_answered({}, "in time");
  }

  /// Ends the thread after the destructor's wait; remaining publications have failed.
  void abandon() {
    std::unique_lock lock(mutex);
    abandoned = true;
    wake();
    lock.unlock();
    sender.cut();
    lock.lock();
    const bool ended = !thread.joinable() || changed.wait_for(lock, kGrace, [&] { return over; });
    lock.unlock();
    // The thread may hang in the kernel because the daemon's backlog is full. It shares ownership of this
    // state, so detaching it is safe.
    if (!ended) return thread.detach();
    if (thread.joinable()) thread.join();
    fail_rest();
  }

  void fail_rest() {
    std::deque<Outgoing> rest = sender.give_up();
    for (Held& held : waiting) rest.push_back(std::move(held.outgoing));
    waiting.clear();
    for (const Outgoing& outgoing : rest) {
      ++counted.failed;
      const PublishResult result = not_answered(sender.trouble(), "before the program's end");
      if (options.on_failure) options.on_failure(outgoing.publication, result);
    }
  }

  const PublisherOptions options;
  Sender sender;
  const std::optional<PublishResult> mistake;  // of the environment: nothing can be published
  int wake_fd = -1;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
  Sending sending = Sending::thread;
  Sender::Pending pending;  // used only by the thread
  bool asleep = false;      // the thread waits for wake_fd and its connection
  bool stopping = false, abandoned = false, over = false;
  std::deque<Held> waiting;
  std::deque<std::shared_ptr<Waiter>> under_way_waiters;  // parallel to the sender's publications
  std::size_t open = 0, bytes = 0;                        // unanswered publications, and their text bytes
  std::uint64_t last_number = 0, done_through = 0;
  std::uint64_t failed_at_flush = 0;
  PublisherCounts counted;
};

Publisher::Publisher(PublisherOptions options) : state_(std::make_shared<State>(std::move(options))) {}

Publisher::~Publisher() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.stopping = true;
  state.wake();
  state.changed.wait_for(lock, state.options.flush_at_end, [&] { return state.open == 0; });
  lock.unlock();
  state.abandon();
}

PublishResult Publisher::publish(const Publication& publication) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  if (state.mistake) {
    ++state.counted.failed;
    return *state.mistake;
  }
  return state.open == 0 ? state.send_directly(lock, publication) : state.send_behind(lock, publication);
}

bool Publisher::publish_later(Publication publication) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  const bool taken = !state.mistake && !state.is_full(text_bytes(publication)) && state.start_thread();
  if (taken) {
    state.hold(std::move(publication), nullptr);
  } else {
    ++state.counted.not_taken;
  }
  return taken;
}

bool Publisher::flush(std::chrono::milliseconds timeout) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const std::uint64_t last = state.last_number;
  const bool reached = state.changed.wait_for(lock, timeout, [&] { return state.done_through >= last; });
  const bool sound = state.counted.failed == state.failed_at_flush;
  state.failed_at_flush = state.counted.failed;
  return reached && sound;
}

PublisherCounts Publisher::counts() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counted;
}

}  // namespace luzia
