// Brings decided events into the open group of the log: stages what one command comes to, so that all of it
// can still be refused, then appends it. Loop thread.
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
  Flow* flow = nullptr;                           // the event's, if it is a flow's
  std::optional<schema::JobQueuedT> queued = {};  // the fact once more, if it is this one
};

class GroupWriter {
 public:
  /// Brings the state up to date with an event that is appended at this position.
  using Take = std::function<void(StagedEvent&, Position)>;
  /// All but `site` outlive it.
  GroupWriter(std::string site, Committer& committer, History& history, Take take)
      : site_(std::move(site)), committer_(committer), history_(history), take_(std::move(take)) {}

  /// `version` 0: the next one of a stream that is neither a job's nor a flow's nor a lesson's.
  /// `event_too_large`, `prompt_too_large` (usage).
  Status stage(const CommandMeta& meta, NewEvent event, std::uint64_t version, JobState* job,
               std::vector<StagedEvent>& staged, Flow* flow = nullptr);
  /// `command_too_large` (usage): what is all or nothing has to fit one group.
  static Status fits_one_group(const std::vector<StagedEvent>& staged);
  /// All of it becomes durable together, or none.
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
  std::unordered_map<std::string, std::uint64_t> versions_;  // of streams that are not jobs
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace luzia
