// Watches the output.log of running attempts. A file event only hints: a worker then does fstat, and pread from the
// offset that the log remembers. Loop thread for every method; reading and decoding run on libuv's workers, one at
// a time per job.
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <string>

#include "engine/ports/line_decoder.h"

namespace luzia {

/// One attempt's output. `job_dir` is opened O_DIRECTORY|O_NOFOLLOW, output.log in it O_NOFOLLOW|O_NONBLOCK; only
/// a regular file of `owner_uid` is read.
struct WatchSpec {
  std::string job;
  std::uint32_t attempt = 0;
  std::string job_dir;
  std::uint32_t owner_uid = 0;
  std::string exit_record;  // path; once it exists the file is read up to its output_bytes only
  schema::CheckpointT checkpoint;  // where the log says reading stands; all zero at first
  std::uint64_t lines_before = 0;
  std::string output_format;
};

/// What people may see of output that is not an event yet.
struct LiveTail {
  std::string last_line;  // last non-empty line, bounded to 512 bytes, as read (not made harmless)
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint32_t generation = 0;
};

class OutputWatcher {
 public:
  struct Hooks {
    /// A stretch to record; the watcher sends the next one only after recorded() or refused().
    std::function<void(const std::string& job, RecordOutput)> found;
    /// More bytes stand in the file (live tails).
    std::function<void(const std::string& job, const LiveTail&)> grew;
    /// A problem worth a log line ("output.log is a symlink: not read").
    std::function<void(const std::string& job, const Error&)> trouble;
    std::function<TimeUs()> monotonic_now;
  };
  struct Limits {
    std::uint64_t coalesce_bytes = 1 << 20;      // at most one OutputAppended per MiB ...
    TimeUs coalesce_time = 5 * kSecondUs;        // ... or 5 s
    TimeUs reconcile_every = 5 * kSecondUs;      // while anything is watched
    std::size_t read_block = 64 * 1024;
    std::size_t scan_at_most = 4 << 20;          // per turn of a worker, then others have theirs
  };

  OutputWatcher(uv_loop_t* loop, LineDecoderSource decoders, Hooks hooks, Limits limits);
  ~OutputWatcher();  // stop() first and run the loop until stopped

  void watch(WatchSpec spec);
  /// Reads to `size` (or the end of a shorter file), delivers everything including a last partial line through
  /// `found`, then calls `then`. The end of the attempt may be committed after that.
  void finish(const std::string& job, std::uint64_t size, std::function<void()> then);
  /// The engine took the stretch (it is decided), or dropped it as stale: `checkpoint` is what the log now has.
  void recorded(const std::string& job, const schema::CheckpointT& checkpoint);
  void forget(const std::string& job);
  const LiveTail* tail(const std::string& job) const;
  std::size_t watched() const;
  /// Look at every watched file once (after suspected loss of hints; the reconcile timer does this too).
  void look_at_all();
  void stop(std::function<void()> stopped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace luzia
