#include "projections/rows/json.h"

#include <algorithm>
#include <functional>

#include "projections/rows/agent_text.h"
#include "projections/rows/event_shapes.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/told_rows.h"
#include "projections/rows/unreadable.h"
#include "projections/rows/usage_rows.h"
#include "projections/rows/waiting_text.h"

namespace luzia {
namespace {

void write_actor(JsonObject& object, const schema::Actor* actor) {
  object.begin("actor");
  object.text("kind", actor_kind_name(actor ? actor->kind() : schema::ActorKind::daemon));
  object.number("uid", actor ? actor->uid() : 0U);
  object.text_or_null("name", actor ? actor->name() : nullptr);
  if (actor && !text(actor->device()).empty()) object.text("device", actor->device());
  object.end();
}

void write_evidence(JsonObject& object, const schema::Evidence* evidence) {
  const bool inferred = evidence && evidence->kind() == schema::EvidenceKind::inferred;
  object.begin("evidence");
  object.text("kind", inferred ? "inferred" : "asserted");
  if (inferred) {
    object.number("attempt", evidence->attempt());
    object.number("generation", evidence->generation());
    object.number("log_from", evidence->log_from());
    object.number("log_to", evidence->log_to());
    object.text_or_null("rule", evidence->rule());
  } else {
    for (const std::string_view key : {"attempt", "generation", "log_from", "log_to", "rule"})
      object.at(key).null();
  }
  object.end();
}

void write_progress(JsonObject& object, const view::Progress* progress) {
  if (!progress) return object.at("progress").null();
  object.begin("progress");
  object.optional("percent", progress->percent());
  object.number_or_null("current_step", progress->current_step());
  object.number_or_null("total_steps", progress->total_steps());
  object.text_or_null("step_name", progress->step_name());
  object.end();
}

void write_verdict(JsonObject& object, const view::Job& job) {
  if (job.verdict() == schema::Verdict::none) return object.at("verdict").null();
  object.begin("verdict");
  object.text("status", verdict_name(job.verdict()));
  object.number("findings_count", job.findings_count());
  object.number("recommendations_count", job.recommendations_count());
  object.end();
}

void write_times(JsonObject& object, const view::Job& job, TimeUs now) {
  const bool over = is_terminal(job.state());
  const TimeUs ended = over ? job.ended_us() : 0;
  object.time("queued_at", job.queued_us());
  object.time("started_at", job.started_us());
  object.time("ended_at", ended);
  object.number("queued_us", job.queued_us());
  object.number("started_us", job.started_us());
  object.number("ended_us", ended);
  if (job.started_us() == 0) {
    object.at("elapsed_seconds").null();
  } else {
    object.seconds("elapsed_seconds", std::max<TimeUs>(0, (over ? ended : now) - job.started_us()));
  }
  object.seconds("queue_wait_seconds", queue_wait(job, now));
  object.seconds("human_wait_seconds", human_wait(job, now));
}

/// Null unless it ended badly. What no known problem says is null, but the summary never.
void write_failure(JsonObject& object, const view::Job& job) {
  const std::string summary = failure_summary(job);
  if (summary.empty()) return object.at("failure").null();
  const view::Failure* failure = job.failure();
  const auto part = [failure](const auto member) {
    return failure == nullptr ? std::string_view() : text((failure->*member)());
  };
  object.begin("failure");
  object.text("summary", summary);
  object.text_or_null("test", part(&view::Failure::test));
  object.text_or_null("assertion", part(&view::Failure::assertion));
  object.text_or_null("file", part(&view::Failure::file));
  object.number_or_null("line", failure == nullptr ? 0 : failure->line());
  object.number_or_null("first_line", failure == nullptr ? 0 : failure->first_line());
  object.optional("offset", failure == nullptr ? std::optional<std::uint64_t>() : failure->offset());
  object.text_or_null("issue", part(&view::Failure::issue));
  object.number("others", failure == nullptr ? 0U : failure->others());
  object.number("folded_issues", failure == nullptr ? 0U : failure->folded());
  object.end();
}

void write_end(JsonObject& object, const view::Job& job) {
  const bool over = is_terminal(job.state());
  object.optional("exit_code", job.exit_code());
  if (const auto verified = job.verified()) {
    object.boolean("verified", *verified);
  } else {
    object.at("verified").null();
  }
  object.number_or_null("signal", job.signal());
  object.text_or_null("reason", over ? end_reason_name(job.reason()) : std::string_view{});
  object.text_or_null("reason_text", end_text(job));
  object.boolean("retriable", job.retriable());
  write_failure(object, job);
}

void write_reported(JsonObject& object, const view::Reported* said) {
  if (said == nullptr) return;
  object.begin("reported");
  object.text_or_null("task_id", said->task_id());
  object.text_or_null("project", said->project());
  object.text_or_null("description", said->description());
  object.number_or_null("estimated_duration_seconds", said->estimated_seconds());
  object.number_or_null("elapsed_seconds", said->elapsed_seconds());
  object.optional("estimated_remaining_seconds", said->remaining_seconds());
  object.text_or_null("reason", said->reason());
  object.number_or_null("queue_position", said->queue_position());
  object.strings("queue_ahead", said->queue_ahead());
  object.number_or_null("estimated_wait_seconds", said->estimated_wait_seconds());
  object.text_or_null("warning_type", said->warning_type());
  object.text_or_null("recommendation", said->recommendation());
  object.text_or_null("alert", said->alert());
  if (!text(said->alert()).empty()) object.text("alert_severity", severity_name(said->alert_severity()));
  object.number("retry_count", said->retry_count());
  object.boolean("retriable", said->retriable());
  object.end();
}

void write_todo(JsonObject& object, const view::Job& job) {
  if (!job.todo()) return object.strings("todo", std::vector<std::string>());
  object.objects("todo", *job.todo(), [](JsonObject& object, const auto* item) {
    object.text("text", item->text());
    object.text("status", schema::EnumNameTodoStatus(item->status()));
  });
}

/// What the agent reported about its own work.
void write_agent(JsonObject& object, const view::Job& job) {
  const bool said = job.outcome() != schema::AgentOutcome::none;
  object.text_or_null("outcome", said ? agent_outcome_name(job.outcome()) : std::string_view{});
  object.text_or_null("outcome_text", job.outcome_text());
  object.number("tool_calls", job.tool_calls());
  object.number("tool_failures", job.tool_failures());
  object.number("tool_denials", job.tool_denials());
  object.number("agent_retries", job.agent_retries());
  write_todo(object, job);
  object.text_or_null("limit", job.limit());
  std::vector<std::string> reached;
  if (!text(job.limit()).empty()) reached.emplace_back(text(job.limit()));
  object.strings("limits_reached", reached);
}

void write_resources(JsonObject& object, const view::Job& job) {
  object.begin("output");
  object.number("bytes", job.output_bytes());
  object.number("lines", job.output_lines());
  object.end();
  object.number("warnings", job.warnings());
  object.number("errors", job.errors());
  object.number("issues", job.issues());
  object.number("findings_omitted", job.findings_omitted());
  object.number("questions_open", job.questions_open());
  object.number("approvals_open", job.approvals_open());
  object.text_or_null("last_warning", job.last_warning());
  object.text_or_null("session_id", job.session_id());
  object.text_or_null("model", job.model());
  write_tokens(object, job.tokens());
  object.optional("cost_usd", job.cost_usd());
  if (job.usage_partial()) object.boolean("usage_partial", true);
  write_agent(object, job);
  write_verdict(object, job);
  object.seconds("user_seconds", job.user_us());
  object.seconds("system_seconds", job.system_us());
  object.number("max_rss_kib", job.max_rss_kib());
  if (!text(job.sandbox()).empty()) object.text("sandbox", job.sandbox());
  if (job.resident_kib() > 0) object.number("resident_kib", job.resident_kib());
}

/// Of a Waiting or a QueueEntry.
void write_estimate(JsonObject& object, const auto& row) {
  if (const auto wait = row.estimated_wait_ms()) {
    object.number("estimated_wait_seconds", static_cast<double>(*wait) / 1000);
  } else {
    object.at("estimated_wait_seconds").null();
  }
}

void write_waiting(JsonObject& object, const view::Waiting& waiting, TimeUs now) {
  object.begin("waiting");
  object.text("for", view::EnumNameWaitsFor(waiting.what()));
  object.strings("subjects", waiting.subjects());
  object.number_or_null("limit", waiting.limit());
  object.time("until", waiting.until_us());
  object.number("queue_position", waiting.position());
  object.number("ahead", waiting.ahead());
  object.strings("first_ahead", waiting.first_ahead());
  write_estimate(object, waiting);
  object.text("text", waiting_text(waiting, now));
  object.end();
}

/// queue_position, queue_ahead and estimated_wait_seconds of a list's row; null if not known.
void write_place(JsonObject& object, const view::QueueEntry* entry) {
  if (entry != nullptr && entry->place() != 0) {
    object.number("queue_position", entry->place());
    object.strings("queue_ahead", entry->first_ahead());
    return write_estimate(object, *entry);
  }
  for (const char* key : {"queue_position", "queue_ahead", "estimated_wait_seconds"}) object.at(key).null();
}

/// What keeps a queued job from starting; null if not known.
void write_reason(JsonObject& object, const view::Waiting* waiting, const view::QueueEntry* entry,
                  TimeUs now) {
  if (waiting != nullptr) {
    object.number("queue_position", waiting->position());
    object.strings("queue_ahead", waiting->first_ahead());
    write_estimate(object, *waiting);
    object.text_or_null("blocked_by", blocked_by(*waiting));
    object.text_or_null("blocked_why", waiting_text(*waiting, now));
    return;
  }
  write_place(object, entry);
  object.text_or_null("blocked_by", entry == nullptr ? std::string_view() : text(entry->blocked_by()));
  object.text_or_null("blocked_why", entry == nullptr ? std::string_view() : text(entry->blocked_why()));
}

/// Left out if nothing is limited; null: that is not limited.
void write_limits(JsonObject& object, const schema::AttemptLimits* limits) {
  if (limits == nullptr) return;
  object.begin("limits");
  object.number_or_null("memory_bytes", limits->memory_bytes());
  object.number_or_null("cpu_percent", limits->cpu_percent());
  object.number_or_null("processes", limits->processes());
  object.number_or_null("disk_bytes", limits->disk_bytes());
  object.end();
}

}  // namespace

std::string event_json(const schema::Event& event) {
  JsonObject object{512};
  object.number("position", event.position());
  object.text("stream", event.stream());
  object.number("version", event.version());
  object.text("time", format_rfc3339(event.time_us()));
  object.number("time_us", event.time_us());
  object.text("type", event_type(event));
  write_actor(object, event.actor());
  object.number_or_null("cause", event.cause());
  write_evidence(object, event.evidence());
  object.text_or_null("command_id", event.command_id());
  object.text("site", event.site());
  write_fact(object.at("data"), static_cast<std::uint8_t>(event.payload_type()), event.payload());
  return object.take();
}

std::string job_json(const view::Job& job, TimeUs now, const view::Waiting* waiting,
                     const view::QueueEntry* entry) {
  JsonObject object{1536};
  object.text("id", job.id());
  object.text("project", job.project());
  object.text("task", job.task());
  if (!text(job.task_error()).empty()) object.text("task_error", job.task_error());
  if (!text(job.message()).empty()) object.text("message", job.message());
  if (is_unreadable(text(job.message()), job.message_text())) object.text("message_error", kTextUnreadable);
  write_told(object, job);
  object.text("agent", job.agent());
  object.text("user", job.user());
  object.text("state", state_name(job.state()));
  object.text("a2a_state", a2a_state(job.state()));
  if (job.tracked()) object.boolean("tracked", true);
  if (!text(job.log()).empty()) object.text("log", job.log());
  object.number("attempt", job.attempt());
  object.number("attempts", job.attempts());
  if (is_foreign(job)) {
    object.at("priority").null();
  } else {
    object.number("priority", job.priority());
  }
  object.strings("tags", job.tags());
  if (!text(job.own_agent()).empty()) object.text("own_agent", job.own_agent());
  if (!text(job.enqueued_by()).empty()) object.text("enqueued_by", job.enqueued_by());
  if (!text(job.skill_match()).empty()) object.text("skill_match", job.skill_match());
  write_end(object, job);
  write_times(object, job, now);
  object.number_or_null("pid", job.pid());
  write_progress(object, job.progress());
  write_reported(object, job.reported());
  object.text_or_null("last_line", job.last_line());
  write_resources(object, job);
  object.text_or_null("flow", job.flow());
  object.text_or_null("step", job.step());
  object.text_or_null("parent_job", job.parent_job());
  object.text_or_null("schedule", job.schedule());
  object.strings("after", job.after());
  object.text("dir", job.dir());
  object.text("working_dir", job.working_dir());
  object.text_or_null("snapshot", job.snapshot());
  object.text_or_null("worktree", job.worktree());
  object.boolean("held", job.held());
  object.boolean("paused", job.paused());
  object.boolean("stopping", job.stopping());
  object.number_or_null("estimate_ms", job.estimate_ms());
  object.number_or_null("timeout_ms", job.timeout_ms());
  write_limits(object, job.limits());
  object.time("not_before", job.not_before_us());
  object.time("parked_until", job.parked_until_us());
  if (job.removed_us() != 0) object.time("removed_at", job.removed_us());
  if (job.files_gone_us() != 0) {
    object.text("files_removed", job.dir_gone() ? "directory" : "output");
    object.time("files_removed_at", job.files_gone_us());
    object.text_or_null("files_removed_rule", job.files_gone_rule());
  }
  write_reason(object, waiting, entry, now);
  if (waiting != nullptr) write_waiting(object, *waiting, now);
  object.number("position", job.position());
  return object.take();
}

std::string queue_entry_json(const view::QueueEntry& entry) {
  JsonObject object;
  object.number("position", entry.position());
  object.text("job", entry.job());
  object.text("project", entry.project());
  object.text("agent", entry.agent());
  object.number("priority", entry.priority());
  object.time("queued_at", "queued_us", entry.queued_us());
  object.boolean("held", entry.held());
  object.strings("after", entry.after());
  object.text_or_null("blocked_by", entry.blocked_by());
  object.text_or_null("blocked_why", entry.blocked_why());
  write_place(object, &entry);
  return object.take();
}

std::string hook_json(const view::HookCursor& hook, Position end) {
  JsonObject object;
  object.text("name", hook.hook());
  object.number("position", hook.position());
  object.number("lag", end - std::min(end, hook.position()));
  object.number("delivered", hook.delivered());
  object.number("given_up", hook.given_up());
  object.number("suppressed", hook.suppressed());
  object.time("last", "last_us", hook.last_us());
  object.text_or_null("last_failure", hook.last_failure());
  object.time("last_failed", "last_failed_us", hook.failed_us());
  return object.take();
}

std::string why_json(const std::vector<const schema::Event*>& events, Position position,
                     const view::Waiting* waiting, TimeUs now) {
  JsonObject object;
  object.array("events", events, [](const schema::Event* event) { return event_json(*event); });
  object.number("position", position);
  object.at("next").null();
  write_reason(object, waiting, nullptr, now);
  return object.take();
}

std::string list_json(std::string_view plural, const std::vector<std::string>& objects, Position position,
                      std::string_view next) {
  JsonObject list;
  list.array(plural, objects, std::identity());
  list.number("position", position);
  list.text_or_null("next", next);
  return list.take();
}

std::string error_json(const Error& error) {
  JsonObject object;
  object.begin("error");
  object.text("code", error.code);
  object.text("message", error.message);
  object.text_or_null("hint", error.hint);
  object.end();
  return object.take();
}

}  // namespace luzia
