// What was read of one job and is not in the log yet: merges stretches, decides when one is worth an event,
// and holds the next back until the one before is recorded. Of a kind of finding of which the log takes no
// more (engine/job/finding_limits.h) only the number is handed on, and nothing hurries. Pure; loop thread.
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
    std::size_t findings_at_most = 256;  // waiting; reading pauses above it
  };

  /// `recorded`: what the log holds, `lines` how many lines with it.
  Outbox(std::uint32_t attempt, schema::CheckpointT recorded, std::uint64_t lines, TimeUs now);

  void add(ScanResult& result);  // takes findings and restart out of it

  /// The next stretch to hand on, if one is due and none is under way. `flush`: whatever waits is due.
  std::optional<RecordOutput> take(const Limits& limits, TimeUs now, bool flush);

  /// What the log holds now. False: not what was sent, so everything that waited was thrown away and reading
  /// starts again from `checkpoint`.
  bool recorded(const schema::CheckpointT& checkpoint);

  bool empty() const { return entries_.empty(); }
  /// Too much waits to be recorded: read on when some of it is.
  bool full(const Limits& limits) const;
  /// Lines in the log and waiting.
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
  /// By kind, since the log's state was last taken up. The log itself counts what it has.
  std::map<std::string_view, std::uint64_t> found_;
  bool under_way_ = false;  // entries_.front() was taken
  TimeUs last_taken_;
};

}  // namespace luzia
