// Brings decided events into the open group of the log. Stages the events of one command, so that all of them
// can still be refused, then appends them. Loop thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/commit/committer.h"
#include "engine/core/command.h"
#include "engine/core/history.h"

namespace luzia {

/// One event ready for the log, and the job or flow it belongs to (null: another stream).
struct StagedEvent {
  std::string encoded;
  std::vector<Blob> blobs;
  JobState* job;
  Flow* flow = nullptr;  // set if the event belongs to a flow
  // The unpacked fact if it is a JobQueued: saves unpacking it again.
  std::optional<schema::JobQueuedT> queued = {};
};

class GroupWriter {
 public:
  /// Updates the state with an event that is appended at this position.
  using Take = std::function<void(StagedEvent&, Position)>;
  /// `committer` and `history` must outlive it.
  GroupWriter(std::string site, Committer& committer, History& history, Take take)
      : site_(std::move(site)), committer_(committer), history_(history), take_(std::move(take)) {}

  /// `version` 0: use the stream's next one (streams of jobs, flows, learning and schedules pass theirs).
  /// Errors: `event_too_large`, `prompt_too_large` (usage), `invalid_event` (trouble): verify_event() refuses
  /// it.
  Status stage(const CommandMeta& meta, NewEvent event, std::uint64_t version, JobState* job,
               std::vector<StagedEvent>& staged, Flow* flow = nullptr);
  /// Error `command_too_large` (usage): an all-or-nothing command must fit one group.
  static Status fits_one_group(const std::vector<StagedEvent>& staged);
  /// Adds all staged events to one group: they become durable together or not at all.
  void append(std::vector<StagedEvent>& staged);
  Position next_position() const { return committer_.next_position(); }
  Position last_decided() const { return committer_.next_position() - 1; }
  /// Hands the open group to the commit thread.
  void flush() { committer_.flush(); }

 private:
  std::string site_;
  Committer& committer_;
  History& history_;
  Take take_;
  // Of streams other than jobs', flows', learning's and schedules'.
  std::unordered_map<std::string, std::uint64_t> versions_;
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace luzia
