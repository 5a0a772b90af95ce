#include "adapters/issues/ordinary_line.h"

#include <re2/re2.h>

#include "adapters/issues/compiled_patterns.h"
#include "adapters/issues/confirmation.h"

namespace luzia {
namespace {

/// Passed and starting tests of TAP, mocha, Jest, Go, GoogleTest, pytest, unittest, libtest and .NET;
/// commands that a shell or make prints; added lines, and removed lines of code; further attempts.
constexpr const char* kOrdinary =
    R"(^\s*(?:ok (?:\d|- )|(?:✓|✔|√) |--- PASS: |=== (?:RUN|CONT|PAUSE) |\[ +(?:OK|RUN|PASSED) +\])"
    R"(|PASS:? [^\d\s][^,]*$|Passed \S+ [\[(]))"
    R"(|(?: \.\.\. ok| PASSED(?: +\[ *\d+%\])?)$)"
    R"(|^(?:\+{1,3}|-(?:\s.*[;{}]$|\s*(?:throw|raise|return|assert|print|echo|console\.\w+|log\w*\.\w+)\b)))"
    R"(|^\s*(?:\S*/)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|javac|rustc)(?:-\d+)? -)"
    R"(|\b(?:[Rr]etrying|[Ww]ill retry|[Tt]rying again)\b)";
/// The last attempt.
constexpr const char* kGaveUp = R"(\b(?:[Nn]ot|[Ss]topp?(?:ed|ing)?) retrying\b|\b(?:giving|gave) up\b)";

}  // namespace

bool is_ordinary_line(std::string_view line) {
  static const RE2 ordinary(kOrdinary, confirming_options());
  static const RE2 gave_up(kGaveUp, confirming_options());
  line = line.substr(0, kMaxIssueLineBytes);
  const re2::StringPiece text(line.data(), line.size());
  return RE2::PartialMatch(text, ordinary) && !RE2::PartialMatch(text, gave_up);
}

}  // namespace luzia
