#include "adapters/output_log/scanner.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "adapters/output_log/last_line.h"
#include "adapters/output_log/redacted_facts.h"
#include "adapters/output_log/redacted_read.h"

namespace luzia {
namespace {

/// How far back to search for a last line that an earlier daemon read; fits into every ScanBuffer.
constexpr std::uint64_t kLastLineReach = kMaxKeptLine + kTailBytes;

/// A contiguous window of the file in the worker's buffer. Keeps at least kTailBytes (if available) before
/// the part still needed, for the tail hash and for marks that straddle two reads.
class Window {
 public:
  /// `goes_on`: see Redactor::black_out.
  Window(int descriptor, ScanBuffer& buffer, const Redactor* redactor, bool goes_on)
      : descriptor_(descriptor), buffer_(buffer), redactor_(redactor), goes_on_(goes_on) {}

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + length_; }
  int error() const { return error_; }

  void restart_at(std::uint64_t offset) { begin_ = offset, length_ = 0; }

  /// Bytes [from, end()).
  std::string_view from(std::uint64_t from) const {
    return {buffer_.data() + (from - begin_), static_cast<std::size_t>(end() - from)};
  }
  std::string_view between(std::uint64_t from, std::uint64_t to) const {
    return {buffer_.data() + (from - begin_), static_cast<std::size_t>(to - from)};
  }
  /// The hash of bytes in the window as they are in the file, whatever is blacked out by then.
  std::uint64_t hash_between(std::uint64_t from, std::uint64_t to) const {
    if (redactor_ == nullptr) return tail_hash(between(from, to));
    std::array<char, kTailBytes> raw;
    const std::span<char> wanted(raw.data(), static_cast<std::size_t>(to - from));
    const ssize_t got = read_redacted(nullptr, descriptor_, from, wanted, false);
    return tail_hash({raw.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
  }

  /// Reads up to `bytes` more after end(); 0 at the end of the file or on an error.
  std::size_t read_more(std::size_t bytes, std::uint64_t needed_from) {
    drop_before(std::min(needed_from, tail_begin(end())));
    bytes = std::min(bytes, buffer_.size() - length_);
    const ssize_t got =
        read_redacted(redactor_, descriptor_, end(), {buffer_.data() + length_, bytes}, goes_on_);
    if (got < 0) error_ = errno;
    const std::size_t count = got > 0 ? static_cast<std::size_t>(got) : 0;
    length_ += count;
    return count;
  }

 private:
  void drop_before(std::uint64_t offset) {
    if (offset <= begin_) return;
    const auto dropped = static_cast<std::size_t>(offset - begin_);
    length_ -= dropped;
    begin_ = offset;
    std::memmove(buffer_.data(), buffer_.data() + dropped, length_);
  }

  int descriptor_;
  ScanBuffer& buffer_;
  const Redactor* redactor_;
  bool goes_on_;
  std::uint64_t begin_ = 0;
  std::size_t length_ = 0;
  int error_ = 0;
};

/// Sets the attempt in facts that name one.
struct AttemptStamp {
  std::uint32_t attempt;

  template <class... Facts>
  void into(Facts*... facts) const {
    const auto stamp = [this](auto* fact) {
      if (fact) fact->attempt = attempt;
    };
    (stamp(facts), ...);
  }
  void operator()(schema::OutputFactUnion& fact) const { into(fact.AsAnnotationFound()); }
  void operator()(schema::ReportFactUnion& fact) const {
    into(fact.AsTodoReported(), fact.AsAgentRetried(), fact.AsAgentErrorReported(), fact.AsAgentConcluded());
  }
  void operator()(schema::ToolFactUnion& fact) const {
    into(fact.AsToolCalled(), fact.AsToolReturned(), fact.AsToolDenied(), fact.AsToolsOffered());
  }
  void operator()(schema::UsageFactUnion& fact) const {
    into(fact.AsUsageReported(), fact.AsLimitReached(), fact.AsLimitWarned());
  }
  void operator()(schema::IssueFactUnion& fact) const {
    into(fact.AsIssueDetected(), fact.AsIssueRepeated());
  }
};

/// Decodes lines, without the findings of earlier steps.
class FindingSink final : public LineSink {
 public:
  FindingSink(const ScanSource& source, const Window& window, std::size_t findings_at_most,
              ScanResult& result)
      : source_(source), window_(window), findings_at_most_(findings_at_most), result_(result) {}

  /// Findings that end at or before `offset` are already known.
  void set_known_to(std::uint64_t offset) { known_to_ = offset; }
  void set_checks_from(std::uint64_t offset) { checks_from_ = offset; }
  /// From now on lines end with the file, not with a newline: none of them was complete before.
  void file_ends() { file_ended_ = true; }
  bool full() const { return result_.findings.size() >= findings_at_most_; }

  bool line(const Line& line) override {
    // A cut line is decoded once it exceeds the kept size, which may be long after its kept part was scanned.
    const bool known = line.cut ? line.end < known_to_ : line.end <= known_to_ && !file_ended_;
    if (known) return true;
    if (source_.repetition) source_.repetition->add(line);
    if (holds_mark_begin(line)) decode_marks(line);
    const std::size_t first = result_.findings.size();
    within_.clear();
    const bool own_format = decoder_of(line).decode(line, result_.findings, within_);
    if (own_format && source_.session_named && !*source_.session_named) name_session(line, first);
    if (result_.findings.size() != first) place(first);
    if (source_.issues && source_.issues->knows_any()) look_for_issues(line, own_format);
    return !full();
  }

  void oversized(const Line& stretch) override {
    Line wider = stretch;
    const std::uint64_t reach = std::min<std::uint64_t>(kRedrawReach, stretch.offset - window_.begin());
    wider.offset -= reach;
    wider.text = window_.between(wider.offset, stretch.end);
    marks(wider);
    redraw(wider, window_.end() > stretch.end);
    known_to_ = std::max(known_to_, stretch.end);
  }

  /// Appends what the attempt's messages used that no report of the agent includes.
  void take_message_usage(const MessageUsage& messages) {
    const std::size_t first = result_.findings.size();
    if (auto sum = messages.sum()) result_.findings.push_back(*std::move(sum));
    place(first);
  }

  /// Appends what the issue tally found in this step.
  void take_issues() {
    if (!source_.issues) return;
    const std::size_t first = result_.findings.size();
    source_.issues->take(result_.findings);
    place(first);
  }

  /// Searches consecutive lines together, so the window must not move until this is called.
  void end_block() {
    if (block_to_ == block_from_) return;
    source_.issues->look({window_.between(block_from_, block_to_), block_from_, block_line_});
    block_from_ = block_to_;
  }

  /// Decodes the state shown by a line that redraws itself; the line may be incomplete, or `ended`.
  void redraw(const Line& stretch, bool ended) {
    const std::string_view text = stretch.text;
    const void* last = memrchr(text.data(), '\r', text.size());
    if (last == nullptr) return;
    const std::size_t size =
        ended ? text.size() : static_cast<std::size_t>(static_cast<const char*>(last) - text.data());
    if (stretch.offset + size < known_to_) return;  // the end of the state was known too
    const std::uint64_t seen = std::max(known_to_, stretch.offset) - stretch.offset;
    const std::size_t first = result_.findings.size();
    decoder_of(stretch).decode_redraw(
        {text.substr(0, size), stretch.offset, stretch.offset + size, stretch.number},
        static_cast<std::size_t>(seen), result_.findings);
    place(first);
  }

  /// Decodes marks in a line that may still be incomplete.
  void marks(const Line& stretch) {
    if (holds_mark_begin(stretch)) decode_marks(stretch);
  }

 private:
  const LineDecoder& decoder_of(const Line& line) const {
    return line.offset >= checks_from_ ? *source_.plain : *source_.decoder;
  }

  /// The line that introduces the session may be lost, but other lines of the agent name it too.
  void name_session(const Line& line, std::size_t first) {
    const auto introduces = [](const RecordOutput::Finding& finding) {
      const auto* report = std::get_if<schema::ReportFactUnion>(&finding.fact);
      return report != nullptr && report->AsSessionIdentified() != nullptr;
    };
    const auto begin = result_.findings.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(begin, result_.findings.end(), introduces)) return source_.session_named->store(true);
    schema::SessionIdentifiedT session;
    session.session_id = source_.decoder->session_of(line);
    if (session.session_id.empty()) return;
    result_.findings.insert(begin, inferred_finding<schema::ReportFactUnion>(std::move(session), "session",
                                                                             line.offset, line.end));
    source_.session_named->store(true);
  }

  /// Searches everything that was read once for the byte that starts a mark, not each line separately.
  bool holds_mark_begin(const Line& stretch) {
    const std::uint64_t end = stretch.offset + stretch.text.size();
    if (stretch.offset < plain_from_ || end > plain_to_) find_mark_begin(stretch.offset);
    return end > plain_to_;
  }

  void find_mark_begin(std::uint64_t from) {
    const std::string_view read = window_.from(from);
    plain_from_ = from;
    plain_to_ = from + std::min(read.find(kMarkBegin), read.size());
  }

  void decode_marks(const Line& stretch) {
    const std::size_t first = result_.findings.size();
    decoder_of(stretch).decode_marks(stretch, result_.findings);
    const auto is_known = [this](const RecordOutput::Finding& finding) {
      return finding.evidence.log_to <= known_to_;
    };
    const auto begin = result_.findings.begin() + static_cast<std::ptrdiff_t>(first);
    result_.findings.erase(std::remove_if(begin, result_.findings.end(), is_known), result_.findings.end());
    place(first);
  }

  void look_for_issues(const Line& line, bool own_format) {
    if (own_format) {
      end_block();
      return source_.issues->look_within(line, within_);
    }
    if (line.cut) {
      end_block();
      return source_.issues->look({line.text, line.offset, line.number});
    }
    if (line.offset != block_to_ || block_from_ == block_to_) {
      end_block();
      block_from_ = line.offset;
      block_line_ = line.number;
    }
    block_to_ = line.end;
  }

  void place(std::size_t first) {
    for (std::size_t i = first; i < result_.findings.size(); ++i) {
      auto& [fact, evidence] = result_.findings[i];
      evidence.kind = schema::EvidenceKind::inferred;
      evidence.attempt = source_.attempt;
      evidence.generation = result_.checkpoint.generation;
      std::visit(AttemptStamp{source_.attempt}, fact);
    }
  }

  const ScanSource& source_;
  const Window& window_;
  std::size_t findings_at_most_;
  ScanResult& result_;
  std::uint64_t known_to_ = 0;
  std::uint64_t checks_from_ = ~std::uint64_t{0};
  bool file_ended_ = false;
  // Whole lines not yet searched for issues: bytes [from, to) of the file, from line number block_line_.
  std::uint64_t block_from_ = 0, block_to_ = 0, block_line_ = 0;
  // Bytes [from, to) of the file hold no kMarkBegin.
  std::uint64_t plain_from_ = 0, plain_to_ = 0;
  std::string within_;
};

/// Passes every line on that begins before `end`, whole or cut.
class UsageSink final : public LineSink {
 public:
  UsageSink(MessageUsage& usage, std::uint64_t end) : usage_(usage), end_(end) {}
  bool line(const Line& line) override {
    if (line.offset < end_) usage_.add(line);
    return true;
  }
  void oversized(const Line&) override {}

