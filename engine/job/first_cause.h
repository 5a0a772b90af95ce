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
  std::uint64_t count = 1;  // lines that show it
};

/// `source`: an IssueDetectedT or a view::IssueT. `count`: lines that show it.
SeenIssue seen_issue(const auto& source, std::uint64_t line_no, std::uint64_t offset,
                     std::uint64_t count = 1) {
  return {source.pattern, source.line,     source.fingerprint,
          source.rank,    source.severity, &source.captures,
          line_no,        offset,          count};
}

/// `issues` in any order. nullopt: there is none, but for mere information.
std::optional<view::FailureT> first_cause(std::vector<SeenIssue> issues);

struct IssueFold {
  bool folded = false;        // a list counts it only, and shows it on request
  std::uint32_t similar = 0;  // folded issues of its pattern, if it is the first of them that is shown
};

/// How a list shows an attempt's `issues`, in their order. `failure`: what first_cause() returned for them;
/// null: the attempt ended well, and has no first cause. Shown are
/// - the first cause, and in its group all problems that say as much as it, if it is a cause or a failed
///   test: twelve errors of a compiler are twelve things to correct;
/// - critical issues;
/// - the most telling of the others, until with critical ones there are two. Each is the earliest of its
///   pattern, about a line of its own. By standing (see above), then by severity, then by how many lines the
///   pattern has found, then by how near the first cause they are.
/// The rest is folded. So are consequences, unless nothing else explains the failure, and, if the attempt
/// ended well, clues, because the program went on after them.
///
/// Two others, because the first cause may be wrong, and more would be noise. In 207 logs of CI services for
/// which no pattern was written, what people had marked as the cause was shown in 82 % without others, in
/// 87 % with one, in 92 % with two, and no more often with three or all of them.
/// (Rejected: to fold all but the first cause. Where it is wrong, the true one would be hidden.)
std::vector<IssueFold> fold_issues(const std::vector<SeenIssue>& issues, const view::FailureT* failure);

}  // namespace luzia
