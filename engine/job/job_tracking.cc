// decide: work that Luzia did not start: how it is put under watch, and how that ends.
#include "engine/job/job_tracking.h"

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/job/finding_limits.h"

namespace luzia {

using schema::EndReason;
using St = schema::JobState;

namespace {

Status check_task_id(const std::string& id) {
  constexpr std::size_t kMostBytes = 100;
  const auto bad = [](const char* why) {
    return fail(ErrorKind::usage, "bad_field", std::string("task_id ") + why);
  };
  if (id.empty() || id.size() > kMostBytes) return bad("must have 1 to 100 bytes");
  if (has_control_characters(id)) return bad("has control characters");
  return {};
}

tl::unexpected<Error> refuse_known(const std::string& job) {
  return fail(ErrorKind::refused, "job_exists", "job " + job + " exists already");
}

NewEvent tracked(schema::JobTrackedT fact, const Blob& prompt) {
  const std::string job = fact.job;
  fact.prompt = std::make_unique<schema::BlobRefT>(blob_ref(prompt));
  NewEvent event = job_event(job, std::move(fact));
  event.blobs.push_back(prompt);
  return event;
}

/// Also reports how many findings in its log were only counted.
void add_end(const JobState& state, St end_state, EndReason reason, const std::string& detail,
             const std::string& last_line, Events& events) {
  report_omitted(state, events);
  schema::JobEndedT end;
  end.state = end_state;
  end.reason = reason;
  end.detail = detail;
  end.attempt = state.attempt;
  end.last_line = last_line;
  events.push_back(job_event(state.job, std::move(end)));
}

}  // namespace

void add_published_end(const JobState& state, const PublishReport& command, Events& events) {
  const auto* failed = command.report.AsTaskFailed();
  if (failed == nullptr && command.report.AsTaskCompleted() == nullptr) return;
  add_end(state, failed != nullptr ? St::failed : St::completed, EndReason::published,
          failed != nullptr ? failed->error : std::string(), command.last_line, events);
}

Decided decide_command(const JobState& state, const TrackTask& command, TimeUs /*now*/) {
  if (!state.job.empty()) return refuse_known(command.job);
  auto started = domain_fact(schema::TaskStartedT(command.started));
  LUZIA_TRY(check_task_id(command.task_id));
  LUZIA_TRY(check_report(started));
  schema::JobTrackedT fact;
  fact.job = command.job;
  fact.spec = std::make_unique<schema::JobSpecT>(command.spec);
  fact.task_id = command.task_id;
  Events events = one(tracked(std::move(fact), command.prompt));
  events.push_back(job_event(command.job, std::move(started)));
  return events;
}

Decided decide_command(const JobState& state, const TrackWork& command, TimeUs /*now*/) {
  if (!state.job.empty()) return refuse_known(command.fact.job);
  if (command.fact.pid == 0 && command.fact.log.empty()) {
    return fail(ErrorKind::usage, "nothing_to_track", "neither a process nor a log file is named",
                "luzia track PID, or luzia track --log FILE");
  }
  return one(tracked(command.fact, command.prompt));
}

Decided decide_command(const JobState& state, const ReportTrackedGone& command, TimeUs /*now*/) {
  if (!is_watched(state) || is_terminal(state.state)) return Events{};
  Events events;
  add_end(state, St::lost, EndReason::process_gone, command.detail, command.last_line, events);
  auto evidence = std::make_unique<schema::EvidenceT>();
  evidence->kind = schema::EvidenceKind::inferred;
  evidence->attempt = state.attempt;
  evidence->rule = "process-gone";
  events.back().evidence = std::move(evidence);
  return events;
}

Decided decide_command(const JobState& state, const UntrackJob& command, TimeUs /*now*/) {
  if (is_terminal(state.state)) return refuse_ended(state, "stop watching");
  if (!is_watched(state)) {
    return fail(ErrorKind::refused, "not_watched",
                "cannot stop watching job " + state.job + ": " +
                    (state.tracked ? "it is known by what is published alone" : "Luzia started it"),
                state.tracked ? hint_for_tracked(state) : "luzia cancel " + state.job + " stops it");
  }
  Events events;
  // Rows say cancelled (job_state.h).
  add_end(state, St::killed, EndReason::untracked, command.note, command.last_line, events);
  return events;
}

}  // namespace luzia
