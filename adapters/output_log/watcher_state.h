// The internals of OutputWatcher: its jobs, the order in which they are read, and the handling of results.
// Included by output_watcher.cc and watcher_state.cc only. Loop thread.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "adapters/output_log/file_hint.h"
#include "adapters/output_log/hint_ring.h"
#include "adapters/output_log/look_budget.h"
#include "adapters/output_log/outbox.h"
#include "adapters/output_log/output_watcher.h"
#include "adapters/output_log/scan_pool.h"

namespace luzia {

/// One watched attempt.
struct WatchedJob {
  std::uint64_t id = 0;  // of this watch; a job watched again gets another
  std::string name;
  std::shared_ptr<const ScanSource> source;
  Outbox outbox;
  LookBudget budget;
  LiveTail tail{};

  // Reading.
  schema::CheckpointT position{};  // the position reached in memory
  std::uint64_t epoch = 0;         // incremented when reading restarts elsewhere
  std::int64_t modified_ns = 0;
  bool scanning = false;
  bool again = false;   // a hint came while scanning
  bool paused = false;  // until the outbox has room
  enum class Waits { no, gathering, ready } waits = Waits::no;
  int stale = 0;  // consecutive stretches that the log rejected

  bool last_line_unknown = false;  // until a look has found the file

  // Hints.
  std::unique_ptr<FileHint> hint{};
  bool rearm = true;         // watch the directory again before the next look
  bool unhinted = false;     // inotify does not watch the directory
  bool hinted = false;       // a hint came since the last look began
  bool reconciling = false;  // the next look is the timer's
  bool unannounced = false;  // the look under way is the timer's, without a hint before it

  // Request files.
  bool look_for_requests = true;           // with the next look
  std::optional<RequestMarks> requests{};  // from the last look

  // The end.
  std::optional<std::uint64_t> finish_at{};
  bool read_all = false;
  std::vector<std::function<void()>> thens{};

  // Reading to the present end: asked for, by the look under way, or done (then all of it is delivered).
  enum class CatchingUp { no, asked, looking, looked } catching_up = CatchingUp::no;
  std::vector<std::function<void()>> caught_up{};

  std::set<std::string> told{};  // error codes already reported
  std::vector<Error> to_tell{};
  bool delivering = false;
};

struct OutputWatcher::State {
  State(uv_loop_t* loop, LineDecoderSource decoders, Hooks hooks, Limits limits);

  enum class Urgency { at_once, may_gather };
  /// Jobs whose hints came too fast. A timer looks at all of them together.
  struct Gathering {
    State* state;
    TimeUs delay;
    Urgency then;
    uv_timer_t timer{};
    std::vector<std::uint64_t> jobs{};
  };

  WatchedJob* find(const std::string& name);
  WatchedJob* find(std::uint64_t id);
  void add(WatchSpec spec);
  void remove(WatchedJob& job);

  void on_hint(std::uint64_t id, FileHint::About about);
  void look(WatchedJob& job, Urgency urgency);
  bool gather(WatchedJob& job);
  void release(Gathering& gathering);
  void drain();  // gives waiting jobs to workers
  ScanTask begin_look(WatchedJob& job);

  void arm(WatchedJob& job);
  void set_unhinted(WatchedJob& job, bool unhinted);
  void drop_hint(WatchedJob& job);

  void scan_done(const ScanTask& task, std::optional<ScanResult> result);
  void take_result(WatchedJob& job, ScanResult& result);
  void take_requests(std::uint64_t id, const RequestMarks& marks);
  void restart_reading(WatchedJob& job, const schema::CheckpointT& checkpoint);
  void tell(WatchedJob& job, Error error);
  bool tell_trouble(std::uint64_t id);  // false: the job is gone
  bool tell_caught_up(std::uint64_t id);
  void set_read_all(WatchedJob& job, bool read_all);
  /// Calls hooks until nothing is due. The job may be gone afterwards.
  void deliver(std::uint64_t id);

  void set_reconcile_timer();
  void reconcile();
  void finish_stop();

  uv_loop_t* loop;
  LineDecoderSource decoders;
  Hooks hooks;
  Limits limits;
  Outbox::Limits outbox_limits;
  FileHint::Hint hint_hook;
  ScanPool pool;
  LookBudget budget;

  std::unordered_map<std::uint64_t, std::unique_ptr<WatchedJob>> jobs;
  std::map<std::string, std::uint64_t> ids;
  std::uint64_t last_id = 0;
  std::deque<std::uint64_t> ready;
  Gathering chatty;       // jobs over their own limit
  Gathering over_budget;  // the limit for all jobs together is exceeded
  uv_check_t after_poll{};
  uv_timer_t reconcile_timer{};
  std::uint64_t reconcile_period_ms = 0;  // 0: not running
  std::uint64_t ticks = 0;
  std::size_t reading = 0;         // jobs not read to their end
  std::size_t unhinted_count = 0;  // of the jobs in `reading`
  bool told_no_watches = false;

  HintRing hints;

  std::size_t open_handles = 0;
  bool stopping = false;
  std::function<void()> stopped;
};

}  // namespace luzia
