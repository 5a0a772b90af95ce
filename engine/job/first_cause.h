// Which of the known problems in a failed attempt's output is its first cause, and how to say it in a line.
//
// How much a pattern says about causes is data (`rank` in the pattern files, recorded with each issue). Best
// are failed tests, because programs under test may print errors, then other causes, then marks of failed
// tests (clues that name one), then clues and warnings, then lines that only count failed tests, then
// consequences ("make: *** Error 2"). Three rules are written here because they concern several lines, which
// no pattern sees:
// - Problems near each other are a group. Among the groups with the best problems the one that most patterns
//   agree on counts, because a report of what failed has several kinds of lines. In it, and among equal
//   groups, the earliest counts, because later ones often follow from it.
// - A test's name and its assertion may stand in lines near each other.
// - How many tests failed is known from a line that counts them, or from the names.
//
// (Rejected: a score by weights, which nobody can foretell; and the last error, which is mostly a
// consequence.) Pure, any thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event.fb.h"
#include "view.fb.h"

namespace luzia {

/// A known problem in the output of one attempt. Views into the fact or row that it is of.
struct SeenIssue {
  std::string_view pattern, line, fingerprint;
  schema::IssueRank rank = schema::IssueRank::none;
  schema::Severity severity = schema::Severity::error;
  const std::vector<std::unique_ptr<schema::KeyValueT>>* captures = nullptr;
  std::uint64_t line_no = 0, offset = 0;
};

/// `source`: an IssueDetectedT or a view::IssueT.
SeenIssue seen_issue(const auto& source, std::uint64_t line_no, std::uint64_t offset) {
  return {source.pattern, source.line, source.fingerprint, source.rank, source.severity, &source.captures,
          line_no,        offset};
}

/// `issues` in any order. nullopt: there is none, but for mere information.
std::optional<view::FailureT> first_cause(std::vector<SeenIssue> issues);

struct IssueFold {
  bool folded = false;        // a list counts it only, and shows it on request
  std::uint32_t similar = 0;  // folded issues of its pattern, if it is the one that is shown
};

/// How a list shows an attempt's `issues`, in their order. `failure`: what first_cause() returned for them;
/// null: the attempt ended well. Folded are
/// - all issues of a pattern but one, which is the first cause, else the earliest;
/// - if the attempt failed: consequences, unless nothing else explains it;
/// - if it ended well: clues and consequences, because the program went on after them.
/// Critical issues are never folded. (Rejected: to fold the clues of a failed attempt, other lines about a
/// failed test, or all that comes after the first cause. Where another line is the true cause, it would be
/// hidden.)
std::vector<IssueFold> fold_issues(const std::vector<SeenIssue>& issues, const view::FailureT* failure);

}  // namespace luzia
