#include "adapters/output_log/issue_tally.h"

#include <algorithm>
#include <utility>

namespace luzia {
namespace {

constexpr std::size_t kHitsAtOnce = 1024;

template <class Fact>
RecordOutput::Finding issue_finding(Fact fact, std::string_view pattern, std::uint64_t from,
                                    std::uint64_t to) {
  return inferred_finding<schema::IssueFactUnion>(std::move(fact), std::string(kRuleIssue).append(pattern),
                                                  from, to);
}

}  // namespace

void IssueTally::begin() {
  if (forget_.exchange(false)) told_.clear();
  order_.clear();
  found_.clear();
  matcher_now_ = matcher_ ? matcher_() : nullptr;
}

void IssueTally::look(const LineBlock& block) {
  LineBlock rest = block;
  while (matcher_now_ && !rest.text.empty()) {
    hits_.clear();
    const std::size_t seen = matcher_now_->match(rest, kHitsAtOnce, hits_);
    for (schema::IssueDetectedT& hit : hits_) {
      const std::uint64_t from = hit.offset;
      const std::size_t end = rest.text.find('\n', static_cast<std::size_t>(from - rest.offset));
      add(std::move(hit), from, rest.offset + std::min(end, rest.text.size()));
    }
    if (seen == 0 || seen >= rest.text.size()) return;
    const auto lines =
        std::count(rest.text.begin(), rest.text.begin() + static_cast<std::ptrdiff_t>(seen), '\n');
    rest = {rest.text.substr(seen), rest.offset + seen, rest.first_line + static_cast<std::uint64_t>(lines)};
  }
}

void IssueTally::look_within(const Line& line, std::string_view text) {
  std::size_t done = 0;
  while (matcher_now_ && done < text.size()) {
    hits_.clear();
    const std::size_t seen = matcher_now_->match({text.substr(done), 0, 1}, kHitsAtOnce, hits_);
    for (schema::IssueDetectedT& hit : hits_) {
      hit.offset = line.offset;
      hit.line_no = line.number;
      add(std::move(hit), line.offset, line.end);
    }
    if (seen == 0) return;
    done += seen;
  }
}

void IssueTally::add(schema::IssueDetectedT issue, std::uint64_t from, std::uint64_t to) {
  const bool crowded = told_.size() >= kMostFingerprints && !told_.contains(issue.fingerprint);
  if (crowded) issue.fingerprint = issue.pattern + ":other";
  const auto [place, is_new] = found_.try_emplace(issue.fingerprint);
  Found& found = place->second;
  if (is_new) {
    order_.push_back(issue.fingerprint);
    found.pattern = issue.pattern;
    found.from = from;
    found.first_to = to;
  }
  found.to = to;
  found.last_line_no = issue.line_no;
  found.last_offset = issue.offset;
  if (told_.insert(issue.fingerprint).second) {
    found.first = std::make_unique<schema::IssueDetectedT>(std::move(issue));
  } else {
    ++found.repeats;
  }
}

void IssueTally::take(std::vector<RecordOutput::Finding>& findings) {
  for (const std::string& fingerprint : order_) {
    Found& found = found_.find(fingerprint)->second;
    if (found.first) {
      findings.push_back(issue_finding(std::move(*found.first), found.pattern, found.from, found.first_to));
    }
    if (found.repeats == 0) continue;
    schema::IssueRepeatedT repeated;
    repeated.fingerprint = fingerprint;
    repeated.count = found.repeats;
    repeated.last_line_no = found.last_line_no;
    repeated.last_offset = found.last_offset;
    findings.push_back(issue_finding(std::move(repeated), found.pattern, found.from, found.to));
  }
  order_.clear();
  found_.clear();
}

}  // namespace luzia
