// publish: reports one of seven kinds of facts about a job, for agents and scripts.
#include <algorithm>
#include <array>

#include "engine/base/characters.h"
#include "engine/base/shell_quote.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/luzia/agents/publish.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/person.h"

namespace luzia {
namespace {

constexpr Option kPublishOptions[] = {
    {"--task-id", ValueKind::text, "ID",
     "task_started, progress, task_completed, warning, task_failed: a task that Luzia did not dispatch"},
    {"--project", ValueKind::text, "NAME",
     "task_started, task_queued, progress, task_completed, warning, task_failed: whose task it is", "",
     Completes::project},
    {"--description", ValueKind::text, "TEXT", "task_started, task_queued"},
    {"--estimated-duration-seconds", ValueKind::real, "S", "task_started"},
    {"--progress-percent", ValueKind::real, "P", "progress, warning: 0 to 100"},
    {"--current-step", ValueKind::number, "N", "progress, warning"},
    {"--total-steps", ValueKind::number, "N", "progress, warning"},
    {"--current-step-name", ValueKind::text, "TEXT", "progress, warning"},
    {"--elapsed-seconds", ValueKind::real, "S", "progress, task_completed, warning, task_failed"},
    {"--estimated-remaining-seconds", ValueKind::real, "S", "progress"},
    {"--findings-count", ValueKind::number, "N", "task_completed"},
    {"--recommendations-count", ValueKind::number, "N", "task_completed"},
    {"--status", ValueKind::choice, "VERDICT", "task_completed: APPROVED, NEEDS_WORK or REJECTED",
     "APPROVED|NEEDS_WORK|REJECTED"},
    {"--reason", ValueKind::text, "TEXT", "task_queued"},
    {"--queue-position", ValueKind::number, "N", "task_queued"},
    {"--queue-ahead", ValueKind::list, "ID", "task_queued"},
    {"--estimated-wait-seconds", ValueKind::real, "S", "task_queued"},
    {"--warning-type", ValueKind::text, "TYPE", "warning: DURATION_EXCEEDED, ..."},
    {"--message", ValueKind::text, "TEXT", "warning, system_alert"},
    {"--recommendation", ValueKind::text, "TEXT", "warning, system_alert"},
    {"--error", ValueKind::text, "TEXT", "task_failed"},
    {"--retry-count", ValueKind::number, "N", "task_failed"},
    {"--retriable", ValueKind::flag, "", "task_failed"},
    {"--alert-type", ValueKind::text, "TYPE", "system_alert: RESOURCE_WARNING, ..."},
    {"--severity", ValueKind::choice, "LEVEL", "system_alert: warning or critical", "warning|critical"},
    {"--expires", ValueKind::duration, "D", "system_alert: without a job, when it ends (default: a day)"},
    {"--attempt", ValueKind::number, "N",
     "report for this attempt (default: $LUZIA_ATTEMPT, else the current one)"},
    {"--command-id", ValueKind::text, "ID", "repeating a command id has no further effect"},
};

std::uint32_t small(const Arguments& args, std::string_view option) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(args.number(option).value_or(0), ~0U));
}

void fill_fact(const Arguments& args, schema::TaskStartedT& fact) {
  fact.task_id = args.text("task-id");
  fact.project = args.text("project");
  fact.description = args.text("description");
  fact.estimated_duration_seconds = args.real("estimated-duration-seconds").value_or(0);
}

void fill_fact(const Arguments& args, schema::ProgressReportedT& fact) {
  const auto percent = args.real("progress-percent");
  const auto remaining = args.real("estimated-remaining-seconds");
  if (percent) fact.progress_percent = *percent;
  fact.current_step = small(args, "current-step");
  fact.total_steps = small(args, "total-steps");
  fact.current_step_name = args.text("current-step-name");
  fact.elapsed_seconds = args.real("elapsed-seconds").value_or(0);
  if (remaining) fact.estimated_remaining_seconds = *remaining;
}

void fill_fact(const Arguments& args, schema::TaskCompletedT& fact) {
  fact.elapsed_seconds = args.real("elapsed-seconds").value_or(0);
  fact.findings_count = small(args, "findings-count");
  fact.recommendations_count = small(args, "recommendations-count");
  const std::string status = args.text("status");
  fact.status = status == "APPROVED"     ? schema::Verdict::APPROVED
                : status == "NEEDS_WORK" ? schema::Verdict::NEEDS_WORK
                : status == "REJECTED"   ? schema::Verdict::REJECTED
                                         : schema::Verdict::none;
}

