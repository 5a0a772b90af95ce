// Watches the output.log of running attempts. A file event only hints: a worker then calls fstat, and pread
// from the offset that the log holds. Call all methods on the loop thread. Reading and decoding run on
// libuv's workers, one at a time per job. Between two reads only a file's checkpoint and last line are kept.
// The same watch also hints when to read the files with an agent's prompts; it does not read them.
#pragma once

#include <uv.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/output_log/issue_tally.h"
#include "adapters/output_log/log_file.h"
#include "adapters/output_log/repetition.h"
#include "adapters/output_log/request_marks.h"
#include "engine/base/redactor.h"
#include "engine/ports/line_decoder.h"

namespace luzia {

/// One attempt's output. `job_dir` is opened O_DIRECTORY|O_NOFOLLOW, output.log in it O_NOFOLLOW|O_NONBLOCK;
/// it is read only if it is a regular file of `owner_uid`.
struct WatchSpec {
  std::string job;
  std::uint32_t attempt = 0;
  std::string job_dir;
  std::uint32_t owner_uid = 0;
  /// The total number of bytes that the attempt wrote, once its exit record says so: the file is read only up
  /// to there. Called on worker threads whenever there is something to read; may be empty.
  std::function<std::optional<std::uint64_t>()> final_size;
  /// ScanSource::checks_from.
  std::function<std::optional<std::uint64_t>()> checks_from = nullptr;
  schema::CheckpointT checkpoint;  // where reading stands according to the log; initially all zero
  std::uint64_t lines_before = 0;  // lines of this attempt in the log
  std::string output_format;
  /// The patterns currently in force for the job's project; empty: known problems are not searched for. Any
  /// thread.
  IssueTally::Matcher issues = {};
  /// Read instead of output.log; unset: that. `job_dir` is then its folder, in which there are no request
  /// files.
  std::optional<ForeignLog> foreign = {};
  /// Of the attempt's secrets; null: it has none.
  std::shared_ptr<const Redactor> redactor = nullptr;
};

/// Output for people that is not an event yet.
struct LiveTail {
  /// The last nonblank line as a terminal shows it, at most 512 bytes; any bytes. If it was read before the
  /// watch began, the first look finds it again within the last 64 KiB before that position.
  std::string last_line;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint32_t generation = 0;
  Repetition repetition = {};  // in the output that the last look read
};

/// An event that made the watcher look at a file; kept for post-mortems.
struct RawHint {
  enum class What { changed, renamed, requests, reconciled, asked };
  TimeUs when = 0;  // monotonic
  std::string job;
  What what = What::changed;
};

class OutputWatcher {
 public:
  /// Called on the loop; each may call any method of the watcher.
  struct Hooks {
    /// A stretch to record, in order. The watcher sends a job's next stretch only after recorded().
    std::function<void(const std::string& job, RecordOutput)> found;
    /// The file has grown (live tails).
    std::function<void(const std::string& job, const LiveTail&)> grew;
    /// No new output, but the output from before the watch began was examined again: its last line, if any,
    /// is now known. May be unset.
    std::function<void(const std::string& job, const LiveTail&)> recalled = {};
    /// Look at the job's request files. With marks: a look without a hint (the first, the timer's, the last)
    /// found these marks, which differ from those of the look before.
    std::function<void(const std::string& job, const std::optional<RequestMarks>& marks)> requests;
    /// A problem to log ("output.log is a symlink: not read"). Reported once per job and code; missing file
    /// watches (`no_file_watches`) once per watcher.
    std::function<void(const std::string& job, const Error&)> trouble;
    std::function<TimeUs()> monotonic_now;
  };
  struct Limits {
    std::uint64_t coalesce_bytes = 1 << 20;     // at most one OutputAppended per MiB ...
    TimeUs coalesce_time = 5 * kSecondUs;       // ... or 5 s
    TimeUs reconcile_every = 5 * kSecondUs;     // while anything is watched
    TimeUs reconcile_unhinted = 1 * kSecondUs;  // while inotify refuses to watch some file
    std::size_t read_block = 64 * 1024;
    std::size_t scan_at_most = 4 << 20;  // per turn of a worker; then other jobs get theirs
    // Hints beyond these rates are gathered, so that chatty jobs cost little. Token buckets: a fixed interval
    // would fall into step with a steady writer and delay each of its lines.
    std::uint32_t job_looks_per_second = 500;  // per job; beyond that ...
    TimeUs gather_job = 4 * kMillisecondUs;    // ... its hints are gathered this long
    std::uint32_t looks_per_second = 1000;     // all jobs together; beyond that ...
    TimeUs gather_all = 300 * kMillisecondUs;  // ... each job is read at this interval
  };

  OutputWatcher(uv_loop_t* loop, LineDecoderSource decoders, Hooks hooks, Limits limits);
  ~OutputWatcher();  // stop() first and run the loop until stopped

  /// Begins to read at once. If the job is watched already, forgets the old watch first.
  void watch(WatchSpec spec);
  /// Reads up to `size`, or to the end of a shorter file. Delivers everything through `found`, including a
  /// last partial line, and calls `then` once all of it was recorded(). Commit the attempt's end only after
  /// that. `then` runs at once if the job is not watched. It is lost only by forget() and stop().
  void finish(const std::string& job, std::uint64_t size, std::function<void()> then);
  /// Reads to the file's present end, delivers all that was read, and calls `then` once it was recorded();
  /// reading goes on. Like finish(), at once if the job is not watched, and lost by forget() and stop().
  void catch_up(const std::string& job, std::function<void()> then);
  /// The engine recorded the stretch (the decision is made), or dropped it as stale. `checkpoint` is the one
  /// in the log now. Call it once for every found(). If `checkpoint` is not the one that was sent, reading
  /// restarts from it.
  void recorded(const std::string& job, const schema::CheckpointT& checkpoint);
  void forget(const std::string& job);
  /// The request files' marks at the last look; after finish(), at the look that read to the end. nullopt:
  /// not known.
  std::optional<RequestMarks> requests(const std::string& job) const;
  /// nullptr: not watched. Valid until the loop continues.
  const LiveTail* tail(const std::string& job) const;
  /// Copies, for every watched job. The cost grows with the number of running jobs, not of queued ones.
  std::map<std::string, LiveTail> tails() const;
  std::size_t watched() const;
  /// Looks at every watched file once, after a suspected loss of hints. The reconcile timer does this too.
  void look_at_all();
  /// The last 256 hints, oldest first.
  std::vector<RawHint> recent_hints() const;
  /// No hook is called from now on. Calls `stopped` when no worker and no handle is left.
  void stop(std::function<void()> stopped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace luzia
