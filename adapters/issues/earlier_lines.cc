#include "adapters/issues/earlier_lines.h"

#include <re2/re2.h>

#include <algorithm>

#include "adapters/issues/compiled_patterns.h"
#include "adapters/issues/confirmation.h"
#include "adapters/issues/lines.h"
#include "engine/base/escape_sequences.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

re2::StringPiece piece_of(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

struct EarlierLines::Rule {
  std::unique_ptr<RE2> line, except, until;  // the latter two: null if there is none
  std::vector<std::string> names;
  std::size_t within = 0;
  bool first = false, shown = false;

  /// Its line in `above`, the nearest or the first, or none: bytes_back is 0.
  ShownLine find(std::string_view above, std::size_t& budget) const {
    ShownLine found;
    const std::size_t end = above.size();
    std::string plain;
    for (std::size_t back = 1; back <= within && !above.empty(); ++back) {
      const std::size_t newline =
          above.size() < 2 ? std::string_view::npos : above.rfind('\n', above.size() - 2);
      const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
      if (above.size() - begin > budget) break;
      budget -= above.size() - begin;
      std::string_view text = without_end(above.substr(begin)).substr(0, kMaxIssueLineBytes);
      if (text.find('\x1b') != std::string_view::npos) {
        plain.clear();
        append_without_escapes(without_end(above.substr(begin)), plain, kMaxIssueLineBytes);
        text = plain;
      }
      above = above.substr(0, begin);
      if (text.empty()) continue;  // no expression matches that
      if (until && RE2::PartialMatch(piece_of(text), *until)) break;
      if (!RE2::PartialMatch(piece_of(text), *line)) continue;
      if (except && RE2::PartialMatch(piece_of(text), *except)) continue;
      found = {end - begin, back, std::string(text)};
      if (!first) break;
    }
    return found;
  }
};

bool capture(const RE2& expression, const std::vector<std::string>& names, std::string_view line,
             IssueCaptures& captures) {
  const std::size_t groups = std::min(names.size(), kMaxIssueCaptures);
  re2::StringPiece taken[kMaxIssueCaptures + 1];
  if (!expression.Match(piece_of(line), 0, line.size(), RE2::UNANCHORED, taken,
                        static_cast<int>(groups) + 1)) {
    return false;
  }
  const std::size_t before = captures.size();
  for (std::size_t i = 0; i < groups && captures.size() < kMaxIssueCaptures; ++i) {
    const auto is_same = [&](const auto& other) { return other->key == names[i]; };
    const auto former = captures.begin() + static_cast<std::ptrdiff_t>(before);
    if (taken[i + 1].data() == nullptr || std::any_of(captures.begin(), former, is_same)) continue;
    auto value = std::make_unique<schema::KeyValueT>();
    value->key = names[i];
    value->value = bounded_utf8({taken[i + 1].data(), taken[i + 1].size()}, kMaxIssueCaptureBytes);
    captures.push_back(std::move(value));
  }
  return true;
}

EarlierLines::~EarlierLines() = default;
EarlierLines::EarlierLines(EarlierLines&&) noexcept = default;

EarlierLines::EarlierLines(const std::vector<EarlierLine>& rules) {
  for (const EarlierLine& each : rules) {
    Rule& rule = rules_.emplace_back();
    rule.line = std::make_unique<RE2>(each.line.confirming, confirming_options());
    if (each.except) {
      rule.except = std::make_unique<RE2>(each.except->confirming, confirming_options());
    }
    if (each.until) rule.until = std::make_unique<RE2>(each.until->confirming, confirming_options());
    rule.names = each.line.capture_names;
    rule.within = each.within;
    rule.first = each.first;
    rule.shown = each.shown;
  }
}

ShownLine EarlierLines::find(std::string_view above, std::size_t& budget, IssueCaptures& captures) const {
  if (above.size() > kMaxEarlierBytes) {  // the line that is cut there is left out
    const std::size_t cut = above.find('\n', above.size() - kMaxEarlierBytes - 1);
    above.remove_prefix(std::min(cut, above.size() - 1) + 1);
  }
  for (const Rule& rule : rules_) {
    ShownLine found = rule.find(above, budget);
    if (found.bytes_back == 0) continue;
    capture(*rule.line, rule.names, found.line, captures);
    return rule.shown ? found : ShownLine{};
  }
  return {};
}

}  // namespace luzia
