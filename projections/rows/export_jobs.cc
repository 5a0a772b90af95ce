// The table of jobs.
#include <algorithm>

#include "engine/event/job_state.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/names.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

using view::Job;

TimeUs end_of(const Job& job) {
  return is_terminal(job.state()) ? job.ended_us() : 0;
}

ExportValue elapsed_value(const Job& job, TimeUs as_of) {
  if (job.started_us() == 0) return {};
  const TimeUs end = is_terminal(job.state()) ? job.ended_us() : as_of;
  return seconds_value(std::max<TimeUs>(0, end - job.started_us()));
}

ExportValue queue_wait_value(const Job& job, TimeUs as_of) {
  const TimeUs left = job.first_started_us() != 0 ? job.first_started_us()
                      : is_terminal(job.state())  ? job.ended_us()
                                                  : as_of;
  return seconds_value(std::max<TimeUs>(0, left - job.queued_us()));
}

constexpr ExportField<Job> kWhatJobIs[] = {
    {{"id", kText, "Id of the job."}, [](const Job& job, TimeUs) { return text_value(job.id()); }},
    {{"project", kText, "Project that it was dispatched to."},
     [](const Job& job, TimeUs) { return text_value(job.project()); }},
    {{"agent", kText, "Agent that does it."}, [](const Job& job, TimeUs) { return text_value(job.agent()); }},
    {{"user", kText, "Account that it runs as."},
     [](const Job& job, TimeUs) { return text_value(job.user()); }},
    {{"state", kText,
      "queued, starting, running, waiting, parked, completed, failed, killed, timed_out, lost, skipped or "
      "cancelled."},
     [](const Job& job, TimeUs) { return text_value(state_name(job.state())); }},
    {{"reason", kText, "Why it ended: exit_code, signal, cancelled, timed_out, ..."},
     [](const Job& job, TimeUs) {
       return is_terminal(job.state()) ? text_value(end_reason_name(job.reason())) : ExportValue();
     }},
    {{"reason_detail", kText, "What was recorded beside the reason."},
     [](const Job& job, TimeUs) { return text_value(job.reason_detail()); }},
    {{"exit_code", kInteger, "Of the last attempt's process."},
     [](const Job& job, TimeUs) { return job.exit_code() ? count_value(*job.exit_code()) : ExportValue(); }},
    {{"signal", kInteger, "That ended the last attempt's process."},
     [](const Job& job, TimeUs) { return count_or_none(job.signal()); }},
    {{"attempts", kInteger, "How often it was started."},
     [](const Job& job, TimeUs) { return count_value(job.attempts()); }},
    {{"priority", kInteger, "0 to 9, 9 first; imported jobs have none."},
     [](const Job& job, TimeUs) { return is_imported(job) ? ExportValue() : count_value(job.priority()); }},
    {{"tags", kText, "With commas between."}, [](const Job& job, TimeUs) { return list_value(job.tags()); }},
    {{"task", kText, "The dispatched task, at most 4,096 bytes of it."},
     [](const Job& job, TimeUs) { return text_value(shown_task(job)); }},
    {{"queued_at", kText, "RFC 3339, UTC."},
     [](const Job& job, TimeUs) { return time_value(job.queued_us()); }},
    {{"started_at", kText, "Start of the last attempt, RFC 3339, UTC."},
     [](const Job& job, TimeUs) { return time_value(job.started_us()); }},
    {{"ended_at", kText, "RFC 3339, UTC."}, [](const Job& job, TimeUs) { return time_value(end_of(job)); }},
    {{"queued_us", kInteger, "Microseconds since 1970 UTC."},
     [](const Job& job, TimeUs) { return count_or_none(job.queued_us()); }},
    {{"started_us", kInteger, "Microseconds since 1970 UTC."},
     [](const Job& job, TimeUs) { return count_or_none(job.started_us()); }},
    {{"ended_us", kInteger, "Microseconds since 1970 UTC."},
     [](const Job& job, TimeUs) { return count_or_none(end_of(job)); }},
    {{"queue_wait_seconds", kReal, "From dispatch to the first start."}, queue_wait_value},
    {{"elapsed_seconds", kReal, "Of the last attempt by the clock, waits for people and pauses with it."},
     elapsed_value},
    {{"human_wait_seconds", kReal, "That it waited for people, over all attempts."},
     [](const Job& job, TimeUs as_of) { return seconds_value(human_wait(job, as_of)); }},
    {{"user_seconds", kReal, "Processor time of the last attempt in user mode."},
     [](const Job& job, TimeUs) { return seconds_value(job.user_us()); }},
    {{"system_seconds", kReal, "Processor time of the last attempt in the kernel."},
     [](const Job& job, TimeUs) { return seconds_value(job.system_us()); }},
    {{"max_rss_kib", kInteger, "Most memory that a process of the last attempt used."},
     [](const Job& job, TimeUs) { return count_or_none(job.max_rss_kib()); }},
    {{"output_bytes", kInteger, "Of the last attempt."},
     [](const Job& job, TimeUs) { return count_value(job.output_bytes()); }},
    {{"output_lines", kInteger, "Of the last attempt."},
     [](const Job& job, TimeUs) { return count_value(job.output_lines()); }},
    {{"last_line", kText, "Last line of output that is not blank."},
     [](const Job& job, TimeUs) { return text_value(job.last_line()); }},
    {{"warnings", kInteger, "Of the last attempt."},
     [](const Job& job, TimeUs) { return count_value(job.warnings()); }},
    {{"errors", kInteger, "Of the last attempt."},
     [](const Job& job, TimeUs) { return count_value(job.errors()); }},
    {{"issues", kInteger, "Known problems seen in the last attempt."},
     [](const Job& job, TimeUs) { return count_value(job.issues()); }},
    {{"session_id", kText, "Of the agent."},
     [](const Job& job, TimeUs) { return text_value(job.session_id()); }},
    {{"model", kText, "That the agent named last."},
     [](const Job& job, TimeUs) { return text_value(job.model()); }},
    {{"input_tokens", kInteger, "Over all attempts, as the next three."},
     [](const Job& job, TimeUs) { return count_value(job.tokens() ? job.tokens()->input() : 0); }},
    {{"output_tokens", kInteger, "Tokens that the model wrote."},
     [](const Job& job, TimeUs) { return count_value(job.tokens() ? job.tokens()->output() : 0); }},
    {{"cache_read_tokens", kInteger, "Tokens that came from a cache."},
     [](const Job& job, TimeUs) { return count_value(job.tokens() ? job.tokens()->cache_read() : 0); }},
    {{"cache_write_tokens", kInteger, "Tokens that went into a cache."},
     [](const Job& job, TimeUs) { return count_value(job.tokens() ? job.tokens()->cache_write() : 0); }},
    {{"cost_usd", kReal, "What the agent says that it cost, over all attempts."},
     [](const Job& job, TimeUs) { return job.cost_usd() ? ExportValue(*job.cost_usd()) : ExportValue(); }},
    {{"verdict", kText, "What the agent published: APPROVED, NEEDS_WORK, REJECTED."},
     [](const Job& job, TimeUs) {
       return job.verdict() == schema::Verdict::none ? ExportValue()
                                                     : text_value(verdict_name(job.verdict()));
     }},
    {{"outcome", kText, "How the agent said that it ended."},
     [](const Job& job, TimeUs) {
       return job.outcome() == schema::AgentOutcome::none ? ExportValue()
                                                          : text_value(agent_outcome_name(job.outcome()));
     }},
    {{"tool_calls", kInteger, "Over all attempts, as the next two."},
     [](const Job& job, TimeUs) { return count_value(job.tool_calls()); }},
    {{"tool_failures", kInteger, "Calls of tools that failed."},
     [](const Job& job, TimeUs) { return count_value(job.tool_failures()); }},
    {{"tool_denials", kInteger, "Calls of tools that were denied."},
     [](const Job& job, TimeUs) { return count_value(job.tool_denials()); }},
    {{"flow", kText, "Flow that it is of."}, [](const Job& job, TimeUs) { return text_value(job.flow()); }},
    {{"step", kText, "Step of that flow."}, [](const Job& job, TimeUs) { return text_value(job.step()); }},
    {{"parent_job", kText, "Job that dispatched it."},
     [](const Job& job, TimeUs) { return text_value(job.parent_job()); }},
    {{"dir", kText, "Job directory."}, [](const Job& job, TimeUs) { return text_value(job.dir()); }},
    {{"retriable", kInteger, "1: another attempt may succeed."},
     [](const Job& job, TimeUs) { return count_value(job.retriable() ? 1 : 0); }},
    {{"a2a_state", kText, "The state in the words of the A2A protocol."},
     [](const Job& job, TimeUs) { return text_value(a2a_state(job.state())); }},
    {{"attempt", kInteger, "The present or last one."},
     [](const Job& job, TimeUs) { return count_value(job.attempt()); }},
    {{"pid", kInteger, "Process of the attempt that runs."},
     [](const Job& job, TimeUs) { return count_or_none(job.pid()); }},
    {{"percent", kReal, "Progress that the agent reported."},
     [](const Job& job, TimeUs) {
       const auto* progress = job.progress();
       const auto percent = progress ? progress->percent() : flatbuffers::nullopt;
       return percent ? ExportValue(*percent) : ExportValue();
     }},
};

}  // namespace

Table jobs_data(const std::vector<const Job*>& jobs, TimeUs now) {
  return data_table(kWhatJobIs, jobs, now);
}

ExportTable jobs_export_table() {
  return {"jobs",
          "Every job, as it stands.",
          wire::View::jobs,
          columns_of(kWhatJobIs),
          1,
          {"project", "state", "agent", "queued_us", "ended_us"},
          append_one<Job, kWhatJobIs>};
}

}  // namespace luzia
