// Port: turns one complete line of output.log into findings. Implemented in adapters/agents.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// One line, without its newline and without a carriage return before it. Any bytes; bounded: of a longer line
/// only the first kMaxKeptLine bytes are here and `cut` is set.
struct Line {
  std::string_view text;
  std::uint64_t offset;  // of its first byte in the file
  std::uint64_t end;     // offset after its newline
  std::uint64_t number;  // from 1
  bool cut = false;
};
constexpr std::size_t kMaxKeptLine = 64 * 1024;

/// Stateless per line: a finding depends on one line only; pairing and sums happen in folds. Called on a worker.
class LineDecoder {
 public:
  virtual ~LineDecoder() = default;
  /// Appends findings; sets evidence rule, log_from and log_to (attempt and generation are set by the caller).
  virtual void decode(const Line& line, std::vector<RecordOutput::Finding>& findings) const = 0;
};

/// By output format of the job's profile ("text", ...). Never null: unknown formats read as text.
using LineDecoderSource = std::function<std::shared_ptr<const LineDecoder>(std::string_view output_format)>;

}  // namespace luzia
