#include "engine/core/job_commands.h"

#include <set>

#include "engine/base/batch_place.h"

namespace luzia {

Result<JobState*> JobCommands::job_of(ToJob& item, Draft& draft) {
  auto* queue = std::get_if<QueueJob>(&item.command);
  if (queue == nullptr) {
    auto known = books_.jobs.to_change(item.job);
    if (!begins_job(item.command) || known || known.error().code != "no_such_job") return known;
  }
  if (no_new_) return tl::unexpected(*no_new_);
  if (queue != nullptr) queue->after = LUZIA_TRY(books_.dependants.open_ones(queue->after));
  const auto [job, added] = books_.jobs.add(item.job);
  if (added) draft.created.push_back(item.job);
  return job;
}

Status JobCommands::stage(const CommandMeta& meta, ToJob& item, Draft& draft) {
  JobState* job = LUZIA_TRY(job_of(item, draft));
  const bool lets_go_on =
      std::holds_alternative<ResumeJob>(item.command) || std::holds_alternative<RetryJob>(item.command);
  if (std::holds_alternative<RemoveJob>(item.command) || std::holds_alternative<ExpireFiles>(item.command)) {
    LUZIA_TRY(books_.flows.may_remove(*job));
  }
  auto events = LUZIA_TRY(decide(*job, std::move(item.command), meta.now));
  books_.queue.note_agent_limit(*job, events, lets_go_on, draft.agent_facts);
  FlowNotes flow_notes = FlowBook::notes_for(*job, events);
  std::uint64_t version = job->version;
  CommandMeta its = meta;
  if (its.cause == 0) its.cause = job->lifecycle_position;
  for (NewEvent& event : events) {
    LUZIA_TRY(books_.writer.stage(its, std::move(event), ++version, job, draft.staged));
    // Later events of the command are caused by its first one.
    if (version == job->version + 1) its.cause = books_.writer.next_position() + draft.staged.size() - 1;
  }
  if (!events.empty()) draft.changed.push_back(job);
  return books_.flows.stage_notes(its, std::move(flow_notes), draft.staged, draft.flows);
}

namespace {

/// Says which job of a batch was refused. Ids are not named, because no job of the batch is created.
Error refusal_in_batch(Error error, const std::vector<ToJob>& commands, std::size_t at) {
  const bool is_one_of_many = commands.size() > 1 && std::holds_alternative<QueueJob>(commands[at].command);
  if (!is_one_of_many || error.kind == ErrorKind::trouble) return error;
  for (std::size_t before = 0; before < at; ++before) {
    const std::string& id = commands[before].job;
    error.message = replaced(std::move(error.message), "job " + id, batch_place(before + 1));
    if (error.hint.find(id) != std::string::npos) error.hint = "take one of the two out";
  }
  return in_batch(std::move(error), at + 1);
}

}  // namespace

Result<Outcome> JobCommands::run(const CommandMeta& meta, std::vector<ToJob>& commands, const Also& also) {
  Outcome outcome;
  Draft draft;
  std::set<std::string_view> seen;
  Status staged;
  for (ToJob& item : commands) {
    if (!seen.insert(item.job).second) continue;
    const bool imports = std::holds_alternative<ImportJob>(item.command);
    const std::size_t changed_before = draft.changed.size();
    staged = stage(meta, item, draft);
    if (!staged) {
      const auto at = static_cast<std::size_t>(&item - commands.data());
      staged = tl::unexpected(refusal_in_batch(staged.error(), commands, at));
      break;
    }
    // Of imported jobs, name only the new ones.
    if (!imports || draft.changed.size() > changed_before) outcome.ids.push_back(item.job);
  }
  if (staged && also) staged = also(draft.staged);
  if (staged) staged = GroupWriter::fits_one_group(draft.staged);
  // Last of all that can be refused, because staging a queue fact uses up a version of its stream.
  if (staged) staged = books_.queue.stage_agent_facts(meta, draft.agent_facts, draft.staged);
  if (!staged) {
    books_.jobs.drop(draft.created);
    return tl::unexpected(staged.error());
  }
  const Position first = books_.writer.next_position();
  books_.writer.append(draft.staged);
  books_.queue.take_agent_facts(draft.agent_facts, meta.now);
  books_.flows.after_changes(draft.flows);
  for (JobState* job : draft.changed) {
    // An effect can be due only after a change of the lifecycle: not after output or a report.
    if (job->lifecycle_position >= first) changed_(*job, meta.now);
  }
  books_.queue.note_outcomes(meta.now);
  outcome.position = books_.writer.last_decided();
  return outcome;
}

bool JobCommands::run_own(const std::string& job, JobCommand command, TimeUs now, Position cause) {
  CommandMeta meta = by_daemon(now, cause);
  auto commands = to_one_job(job, std::move(command));
  const auto done = run(meta, commands);
  books_.refusals.note("job/" + job, done ? Status() : tl::unexpected(done.error()));
  return done.has_value();
}

}  // namespace luzia