 private:
  MessageUsage& usage_;
  std::uint64_t end_;
};

class Scan {
 public:
  Scan(const ScanRequest& request, const ScanLimits& limits, const LogFile& file, ScanBuffer& buffer)
      : request_(request),
        limits_(limits),
        file_(file),
        window_(file.descriptor(), buffer, request.source->redactor.get(), !request.finish_at),
        sink_(*request.source, window_, limits.findings_at_most, result_) {
    result_.checkpoint = request.checkpoint;
    result_.from = request.checkpoint.scanned_to;
  }

  ScanResult run() {
    if (request_.source->issues) request_.source->issues->begin();
    switch (file_.state()) {
      case LogFile::State::readable:
        read_file();
        break;
      case LogFile::State::missing:
      case LogFile::State::refused:
        without_file();
        break;
      case LogFile::State::unreadable:
        // A shortage of descriptors does not finish the output: the watcher's timer looks again. A problem
        // with the file itself may be permanent, and the attempt's end must not wait for it.
        result_.finished = request_.finish_at.has_value() && !file_.may_open_later();
        break;
    }
    if (result_.finished && file_.state() == LogFile::State::readable) add_message_usage();
    sink_.take_issues();
    result_.file = file_.state();
    if (!file_.error().code.empty()) result_.trouble = file_.error();
    if (request_.source->repetition) result_.repetition = request_.source->repetition->take();
    if (const Redactor* redactor = request_.source->redactor.get(); redactor && !redactor->is_blind()) {
      black_out_findings(*redactor, result_.findings);
      if (result_.last_line) redactor->black_out(*result_.last_line, false);
      redactor->black_out(result_.repetition.line, false);
    }
    return std::move(result_);
  }

