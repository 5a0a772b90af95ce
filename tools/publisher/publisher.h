// luzia::Publisher: what a C++ program says about a job, recorded as events of that job. The only header of
// the installed library (find_package(luzia), target luzia::publisher); it needs nothing but the standard
// library.
//
//   luzia::Publisher publisher;                                  // inside a job: about that job
//   publisher.publish_later(luzia::publication::Progress{.progress_percent = 40});
//   auto said = publisher.publish(luzia::publication::TaskCompleted{.findings_count = 2});
//   if (!said) std::cerr << said.message << '\n';
//
// Everything that is said through one Publisher is recorded in the order in which it was said, and once, also
// over a restart of the daemon: each publication carries a command id of its own and is sent again until it
// is answered. No daemon is started by it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace luzia {

/// The seven kinds. Texts are UTF-8; an event is at most 256 KiB. Seconds are not negative.
namespace publication {

struct TaskStarted {
  std::string task_id = {};
  std::string project = {};
  std::string description = {};
  double estimated_duration_seconds = 0;  // 0: not known
};

struct Progress {
  std::optional<double> progress_percent = {};  // 0 to 100; nothing: at work, extent not known
  std::uint32_t current_step = 0;
  std::uint32_t total_steps = 0;
  std::string current_step_name = {};
  double elapsed_seconds = 0;
  std::optional<double> estimated_remaining_seconds = {};
};

enum class Verdict : std::uint8_t { none, approved, needs_work, rejected };

struct TaskCompleted {
  double elapsed_seconds = 0;
  std::uint32_t findings_count = 0;
  std::uint32_t recommendations_count = 0;
  Verdict status = Verdict::none;
};

struct TaskQueued {
  std::string project = {};
  std::string description = {};
  std::string reason = {};
  std::uint32_t queue_position = 0;
  std::vector<std::string> queue_ahead = {};  // ids
  double estimated_wait_seconds = 0;
};

struct Warning {
  std::string warning_type = {};  // DURATION_EXCEEDED, ...
  std::string message = {};
  std::uint32_t current_step = 0;
  std::uint32_t total_steps = 0;
  std::string current_step_name = {};
  double elapsed_seconds = 0;
  double progress_percent = 0;  // 0 to 100
  std::string recommendation = {};
};

struct TaskFailed {
  std::string error = {};
  double elapsed_seconds = 0;
  std::uint32_t retry_count = 0;
  bool retriable = false;
};

enum class Severity : std::uint8_t { warning, critical };

struct SystemAlert {
  std::string alert_type = {};  // RESOURCE_WARNING, ...
  std::string message = {};
  std::string recommendation = {};
  Severity severity = Severity::warning;
};

}  // namespace publication

using Publication = std::variant<publication::TaskStarted, publication::Progress, publication::TaskCompleted,
                                 publication::TaskQueued, publication::Warning, publication::TaskFailed,
                                 publication::SystemAlert>;

/// What became of a publication. False when it is not recorded, or not known to be.
struct PublishResult {
  std::uint64_t position = 0;  // the event's place in the log; 0: not known to be recorded
  std::string code = {};       // stable word: already_ended, stale_attempt, bad_report, not_answered, ...
  std::string message = {};    // for people
  std::string hint = {};       // how to fix it; may be empty

  explicit operator bool() const { return code.empty(); }
};

struct PublisherOptions {
  std::string job = {};       // id in full; empty: $LUZIA_JOB_ID
  std::uint32_t attempt = 0;  // 0: $LUZIA_ATTEMPT for the job of $LUZIA_JOB_ID, else the present attempt
  std::string socket = {};    // empty: the store's, else $LUZIA_SOCKET, else that of $LUZIA_STORE
  std::string store = {};     // after these that of luziad(8) without configuration, which is not read
  /// How long publish() tries, and the connection attempts that it takes.
  std::chrono::milliseconds patience{30'000};
  /// What may wait to be recorded: so many batches of kBatch publications, and so many bytes of text.
  std::size_t max_batches = 50;
  std::size_t max_buffer_bytes = 8 << 20;
  /// How long the destructor waits for what was said later.
  std::chrono::milliseconds flush_at_end{5'000};
  /// Told of each publication of publish_later() that is not recorded. Called on the library's thread, from
  /// the destructor on the destroying one; it must not call the Publisher or throw.
  std::function<void(const Publication&, const PublishResult&)> on_failure;
};

struct PublisherCounts {
  std::uint64_t recorded = 0;   // are on disk
  std::uint64_t failed = 0;     // were taken and are not recorded, or not known to be
  std::uint64_t not_taken = 0;  // of publish_later(): the buffer was full
};

/// Any number of threads may use one. A Publisher does not survive fork().
class Publisher {
 public:
  static constexpr std::size_t kBatch = 64;

  /// Connects with the first publication, not before.
  explicit Publisher(PublisherOptions options = {});
  /// Waits flush_at_end for what was said later; what is not recorded by then counts as failed.
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  /// On disk when it returns true. What was said later before it is recorded before it. Codes beside those of
  /// the daemon: `no_job`, `bad_value` ($LUZIA_ATTEMPT is no number), `not_answered` (it may still come to be
  /// recorded).
  PublishResult publish(const Publication& publication);

  /// Takes it and returns at once, whatever the daemon does. False: it is not taken, since what waits has
  /// come to its limit (no daemon answers, or the disk is slower than this program), or publish() would say
  /// `no_job` or `bad_value`.
  [[nodiscard]] bool publish_later(Publication publication);

  /// Until everything that was said before is on disk. False when the time is over first, or when something
  /// that was taken since the last flush() has failed.
  [[nodiscard]] bool flush(std::chrono::milliseconds timeout);

  PublisherCounts counts() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace luzia
