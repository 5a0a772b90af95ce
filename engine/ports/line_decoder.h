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

/// One line without its newline and without a carriage return before it. Any bytes. Of a line longer than
/// kMaxKeptLine, only the first kMaxKeptLine bytes are here and `cut` is set.
struct Line {
  std::string_view text;
  std::uint64_t offset;  // of its first byte in the file
  std::uint64_t end;     // offset after its newline; of a cut or unfinished line, after its text
  std::uint64_t number;  // from 1
  bool cut = false;
};
constexpr std::size_t kMaxKeptLine = 64 * 1024;

/// A finding that `rule` inferred from the bytes [from, to) of the file.
template <class Union, class Fact>
RecordOutput::Finding inferred_finding(Fact fact, std::string_view rule, std::uint64_t from,
                                       std::uint64_t to) {
  Union wrapped;
  wrapped.Set(std::move(fact));
  RecordOutput::Finding finding{std::move(wrapped), {}};
  finding.evidence.kind = schema::EvidenceKind::inferred;
  finding.evidence.rule = rule;
  finding.evidence.log_from = from;
  finding.evidence.log_to = to;
  return finding;
}

/// Sums what an agent's lines say about single messages, for an attempt that ends before its agent reports
/// the whole. Receives all lines of one attempt, in order.
class MessageUsage {
 public:
  virtual ~MessageUsage() = default;
  virtual void add(const Line& line) = 0;
  /// A partial UsageReported about the attempt so far, with the last message as its evidence. nullopt: no
  /// message came after the agent's last report.
  virtual std::optional<RecordOutput::Finding> sum() const = 0;
};

/// Stateless: a finding depends on one line only; folds do pairing and sums. Called on a worker. Appends
/// findings and sets their evidence rule, log_from and log_to; the caller sets kind, attempt and generation.
/// Linear in the line's length, any bytes, no exceptions.
class LineDecoder {
 public:
  virtual ~LineDecoder() = default;
  /// Decodes a complete line; called once for each. Returns where to look for known issues in it
  /// (engine/ports/issue_matcher.h):
  /// - false: in the line itself.
  /// - true: the line is in the agent's own format. Only the output and errors of tools are searched, which
  ///   this function appends decoded to `within`, each piece ended by a newline. The agent's own words and
  ///   what it reads are not searched.
  virtual bool decode(const Line& line, std::vector<RecordOutput::Finding>& findings,
                      std::string& within) const = 0;
  /// The session that a line in the agent's own format names; empty: none.
  virtual std::string session_of(const Line& line) const { return static_cast<void>(line), std::string(); }
  /// nullptr: lines do not say what single messages used.
  virtual std::unique_ptr<MessageUsage> message_usage() const { return nullptr; }
  /// What a person should see of a line in the agent's own format; the line may still be incomplete. Text of
  /// any number of lines; empty: nothing, skip it. nullopt: show the line as it is.
  virtual std::optional<std::string> readable(std::string_view line) const {
    return static_cast<void>(line), std::nullopt;
  }
  /// Decodes marks: sequences of at most kMaxMark bytes that begin with kMarkBegin and whose meaning no later
  /// byte changes (OSC 9;4). Marks are reported before their line is complete. Called with any stretch of a
  /// line that holds a kMarkBegin, then with longer ones, then with the whole line. The caller drops marks
  /// that end at or before the offset it has already read to.
  virtual void decode_marks(const Line& stretch, std::vector<RecordOutput::Finding>& findings) const {
    static_cast<void>(stretch), static_cast<void>(findings);
  }
  /// Decodes a line that redraws itself with carriage returns and is unfinished or too long to keep.
  /// `stretch` ends with the last complete state of the line, without the carriage return or newline after
  /// it. It begins at least kRedrawReach before the first new byte, or with the line. Appends at most one
  /// finding, and none if the last complete state within the first `seen` bytes gave the same one.
  virtual void decode_redraw(const Line& stretch, std::size_t seen,
                             std::vector<RecordOutput::Finding>& findings) const {
    static_cast<void>(stretch), static_cast<void>(seen), static_cast<void>(findings);
  }
};
/// How far back, in bytes, states of a line that redraws itself are searched.
constexpr std::size_t kRedrawReach = 2048;
constexpr std::size_t kMaxMark = 64;
constexpr char kMarkBegin = '\x1b';

/// Returns the decoder of an output format ("text", ...). Never null: unknown formats are read as text.
using LineDecoderSource = std::function<std::shared_ptr<const LineDecoder>(std::string_view output_format)>;

}  // namespace luzia
