// Output of one job that was read but is not in the log yet. It merges stretches, decides when one is worth
// an event, and holds the next one back until the previous one is recorded. Once a kind of finding has
// reached the log's limit (engine/job/finding_limits.h), only its count is passed on, and it causes no early
// event. Pure; loop thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>

#include "adapters/output_log/scanner.h"

namespace luzia {

class Outbox {
 public:
  struct Limits {
    std::uint64_t coalesce_bytes;
    TimeUs coalesce_time;
    std::size_t findings_at_most = 256;  // waiting; reading pauses above this
  };

  /// `recorded`: the checkpoint in the log. `lines`: the number of lines up to it.
  Outbox(std::uint32_t attempt, schema::CheckpointT recorded, std::uint64_t lines, TimeUs now);

  void add(ScanResult& result);  // moves findings and restart out of it

  /// The next stretch to record, if one is due and none is under way. `flush`: anything that waits is due.
  std::optional<RecordOutput> take(const Limits& limits, TimeUs now, bool flush);

  /// Takes the checkpoint that the log has now. False: it is not the one that was sent. Then everything that
  /// waited is dropped, and reading restarts from `checkpoint`.
  bool recorded(const schema::CheckpointT& checkpoint);

  bool empty() const { return entries_.empty(); }
  /// Too much waits to be recorded; continue reading when some of it is.
  bool full(const Limits& limits) const;
  /// Lines in the log and lines that wait.
  std::uint64_t lines() const;

 private:
  RecordOutput& open_entry(const ScanResult& result);
  void append(RecordOutput& entry, ScanResult& result);
  void add(RecordOutput& entry, RecordOutput::Finding finding);
  bool is_news(const RecordOutput::Finding& finding) const;
  bool due(const RecordOutput& entry, const Limits& limits, TimeUs now) const;

  std::uint32_t attempt_;
  schema::CheckpointT recorded_;
  std::uint64_t recorded_lines_;
  schema::CheckpointT reached_;  // by the last entry
  std::deque<RecordOutput> entries_;
  /// Counts by kind since this object last started from the log's state. The log counts its own findings
  /// itself.
  std::map<std::string_view, std::uint64_t> found_;
  bool under_way_ = false;  // entries_.front() was taken
  TimeUs last_taken_;
};

}  // namespace luzia
