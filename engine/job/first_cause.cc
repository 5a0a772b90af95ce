#include "engine/job/first_cause.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/short_line.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

using schema::IssueRank;

/// Lines between a test's name and its assertion, in either order, or between problems of one group.
constexpr std::uint64_t kNearLines = 60;
constexpr std::size_t kMostOfAPart = 256;  // bytes, as of a capture
constexpr std::uint32_t kMostTests = 1'000'000;
constexpr std::size_t kMostOthers = 2;  // see the header

enum class CauseStanding { test, cause, mark, clue, count, consequence };

std::string_view captured(const SeenIssue& issue, std::string_view name) {
  if (issue.captures == nullptr) return {};
  for (const auto& capture : *issue.captures) {
    if (capture->key == name) return capture->value;
  }
  return {};
}

bool has_capture(const SeenIssue& issue, std::string_view name) {
  return !captured(issue, name).empty();
}

/// While tests run some runners only mark the failed ones, and report them later.
bool is_mark(const SeenIssue& issue) {
  return issue.rank == IssueRank::clue && has_capture(issue, "test");
}

bool is_of_test(const SeenIssue& issue) {
  return issue.rank == IssueRank::test || is_mark(issue);
}

CauseStanding standing_of(const SeenIssue& issue) {
  if (issue.rank == IssueRank::consequence) return CauseStanding::consequence;
  const bool names_one = has_capture(issue, "test") || has_capture(issue, "what") ||
                         has_capture(issue, "file") || has_capture(issue, "place");
  if (is_mark(issue)) return CauseStanding::mark;
  if (is_of_test(issue) && !names_one) return CauseStanding::count;
  if (issue.rank == IssueRank::clue || issue.severity < schema::Severity::error) return CauseStanding::clue;
  return is_of_test(issue) ? CauseStanding::test : CauseStanding::cause;
}

/// "Parser reads a file:" without its end.
std::string test_name(const SeenIssue& issue) {
  std::string name = short_line(captured(issue, "test"), kMostOfAPart);
  while (name.ends_with(':') || name.ends_with(' ')) name.pop_back();
  return name;
}

/// pytest calls a test TestCart.test_total above its trace, tests/test_cart.py::TestCart::test_total below.
bool names_same_test(std::string_view full, std::string_view name) {
  if (full.ends_with(name)) return true;
  std::string with_colons;
  for (const char c : name) with_colons += c == '.' ? std::string("::") : std::string(1, c);
  return full.ends_with(with_colons);
}

/// The first issue of a test at or after `from` for which `fits`, within kNearLines; null: there is none.
template <class Fits>
const SeenIssue* near_test(const std::vector<SeenIssue>& issues, const SeenIssue& from, Fits fits) {
  for (const SeenIssue& each : issues) {
    if (each.offset < from.offset || each.line_no > from.line_no + kNearLines) continue;
    if (is_of_test(each) && fits(each)) return &each;
  }
  return nullptr;
}

/// Joins what lines near each other say about the failed test `first`. `issues` are ordered by place.
void name_test(const std::vector<SeenIssue>& issues, const SeenIssue& first, view::FailureT& failure) {
  failure.test = test_name(first);
  failure.assertion = short_line(captured(first, "what"), kMostOfAPart);
  if (failure.test.empty()) {
    const auto* named =
        near_test(issues, first, [](const SeenIssue& each) { return has_capture(each, "test"); });
    if (named != nullptr) failure.test = test_name(*named);
  }
  if (failure.assertion.empty()) {
    const auto* said = near_test(issues, first, [&failure](const SeenIssue& each) {
      return has_capture(each, "what") &&
             (!has_capture(each, "test") || names_same_test(test_name(each), failure.test));
    });
    if (said != nullptr) failure.assertion = short_line(captured(*said, "what"), kMostOfAPart);
  }
  if (failure.test.empty()) return;
  // A list of failed tests at the end may have the full name.
  for (const SeenIssue& each : issues) {
    if (!is_of_test(each) || !has_capture(each, "test")) continue;
    const std::string name = test_name(each);
    if (name.size() <= failure.test.size() || !names_same_test(name, failure.test)) continue;
    failure.test = name;
    if (has_capture(each, "what")) failure.assertion = short_line(captured(each, "what"), kMostOfAPart);
    return;
  }
}

