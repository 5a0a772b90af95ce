// The table. What it does not name does not exist.
#include <array>

#include "tools/luzia-web/routes.h"
#include "tools/luzia-web/search.h"
#include "tools/read/commands.h"
#include "tools/read/issue_options.h"

namespace luzia::web {
namespace {

constexpr Command kIssuesRead = {"issues", "Look",         "[filters]", "list known problems", "",
                                 "",       kIssuesOptions, {0, 0},      reading<show_issues>};

constexpr Field kStreamParameters[] = {
    {"live", FieldKind::whole, "in a stream, 0: end where the log ends now"},
    {"seen", FieldKind::whole,
     "in a stream, 1: a person looks at it, for a minute; no push is sent meanwhile"},
};
constexpr Field kAtParameter = {"at", FieldKind::text,
                                "as the log knew it then: a position or time of the past"};
constexpr Field kOutputParameters[] = {
    {"from", FieldKind::text, "the first byte; -N: N bytes before the end (default 0)"},
    {"limit", FieldKind::whole, "at most so many bytes, 1 to 1048576 (default 65536)"},
    {"attempt", FieldKind::whole, "of this attempt (default: the newest)"},
    kAtParameter,
};
constexpr Field kWordsParameter = {"words", FieldKind::text, "the words to find, as they stand in the output",
                                   true};
constexpr Field kFindParameters[] = {
    kWordsParameter,
    {"from", FieldKind::whole, "words that begin at or after this byte; previous: before it"},
    {"direction", FieldKind::text, "next (default) or previous"},
    {"limit", FieldKind::whole, "at most so many lines, 0 to 1000 (default 50); 0: count them only"},
    {"attempt", FieldKind::whole, "of this attempt (default: the newest)"},
    kAtParameter,
};
constexpr Field kSearchParameters[] = {kWordsParameter};
constexpr Field kChangesParameters[] = {
    {"attempt", FieldKind::whole, "since this attempt began (default: the last)"},
};
constexpr Field kPairBody[] = {
    {"code", FieldKind::text, "the code that luzia web pair prints", true},
    {"name", FieldKind::text, "what to call the device, unless the offer says it"},
};
constexpr Field kPushBody[] = {
    {"endpoint", FieldKind::text, "of the browser's subscription", true},
    {"p256dh", FieldKind::text, "of its keys, base64url", true},
    {"auth", FieldKind::text, "of its keys, base64url", true},
    {"kinds", FieldKind::texts, "asks, failures, ends (default asks)"},
};
constexpr Field kOfferBody[] = {
    {"role", FieldKind::text, "viewer, operator or admin (default viewer)"},
    {"name", FieldKind::text, "what to call the device"},
    {"person", FieldKind::text, "who uses it (default: who offers)"},
    {"projects", FieldKind::texts, "the only projects that it sees (default: all)"},
};
constexpr Field kNoteBody[] = {{"note", FieldKind::text, "why"}};
constexpr Field kRetryBody[] = {
    {"note", FieldKind::text, "why"},
    {"fresh", FieldKind::flag, "in a new session of the agent"},
    {"message", FieldKind::text, "what to tell the agent; at most 64 KiB"},
};
constexpr Field kTellBody[] = {
    {"text", FieldKind::text, "what to tell the agent; at most 64 KiB", true},
    {"files", FieldKind::texts, "names of files that the text contains"},
    {"resume", FieldKind::flag, "if the job has ended, it goes on with the message at once"},
};
constexpr Field kCancelBody[] = {
    {"note", FieldKind::text, "why"},
    {"grace_ms", FieldKind::whole, "how long the agent may take to end by itself"},
};
constexpr Field kPriorityBody[] = {
    {"priority", FieldKind::whole, "0 to 9", true},
    {"note", FieldKind::text, "why"},
};
constexpr Field kQueueBody[] = {
    {"project", FieldKind::text, "only this project (default: all)"},
    {"note", FieldKind::text, "why"},
};
constexpr std::string_view kStepMeaning = "the name of the step";
constexpr Field kStepBody[] = {{"step", FieldKind::text, kStepMeaning, true}};
constexpr Field kStepNoteBody[] = {
    {"step", FieldKind::text, kStepMeaning, true},
    {"note", FieldKind::text, "why"},
};
constexpr Field kStepOutputBody[] = {
    {"step", FieldKind::text, kStepMeaning, true},
    {"output", FieldKind::text, "the result, for later steps"},
};
constexpr Field kStepErrorBody[] = {
    {"step", FieldKind::text, kStepMeaning, true},
    {"error", FieldKind::text, "what went wrong"},
};
constexpr Field kNewStepBody[] = {
    {"step", FieldKind::text, "the name of the new step", true},
    {"needs", FieldKind::texts, "steps that must be done first"},
    {"prompt", FieldKind::text, "the task of the step's job; none: a person does it"},
    {"agent", FieldKind::text, "the agent of the step's job"},
    {"gate", FieldKind::text, "wait at this gate until a person opens it"},
    {"description", FieldKind::text, "what the step is about"},
    {"retries", FieldKind::whole, "further attempts after a failure"},
    {"timeout_ms", FieldKind::whole, "ends the step's job after this time"},
};
constexpr Field kFlowTagsBody[] = {{"tags", FieldKind::texts, "tags", true}};
constexpr Field kFlowNoteBody[] = {
    {"key", FieldKind::text, "what the note is called", true},
    {"value", FieldKind::text, "its text; none: remove it"},
};
constexpr Field kFarField = {"machine", FieldKind::text,
                             "the other machine that has it, by its name; job is needed then"};
constexpr Field kAnswerBody[] = {
    {"job", FieldKind::text, "the job that asks; saves a search"},
    kFarField,
    {"answer", FieldKind::text, "the answer", true},
};
constexpr Field kDecideBody[] = {
    {"job", FieldKind::text, "the job that waits; saves a search"},
    kFarField,
    {"approve", FieldKind::flag, "whether it may go on", true},
    {"note", FieldKind::text, "why"},
    {"remember", FieldKind::flag, "decide equal requests of the job in the same way"},
};
constexpr Field kDispatchBody[] = {
    {"project", FieldKind::text, "the project", true},
    {"task", FieldKind::text, "the task", true},
    {"agent", FieldKind::text, "the agent (default: the project's)"},
    {"priority", FieldKind::whole, "0 to 9 (default: the project's, or 5)"},
    {"after", FieldKind::texts, "jobs that complete first"},
    {"tags", FieldKind::texts, "tags"},
    {"timeout_ms", FieldKind::whole, "ends the attempt after this time"},
    {"budget_time_ms", FieldKind::whole, "run time of all attempts"},
    {"budget_cost_usd", FieldKind::real, "cost of all attempts"},
    {"budget_tokens", FieldKind::whole, "tokens of all attempts"},
    {"memory_bytes", FieldKind::whole, "memory of all processes of an attempt"},
    {"cpu_percent", FieldKind::whole, "CPU of an attempt, in percent of one core"},
    {"processes", FieldKind::whole, "processes and threads of an attempt"},
    {"disk_bytes", FieldKind::whole, "room that the job directory may take"},
    {"retries", FieldKind::whole, "how often it may be retried"},
    {"estimate_ms", FieldKind::whole, "how long it will probably take"},
    {"worktree", FieldKind::flag, "in a git worktree of its own"},
    {"prompt_template", FieldKind::text, "the template of the prompt; none: the task alone"},
    {"permissions", FieldKind::text, "plan, ask or edits"},
    {"sandbox", FieldKind::text, "project or strict; not weaker than configured"},
    {"gates", FieldKind::texts, "gates besides those of the project"},
    {"verify", FieldKind::texts, "shell commands that prove its work, after those of the project"},
    {"callback_url", FieldKind::text,
     "told of the job's end; below the url of a webhook that takes callbacks"},
};
constexpr Field kBatchBody[] = {
    {"jobs", FieldKind::objects, "all are taken or none", true, kDispatchBody},
};
constexpr Field kFlowStepFields[] = {
    {"name", FieldKind::text, "what the step is called", true},
    {"needs", FieldKind::texts, "steps that must be done first"},
    {"prompt", FieldKind::text, "the task of the step's job; none: a person does it"},
    {"agent", FieldKind::text, "the agent of the step's job (default: the flow's, or the project's)"},
    {"gate", FieldKind::text, "wait at this gate until a person opens it"},
    {"description", FieldKind::text, "what the step is about"},
    {"retries", FieldKind::whole, "further attempts after a failure"},
    {"timeout_ms", FieldKind::whole, "ends the step's job after this time"},
    {"tags", FieldKind::texts, "tags of the step's job"},
    {"priority", FieldKind::whole, "0 to 9 (default: the project's, or 5)"},
};
constexpr Field kFollowUpFields[] = {
    {"text", FieldKind::text, "what could be done next", true},
    {"after", FieldKind::text, "the step after which it is suggested (default: the whole flow)"},
    {"when", FieldKind::text, "completed (default) or failed"},
};
constexpr Field kFlowBody[] = {
    {"project", FieldKind::text, "the project", true},
    {"description", FieldKind::text, "what the flow is about"},
    {"steps", FieldKind::objects, "its steps", true, kFlowStepFields},
    {"agent", FieldKind::text, "the agent of steps that name none (default: the project's)"},
    {"tags", FieldKind::texts, "tags"},
    {"max_running", FieldKind::whole, "at most so many steps at once (default: all that are ready)"},
    {"keep_going", FieldKind::flag, "a failed step ends only the steps that need it"},
    {"follow_ups", FieldKind::objects, "suggestions for afterwards", false, kFollowUpFields},
};

constexpr std::string_view kText = "text/plain; charset=utf-8";

constexpr Route reads(std::string_view pattern, const Command& command, std::string_view summary,
                      std::string_view words = {}) {
  return {"GET", pattern, Role::viewer, Handler::read, summary, &command, words};
}

constexpr Route acts(std::string_view pattern, Handler handler, std::span<const Field> body,
                     std::string_view summary) {
  return {"POST", pattern, Role::op, handler, summary, nullptr, {}, {}, body};
}

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/healthz", Role::anyone, Handler::health, "whether the server runs", nullptr, {}, {}, {}, kText},
    {"GET",
     "/metrics",
     Role::viewer,
     Handler::metrics,
     "figures of the server for Prometheus",
     nullptr,
     {},
     {},
     {},
     "text/plain; version=0.0.4; charset=utf-8"},
    {"GET", "/v1/openapi.json", Role::anyone, Handler::openapi, "this document"},
    {"POST",
     "/v1/pair",
     Role::anyone,
     Handler::pair,
     "redeem a code: the answer is the device's token",
     nullptr,
     {},
     {},
     kPairBody,
     "application/json",
     201},
    {"GET", "/v1/me", Role::viewer, Handler::me, "the device that asks, its person, role and projects"},
    reads("/v1/overview", kStatusCommand, "what needs a person, runs, waits, has ended"),
    reads("/v1/alerts", kStatusCommand, "alerts, and jobs with warnings or errors", "--alerts"),
    reads("/v1/jobs", kJobsCommand, "jobs, newest first"),
    reads("/v1/jobs/{job}", kJobCommand, "everything about one job"),
    reads("/v1/jobs/{job}/why", kWhyCommand, "the events behind a job's state"),
    {"GET", "/v1/jobs/{job}/events", Role::viewer, Handler::events, "the events of a job, oldest first",
     &kEventsCommand},
    {"GET",
     "/v1/jobs/{job}/output",
     Role::viewer,
     Handler::output,
     "bytes of a job's output; Luzia-Offset and Luzia-Size say which",
     nullptr,
     {},
     kOutputParameters,
     {},
     kText},
    {"GET",
     "/v1/jobs/{job}/prompt",
     Role::viewer,
     Handler::prompt,
     "what the agent of the last attempt was told, as text",
     nullptr,
     {},
     {},
     {},
     kText},
    {"GET",
     "/v1/jobs/{job}/changes",
     Role::viewer,
     Handler::changes,
     "files that changed since an attempt began; with Accept: text/x-diff as a unified diff",
     nullptr,
     {},
     kChangesParameters},
    {"GET",
     "/v1/jobs/{job}/output/find",
     Role::viewer,
     Handler::find,
     "lines of a job's output that contain words",
     nullptr,
     {},
     kFindParameters},
    {"GET",
     "/v1/search/outputs",
     Role::viewer,
     Handler::search,
     "lines of the outputs of jobs that contain words, newest jobs first",
     &kJobsCommand,
     {},
     kSearchParameters},
    reads("/v1/search/tasks", kTaskSearch, "jobs whose tasks contain words, newest first"),
    reads("/v1/solutions", kSolutionsRead, "solutions; with words, those about them"),
    reads("/v1/facts", kFactsRead, "facts; with words, those about them"),
    reads("/v1/todos", kTodosRead, "todos"),
    reads("/v1/schedules", kSchedulesRead, "recurring jobs: when each is due, and how it went"),
    reads("/v1/queue", kQueueCommand, "queued jobs in the order in which they will start"),
    reads("/v1/questions", kQuestionsCommand, "open questions of agents"),
    reads("/v1/approvals", kApprovalsCommand, "open approvals"),
    reads("/v1/audit", kAuditCommand, "decisions, newest first"),
    reads("/v1/flows", kFlowsCommand, "flows"),
    reads("/v1/flows/{flow}", kFlowCardCommand, "one flow with its steps"),
    reads("/v1/flows/{flow}/suggestions", kSuggestionsCommand, "what could come next in a flow"),
    reads("/v1/flows/{flow}/context", kFlowContextCommand, "what the next step of a flow should know"),
    reads("/v1/steps", kStepsRead, "how steps of flows went, of all time"),
    reads("/v1/issues", kIssuesRead, "known problems"),
    reads("/v1/stats", kStatsCommand, "how jobs came out, and how long they took"),
    reads("/v1/cost", kCostCommand, "tokens and cost"),
    reads("/v1/tools", kToolUseCommand, "tools that agents used"),
    reads("/v1/learning", kLearningCommand, "solutions and facts"),
    {"GET", "/v1/projects", Role::viewer, Handler::projects, "configured projects"},
    {"GET", "/v1/agents", Role::viewer, Handler::agents,
     "configured agents: their usage limits, and when they read what they are told"},
    {"GET", "/v1/machine", Role::viewer, Handler::machine,
     "load, memory and disk now, the daemon, and how notification channels are told"},
    {"GET", "/v1/machines", Role::viewer, Handler::machines,
     "the other machines of the configuration; lists with machines=1 have their rows, too"},
    {"GET", "/v1/fleet", Role::viewer, Handler::fleet,
     "the machines of the fleet; lists with fleet=1 have the rows of all of them, as its database has them"},
    {"GET",
     "/v1/events",
     Role::viewer,
     Handler::events,
     "events, oldest first; with Accept: text/event-stream a stream that goes on",
     &kEventsCommand,
     {},
     kStreamParameters},
    reads("/v1/devices", kDevicesCommand, "paired devices"),
    {"POST",
     "/v1/devices",
     Role::admin,
     Handler::offer_pairing,
     "offer to pair a device: a code for 5 minutes",
     nullptr,
     {},
     {},
     kOfferBody,
     "application/json",
     201},
    {"POST",
     "/v1/devices/{device}/revoke",
     Role::viewer,
     Handler::revoke,
     "end a device's access; other devices than one's own: admin",
     nullptr,
     {},
     {},
     kNoteBody},
    {"GET", "/v1/push", Role::viewer, Handler::push_state,
     "whether the own device is notified by push, and the key to subscribe with"},
    {"POST",
     "/v1/push/subscribe",
     Role::viewer,
     Handler::push_change,
     "notify the own device by push",
     nullptr,
     {},
     {},
     kPushBody},
    {"POST", "/v1/push/unsubscribe", Role::viewer, Handler::push_change, "do not notify it any more"},
    {"POST", "/v1/push/test", Role::viewer, Handler::push_test, "send a sample to the own device"},
    {"POST",
     "/v1/jobs",
     Role::op,
     Handler::dispatch,
     "dispatch a task: the answer is the job",
     nullptr,
     {},
     {},
     kDispatchBody,
     "application/json",
     201},
    {"POST",
     "/v1/batch",
     Role::op,
     Handler::batch,
     "dispatch several tasks",
     nullptr,
     {},
     {},
     kBatchBody,
     "application/json",
     201},
    acts("/v1/jobs/{job}/cancel", Handler::act_on_job, kCancelBody, "cancel a job"),
    acts("/v1/jobs/{job}/retry", Handler::act_on_job, kRetryBody, "retry an ended job"),
    acts("/v1/jobs/{job}/tell", Handler::tell, kTellBody,
         "tell the job's agent something: ids names the message, and how it is expected to be read"),
    acts("/v1/jobs/{job}/hold", Handler::act_on_job, kNoteBody, "hold a queued job"),
    acts("/v1/jobs/{job}/release", Handler::act_on_job, kNoteBody, "release a held job"),
    acts("/v1/jobs/{job}/pause", Handler::act_on_job, kNoteBody, "pause a running job"),
    acts("/v1/jobs/{job}/resume", Handler::act_on_job, kNoteBody, "let a paused job go on"),
    acts("/v1/jobs/{job}/reprioritize", Handler::act_on_job, kPriorityBody, "change a job's priority"),
    {"POST",
     "/v1/flows",
     Role::op,
     Handler::create_flow,
     "create a flow, whose steps are dispatched: the answer is the flow",
     nullptr,
     {},
     {},
     kFlowBody,
     "application/json",
     201},
    acts("/v1/flows/{flow}/start", Handler::act_on_flow, kStepBody, "say that a step has begun"),
    acts("/v1/flows/{flow}/complete", Handler::act_on_flow, kStepOutputBody, "say that a step is done"),
    acts("/v1/flows/{flow}/fail", Handler::act_on_flow, kStepErrorBody, "say that a step has failed"),
    acts("/v1/flows/{flow}/skip", Handler::act_on_flow, kStepNoteBody, "leave a step out"),
    acts("/v1/flows/{flow}/reset", Handler::act_on_flow, kStepNoteBody, "let a step wait to be done again"),
    acts("/v1/flows/{flow}/add", Handler::act_on_flow, kNewStepBody, "add a step"),
    acts("/v1/flows/{flow}/approve", Handler::act_on_flow, kStepNoteBody,
         "open the gate that a step waits at"),
    acts("/v1/flows/{flow}/deny", Handler::act_on_flow, kStepNoteBody,
         "shut the gate that a step waits at: the step fails"),
    acts("/v1/flows/{flow}/tag", Handler::act_on_flow, kFlowTagsBody, "give a flow tags"),
    acts("/v1/flows/{flow}/untag", Handler::act_on_flow, kFlowTagsBody, "take tags from a flow"),
    acts("/v1/flows/{flow}/note", Handler::act_on_flow, kFlowNoteBody, "keep a note with a flow"),
    acts("/v1/flows/{flow}/pause", Handler::act_on_flow, kNoteBody, "dispatch no further step of a flow"),
    acts("/v1/flows/{flow}/resume", Handler::act_on_flow, kNoteBody,
         "dispatch the steps of a paused flow again"),
    acts("/v1/flows/{flow}/end", Handler::act_on_flow, kNoteBody, "end a flow before all its steps are done"),
    acts("/v1/flows/{flow}/reopen", Handler::act_on_flow, kNoteBody, "go on with a flow that has ended"),
    acts("/v1/flows/{flow}/remove", Handler::act_on_flow, kNoteBody,
         "leave a flow that has ended out of lists and statistics"),
    acts("/v1/schedules/{schedule}/run", Handler::act_on_schedule, {},
         "dispatch the job of a schedule now: ids names it; none: it is dispatched when the last one has "
         "ended"),
    acts("/v1/schedules/{schedule}/pause", Handler::act_on_schedule, kNoteBody,
         "skip the due times of a schedule"),
    acts("/v1/schedules/{schedule}/resume", Handler::act_on_schedule, kNoteBody,
         "let a paused schedule go on with its next due time"),
    acts("/v1/queue/pause", Handler::act_on_queue, kQueueBody, "start no further jobs"),
    acts("/v1/queue/resume", Handler::act_on_queue, kQueueBody, "start jobs again"),
    acts("/v1/questions/{question}/answer", Handler::answer, kAnswerBody, "answer a question"),
    acts("/v1/approvals/{approval}/decide", Handler::decide, kDecideBody, "approve or deny a request"),
});

}  // namespace

std::span<const Route> all_routes() {
  return kRoutes;
}

}  // namespace luzia::web
