// Counts the known problems in one attempt's output. The first occurrence of each is reported in full,
// repeats only as a number. Which problems were reported is kept in memory only, so a new daemon reports each
// once more in full. A fold counts that as one more occurrence, so no count is lost or doubled.
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

/// The evidence rule of a finding is this and the pattern's name.
inline constexpr std::string_view kRuleIssue = "issue:";

class IssueTally {
 public:
  using Matcher = std::function<std::shared_ptr<const IssueMatcher>()>;
  /// Distinct problems per attempt; further ones are counted together per pattern.
  static constexpr std::size_t kMostFingerprints = 256;

  /// Calls `matcher` at the beginning of each step (any thread). If it is empty or returns null, no problem
  /// is recognized.
  explicit IssueTally(Matcher matcher) : matcher_(std::move(matcher)) {}

  /// One step of reading: begin(), look() at lines in order, take(). One thread at a time.
  void begin();
  bool knows_any() const { return matcher_now_ != nullptr; }
  void look(const LineBlock& block);
  /// Searches text that is embedded in `line` in the agent's own format; findings refer to that line.
  void look_within(const Line& line, std::string_view text);
  /// Appends what was found since begin(), with its position as evidence.
  void take(std::vector<RecordOutput::Finding>& findings);

  /// Call it if findings since some step were lost: everything is reported again in full. Any thread.
  void forget() { forget_ = true; }

 private:
  struct Found {
    std::unique_ptr<schema::IssueDetectedT> first;  // if it is to be reported in full
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
