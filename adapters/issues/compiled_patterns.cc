#include "adapters/issues/compiled_patterns.h"

#include <re2/re2.h>

#include <algorithm>

#include "adapters/issues/confirmation.h"
#include "adapters/issues/fingerprint.h"
#include "adapters/issues/lines.h"
#include "adapters/issues/ordinary_line.h"
#include "adapters/issues/replacements.h"
#include "engine/base/escape_sequences.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::size_t kPiece = 64 * 1024;
/// Includes a carriage return, so that one inside the line is not taken for its end.
constexpr std::string_view kStrippedEnd = "\r\n";
constexpr std::size_t kEarlierRate = 4;  // bytes read again for each byte of a block, beside kMaxEarlierBytes
constexpr std::size_t kMostCandidates = 16 * 1024;  // per piece; with more, smaller pieces are used

/// Counts newlines, 192 bytes at a time: one-byte counters handle 16 or 32 positions at once, which
/// std::count's cannot.
[[gnu::always_inline]] inline std::uint64_t count_newlines(std::string_view text) {
  constexpr std::size_t kStep = 192;
  std::uint64_t count = 0;
  for (; text.size() >= kStep; text.remove_prefix(kStep)) {
    std::uint8_t few = 0;
    for (std::size_t i = 0; i < kStep; ++i) few = static_cast<std::uint8_t>(few + (text[i] == '\n' ? 1 : 0));
    count += few;
  }
  for (const char each : text) count += each == '\n' ? 1 : 0;
  return count;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t newlines_by_32(std::string_view text) {
  return count_newlines(text);
}
#endif

std::uint64_t newlines(std::string_view text) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return newlines_by_32(text);
#endif
  return count_newlines(text);
}

/// The fix text with each {name} replaced by that group's match. For people only: a command is never built
/// from log content.
std::string filled_in(const std::string& fix,
                      const std::vector<std::unique_ptr<schema::KeyValueT>>& captures) {
  std::string text = fix;
  for (const auto& capture : captures) {
    const std::string place = "{" + capture->key + "}";
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
      text.replace(at, place.size(), capture->value);
      at += capture->value.size();
    }
  }
  return bounded_utf8(text, kMaxPatternTextBytes);
}

}  // namespace

/// A line in the piece that an expression may match.
struct CompiledPatterns::Candidate {
  std::size_t line = 0;  // its start in the piece
  unsigned expression = 0;
  auto operator<=>(const Candidate&) const = default;
};

/// Working memory of a call; only the budget and `diffs` outlive a piece.
struct CompiledPatterns::Workspace {
  ExpressionDatabase::Scratch scratch;
  std::vector<std::uint64_t> told;  // by expression: scan << 32 | end of the last line reported
  std::uint32_t scan = 0;
  std::vector<Candidate> candidates;
  std::string stripped;  // lines with terminal sequences, after stripping these
  struct Stripped {
    std::size_t line, from, to;  // in the piece, in `stripped`
  };
  std::vector<Stripped> stripped_lines;
  std::vector<std::size_t> confirmed;  // patterns of one line's facts
  std::size_t earlier_budget = 0;      // bytes that the call may still read again above its matches
  DiffLines diffs;
};

/// The search of one piece.
class CompiledPatterns::Pass {
 public:
  /// The piece consists of `size` bytes of `block` from `at` on.
  Pass(const CompiledPatterns& patterns, const PatternMask& mask, Workspace& work, std::string_view block,
       std::size_t at, std::size_t size)
      : patterns_(patterns),
        mask_(mask),
        work_(work),
        block_(block),
        piece_(block.substr(at, size)),
        at_(at) {}

  /// False: too many candidates in more than one line.
  bool find() {
    work_.candidates.clear();
    strip_lines();
    const auto here = [this](std::size_t end) { return line_begin(piece_, end); };
    const auto original = [this](std::size_t end) {
      const auto& lines = work_.stripped_lines;
      return std::ranges::lower_bound(lines, end, {}, &Workspace::Stripped::to)->line;
    };
    const bool whole = scan(piece_, here) && (work_.stripped.empty() || scan(work_.stripped, original));
    std::ranges::sort(work_.candidates);
    const auto repeated = std::ranges::unique(work_.candidates);
    work_.candidates.erase(repeated.begin(), repeated.end());
    return whole;
  }

  /// Appends confirmed facts of the lines found, up to `most`; returns the bytes examined. `counted` is the
  /// last line whose number is known: lines are counted only as far as they have facts.
  std::size_t confirm(LineBlock& counted, std::size_t most, std::vector<schema::IssueDetectedT>& found) {
    std::vector<schema::IssueDetectedT> facts;
    const auto& candidates = work_.candidates;
    const std::size_t found_before = found.size();
    for (std::size_t at = 0, next = 0; at < candidates.size(); at = next) {
      const std::size_t line = candidates[at].line;
      for (next = at; next < candidates.size() && candidates[next].line == line;) ++next;
      facts.clear();
      confirm_line(line, at, next, facts);
      if (facts.empty()) continue;
      const std::size_t room = most - (found.size() - found_before);
      if (facts.size() > room) {
        if (line != 0 || at_ != 0 || room == 0) return line;
        facts.resize(room);  // one line with more facts than any call can return
      }
      count_to(counted, line);
      for (auto& fact : facts) {  // its place is still relative to the line
        fact.line_no = counted.first_line - fact.line_no;
        fact.offset = counted.offset - fact.offset;
        found.push_back(std::move(fact));
      }
    }
    return piece_.size();
  }