 private:
  void restart(schema::OutputReset reason, const FileIdentity& file) {
    schema::OutputRestartedT restarted;
    restarted.attempt = request_.source->attempt;
    restarted.reason = reason;
    restarted.lost_from = result_.checkpoint.scanned_to;
    result_.checkpoint = next_generation(result_.checkpoint, file);
    restarted.checkpoint = std::make_unique<schema::CheckpointT>(result_.checkpoint);
    result_.restarted = std::move(restarted);
    result_.from = 0;
  }

  void without_file() {
    if (has_file(result_.checkpoint)) restart(schema::OutputReset::vanished, {});
    result_.finished = request_.finish_at.has_value();
  }

  void read_file() {
    result_.modified_ns = file_.modified_ns();
    const FileComparison change = compare_file(result_.checkpoint, file_.identity());
    if (change == FileComparison::truncated) restart(schema::OutputReset::truncated, file_.identity());
    if (change == FileComparison::replaced) restart(schema::OutputReset::replaced, file_.identity());
    if (change == FileComparison::first) {
      result_.checkpoint.dev = file_.identity().dev;
      result_.checkpoint.ino = file_.identity().ino;
      result_.checkpoint.tail_hash = tail_hash({});
    }
    if (change == FileComparison::same && nothing_new()) return;
    find_end();
    if (change == FileComparison::same && !check_tail()) return;
    read_lines();
  }

