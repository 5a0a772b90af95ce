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
  return seconds_value(queue_wait(job, as_of));
}

/// Null if no known problem says why it failed.
template <auto kMember>
ExportValue of_failure(const Job& job, TimeUs) {
  return job.failure() ? plain_value(std::invoke(kMember, *job.failure())) : ExportValue();
}

constexpr ExportField<Job> kWhatJobIs[] = {
    {{"id", kText, "Id of the job.", "JOB"}, as_is<&Job::id>},
    {{"project", kText, "Project that it was dispatched to."}, as_is<&Job::project>},
    {{"agent", kText, "Agent that does it."}, as_is<&Job::agent>},
    {{"user", kText, "Account that it runs as."}, as_is<&Job::user>},
    {{"state", kText,
      "queued, starting, running, waiting, parked, completed, failed, killed, timed_out, lost, skipped or "
      "cancelled."},
     as_named<&Job::state, state_name>},
    {{"reason", kText, "Why it ended: exit_code, signal, cancelled, timed_out, ..."},
     [](const Job& job, TimeUs) {
       return is_terminal(job.state()) ? plain_value(end_reason_name(job.reason())) : ExportValue();
     }},
    {{"reason_detail", kText, "What was recorded beside the reason.", "DETAIL"}, as_is<&Job::reason_detail>},
    {{"exit_code", kInteger, "Of the last attempt's process."}, as_is<&Job::exit_code>},
    {{"verified", kText, "proved or refuted by the checks of its work, or unproved: none ran."},
     [](const Job& job, TimeUs) {
       return is_terminal(job.state()) ? plain_value(proof_name(job)) : ExportValue();
     }},
    {{"signal", kInteger, "That ended the last attempt's process."}, as_some<&Job::signal>},
    {{"attempts", kInteger, "How often it was started."}, as_is<&Job::attempts>},
    {{"priority", kInteger, "0 to 9, 9 first; imported jobs have none."},
     [](const Job& job, TimeUs) { return is_foreign(job) ? ExportValue() : plain_value(job.priority()); }},
    {{"tags", kText, "With commas between."}, as_is<&Job::tags>},
    {{"task", kText, "The dispatched task, at most 4,096 bytes of it."},
     [](const Job& job, TimeUs) { return plain_value(shown_task(job)); }},
    {{"queued_at", kText, "RFC 3339, UTC."}, as_time<&Job::queued_us>},
    {{"started_at", kText, "Start of the last attempt, RFC 3339, UTC."}, as_time<&Job::started_us>},
    {{"ended_at", kText, "RFC 3339, UTC."}, [](const Job& job, TimeUs) { return time_value(end_of(job)); }},
    {{"queued_us", kInteger, "Microseconds since 1970 UTC."}, as_some<&Job::queued_us>},
    {{"started_us", kInteger, "Microseconds since 1970 UTC."}, as_some<&Job::started_us>},
    {{"ended_us", kInteger, "Microseconds since 1970 UTC."},
     [](const Job& job, TimeUs) { return count_or_none(end_of(job)); }},
    {{"queue_wait_seconds", kReal, "From dispatch to the first start."}, queue_wait_value},
    {{"elapsed_seconds", kReal, "Of the last attempt by the clock, waits for people and pauses with it.",
      "TIME"},
     elapsed_value},
    {{"human_wait_seconds", kReal, "That it waited for people, over all attempts."},
     [](const Job& job, TimeUs as_of) { return seconds_value(human_wait(job, as_of)); }},
    {{"user_seconds", kReal, "Processor time of the last attempt in user mode."}, as_seconds<&Job::user_us>},
    {{"system_seconds", kReal, "Processor time of the last attempt in the kernel."},
     as_seconds<&Job::system_us>},
    {{"max_rss_kib", kInteger, "Most memory that a process of the last attempt used."},
     as_some<&Job::max_rss_kib>},
    {{"output_bytes", kInteger, "Of the last attempt."}, as_is<&Job::output_bytes>},
    {{"output_lines", kInteger, "Of the last attempt."}, as_is<&Job::output_lines>},
    {{"last_line", kText, "Last line of output that is not blank."}, as_is<&Job::last_line>},
    {{"warnings", kInteger, "Of the last attempt."}, as_is<&Job::warnings>},
    {{"errors", kInteger, "Of the last attempt."}, as_is<&Job::errors>},
    {{"issues", kInteger, "Known problems seen in the last attempt."}, as_is<&Job::issues>},
    {{"session_id", kText, "Of the agent."}, as_is<&Job::session_id>},
    {{"model", kText, "That the agent named last."}, as_is<&Job::model>},
    {{"input_tokens", kInteger, "Over all attempts, as the next three."},
     as_part<&Job::tokens, &view::Tokens::input>},
    {{"output_tokens", kInteger, "Tokens that the model wrote."},
     as_part<&Job::tokens, &view::Tokens::output>},
    {{"cache_read_tokens", kInteger, "Tokens that came from a cache."},
     as_part<&Job::tokens, &view::Tokens::cache_read>},
    {{"cache_write_tokens", kInteger, "Tokens that went into a cache."},
     as_part<&Job::tokens, &view::Tokens::cache_write>},
    {{"cost_usd", kReal, "What the agent says that it cost, over all attempts."}, as_is<&Job::cost_usd>},
    {{"verdict", kText, "What the agent published: APPROVED, NEEDS_WORK, REJECTED."},
     [](const Job& job, TimeUs) {
       return job.verdict() == schema::Verdict::none ? ExportValue()
                                                     : plain_value(verdict_name(job.verdict()));
     }},
    {{"outcome", kText, "How the agent said that it ended."},
     [](const Job& job, TimeUs) {
       return job.outcome() == schema::AgentOutcome::none ? ExportValue()
                                                          : plain_value(agent_outcome_name(job.outcome()));
     }},
    {{"tool_calls", kInteger, "Over all attempts, as the next two."}, as_is<&Job::tool_calls>},
    {{"tool_failures", kInteger, "Calls of tools that failed."}, as_is<&Job::tool_failures>},
    {{"tool_denials", kInteger, "Calls of tools that were denied."}, as_is<&Job::tool_denials>},
    {{"flow", kText, "Flow that it is of."}, as_is<&Job::flow>},
    {{"step", kText, "Step of that flow."}, as_is<&Job::step>},
    {{"parent_job", kText, "Job that dispatched it."}, as_is<&Job::parent_job>},
    {{"schedule", kText, "Schedule that dispatched it."}, as_is<&Job::schedule>},
    {{"dir", kText, "Job directory."}, as_is<&Job::dir>},
    {{"retriable", kInteger, "1: another attempt may succeed."}, as_is<&Job::retriable>},
    {{"a2a_state", kText, "The state in the words of the A2A protocol."}, as_named<&Job::state, a2a_state>},
    {{"attempt", kInteger, "The present or last one."}, as_is<&Job::attempt>},
    {{"pid", kInteger, "Process of the attempt that runs."}, as_some<&Job::pid>},
    {{"percent", kReal, "Progress that the agent reported.", "DONE"},
     [](const Job& job, TimeUs) {
       const auto* progress = job.progress();
       const auto percent = progress ? progress->percent() : flatbuffers::nullopt;
       return percent ? ExportValue(*percent) : ExportValue();
     }},
    {{"failure", kText, "Why it failed: the first cause in its output, else why it ended and the last line."},
     [](const Job& job, TimeUs) { return plain_value(failure_summary(job)); }},
    {{"failure_test", kText, "The first test that failed."}, of_failure<&view::Failure::test>},
    {{"failure_assertion", kText, "What that test expected."}, of_failure<&view::Failure::assertion>},
    {{"failure_line", kInteger, "Line of the output that says so, from 1."},
     of_failure<&view::Failure::first_line>},
    {{"failure_offset", kInteger, "Where that line begins in the output, in bytes."},
     of_failure<&view::Failure::offset>},
    {{"failure_issue", kText, "Fingerprint of the known problem."}, of_failure<&view::Failure::issue>},
    {{"failure_others", kInteger, "Further tests that failed, as far as the output says."},
     of_failure<&view::Failure::others>},
};

}  // namespace

Table jobs_data(const std::vector<const Job*>& jobs, TimeUs now) {
  return data_table(kWhatJobIs, jobs, now);
}

ExportTable jobs_export_table() {
  return table_of<Job, kWhatJobIs>("jobs", "Every job, as it stands.", wire::View::jobs, 1,
                                   {"project", "state", "agent", "queued_us", "ended_us"});
}

}  // namespace luzia