 private:
  static std::size_t line_begin(std::string_view text, std::size_t end) {
    const std::size_t newline = end < 2 ? std::string_view::npos : text.rfind('\n', end - 2);
    return newline == std::string_view::npos ? 0 : newline + 1;
  }

  /// Moves `counted` to the line that begins at `line` of the piece.
  void count_to(LineBlock& counted, std::size_t line) const {
    const auto passed = static_cast<std::size_t>(piece_.data() + line - counted.text.data());
    counted.first_line += newlines(counted.text.substr(0, passed));
    counted.offset += passed;
    counted.text.remove_prefix(passed);
  }

  void strip_lines() {
    work_.stripped.clear();
    work_.stripped_lines.clear();
    for (std::size_t at = piece_.find('\x1b'); at < piece_.size(); at = piece_.find('\x1b', at)) {
      const std::size_t line = line_begin(piece_, at + 1);
      const std::size_t size = whole_lines(piece_.substr(line), 1);
      const std::size_t from = work_.stripped.size();
      append_without_escapes(without_end(piece_.substr(line, size)), work_.stripped);
      work_.stripped += kStrippedEnd;
      work_.stripped_lines.push_back({line, from, work_.stripped.size()});
      at = line + size;
      if (at >= piece_.size()) return;
    }
  }

  /// Adds a candidate for each expression and line; `line_of(end)` returns the line in the piece.
  template <class LineOf>
  bool scan(std::string_view text, LineOf line_of) {
    if (++work_.scan == 0) {
      std::ranges::fill(work_.told, 0);
      work_.scan = 1;
    }
    const std::uint64_t scan = std::uint64_t{work_.scan} << 32;
    const std::size_t most = std::max(kMostCandidates, work_.candidates.size() + work_.told.size());
    auto report = [&](unsigned expression, std::size_t end) {
      std::uint64_t& told = work_.told[expression];
      if (told >= (scan | end)) return true;
      const std::size_t newline = text.find('\n', end - 1);
      told = scan | (newline == std::string_view::npos ? text.size() : newline);
      if (mask_[patterns_.expressions_[expression].pattern]) {
        if (work_.candidates.size() >= most) return false;
        work_.candidates.push_back({line_of(end), expression});
      }
      return true;
    };
    return patterns_.database_ ? patterns_.database_->scan(text, work_.scratch.get(), report)
                               : patterns_.set_->scan(text, report);
  }

  /// Facts of a line from its candidates [from, to): at most one per pattern, without silenced patterns.
  void confirm_line(std::size_t line, std::size_t from, std::size_t to,
                    std::vector<schema::IssueDetectedT>& facts) const {
    const std::string_view raw = without_end(piece_.substr(line, whole_lines(piece_.substr(line), 1)));
    const auto stripped =
        std::ranges::lower_bound(work_.stripped_lines, line, {}, &Workspace::Stripped::line);
    const bool has_both = stripped != work_.stripped_lines.end() && stripped->line == line;
    const std::string_view plain =
        has_both ? std::string_view(work_.stripped)
                       .substr(stripped->from, stripped->to - kStrippedEnd.size() - stripped->from)
                 : raw;
    work_.confirmed.clear();
    std::size_t last = SIZE_MAX;  // a pattern's expressions are adjacent
    for (std::size_t i = from; i < to; ++i) {
      const Expression& expression = patterns_.expressions_[work_.candidates[i].expression];
      if (expression.pattern == last) continue;
      if (confirm(expression, line, plain, plain, facts) ||
          (has_both && confirm(expression, line, raw, plain, facts))) {
        last = expression.pattern;
        if (patterns_.patterns_[last].shipped && is_ordinary_line(plain, block_, at_ + line, work_.diffs)) {
          facts.pop_back();
        } else {
          work_.confirmed.push_back(last);
        }
      }
    }
    if (facts.size() > 1) drop_replaced(facts);
  }

  /// `facts` belong to work_.confirmed, in the same order.
  void drop_replaced(std::vector<schema::IssueDetectedT>& facts) const {
    const auto is_replaced = [&](std::size_t pattern) {
      return std::ranges::any_of(work_.confirmed, [&](std::size_t other) {
        return std::ranges::binary_search(patterns_.replaced_by_[other], pattern);
      });
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (is_replaced(work_.confirmed[i])) continue;
      if (kept != i) facts[kept] = std::move(facts[i]);
      ++kept;
    }
    facts.resize(kept);
  }