/// A test fails because a part of it does, which Go names TestCart/total: the first one that failed, or
/// `first`.
const SeenIssue& part_of(const std::vector<SeenIssue>& issues, const SeenIssue& first) {
  const std::string parts = std::string(captured(first, "test")) + "/";
  const auto part = std::ranges::find_if(issues, [&](const SeenIssue& each) {
    return is_of_test(each) && each.pattern == first.pattern && captured(each, "test").starts_with(parts);
  });
  return part == issues.end() ? first : *part;
}

/// How many tests failed, at least: by a line that counts them, or by the names that one pattern found.
/// (Different patterns may name the same test in different ways.) A test whose parts failed is none of them.
std::uint32_t failed_tests(const std::vector<SeenIssue>& issues) {
  std::uint32_t counted = 0;
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const SeenIssue& each : issues) {
    if (!is_of_test(each)) continue;
    if (has_capture(each, "test")) names.emplace(each.pattern, captured(each, "test"));
    const auto count = parse_whole_number<std::uint32_t>(captured(each, "count"));
    if (count && *count <= kMostTests) counted = std::max(counted, *count);
  }
  std::map<std::string_view, std::uint32_t> named;  // by pattern
  for (const auto& [pattern, name] : names) {
    const std::string parts = std::string(name) + "/";
    const auto part = names.lower_bound({pattern, parts});
    const bool has_parts = part != names.end() && part->first == pattern && part->second.starts_with(parts);
    if (!has_parts) counted = std::max(counted, ++named[pattern]);
  }
  return counted;
}

void take_place(const SeenIssue& issue, view::FailureT& failure) {
  std::string_view place = captured(issue, "place");
  const std::size_t colon = place.rfind(':');
  const auto line =
      parse_whole_number(colon == std::string_view::npos ? captured(issue, "line") : place.substr(colon + 1));
  if (colon != std::string_view::npos && line) place = place.substr(0, colon);
  failure.file = short_line(has_capture(issue, "file") ? captured(issue, "file") : place, kMostOfAPart);
  failure.line = failure.file.empty() ? 0 : line.value_or(0);
  failure.first_line = issue.line_no;
  failure.offset = issue.offset;
  failure.issue = issue.fingerprint;
}

/// A line that is too long may say what is wrong far behind its beginning.
std::string words_of(const SeenIssue& issue, const view::FailureT& failure) {
  const std::string what(captured(issue, "what"));
  if (issue.line.size() <= kSummaryCharacters || what.empty()) return std::string(issue.line);
  if (failure.file.empty()) return what;
  return failure.file + ":" + (failure.line == 0 ? "" : std::to_string(failure.line) + ":") + " " + what;
}

std::string summary_of(const SeenIssue& issue, const view::FailureT& failure) {
  std::string more;
  if (failure.others > 0 && !failure.test.empty()) {
    more = " (and " + std::to_string(failure.others) + " more " + (failure.others == 1 ? "test)" : "tests)");
  }
  std::string words = words_of(issue, failure);
  if (!failure.test.empty()) {
    words = failure.assertion.empty() ? failure.test + " failed" : failure.test + ": " + failure.assertion;
  }
  return short_line(words, kSummaryCharacters - more.size()) + more;
}

struct IssueGroup {
  std::span<const SeenIssue> issues;
  CauseStanding best = CauseStanding::consequence;
  std::size_t patterns = 0;  // different ones
};

