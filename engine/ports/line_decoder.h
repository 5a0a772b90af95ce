// Port: turns one complete line of output.log into findings. Implemented in adapters/agents.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// One line, without its newline and without a carriage return before it. Any bytes; bounded: of a longer
/// line only the first kMaxKeptLine bytes are here and `cut` is set.
struct Line {
  std::string_view text;
  std::uint64_t offset;  // of its first byte in the file
  std::uint64_t end;     // offset after its newline; of a cut line or one that never ended, after its text
  std::uint64_t number;  // from 1
  bool cut = false;
};
constexpr std::size_t kMaxKeptLine = 64 * 1024;

/// Stateless per line: a finding depends on one line only; pairing and sums happen in folds. Called on a
/// worker. Findings are appended and set evidence rule, log_from and log_to; kind, attempt and
/// generation are set by the caller. Linear in the line's length, any bytes, no exceptions.
class LineDecoder {
 public:
  virtual ~LineDecoder() = default;
  /// What the line means once it is complete. Called once for each line. And where known problems are looked
  /// for in it (engine/ports/issue_matcher.h): false = in the line as it stands; true = the line is the
  /// agent's own format, and only in what tools printed and what went wrong in it, which is appended to
  /// `within` decoded, each piece ended by a newline. What the agent says or reads of its own accord is not
  /// looked through.
  virtual bool decode(const Line& line, std::vector<RecordOutput::Finding>& findings,
                      std::string& within) const = 0;
  /// What a person would read of a line, which may still be incomplete, where it is the agent's own format:
  /// text, of any number of lines; empty: nothing, it is passed over. nullopt: the line as it stands.
  virtual std::optional<std::string> readable(std::string_view line) const {
    return static_cast<void>(line), std::nullopt;
  }
  /// Marks: sequences at most kMaxMark bytes long that begin with kMarkBegin and whose meaning no later byte
  /// can change (OSC 9;4), reported while their line is still being written. Called with any stretch of a
  /// line that holds a kMarkBegin, again with longer ones, and with the whole line; the caller drops what
  /// ends at or before the offset that it has read to already.
  virtual void decode_marks(const Line& stretch, std::vector<RecordOutput::Finding>& findings) const {
    static_cast<void>(stretch), static_cast<void>(findings);
  }
  /// What a line shows that redraws itself after carriage returns and is still being written, or too long to
  /// be kept. `stretch` ends where the last whole state of such a line does, the carriage return or newline
  /// behind it left out, and begins kRedrawReach before its first new byte at the latest, if the line does.
  /// One finding at most, none where the last whole state in the first `seen` bytes told the same.
  virtual void decode_redraw(const Line& stretch, std::size_t seen,
                             std::vector<RecordOutput::Finding>& findings) const {
    static_cast<void>(stretch), static_cast<void>(seen), static_cast<void>(findings);
  }
};
/// States of a line that redraws itself are looked for so far back.
constexpr std::size_t kRedrawReach = 2048;
constexpr std::size_t kMaxMark = 64;
constexpr char kMarkBegin = '\x1b';

/// By output format of the job's profile ("text", ...). Never null: unknown formats read as text.
using LineDecoderSource = std::function<std::shared_ptr<const LineDecoder>(std::string_view output_format)>;

}  // namespace luzia
