// A pattern file is either refused with a reason, or both engines accept each of its expressions.
#include <hs/hs.h>
#include <re2/re2.h>

#include <string>

#include "adapters/issues/confirmation.h"
#include "adapters/issues/issue_pattern.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

bool taken_by_vectorscan(const std::string& expression, unsigned flags) {
  hs_expr_info_t* about = nullptr;
  hs_compile_error_t* error = nullptr;
  // Vectorscan refuses expressions that can never match (`a^b`); that counts as accepted.
  const bool taken = hs_expression_info(expression.c_str(), flags, &about, &error) == HS_SUCCESS ||
                     std::string(error->message) == "Pattern can never match.";
  hs_free_compile_error(error);
  std::free(about);
  return taken;
}

void check_regex(std::string_view text) {
  const auto regex = translate_python_regex(text);
  if (!regex) {
    require(!regex.error().reason.empty(), "a refusal has a reason");
    require(regex.error().position <= text.size(), "and a position within the expression");
    return;
  }
  require(RE2(regex->confirming, confirming_options()).ok(), "RE2 takes what was printed for it");
  require(taken_by_vectorscan(regex->finding, HS_FLAG_MULTILINE) ||
              taken_by_vectorscan(regex->finding, HS_FLAG_MULTILINE | HS_FLAG_PREFILTER),
          "Vectorscan takes what was printed for it");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view text) {
  if (!text.starts_with('{')) {
    check_regex(text);
    return;
  }
  const auto file = parse_pattern_file(text, "fuzz.json");
  if (!file) {
    require(file.error().code.starts_with("pattern_file_"), "the code of a bad pattern file");
    require(file.error().message.find('\n') == std::string::npos, "a refusal is one line");
    return;
  }
  for (const RefusedPattern& refused : file->refused) {
    require(refused.text().starts_with("fuzz.json: pattern "), "a refusal names file and pattern");
  }
  for (const IssuePattern& pattern : file->patterns) {
    require(!pattern.regexes.empty(), "a pattern has an expression");
    for (const LineRegex& regex : pattern.regexes) check_regex(regex.written);
    for (const EarlierLine& earlier : pattern.earlier) {
      require(earlier.within >= 1 && earlier.within <= kMaxEarlierLines, "an earlier line is near");
      check_regex(earlier.line.written);
      if (earlier.except) check_regex(earlier.except->written);
      if (earlier.until) check_regex(earlier.until->written);
    }
  }
}