IssueGroup group_of(std::span<const SeenIssue> issues) {
  IssueGroup group{issues};
  std::set<std::string_view> patterns;
  for (const SeenIssue& each : issues) {
    group.best = std::min(group.best, standing_of(each));
    patterns.insert(each.pattern);
  }
  group.patterns = patterns.size();
  return group;
}

/// Of the groups of problems near each other that hold one of the best standing: where most patterns agree,
/// else the earliest. `issues` are ordered by place, and not empty.
std::span<const SeenIssue> telling_group(std::span<const SeenIssue> issues) {
  IssueGroup best;
  for (std::size_t begin = 0, end = 0; begin < issues.size(); begin = end) {
    for (end = begin + 1; end < issues.size(); ++end) {
      if (issues[end].line_no > issues[end - 1].line_no + kNearLines) break;
    }
    const IssueGroup group = group_of(issues.subspan(begin, end - begin));
    const bool better = best.issues.empty() || group.best < best.best ||
                        (group.best == best.best && group.patterns > best.patterns);
    if (better) best = group;
  }
  return best.issues;
}

/// Whether `issue` says nothing that the first cause, null if the attempt ended well, does not explain.
bool is_explained(const SeenIssue& issue, const SeenIssue* first) {
  if (first == nullptr) return issue.rank == IssueRank::clue || issue.rank == IssueRank::consequence;
  return issue.rank == IssueRank::consequence && first->rank != IssueRank::consequence;
}

/// The lines of the group of problems that `first` is one of, first and last.
std::pair<std::uint64_t, std::uint64_t> lines_of_group(const std::vector<SeenIssue>& issues,
                                                       const SeenIssue& first) {
  std::vector<std::uint64_t> lines;
  for (const SeenIssue& each : issues) {
    if (each.severity >= schema::Severity::warning) lines.push_back(each.line_no);
  }
  std::ranges::sort(lines);
  std::uint64_t from = first.line_no, to = first.line_no;
  const auto middle = std::ranges::lower_bound(lines, first.line_no);
  for (auto line = middle; line != lines.end() && *line <= to + kNearLines; ++line) to = *line;
  for (auto line = middle; line != lines.begin() && *std::prev(line) + kNearLines >= from; --line) {
    from = *std::prev(line);
  }
  return {from, to};
}

/// Chooses the issues of an attempt that a list shows.
class Folding {
 public:
  Folding(const std::vector<SeenIssue>& issues, const SeenIssue* first)
      : issues_(issues), first_(first), shown_(issues.size()) {
    if (first_ != nullptr) group_ = lines_of_group(issues_, *first_);
    for (std::size_t i = 0; i < issues_.size(); ++i) {
      Pattern& pattern = patterns_[issues_[i].pattern];
      pattern.lines += issues_[i].count;
      pattern.places.push_back(i);
    }
    for (auto& [name, pattern] : patterns_) {
      std::ranges::sort(pattern.places, [this](std::size_t one, std::size_t other) {
        const SeenIssue &left = issues_[one], &right = issues_[other];
        if (&left == first_ || &right == first_) return &left == first_ && &right != first_;
        return left.offset < right.offset;
      });
    }
  }

  std::vector<IssueFold> folds() {
    std::size_t others = 0;
    if (first_ != nullptr) show(static_cast<std::size_t>(first_ - issues_.data()));
    for (std::size_t i = 0; i < issues_.size(); ++i) {
      if (shown_[i]) continue;
      const bool is_critical = issues_[i].severity >= schema::Severity::critical;
      const bool is_beside = stands_beside_first(issues_[i]);
      if (!is_critical && (!is_beside || lines_.contains(issues_[i].offset))) continue;
      show(i);
      others += is_beside ? 0 : 1;
    }
    for (const std::size_t place : further_ones()) {
      if (others >= kMostOthers) break;
      if (lines_.contains(issues_[place].offset)) continue;  // what is shown is about the same line
      show(place);
      ++others;
    }
    std::vector<IssueFold> folds(issues_.size());
    for (const auto& [name, pattern] : patterns_) {
      IssueFold* shown = nullptr;
      std::uint32_t folded = 0;
      for (const std::size_t place : pattern.places) {
        folds[place].folded = !shown_[place];
        folded += shown_[place] ? 0 : 1;
        if (shown == nullptr && shown_[place]) shown = &folds[place];
      }
      if (shown != nullptr) shown->similar = folded;
    }
    return folds;
  }

