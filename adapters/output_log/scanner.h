// One step of reading a job's output.log: check whether it is still the same file, read on from the
// checkpoint, decode the lines, and return the new checkpoint. A synchronous function of checkpoint and file
// that keeps nothing between steps. The last step of an agent that counts by messages reads the file again. A
// crash between two steps loses only a count of repeated lines. Worker threads (one step at a time per job);
// no libuv.
#pragma once

#include <atomic>
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
#include "engine/base/redactor.h"
#include "engine/ports/line_decoder.h"

namespace luzia {

/// Constant for all steps of one attempt.
struct ScanSource {
  std::string job_dir;
  std::uint32_t owner_uid = 0;
  std::uint32_t attempt = 0;
  std::shared_ptr<const LineDecoder> decoder;
  /// The total number of bytes that the attempt wrote, once that is recorded; anything after them in the file
  /// is not output. Called on workers after fstat and before any byte is read; may be empty.
  std::function<std::optional<std::uint64_t>()> final_size;
  /// Receives each line once, in order; null: unused. The steps of one attempt run one after another.
  std::shared_ptr<RepetitionDetector> repetition = nullptr;
  /// Searches each line once, in order, for known problems; null: unused.
  std::shared_ptr<IssueTally> issues = nullptr;
  /// Whether a line that was read has named the agent's session; null: only lines that introduce it count.
  std::shared_ptr<std::atomic<bool>> session_named = nullptr;
  /// Read instead of output.log in `job_dir`; unset: that.
  std::optional<ForeignLog> foreign = {};
  /// Where the checks of its work begin to print, once they have begun: from there on `plain` decodes, for it
  /// is not the agent that speaks. Called like final_size; may be empty.
  std::function<std::optional<std::uint64_t>()> checks_from = nullptr;
  std::shared_ptr<const LineDecoder> plain = nullptr;
  /// Blacks out the attempt's secrets before anything else sees a line; null: it has none.
  std::shared_ptr<const Redactor> redactor = nullptr;
};

struct ScanRequest {
  std::shared_ptr<const ScanSource> source;
  schema::CheckpointT checkpoint;
  /// The attempt is over and wrote this many bytes: the end of the file ends the last line.
  std::optional<std::uint64_t> finish_at;
  /// Modification time at the last step, 0 if unknown: an unchanged file is not read again.
  std::int64_t seen_modified_ns = 0;
  /// Check the request files too: hints do not report files from before the watch, and hints may be lost.
  bool requests = false;
  /// The last line is not in memory. If this step reads no line to show, search for it at the end of the part
  /// already read.
  bool last_line_unknown = false;
};

struct ScanLimits {
  std::size_t read_block = 64 * 1024;
  std::size_t read_at_most = 4 << 20;  // bytes per step
  std::size_t findings_at_most = 256;  // per step; only the last line's findings may exceed it
};

struct ScanResult {
  LogFile::State file = LogFile::State::readable;
  schema::CheckpointT checkpoint;  // where reading stands now
  std::optional<schema::OutputRestartedT> restarted;
  std::uint64_t from = 0;   // in the generation of `checkpoint`
  std::uint64_t lines = 0;  // completed in this step
  std::vector<RecordOutput::Finding> findings;
  bool more = false;      // stopped at a limit, not at the end of the file
  bool finished = false;  // finish_at was set and everything up to it was read
  std::optional<std::string> last_line;
  Repetition repetition;  // the longest that continued in this step
  std::int64_t modified_ns = 0;
  std::optional<RequestMarks> requests;  // if requested
  std::optional<Error> trouble;
};

/// Reused by all steps on one worker: about 130 KiB.
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