void fill_fact(const Arguments& args, schema::TaskQueuedT& fact) {
  fact.project = args.text("project");
  fact.description = args.text("description");
  fact.reason = args.text("reason");
  fact.queue_position = small(args, "queue-position");
  fact.queue_ahead = args.list("queue-ahead");
  fact.estimated_wait_seconds = args.real("estimated-wait-seconds").value_or(0);
}

void fill_fact(const Arguments& args, schema::WarningReportedT& fact) {
  fact.warning_type = args.text("warning-type");
  fact.message = args.text("message");
  fact.current_step = small(args, "current-step");
  fact.total_steps = small(args, "total-steps");
  fact.current_step_name = args.text("current-step-name");
  fact.elapsed_seconds = args.real("elapsed-seconds").value_or(0);
  fact.progress_percent = args.real("progress-percent").value_or(0);
  fact.recommendation = args.text("recommendation");
}

void fill_fact(const Arguments& args, schema::TaskFailedT& fact) {
  fact.error = args.text("error");
  fact.elapsed_seconds = args.real("elapsed-seconds").value_or(0);
  fact.retry_count = small(args, "retry-count");
  fact.retriable = args.has("retriable");
}

void fill_fact(const Arguments& args, schema::SystemAlertReportedT& fact) {
  fact.alert_type = args.text("alert-type");
  fact.message = args.text("message");
  fact.recommendation = args.text("recommendation");
  fact.severity =
      args.text("severity") == "critical" ? schema::Severity::critical : schema::Severity::warning;
}

struct Kind {
  std::string_view name;
  void (*fill)(const Arguments&, schema::ReportFactUnion&);
};

template <class Fact>
void fill_kind(const Arguments& args, schema::ReportFactUnion& to) {
  Fact fact;
  fill_fact(args, fact);
  to.Set(std::move(fact));
}

constexpr std::array<Kind, 7> kKinds = {{{"task_started", fill_kind<schema::TaskStartedT>},
                                         {"progress", fill_kind<schema::ProgressReportedT>},
                                         {"task_completed", fill_kind<schema::TaskCompletedT>},
                                         {"task_queued", fill_kind<schema::TaskQueuedT>},
                                         {"warning", fill_kind<schema::WarningReportedT>},
                                         {"task_failed", fill_kind<schema::TaskFailedT>},
                                         {"system_alert", fill_kind<schema::SystemAlertReportedT>}}};

/// Whether `kind` has this field: an option's help begins with the kinds that have it.
bool belongs_to(const Option& option, std::string_view kind) {
  std::string_view kinds = option.help.substr(0, option.help.find(':'));
  for (const std::string& name : split_list(kinds)) {
    if (trimmed(name, " ") == kind) return true;
  }
  return false;
}

bool is_general(const Option& option) {
  return long_name(option) == "attempt" || long_name(option) == "command-id";
}

Status check_fields(const Arguments& args, std::string_view kind) {
  for (const Option& option : kPublishOptions) {
    if (args.has(long_name(option)) && !is_general(option) && !belongs_to(option, kind)) {
      return fail(ErrorKind::usage, "bad_usage",
                  "publishing " + std::string(kind) + ": it has no field --" + std::string(long_name(option)),
                  "luzia publish --help lists the fields of each kind");
    }
  }
  const auto percent = args.real("progress-percent");
  if (percent && *percent > 100) {
    return fail(ErrorKind::usage, "bad_value", "--progress-percent: must be at most 100");
  }
  return {};
}

/// Makes the request about a task that Luzia did not dispatch.
Status name_task(const Arguments& args, const std::string& kind, wire::PublishT& request) {
  request.task_id = args.text("task-id");
  request.project = args.text("project");
  if (kind != "task_started" || !request.project.empty()) return {};
  return fail(ErrorKind::usage, "bad_usage",
              "publishing task_started: no project given for the task '" + request.task_id + "'",
              "luzia publish task_started --task-id ID --project NAME");
}

/// Refuses a named job together with fields that name a task. Inside a job, reports are about that job,
/// whatever they call its task.
Status check_task_fields(const Arguments& args, const std::string& kind) {
  const bool has_its_own = kind == "task_started" || kind == "task_queued";
  if (has_its_own || args.positionals().size() < 2) return {};
  for (const char* field : {"task-id", "project"}) {
    if (!args.has(field)) continue;
    return fail(ErrorKind::usage, "bad_usage",
                "publishing " + kind + ": --" + field + " is for a task without a job",
                "name the job, or the task by --task-id");
  }
  return {};
}

