#include "adapters/output_log/outbox.h"

#include <algorithm>
#include <utility>

#include "engine/job/finding_limits.h"

namespace luzia {
namespace {

/// Restarts cannot be merged. More entries than this wait only if the file is replaced faster than the log
/// records.
constexpr std::size_t kEntriesAtMost = 4;

const schema::CheckpointT& end_of(const RecordOutput& entry) {
  return entry.appended ? *entry.appended->checkpoint : *entry.restarted->checkpoint;
}

std::uint64_t lines_of(const RecordOutput& entry) {
  return entry.appended ? entry.appended->lines : 0;
}

const schema::IssueRepeatedT* repeated_issue(const RecordOutput::Finding& finding) {
  const auto* issue = std::get_if<schema::IssueFactUnion>(&finding.fact);
  return issue ? issue->AsIssueRepeated() : nullptr;
}

/// Merges repeats of the same issue that wait for the same event into one count.
bool merge_repeats(std::vector<RecordOutput::Finding>& waiting, const RecordOutput::Finding& finding) {
  const schema::IssueRepeatedT* more = repeated_issue(finding);
  if (!more) return false;
  for (RecordOutput::Finding& earlier : waiting) {
    const schema::IssueRepeatedT* known = repeated_issue(earlier);
    if (!known || known->fingerprint != more->fingerprint) continue;
    auto& sum = *std::get<schema::IssueFactUnion>(earlier.fact).AsIssueRepeated();
    sum.count += more->count;
    sum.last_line_no = more->last_line_no;
    sum.last_offset = more->last_offset;
    earlier.evidence.log_to = finding.evidence.log_to;
    return true;
  }
  return false;
}

}  // namespace

void Outbox::append(RecordOutput& entry, ScanResult& result) {
  if (!entry.appended) {
    entry.appended.emplace();
    entry.appended->attempt = attempt_;
    entry.appended->from = result.from;
  }
  entry.appended->to = result.checkpoint.scanned_to;
  entry.appended->lines += result.lines;
  entry.appended->checkpoint = std::make_unique<schema::CheckpointT>(result.checkpoint);
  for (RecordOutput::Finding& finding : result.findings) {
    if (!merge_repeats(entry.findings, finding)) add(entry, std::move(finding));
  }
  result.findings.clear();
  entry.written_us = result.modified_ns / 1'000;
}

void Outbox::add(RecordOutput& entry, RecordOutput::Finding finding) {
  const std::string_view kind = limited_kind(finding);
  if (kind.empty()) return entry.findings.push_back(std::move(finding));
  if (++found_[kind] <= most_findings(kind)) return entry.findings.push_back(std::move(finding));
  // The current state replaces the earlier one.
  const auto before = std::find_if(
      entry.findings.rbegin(), entry.findings.rend(),
      [&](const RecordOutput::Finding& each) { return is_state(kind) && limited_kind(each) == kind; });
  if (is_state(kind) && before == entry.findings.rend()) return entry.findings.push_back(std::move(finding));
  count_omitted(entry.appended->omitted, kind, weight_of(finding));
  if (before != entry.findings.rend()) *before = std::move(finding);
}

bool Outbox::is_news(const RecordOutput::Finding& finding) const {
  const std::string_view kind = limited_kind(finding);
  const auto found = found_.find(kind);
  const bool over = found != found_.end() && found->second > most_findings(kind);
  return !repeated_issue(finding) && !(over && is_state(kind));
}

Outbox::Outbox(std::uint32_t attempt, schema::CheckpointT recorded, std::uint64_t lines, TimeUs now)
    : attempt_(attempt), recorded_(recorded), recorded_lines_(lines), reached_(recorded), last_taken_(now) {}

RecordOutput& Outbox::open_entry(const ScanResult& result) {
  const std::size_t closed = under_way_ ? 1 : 0;
  const bool merges = entries_.size() > closed && !result.restarted;
  if (!merges) {
    RecordOutput entry;
    entry.attempt = attempt_;
    entry.from = reached_.scanned_to;
    entry.from_generation = reached_.generation;
    entries_.push_back(std::move(entry));
  }
  return entries_.back();
}

void Outbox::add(ScanResult& result) {
  const bool progressed =
      result.checkpoint.scanned_to != result.from || result.lines != 0 || !result.findings.empty();
  if (!progressed && !result.restarted) return;
  RecordOutput& entry = open_entry(result);
  if (result.restarted) entry.restarted = std::move(result.restarted);
  if (progressed) append(entry, result);
  reached_ = result.checkpoint;
}

bool Outbox::due(const RecordOutput& entry, const Limits& limits, TimeUs now) const {
  const bool news = std::ranges::any_of(entry.findings, [this](const auto& each) { return is_news(each); });
  if (entry.restarted || news || entries_.size() > 1) return true;
  return entry.appended->to - entry.appended->from >= limits.coalesce_bytes ||
         now - last_taken_ >= limits.coalesce_time;
}

std::optional<RecordOutput> Outbox::take(const Limits& limits, TimeUs now, bool flush) {
  if (under_way_ || entries_.empty()) return std::nullopt;
  if (!flush && !due(entries_.front(), limits, now)) return std::nullopt;
  under_way_ = true;
  last_taken_ = now;
  RecordOutput taken = std::move(entries_.front());
  RecordOutput& kept = entries_.front();  // only what recorded() and lines() need
  kept.appended = taken.appended;
  kept.restarted = taken.restarted;
  kept.findings.clear();
  return taken;
}

bool Outbox::recorded(const schema::CheckpointT& checkpoint) {
  const bool expected = same_checkpoint(checkpoint, under_way_ ? end_of(entries_.front()) : recorded_);
  if (expected && under_way_) {
    recorded_lines_ += lines_of(entries_.front());
    entries_.pop_front();
  }
  if (!expected) {
    const bool comparable = checkpoint.generation == recorded_.generation;
    if (comparable) recorded_lines_ += checkpoint.line_no - recorded_.line_no;
    entries_.clear();
    found_.clear();
    reached_ = checkpoint;
  }
  under_way_ = false;
  recorded_ = checkpoint;
  return expected;
}

bool Outbox::full(const Limits& limits) const {
  if (entries_.size() >= kEntriesAtMost) return true;
  return !entries_.empty() && entries_.back().findings.size() >= limits.findings_at_most;
}

std::uint64_t Outbox::lines() const {
  std::uint64_t lines = recorded_lines_;
  for (const RecordOutput& entry : entries_) lines += lines_of(entry);
  return lines;
}

}  // namespace luzia
