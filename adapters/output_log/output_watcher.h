// Watches the output.log of running attempts. A file event only hints: a worker then does fstat, and pread
// from the offset that the log remembers. Loop thread for every method; reading and decoding run on libuv's
// workers, one at a time per job. Nothing is kept of a file between two looks but its checkpoint and last
// line. The same watch tells when to look for files by which agents ask; it does not read them.
#pragma once

#include <uv.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/output_log/issue_tally.h"
#include "adapters/output_log/repetition.h"
#include "adapters/output_log/request_marks.h"
#include "engine/ports/line_decoder.h"

namespace luzia {

/// One attempt's output. `job_dir` is opened O_DIRECTORY|O_NOFOLLOW, output.log in it O_NOFOLLOW|O_NONBLOCK;
/// only a regular file of `owner_uid` is read.
struct WatchSpec {
  std::string job;
  std::uint32_t attempt = 0;
  std::string job_dir;
  std::uint32_t owner_uid = 0;
  /// How many bytes of output the attempt wrote in all, once its exit record says so: the file is read up to
  /// there only. Called on worker threads, whenever there is something to read; may be empty.
  std::function<std::optional<std::uint64_t>()> final_size;
  schema::CheckpointT checkpoint;  // where the log says reading stands; all zero at first
  std::uint64_t lines_before = 0;  // lines of this attempt in the log
  std::string output_format;
  /// The patterns of the job's project as they are now; empty: nobody looks for known problems. Any thread.
  IssueTally::Matcher issues = {};
};

/// What people may see of output that is not an event yet.
struct LiveTail {
  /// Last line that is not blank, as a terminal shows it, bounded to 512 bytes; any bytes. Of what was read
  /// before the watch began the first look finds it again, where it stands within 64 KiB of the end.
  std::string last_line;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint32_t generation = 0;
  Repetition repetition = {};  // in what the last look has read
};

/// What made the watcher look, for post-mortems.
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
    /// A stretch to record, in order. The watcher sends a job's next one only after recorded().
    std::function<void(const std::string& job, RecordOutput)> found;
    /// More bytes stand in the file (live tails).
    std::function<void(const std::string& job, const LiveTail&)> grew;
    /// Nothing came, but what was read before the watch began has been looked at again: its last line is
    /// known, where there is one. Unset: nobody wants to know.
    std::function<void(const std::string& job, const LiveTail&)> recalled = {};
    /// Look at the job's request files. With marks: a look that no hint announced (the first one, the
    /// timer's, the last one) found them so, and otherwise than the one before.
    std::function<void(const std::string& job, const std::optional<RequestMarks>& marks)> requests;
    /// A problem worth a log line ("output.log is a symlink: not read"); each code once per job, missing file
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
    std::size_t scan_at_most = 4 << 20;  // per turn of a worker, then others have theirs
    // Hints that come faster than these are gathered, so that chatty jobs cost little. Buckets, because a
    // fixed distance between looks locks step with a steady writer and delays each of its lines.
    std::uint32_t job_looks_per_second = 500;  // of one job; beyond that ...
    TimeUs gather_job = 4 * kMillisecondUs;    // ... its hints are gathered for so long
    std::uint32_t looks_per_second = 1000;     // of all jobs together; beyond that ...
    TimeUs gather_all = 300 * kMillisecondUs;  // ... each job is looked at so often
  };

  OutputWatcher(uv_loop_t* loop, LineDecoderSource decoders, Hooks hooks, Limits limits);
  ~OutputWatcher();  // stop() first and run the loop until stopped

  /// Begins to read at once. A job that is watched already is forgotten first.
  void watch(WatchSpec spec);
  /// Reads to `size` (or the end of a shorter file), delivers everything including a last partial line
  /// through `found`, and calls `then` once all of it was recorded(). The end of the attempt may be committed
  /// after that. `then` runs at once when the job is not watched, and is never lost but by forget() and
  /// stop().
  void finish(const std::string& job, std::uint64_t size, std::function<void()> then);
  /// The engine took the stretch (it is decided), or dropped it as stale: `checkpoint` is what the log now
  /// has. Answers every found(); when it is not what was sent, reading starts again from it.
  void recorded(const std::string& job, const schema::CheckpointT& checkpoint);
  void forget(const std::string& job);
  /// Request files as they stood at the last look for them, after finish() at the one that read to the end;
  /// nullopt: not known.
  std::optional<RequestMarks> requests(const std::string& job) const;
  /// nullptr: not watched. Valid until the loop runs on.
  const LiveTail* tail(const std::string& job) const;
  /// Copies, of every watched job. Costs grow with what runs, not with what is queued.
  std::map<std::string, LiveTail> tails() const;
  std::size_t watched() const;
  /// Look at every watched file once (after suspected loss of hints; the reconcile timer does this too).
  void look_at_all();
  /// The last 256, oldest first.
  std::vector<RawHint> recent_hints() const;
  /// No hook is called from now on, `stopped` when no worker and no handle is left.
  void stop(std::function<void()> stopped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace luzia