  bool nothing_new() const {
    return !request_.finish_at && file_.identity().size == request_.checkpoint.scanned_to &&
           file_.modified_ns() == request_.seen_modified_ns;
  }

  /// Finds where the output ends: at most at the recorded size, at least at the position already read.
  void find_end() {
    end_ = file_.identity().size;
    if (request_.finish_at) end_ = std::min(end_, *request_.finish_at);
    if (request_.source->final_size) {
      if (const auto size = request_.source->final_size()) end_ = std::min(end_, *size);
    }
    end_ = std::max(end_, result_.checkpoint.scanned_to);
    if (!request_.source->checks_from) return;
    checks_from_ = request_.source->checks_from().value_or(checks_from_);
    sink_.set_checks_from(checks_from_);
  }

  /// Compares the bytes before scanned_to with the checkpoint; different content starts a new generation. The
  /// same read fetches the unfinished line. False: the file is shrinking or cannot be read right now.
  bool check_tail() {
    const SplitPosition position = split_position(result_.checkpoint);
    const std::uint64_t tail = tail_begin(position.scanned_to);
    const bool fits = position.scanned_to - position.resume_at() <= kMaxKeptLine;
    window_.restart_at(fits ? std::min(tail, needed_from(position)) : tail);
    while (window_.end() < position.scanned_to) {
      if (read_more(window_.begin()) > 0) continue;
      // A shrinking file raises another hint. If the attempt's end waits, look again at once.
      result_.more = window_.error() == 0 && request_.finish_at.has_value();
      result_.finished = window_.error() != 0 && request_.finish_at.has_value();
      return false;
    }
    if (window_.hash_between(tail, position.scanned_to) == result_.checkpoint.tail_hash) return true;
    restart(schema::OutputReset::replaced, file_.identity());
    window_.restart_at(0);
    find_end();
    return true;
  }

  /// Bytes before this position have been handled.
  static std::uint64_t needed_from(const SplitPosition& position) {
    if (!position.in_oversized_line) return position.line_start;
    return position.scanned_to -
           std::min<std::uint64_t>(kRedrawReach, position.scanned_to - position.line_start);
  }

  std::size_t read_more(std::uint64_t needed_from) {
    const std::size_t count = window_.read_more(
        static_cast<std::size_t>(std::min<std::uint64_t>(limits_.read_block, end_ - window_.end())),
        needed_from);
    if (window_.error() != 0) {
      result_.trouble = std::move(fail_errno(window_.error(), "output_unreadable", "reading " + file_.path(),
                                             "the job goes on; its output is read once this is fixed")
                                      .value());
    }
    return count;
  }

  void read_lines() {
    position_ = split_position(result_.checkpoint);
    const std::uint64_t known = position_.scanned_to;
    const std::uint64_t lines_before = position_.line_no;
    sink_.set_known_to(known);
    if (window_.begin() > position_.resume_at()) window_.restart_at(position_.resume_at());
    const std::uint64_t stop_at = std::max(known, window_.end()) + limits_.read_at_most;
    split_window();
    bool at_end = false;
    while (!at_end && !sink_.full() && window_.end() < stop_at) {
      at_end = window_.end() >= end_ || read_more(needed_from(position_)) == 0;
      if (!at_end) split_window();
    }
    end_line(at_end && !sink_.full());
    result_.more = !at_end || sink_.full();
    result_.lines = position_.line_no - lines_before;
    // Of a renamed log nothing more is expected, and the file that has its name now may be there already.
    result_.more |= file_.was_rotated() && position_.scanned_to > known;
    const std::uint64_t tail = tail_begin(position_.scanned_to);
    set_position(result_.checkpoint, position_);
    result_.checkpoint.tail_hash = window_.hash_between(tail, position_.scanned_to);
    if (request_.last_line_unknown && !result_.last_line) read_last_line();  // moves the window
  }

