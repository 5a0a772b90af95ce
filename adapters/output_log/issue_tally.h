// Counts the known problems in one attempt's output: each is told once with all that is known of it, its
// repeats as a number. What was told already is kept in memory only, so a new daemon tells it once more; a
// fold takes that for one occurrence more, and no count is lost or doubled.
//
// Rejected: an event per occurrence. A compiler in a loop prints the same error ten thousand times.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/ports/issue_matcher.h"
#include "engine/ports/line_decoder.h"

namespace luzia {

/// Evidence rule of what was found by a pattern: this and the pattern's name.
inline constexpr std::string_view kRuleIssue = "issue:";

class IssueTally {
 public:
  using Matcher = std::function<std::shared_ptr<const IssueMatcher>()>;
  /// Problems of an attempt that are told apart; what comes beyond is counted together by its pattern.
  static constexpr std::size_t kMostFingerprints = 256;

  /// `matcher` is asked at the begin of each step (any thread); null or nothing from it: nothing is known.
  explicit IssueTally(Matcher matcher) : matcher_(std::move(matcher)) {}

  /// One step of reading: begin, look at lines in order, take. One thread at a time.
  void begin();
  bool knows_any() const { return matcher_now_ != nullptr; }
  void look(const LineBlock& block);
  /// At text that stands inside `line` in the agent's own format: it is found in that line.
  void look_within(const Line& line, std::string_view text);
  /// Appends what was found since begin(), with evidence of its place.
  void take(std::vector<RecordOutput::Finding>& findings);

  /// What was found since some step is lost: tell everything anew. Any thread.
  void forget() { forget_ = true; }

 private:
  struct Found {
    std::unique_ptr<schema::IssueDetectedT> first;  // if it is to be told whole
    std::string pattern;
    std::uint64_t from = 0, first_to = 0;  // of the first occurrence in this step
    std::uint64_t repeats = 0, to = 0, last_line_no = 0, last_offset = 0;
  };
  void add(schema::IssueDetectedT issue, std::uint64_t from, std::uint64_t to);

  Matcher matcher_;
  std::shared_ptr<const IssueMatcher> matcher_now_;
  std::set<std::string, std::less<>> told_;
  std::vector<std::string> order_;  // of the fingerprints in found_
  std::map<std::string, Found, std::less<>> found_;
  std::vector<schema::IssueDetectedT> hits_;
  std::atomic<bool> forget_{false};
};

}  // namespace luzia
