// Writes events to a log in groups; gives them versions, positions and times as a daemon would.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/log/event_log.h"

namespace luzia::test {

constexpr TimeUs kEpoch = 1'767'225'600'000'000;  // 2026-01-01T00:00:00Z

struct Source {
  std::string command_id = {};
  std::uint32_t uid = 1000;
  std::string name = {};
  schema::ActorKind kind = schema::ActorKind::person;
  Position cause = 0;
  std::string digest = {};
};

class LogWriter {
 public:
  explicit LogWriter(EventLog& log) : log_(log), open_(log.tip().position + 1) {}

  TimeUs now = kEpoch;

  /// Adds an event to the open group. The result stays valid until the next add.
  const schema::Event& add(NewEvent event, const Source& source = {}) {
    schema::EventT envelope;
    envelope.site = "here";
    envelope.position = open_.next_position();
    envelope.stream = event.stream;
    envelope.version = ++versions_[event.stream];
    envelope.time_us = now;
    envelope.command_id = source.command_id;
    envelope.cause = source.cause;
    envelope.actor = std::make_unique<schema::ActorT>();
    envelope.actor->kind = source.kind;
    envelope.actor->uid = source.uid;
    envelope.actor->name = source.name;
    envelope.evidence = std::move(event.evidence);
    envelope.payload = std::move(event.payload);
    envelope.command_digest.assign(source.digest.begin(), source.digest.end());
    builder_.Clear();
    builder_.Finish(schema::Event::Pack(builder_, &envelope), schema::EventIdentifier());
    for (Blob& blob : event.blobs) open_.add_blob(envelope.position, std::move(blob));
    open_.add({builder_.GetBufferPointer(), builder_.GetSize()});
    return *schema::GetEvent(builder_.GetBufferPointer());
  }
  /// Adds the event, `later` microseconds after the last one, as a group of its own.
  Position write(TimeUs later, NewEvent event, const Source& source = {}) {
    now += later;
    const Position position = add(std::move(event), source).position();
    commit();
    return position;
  }
  std::shared_ptr<const Group> commit() {
    if (open_.empty()) return nullptr;
    auto group = log_.append(open_);
    EXPECT_TRUE(group) << group.error().message;
    open_ = PendingGroup(log_.tip().position + 1);
    return group ? *group : nullptr;
  }
  std::uint32_t open_events() const { return open_.count(); }

 private:
  EventLog& log_;
  PendingGroup open_;
  std::map<std::string, std::uint64_t> versions_;
  flatbuffers::FlatBufferBuilder builder_;
};

/// JobQueued with only its required fields; the task is in its blob.
inline NewEvent queued(const std::string& job, const std::string& project, const std::string& agent = "shell",
                       const std::string& task = "", std::uint8_t priority = 5) {
  schema::JobQueuedT fact;
  fact.job = job;
  fact.spec = std::make_unique<schema::JobSpecT>();
  fact.spec->project = project;
  fact.spec->agent = agent;
  fact.spec->user = "alice";
  fact.spec->job_dir = "/jobs/" + job;
  fact.priority = priority;
  std::optional<Blob> blob;
  if (!task.empty()) {
    blob = Blob{0, "0123456789abcdef", task};
    fact.prompt = std::make_unique<schema::BlobRefT>(blob_ref(*blob));
  }
  NewEvent event = job_event(job, std::move(fact));
  if (blob) event.blobs.push_back(std::move(*blob));
  return event;
}

inline NewEvent starting(const std::string& job, std::uint32_t attempt = 1) {
  schema::AttemptStartingT fact;
  fact.attempt = attempt;
  fact.boot_id = "boot";
  return job_event(job, std::move(fact));
}

inline NewEvent started(const std::string& job, std::uint32_t attempt = 1, std::uint32_t pid = 4711) {
  schema::AttemptStartedT fact;
  fact.attempt = attempt;
  fact.pid = pid;
  return job_event(job, fact);
}

inline NewEvent attempt_ended(const std::string& job, int exit_code, TimeUs ended, TimeUs wall = kSecondUs,
                              std::uint32_t attempt = 1) {
  schema::AttemptEndedT fact;
  fact.attempt = attempt;
  fact.exit_code = exit_code;
  fact.ended_us = ended;
  fact.wall_us = static_cast<std::uint64_t>(wall);
  return job_event(job, std::move(fact));
}

inline NewEvent ended(const std::string& job, schema::JobState state,
                      schema::EndReason reason = schema::EndReason::exit_code, std::uint32_t attempt = 1) {
  schema::JobEndedT fact;
  fact.state = state;
  fact.reason = reason;
  fact.attempt = attempt;
  return job_event(job, std::move(fact));
}

inline NewEvent warning(const std::string& job, const std::string& message) {
  schema::WarningReportedT fact;
  fact.warning_type = "DURATION_EXCEEDED";
  fact.message = message;
  return job_event(job, std::move(fact));
}

}  // namespace luzia::test