  /// The fragment of a line does not count as a line, but text that overwrote it does.
  void read_last_line() {
    const std::uint64_t to = agents_end(), begin = to - std::min(to, kLastLineReach);
    window_.restart_at(begin);
    while (window_.end() < to && read_more(begin) > 0) {
    }
    if (window_.end() < to) return;  // the file is shrinking, or cannot be read right now
    std::string_view seen = window_.between(begin, to);
    if (begin != 0) seen.remove_prefix(std::min(seen.size(), seen.find_first_of("\r\n")));
    result_.last_line = last_line_of(seen);
  }

  /// Reads the whole output once more, at its end. Sums kept between steps would be lost with the daemon.
  void add_message_usage() {
    const auto messages = request_.source->decoder->message_usage();
    if (!messages) return;
    UsageSink sink(*messages, checks_from_);
    SplitPosition position;
    window_.restart_at(0);
    while (window_.end() < end_ && read_more(needed_from(position)) > 0) {
      split_lines(position, window_.from(position.resume_at()), sink);
    }
    if (window_.end() < end_) return;  // unreadable: part of the sum would be wrong
    split_last_line(position, window_.between(position.resume_at(), position.scanned_to), sink);
    sink_.take_message_usage(*messages);
  }

  void split_window() {
    const std::uint64_t begin = position_.resume_at();
    const bool within_line = position_.in_oversized_line;
    split_lines(position_, window_.from(begin), sink_);
    sink_.end_block();
    if (begin >= agents_end()) return;
    std::string_view seen = window_.between(begin, agents_end());
    if (within_line) seen.remove_prefix(std::min({seen.size(), seen.find('\r'), seen.find('\n')}));
    if (auto line = last_line_of(seen)) result_.last_line = std::move(line);
  }

  /// The last line is what the agent has said, not what checks of its work print.
  std::uint64_t agents_end() const { return std::min(position_.scanned_to, checks_from_); }

  std::optional<std::string> last_line_of(std::string_view seen) const {
    return last_visible_line(
        seen, [this](std::string_view line) { return request_.source->decoder->readable(line); });
  }

  /// Handles the incomplete line at the end: the end of the output ends it, or it is searched for marks and
  /// kept for the next step.
  void end_line(bool at_end) {
    const std::string_view rest = window_.between(position_.resume_at(), position_.scanned_to);
    if (at_end && request_.finish_at) {
      sink_.file_ends();
      split_last_line(position_, rest, sink_);
      sink_.end_block();
      result_.finished = true;
      if (!result_.last_line) find_last_line();
    } else if (!rest.empty()) {
      const Line unfinished{rest, position_.line_start, position_.scanned_to, position_.line_no + 1};
      sink_.marks(unfinished);
      sink_.redraw(unfinished, false);
    }
  }

  /// Everything was read before, perhaps by an earlier daemon: uses the last complete line in the tail.
  void find_last_line() {
    const std::uint64_t tail = tail_begin(position_.scanned_to);
    if (tail >= agents_end()) return read_last_line();
    std::string_view seen = window_.between(tail, agents_end());
    if (tail != 0) seen.remove_prefix(std::min(seen.size(), seen.find('\n')));
    result_.last_line = last_line_of(seen);
  }

  const ScanRequest& request_;
  const ScanLimits& limits_;
  const LogFile& file_;
  ScanResult result_;
  Window window_;
  FindingSink sink_;
  SplitPosition position_;
  std::uint64_t end_ = 0;
  std::uint64_t checks_from_ = ~std::uint64_t{0};
};

LogFile file_of(const ScanRequest& request) {
  const ScanSource& source = *request.source;
  if (source.foreign) return LogFile(*source.foreign, request.checkpoint);
  return LogFile(source.job_dir, source.owner_uid);
}

}  // namespace

ScanResult scan_step(const ScanRequest& request, const ScanLimits& limits, ScanBuffer& buffer) {
  const LogFile file = file_of(request);
  ScanResult result = Scan(request, limits, file, buffer).run();
  if (request.requests) result.requests = look_at_requests(request.source->job_dir);
  return result;
}

}  // namespace luzia