Result<int> run_publish(Invocation& invocation) {
  auto request = LUZIA_TRY(publish_request(invocation.args(), environment_variable("LUZIA_JOB_ID"),
                                           environment_variable("LUZIA_ATTEMPT")));
  if (request.command_id.empty()) request.command_id = fresh_command_id();
  const bool of_task = !request.task_id.empty();
  const bool begins = of_task && request.report.type == schema::ReportFact::TaskStarted;
  auto client = LUZIA_TRY(invocation.connect());
  const std::string job = request.job;
  auto sent = send_command(invocation, client, request_of(std::move(request)));
  if (!sent && sent.error().code == "no_such_job") {
    sent.error().hint += "; a task that Luzia did not dispatch is named by --task-id " + shell_quote(job);
  }
  const auto accepted = LUZIA_TRY(std::move(sent));
  if (invocation.json()) {
    JsonObject object;
    object.number("position", accepted.position);
    object.boolean("repeated", accepted.repeated);
    if (of_task && !accepted.ids.empty()) object.text("job", accepted.ids.front());
    print_line(object.take());
  } else if (begins && !accepted.ids.empty()) {
    print_line(accepted.ids.front());
  }
  return 0;
}

}  // namespace

Result<wire::PublishT> publish_request(const Arguments& args, const std::string& own_job,
                                       const std::string& own_attempt) {
  std::string kind = args.positionals().front();
  std::replace(kind.begin(), kind.end(), '-', '_');
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) { return each.name == kind; });
  if (found == kKinds.end()) {
    std::string known;
    for (const Kind& each : kKinds) known += (known.empty() ? "" : ", ") + std::string(each.name);
    return fail(ErrorKind::usage, "bad_kind", "publishing: unknown kind '" + kind + "'",
                "known kinds: " + known);
  }
  LUZIA_TRY(check_fields(args, kind));
  wire::PublishT request;
  request.job = args.positionals().size() > 1 ? args.positionals()[1] : own_job;
  const bool is_of_machine = request.job.empty() && kind == "system_alert";
  const bool is_of_task = request.job.empty() && !args.text("task-id").empty();
  if (args.has("expires") && !is_of_machine) {
    return fail(ErrorKind::usage, "bad_usage",
                "publishing " + kind + ": --expires is for alerts without a job",
                "an alert about a job stays with the job");
  }
  request.expires_ms = args.duration_ms("expires").value_or(0);
  if (request.job.empty() && !is_of_machine && !is_of_task) {
    return fail(ErrorKind::usage, "bad_usage",
                "publishing " + kind + ": no job given and $LUZIA_JOB_ID is not set",
                "luzia publish " + kind + " JOB ..., or --task-id ID for a task that Luzia did not dispatch");
  }
  LUZIA_TRY(is_of_task ? name_task(args, kind, request) : check_task_fields(args, kind));
  if (args.has("attempt")) {
    request.attempt = small(args, "attempt");
  } else if (request.job == own_job) {
    // Fencing: reports of a stopped attempt must not count for the next attempt.
    const auto attempt = attempt_in(own_attempt);
    if (!attempt) {
      Error wrong = attempt.error();
      wrong.hint += ", or name the attempt: --attempt N";
      return tl::unexpected(std::move(wrong));
    }
    request.attempt = *attempt;
  }
  found->fill(args, request.report);
  request.command_id = args.text("command-id");
  return request;
}

const Command kPublishCommand = {
    "publish",
    "Change",
    "KIND [JOB] [fields]",
    "report a job's progress, warnings or result",
    "KIND is task_started, progress, task_completed, task_queued, warning, task_failed or system_alert. "
    "Inside a job JOB defaults to that job. A system_alert without a JOB is an alert of the machine: luzia "
    "status shows it until it expires or luzia alert clear ends it. Outside of a job, --task-id names a task "
    "that Luzia did not dispatch: task_started begins it and prints its job, and task_completed or "
    "task_failed ends it. Each field below names the kinds that have it.",
    "luzia publish progress --progress-percent 40 --current-step 2 --total-steps 5 --current-step-name 'Run "
    "tests'\n"
    "luzia publish warning 0kx8 --warning-type DURATION_EXCEEDED --message 'slower than usual'\n"
    "luzia publish task_completed --status APPROVED --findings-count 0\n"
    "luzia publish task_started --task-id nightly --project web --description 'nightly build'\n"
    "luzia publish system_alert --alert-type BACKUP_FAILED --message 'no backup since Monday' --expires 12h",
    kPublishOptions,
    {1, 2},
    run_publish,
    kNeedsStore,
    {},
    "task_started|progress|task_completed|task_queued|warning|task_failed|system_alert"};

}  // namespace luzia
