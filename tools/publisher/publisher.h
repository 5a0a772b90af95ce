// luzia::Publisher: lets a C++ program report on a job. Reports are recorded as events of that job. This is
// the only header of the installed library (find_package(luzia), target luzia::publisher); it needs only the
// standard library.
//
//   luzia::Publisher publisher;                                  // inside a job: about that job
//   publisher.publish_later(luzia::publication::Progress{.progress_percent = 40});
//   auto said = publisher.publish(luzia::publication::TaskCompleted{.findings_count = 2});
//   if (!said) std::cerr << said.message << '\n';
//
// All publications of one Publisher are recorded in order and exactly once, even if the daemon is restarted:
// each carries its own command id and is sent again until it is answered. A Publisher does not start a
// daemon.
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

/// The seven kinds of publications. Texts are UTF-8; an event has at most 256 KiB. Seconds must not be
/// negative.
namespace publication {

struct TaskStarted {
  std::string task_id = {};
  std::string project = {};
  std::string description = {};
  double estimated_duration_seconds = 0;  // 0: unknown
};

struct Progress {
  std::optional<double> progress_percent = {};  // 0 to 100; nothing: working, percentage unknown
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

/// The result of a publication. False: it was not recorded, or that is unknown (`not_answered`).
struct PublishResult {
  std::uint64_t position = 0;  // the event's position in the log; 0: not known to be recorded
  std::string code = {};     // stable error code: already_ended, stale_attempt, bad_report, not_answered, ...
  std::string message = {};  // for people
  std::string hint = {};     // how to fix it; may be empty

  explicit operator bool() const { return code.empty(); }
};

struct PublisherOptions {
  std::string job = {};       // full id; empty: $LUZIA_JOB_ID
  std::uint32_t attempt = 0;  // 0: $LUZIA_ATTEMPT if the job is $LUZIA_JOB_ID, else the job's current attempt
  /// Without a job: a task that Luzia did not dispatch, and its project. Publishing TaskStarted begins it;
  /// TaskCompleted or TaskFailed ends it.
  std::string task_id = {}, project = {};
  /// Where the daemon is: `socket`, else the socket of `store`, else $LUZIA_SOCKET, else that of
  /// $LUZIA_STORE, else that of luziad's default store (luziad(8)). The configuration is not read.
  std::string socket = {};
  std::string store = {};
  /// How long publish() tries, including reconnecting.
  std::chrono::milliseconds patience{30'000};
  /// Limits of the buffer: batches of kBatch publications, and bytes of text.
  std::size_t max_batches = 50;
  std::size_t max_buffer_bytes = 8 << 20;
  /// How long the destructor waits for buffered publications.
  std::chrono::milliseconds flush_at_end{5'000};
  /// Called for each publication of publish_later() that was not recorded, on the library's thread; during
  /// destruction on the destroying thread. It must neither call the Publisher nor throw.
  std::function<void(const Publication&, const PublishResult&)> on_failure;
};

struct PublisherCounts {
  std::uint64_t recorded = 0;   // on disk
  std::uint64_t failed = 0;     // accepted but not recorded, or not known to be
  std::uint64_t not_taken = 0;  // refused by publish_later()
};

/// Thread-safe. A Publisher must not be used after fork().
class Publisher {
 public:
  static constexpr std::size_t kBatch = 64;

  /// Does not connect yet: the first publication does.
  explicit Publisher(PublisherOptions options = {});
  /// Waits up to flush_at_end for buffered publications; those not recorded by then have failed.
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  /// Records the publication, after all buffered ones. True: it is on disk. Codes besides those of the
  /// daemon: `no_job`, `bad_value` ($LUZIA_ATTEMPT is not a number), `no_thread`, `not_answered` (it may
  /// still be recorded).
  PublishResult publish(const Publication& publication);

  /// Buffers the publication and returns at once, whatever the daemon does. False: it was not accepted,
  /// because the buffer is full (no daemon answers, or the disk is slower than this program), or because
  /// publish() would return `no_job`, `bad_value` or `no_thread`.
  [[nodiscard]] bool publish_later(Publication publication);

  /// Waits until all earlier publications are on disk. False: the time is over, or a publication has failed
  /// since the last flush().
  [[nodiscard]] bool flush(std::chrono::milliseconds timeout);

  PublisherCounts counts() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace luzia
