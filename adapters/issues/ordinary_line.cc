#include "adapters/issues/ordinary_line.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>

#include "adapters/issues/compiled_patterns.h"
#include "adapters/issues/confirmation.h"
#include "adapters/issues/lines.h"

namespace luzia {
namespace {

/// Passed and starting tests of TAP, mocha, Jest, Go, GoogleTest, pytest, unittest, libtest and .NET;
/// commands that a shell traces ("+ make", "++ A=b", "+ [ -n x ]") or make prints; further attempts.
constexpr const char* kOrdinary =
    R"(^\s*(?:ok (?:\d|- )|(?:✓|✔|√) |--- PASS: |=== (?:RUN|CONT|PAUSE) |\[ +(?:OK|RUN|PASSED) +\])"
    R"(|PASS:? [^\d\s][^,]*$|Passed \S+ [\[(]))"
    R"(|(?: \.\.\. ok| PASSED(?: +\[ *\d+%\])?)$)"
    R"(|^\++(?: [a-z][^\s:]*(?:\s|$)| ?[./~$][^\s:]*(?:\s|$)| [A-Za-z_]\w*=| (?:['"]|\[\[? |\(\(|: )))"
    R"(|^\s*(?:\S*/)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|javac|rustc)(?:-\d+)? -)"
    R"(|\b(?:[Rr]etrying|[Ww]ill retry|[Tt]rying again)\b)";
/// The last attempt.
constexpr const char* kGaveUp = R"(\b(?:[Nn]ot|[Ss]topp?(?:ed|ing)?) retrying\b|\b(?:giving|gave) up\b)";

/// Of a part of a diff, which begins with such a line: those of diff and git, and of patches by agents.
constexpr std::string_view kHeads[] = {"@@", "*** Add File: ", "*** Update File: "};
constexpr std::size_t kMostAbove = 64
                                   << 10;  // bytes from a line up to its head, or to one that was asked about

std::string_view without_colour(std::string_view line) {
  while (line.starts_with("\x1b[") && line.find('m') != std::string_view::npos) {
    line.remove_prefix(line.find('m') + 1);
  }
  return line;
}

bool begins_a_diff(std::string_view line) {
  return std::ranges::any_of(kHeads, [line](std::string_view head) { return line.starts_with(head); });
}

}  // namespace

bool DiffLines::holds(std::string_view text, std::size_t at) {
  if (at == asked_) return answer_;
  bool is_diff = false;
  for (std::size_t end = at; end > 0 && at - end < kMostAbove;) {
    const std::size_t begin = text.substr(0, end - 1).rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view line = without_colour(without_end(text.substr(begin, end - begin)));
    is_diff = begin == asked_ ? answer_ : begins_a_diff(line);
    const bool goes_on =
        line.empty() || std::string_view("+- \\").find(line.front()) != std::string_view::npos;
    if (begin == asked_ || is_diff || !goes_on) break;
    end = begin;
  }
  asked_ = at;
  answer_ = is_diff;
  return is_diff;
}

bool is_ordinary_line(std::string_view line, std::string_view text, std::size_t at, DiffLines& diffs) {
  if ((line.starts_with('+') || line.starts_with('-')) && diffs.holds(text, at)) return true;
  static const RE2 ordinary(kOrdinary, confirming_options());
  static const RE2 gave_up(kGaveUp, confirming_options());
  line = line.substr(0, kMaxIssueLineBytes);
  const re2::StringPiece piece(line.data(), line.size());
  return RE2::PartialMatch(piece, ordinary) && !RE2::PartialMatch(piece, gave_up);
}

}  // namespace luzia
