// flow: creates, runs, changes and shows tasks of several steps.
#include "projections/rows/flow_rows.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/flows.h"

namespace luzia {
namespace {

constexpr Option kFlowOptions[] = {
    {"--project", ValueKind::list, "NAME",
     "run: the project of the flow; list, statistics: only these projects", "", Completes::project},
    {"--step", ValueKind::texts, "NAME[:NEEDS]", "create: a step, and the steps it needs (comma-separated)"},
    {"--in-order", ValueKind::flag, "", "create: each step needs the one before it"},
    {"--follow-up", ValueKind::texts, "TEXT",
     "create: what luzia flow suggest says when the flow is completed"},
    {"--tag", ValueKind::list, "TAG", "create, run: tags of the flow; list: only flows with all of these"},
    {"--output", ValueKind::text, "TEXT", "complete: the result; luzia flow context shows it to later steps"},
    {"--error", ValueKind::text, "TEXT", "fail: what went wrong"},
    {"--note", ValueKind::text, "TEXT", "record why"},
    {"--file", ValueKind::text, "FILE",
     "complete, fail, add: read the text from this file; - for standard input", "", Completes::file},
    {"--needs", ValueKind::list, "STEP", "add: steps that must be done first"},
    {"--prompt", ValueKind::text, "TEXT", "add: the task of the step's job"},
    {"--agent", ValueKind::list, "NAME",
     "add: the agent of the step's job; list: only flows in which one of these works", "", Completes::agent},
    {"--job", ValueKind::list, "JOB", "list: only flows of these jobs (ids, prefixes, @last)", "",
     Completes::job},
    {"--state", ValueKind::flow_states, "STATE",
     "list: only these states: active, completed, failed, cancelled"},
    {"--gate", ValueKind::text, "NAME", "add: wait at this gate until a person opens it"},
    {"--description", ValueKind::text, "TEXT", "add: what the step is about"},
    {"--retries", ValueKind::number, "N", "add: further attempts after a failure"},
    {"--timeout", ValueKind::duration, "D", "add: time limit of the step's job"},
    {"--cancel-jobs", ValueKind::flag, "", "end: also cancel the jobs of its steps"},
    {"-A,--all", ValueKind::flag, "", "list: also ended flows, for as long as [flows] keep_ended says"},
    kSinceFilter,
    kUntilFilter,
    kAtOption,
    {"--limit", ValueKind::number, "N", "list: at most N (default 50)"},
    {"--cursor", ValueKind::text, "CURSOR", "list: continue where a page ended"},
    {"--sort", ValueKind::list, "FIELD",
     "list: sort all rows by these fields of --csv; -FIELD: largest first", "", Completes::field},
    {"--columns", ValueKind::list, "FIELD", "list: show these fields of --csv, in this order", "",
     Completes::field},
    {"--csv", ValueKind::flag, "", "list: print CSV"},
    {"--as-prompt", ValueKind::flag, "", "context: print it as a section of a prompt"},
    {"--results", ValueKind::number, "N", "context: results of the last N completed steps (default 3)"},
    {"--characters", ValueKind::number, "N", "context: cut outputs to N characters (default 500)"},
    {"-n,--dry-run", ValueKind::flag, "",
     "run: show the graph and validate it without running it; with --json {\"dry_run\":true,"
     "\"checked\":true,\"project\",\"description\",\"tags\",\"steps\":[...]}, where checked says whether a "
     "daemon validated it"},
    {"--wait", ValueKind::flag, "", "run: wait until the flow has ended; exit code 1 if it did not complete"},
    {"--command-id", ValueKind::text, "ID", "repeating a command id has no further effect"},
};

std::vector<const FlowVerb*> all_verbs() {
  std::vector<const FlowVerb*> verbs;
  for (const auto& family : {flow_run_verbs(), flow_change_verbs(), flow_look_verbs()}) {
    for (const FlowVerb& verb : family) verbs.push_back(&verb);
  }
  return verbs;
}

Result<int> run_flow(Invocation& invocation) {
  return run_verb(invocation, all_verbs(), "list");
}

std::optional<std::string> help_on_verb(const Program& program, std::string_view word) {
  return verb_help(program, kFlowCommand, all_verbs(), word);
}

}  // namespace

const Command kFlowCommand = {
    "flow",
    "Run",
    "run FILE.toml [--project P] [--dry-run] [--wait]\n"
    "create PROJECT [DESCRIPTION] [--step NAME[:NEEDS]]... [--in-order] [--follow-up TEXT]...\n"
    "start|complete|fail|skip|reset FLOW STEP\n"
    "add FLOW STEP [--needs A,B] [--prompt TEXT] [--gate NAME]\n"
    "approve|deny FLOW [STEP|GATE] [--note TEXT]\n"
    "tag|untag FLOW TAG...\n"
    "note FLOW KEY [VALUE]\n"
    "pause|resume|end|reopen|rm FLOW\n"
    "list [--all] [--sort FIELD] [--columns FIELD,...] [--at TIME]\n"
    "status [FLOW] [--at TIME]\n"
    "context FLOW [--as-prompt]\n"
    "suggest|history FLOW\n"
    "statistics",
    "create, run, change and show flows: tasks of several steps",
    "A flow is a task of named steps that depend on each other. luzia flow run reads them from a file and "
    "dispatches each step as a job when its dependencies are done, even across restarts of the daemon; "
    "steps without a prompt are done by a person. luzia dispatch --flow FLOW/STEP ties a job to a step: the "
    "job's start and end move the step. A step waits at its gate until a person opens it, and again after "
    "the step or one of its dependencies is reset; retries of the step, luzia retry and luzia dispatch "
    "--flow pass an open gate. context shows what the next step should know: the last results, notes, what "
    "is done and what comes next. rm removes an ended flow from lists, statistics and exports; its id still "
    "shows it, its jobs and statistics of its steps stay, and reopen brings it back. statistics counts all "
    "other flows, however long ago they ended. FLOW is an id, its beginning, or @last. Each action has its "
    "own help: luzia flow complete --help.",
    "luzia flow run release.toml --dry-run\n"
    "luzia flow run release.toml --project web --wait\n"
    "luzia flow create web 'Move to Postgres' --step schema --step code --step docs --in-order\n"
    "luzia flow complete @last schema --output 'migrations 12 to 15'\n"
    "luzia web 'port the queries' --flow f-1r3qvpxvr001x/code\n"
    "luzia flow context @last --as-prompt",
    kFlowOptions,
    {0, -1},
    run_flow,
    false,
    "only list takes these filters, and statistics takes --project",
    "run|create|start|complete|fail|skip|reset|add|approve|deny|tag|untag|note|pause|resume|end|reopen|rm|"
    "list|status|context|suggest|history|statistics",
    {},
    [](std::string_view) { return flows_data({}, 0).columns(); },
    {},
    help_on_verb};

}  // namespace luzia
