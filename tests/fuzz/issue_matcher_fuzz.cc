// Matches in a block equal what RE2 finds line by line, both before and after the expression is compiled.
// Each is reported at the first of the three lines above it that match too. The input's first line is the
// expression, the rest is the block.
#include <re2/re2.h>

#include <string>
#include <vector>

#include "adapters/issues/compiled_patterns.h"
#include "adapters/issues/confirmation.h"
#include "engine/base/escape_sequences.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

constexpr std::size_t kWithin = 3;

void check(const CompiledPatterns& patterns, const RE2& alone, const std::string& text) {
  std::vector<schema::IssueDetectedT> found;
  const std::size_t looked = patterns.match({text, 0, 1}, 1'000'000, {true}, found);
  require(looked == text.size(), "a block is looked at whole");

  std::size_t next = 0;

  const std::size_t within = patterns.patterns().front().earlier.empty() ? 0 : kWithin;
  std::vector<std::size_t> begins;
  std::vector<bool> matches;  // without terminal sequences
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string raw = text.substr(at, end - at), plain;
    if (raw.ends_with('\r')) raw.pop_back();
    append_without_escapes(raw, plain);
    if (RE2::PartialMatch(raw, alone) || RE2::PartialMatch(plain, alone)) {
      std::size_t shown = begins.size();
      for (std::size_t back = 1; back <= within && back <= begins.size(); ++back) {
        if (matches[begins.size() - back]) shown = begins.size() - back;
      }
      require(next < found.size() && found[next].line_no == shown + 1, "a line that RE2 matches is found");
      require(found[next].offset == (shown == begins.size() ? at : begins[shown]), "at its offset");
      ++next;
    }
    begins.push_back(at);
    matches.push_back(RE2::PartialMatch(plain.substr(0, kMaxIssueLineBytes), alone));
    at = end + 1;
  }
  require(next == found.size(), "and no other line");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const std::size_t first = input.find('\n');
  if (first > 60) return;  // or there is no newline
  auto regex = translate_python_regex(input.substr(0, first));
  if (!regex) return;
  const RE2 alone(regex->confirming, confirming_options());
  const std::string text(input.substr(first + 1));

  IssuePattern pattern;
  pattern.name = "p";
  pattern.regexes = {*regex};
  if (text.size() < kMaxEarlierBytes) {
    EarlierLine& earlier = pattern.earlier.emplace_back();
    earlier.line = *regex;
    earlier.within = kWithin;
    earlier.first = earlier.shown = true;
  }
  std::vector<RefusedPattern> refused;
  const auto compiled = CompiledPatterns::compile({pattern}, "", refused);
  require(compiled.has_value(), "one expression is compiled");
  const bool contradiction = refused.size() == 1 && refused[0].reason == "Pattern can never match.";
  require(refused.empty() || contradiction, "and taken, where it can match at all");
  check(**compiled, alone, text);
  check(*CompiledPatterns::at_once({pattern}, "", refused), alone, text);
}