 private:
  struct Pattern {
    std::vector<std::size_t> places;  // the first cause, then by place in the output
    std::uint64_t lines = 0;
  };

  void show(std::size_t place) {
    shown_[place] = true;
    lines_.insert(issues_[place].offset);
  }

  /// Says as much as the first cause near it: further errors of a compiler, or failed tests.
  bool stands_beside_first(const SeenIssue& issue) const {
    if (first_ == nullptr) return false;
    const CauseStanding standing = standing_of(issue);
    return standing <= CauseStanding::mark && standing <= standing_of(*first_) &&
           issue.line_no >= group_.first && issue.line_no <= group_.second;
  }

  /// The earliest issue of each pattern of which none is shown yet, the most telling one first.
  std::vector<std::size_t> further_ones() const {
    std::vector<std::size_t> found;
    for (const auto& [name, pattern] : patterns_) {
      const bool is_shown = std::ranges::any_of(pattern.places, [this](std::size_t i) { return shown_[i]; });
      if (!is_shown && !is_explained(issues_[pattern.places[0]], first_)) found.push_back(pattern.places[0]);
    }
    std::ranges::sort(found, [this](std::size_t left, std::size_t right) {
      const SeenIssue &one = issues_[left], &other = issues_[right];
      return std::tuple(standing_of(one), other.severity, lines_of(other), distance(one), one.offset, left) <
             std::tuple(standing_of(other), one.severity, lines_of(one), distance(other), other.offset,
                        right);
    });
    return found;
  }

  std::uint64_t lines_of(const SeenIssue& issue) const { return patterns_.at(issue.pattern).lines; }

  std::uint64_t distance(const SeenIssue& issue) const {
    if (first_ == nullptr) return 0;
    return std::max(issue.line_no, first_->line_no) - std::min(issue.line_no, first_->line_no);
  }

  const std::vector<SeenIssue>& issues_;
  const SeenIssue* const first_;
  std::pair<std::uint64_t, std::uint64_t> group_;
  std::map<std::string_view, Pattern> patterns_;
  std::vector<bool> shown_;
  std::set<std::uint64_t> lines_;  // offsets of those that are shown
};

}  // namespace

std::vector<IssueFold> fold_issues(const std::vector<SeenIssue>& issues, const view::FailureT* failure) {
  const auto found = std::ranges::find_if(issues, [failure](const SeenIssue& each) {
    return failure != nullptr && each.fingerprint == failure->issue && each.offset == failure->offset;
  });
  return Folding(issues, found == issues.end() ? nullptr : &*found).folds();
}

std::optional<view::FailureT> first_cause(std::vector<SeenIssue> issues) {
  std::erase_if(issues, [](const SeenIssue& each) { return each.severity < schema::Severity::warning; });
  if (issues.empty()) return std::nullopt;
  std::ranges::stable_sort(issues, {}, &SeenIssue::offset);
  const SeenIssue& earliest = *std::ranges::min_element(telling_group(issues), {}, standing_of);
  const SeenIssue& first = has_capture(earliest, "test") ? part_of(issues, earliest) : earliest;
  view::FailureT failure;
  take_place(first, failure);
  if (is_of_test(first)) {
    if (standing_of(first) != CauseStanding::count) name_test(issues, first, failure);
    failure.others = std::max(failed_tests(issues), 1U) - 1;
  }
  failure.summary = summary_of(first, failure);
  return failure;
}

}  // namespace luzia