  bool confirm(const Expression& expression, std::size_t line, std::string_view text, std::string_view shown,
               std::vector<schema::IssueDetectedT>& facts) const {
    const IssuePattern& pattern = patterns_.patterns_[expression.pattern];
    IssueCaptures captures;
    if (!capture(*expression.confirming, pattern.regexes[expression.regex].capture_names, text, captures)) {
      return false;
    }
    schema::IssueDetectedT& fact = facts.emplace_back();
    const EarlierLines& earlier = patterns_.earlier_[expression.pattern];
    ShownLine above;
    if (!earlier.empty()) above = earlier.find(block_.substr(0, at_ + line), work_.earlier_budget, captures);
    fact.line_no = above.lines_back;
    fact.offset = above.bytes_back;
    fact.captures = std::move(captures);
    fact.pattern = pattern.name;
    fact.severity = pattern.severity;
    fact.rank = pattern.rank;
    fact.line = bounded_utf8(above.lines_back == 0 ? shown : above.line, kMaxIssueLineBytes);
    fact.fingerprint = issue_fingerprint(pattern.name, pattern.one_issue ? std::string_view() : fact.line);
    fact.fingerprint_version = kFingerprintVersion;
    fact.fix = filled_in(pattern.fix, fact.captures);
    fact.fix_command = pattern.fix_command;
    fact.auto_fixable = pattern.auto_fixable;
    fact.description = pattern.description;
    return true;
  }

  const CompiledPatterns& patterns_;
  const PatternMask& mask_;
  Workspace& work_;
  std::string_view block_, piece_;
  std::size_t at_ = 0;  // where the piece begins in the block
};

CompiledPatterns::~CompiledPatterns() = default;

CompiledPatterns::CompiledPatterns(std::vector<IssuePattern> patterns)
    : patterns_(std::move(patterns)), replaced_by_(replacements(patterns_)) {
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    earlier_.emplace_back(patterns_[i].earlier);
    const auto& regexes = patterns_[i].regexes;
    for (std::size_t k = 0; k < regexes.size(); ++k) {
      expressions_.push_back({i, k, std::make_unique<RE2>(regexes[k].confirming, confirming_options())});
    }
  }
}

/// The expressions in one engine's syntax, by number.
std::vector<std::string> CompiledPatterns::texts(std::string LineRegex::*engine) const {
  std::vector<std::string> texts;
  for (const Expression& each : expressions_) {
    texts.push_back(patterns_[each.pattern].regexes[each.regex].*engine);
  }
  return texts;
}

void CompiledPatterns::take(std::unique_ptr<ExpressionDatabase> database,
                            std::vector<RefusedPattern>& refused) {
  database_ = std::move(database);
  for (const auto& refusal : database_->refusals()) {
    const Expression& expression = expressions_[refusal.expression];
    const IssuePattern& pattern = patterns_[expression.pattern];
    refused.push_back({pattern.file, pattern.name, expression.regex, 0, refusal.reason});
  }
}

std::shared_ptr<CompiledPatterns> CompiledPatterns::bare(std::vector<IssuePattern> patterns) {
  return std::shared_ptr<CompiledPatterns>(new CompiledPatterns(std::move(patterns)));
}

std::shared_ptr<const CompiledPatterns> CompiledPatterns::uncompiled(std::vector<IssuePattern> patterns) {
  auto made = bare(std::move(patterns));
  made->set_ = std::make_unique<ExpressionSet>(made->texts(&LineRegex::confirming));
  return made;
}

std::unique_ptr<CompiledPatterns::Workspace> CompiledPatterns::borrow() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto workspace = std::move(idle_.back());
      idle_.pop_back();
      return workspace;
    }
  }
  auto workspace = std::make_unique<Workspace>();
  if (database_) workspace->scratch = database_->new_scratch();
  workspace->told.resize(expressions_.size());
  return workspace;
}

void CompiledPatterns::give_back(std::unique_ptr<Workspace> workspace) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

std::size_t CompiledPatterns::match(const LineBlock& block, std::size_t most, const PatternMask& mask,
                                    std::vector<schema::IssueDetectedT>& found) const {
  auto work = borrow();
  const std::size_t found_before = found.size();
  std::size_t piece_bytes = kPiece;
  LineBlock counted = block;
  std::size_t at = std::min(block.looked, block.text.size());
  work->earlier_budget = kMaxEarlierBytes + kEarlierRate * block.text.size();
  work->diffs = {};
  while (at < block.text.size()) {
    const std::size_t size = whole_lines(block.text.substr(at), piece_bytes);
    Pass pass(*this, mask, *work, block.text, at, size);
    if (!pass.find()) {
      piece_bytes = std::max<std::size_t>(1, std::min(piece_bytes, size) / 2);
      continue;
    }
    const std::size_t looked = pass.confirm(counted, most - (found.size() - found_before), found);
    at += looked;
    piece_bytes = kPiece;
    if (looked < size) break;
  }
  give_back(std::move(work));
  return at;
}

}  // namespace luzia
