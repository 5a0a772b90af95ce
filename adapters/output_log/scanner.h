// One step of reading a job's output.log: look at the file, decide whether it is still the same one, read on
// from the checkpoint, find what the lines mean, and say where reading stands then. A synchronous function of
// the checkpoint and the file; it keeps nothing between steps, so a crash between any two of them loses
// nothing but a count of repeated lines. Worker threads (one step at a time per job); no libuv.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/output_log/issue_tally.h"
#include "adapters/output_log/log_file.h"
#include "adapters/output_log/repetition.h"
#include "adapters/output_log/request_marks.h"
#include "engine/ports/line_decoder.h"

namespace luzia {

/// What stays the same for all steps of one attempt.
struct ScanSource {
  std::string job_dir;
  std::uint32_t owner_uid = 0;
  std::uint32_t attempt = 0;
  std::shared_ptr<const LineDecoder> decoder;
  /// How many bytes the attempt wrote in all, once that is on record; what stands behind them in the file is
  /// not output. Called on workers after fstat and before any byte is read; may be empty.
  std::function<std::optional<std::uint64_t>()> final_size;
  /// Sees each line once, in order; null: nobody wants to know. The steps of one attempt come one after
  /// another.
  std::shared_ptr<RepetitionDetector> repetition = nullptr;
  /// Looks for known problems in each line once, in order; null: nobody wants to know.
  std::shared_ptr<IssueTally> issues = nullptr;
};

struct ScanRequest {
  std::shared_ptr<const ScanSource> source;
  schema::CheckpointT checkpoint;
  /// The attempt is over and wrote so many bytes: the end of the file ends the last line.
  std::optional<std::uint64_t> finish_at;
  /// Modification time at the last step, 0 if unknown: an unchanged file is not read again.
  std::int64_t seen_modified_ns = 0;
  /// Look for request files too: no hint tells of what stood there before, or was lost.
  bool requests = false;
  /// What was read before is not in memory: where this step meets no line to show, the last one is looked for
  /// there, in the end of what was read.
  bool last_line_unknown = false;
};

struct ScanLimits {
  std::size_t read_block = 64 * 1024;
  std::size_t read_at_most = 4 << 20;  // bytes per step
  std::size_t findings_at_most = 256;  // per step, exceeded by the last line's at most
};

struct ScanResult {
  LogFile::State file = LogFile::State::readable;
  schema::CheckpointT checkpoint;  // where reading stands now
  std::optional<schema::OutputRestartedT> restarted;
  std::uint64_t from = 0;   // in the generation of `checkpoint`
  std::uint64_t lines = 0;  // completed in this step
  std::vector<RecordOutput::Finding> findings;
  bool more = false;      // stopped at a limit, not at the end
  bool finished = false;  // finish_at was given and everything up to it has been read
  std::optional<std::string> last_line;
  Repetition repetition;  // the longest that went on in this step
  std::int64_t modified_ns = 0;
  std::optional<RequestMarks> requests;  // where they were asked for
  std::optional<Error> trouble;
};

/// Shared by the steps of one worker: about 130 KiB.
class ScanBuffer {
 public:
  explicit ScanBuffer(std::size_t read_block) : bytes_(kMaxKeptLine + kTailBytes + 1 + read_block) {}
  char* data() { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
};

ScanResult scan_step(const ScanRequest& request, const ScanLimits& limits, ScanBuffer& buffer);

}  // namespace luzia
