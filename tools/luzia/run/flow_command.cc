// flow: tasks of several steps, across jobs.
#include "tools/luzia/families.h"
#include "tools/luzia/run/flows.h"

namespace luzia {
namespace {

constexpr Option kFlowOptions[] = {
    kProjectFilter,
    {"--step", ValueKind::texts, "NAME[:NEEDS]", "create: a step, and those that it needs (commas between)"},
    {"--in-order", ValueKind::flag, "", "create: each step needs the one before it"},
    {"--tag", ValueKind::list, "TAG", "create, run: tags of the flow; list: only flows with all of these"},
    {"--output", ValueKind::text, "TEXT",
     "complete: what came out; luzia flow context tells it to later steps"},
    {"--error", ValueKind::text, "TEXT", "fail: what went wrong"},
    {"--note", ValueKind::text, "TEXT", "why; it is recorded"},
    {"--file", ValueKind::text, "FILE",
     "complete, fail, add: the text is what the file holds; - for standard input", "", Completes::file},
    {"--needs", ValueKind::list, "STEP", "add: steps that must be done first"},
    {"--prompt", ValueKind::text, "TEXT", "add: the task of the job that does it"},
    {"--agent", ValueKind::text, "NAME", "add: the agent of that job", "", Completes::agent},
    {"--gate", ValueKind::text, "NAME", "add: a person opens it before the step begins"},
    {"--description", ValueKind::text, "TEXT", "add: what the step is about"},
    {"--retries", ValueKind::number, "N", "add: further tries after a failure"},
    {"--timeout", ValueKind::duration, "D", "add: of the step's job"},
    {"--cancel-jobs", ValueKind::flag, "", "end: cancel the jobs that do its steps, too"},
    {"-A,--all", ValueKind::flag, "",
     "list: those that have ended too, for as long as [flows] keep_ended says"},
    kSinceFilter,
    kUntilFilter,
    kAtOption,
    {"--limit", ValueKind::number, "N", "list: at most that many (default 50)"},
    {"--cursor", ValueKind::text, "CURSOR", "list: go on where a page ended"},
    {"--as-prompt", ValueKind::flag, "", "context: as a section of a prompt"},
    {"--results", ValueKind::number, "N", "context: of so many completed steps (default 3)"},
    {"--characters", ValueKind::number, "N", "context: outputs cut to that (default 500)"},
    {"-n,--dry-run", ValueKind::flag, "",
     "run: draw it, ask the daemon whether it would take it, and do nothing; with --json {\"dry_run\":true,"
     "\"checked\":true,\"project\",\"description\",\"tags\",\"steps\":[...]}, checked when a daemon was "
     "there"},
    {"--wait", ValueKind::flag, "", "run: come back when it has ended; exit code 1 if it was not completed"},
    {"--command-id", ValueKind::text, "ID", "sent twice with the same id, it is done once"},
};

std::vector<const FlowVerb*> all_verbs() {
  std::vector<const FlowVerb*> verbs;
  for (const auto& family : {flow_run_verbs(), flow_order_verbs(), flow_look_verbs()}) {
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
    "create PROJECT [DESCRIPTION] [--step NAME[:NEEDS]]... [--in-order]\n"
    "start|complete|fail|skip|reset FLOW STEP\n"
    "add FLOW STEP [--needs A,B] [--prompt TEXT] [--gate NAME]\n"
    "approve|deny FLOW [STEP|GATE] [--note TEXT]\n"
    "tag|untag FLOW TAG...\n"
    "note FLOW KEY [VALUE]\n"
    "pause|resume|end|reopen|rm FLOW\n"
    "list [--all] [--at TIME]\n"
    "status [FLOW] [--at TIME]\n"
    "context FLOW [--as-prompt]\n"
    "suggest|history FLOW\n"
    "statistics",
    "create, run, change and show flows: tasks of several steps",
    "A flow is a task of named steps that need one another. luzia flow run takes them from a file and hands "
    "each "
    "step over as a job when what it needs is done, also over restarts of the daemon; steps without a prompt "
    "are "
    "done by people. luzia dispatch --flow FLOW/STEP ties a job to a step: its start and its end move the "
    "step. "
    "A step waits at its gate until a person opens it, and again once it, or what it needs, is reset; its "
    "retries, luzia retry and luzia dispatch --flow pass a gate that is open. "
    "context is what a step to come should know: the last results, notes, what is done and what comes next. "
    "rm leaves a flow that has ended out of lists, statistics and exports; its id still shows it, its jobs "
    "and what "
    "its steps taught stay, and reopen brings it back. statistics counts all others, however long ago they "
    "ended. "
    "FLOW is "
    "an id, its beginning, or @last. Each word has its own help: luzia flow complete --help.",
    "luzia flow run release.toml --dry-run\n"
    "luzia flow run release.toml --project web --wait\n"
    "luzia flow create web 'Move to Postgres' --step schema --step code --step docs --in-order\n"
    "luzia flow complete @last schema --output 'migrations 12 to 15'\n"
    "luzia web 'port the queries' --flow f-1r3qvpxvr001x/code\n"
    "luzia flow context @last --as-prompt",
    kFlowOptions,
    0,
    -1,
    Completes::nothing,
    run_flow,
    false,
    {},
    "run|create|start|complete|fail|skip|reset|add|approve|deny|tag|untag|note|pause|resume|end|reopen|rm|"
    "list|status|context|suggest|history|statistics",
    {},
    help_on_verb};

}  // namespace luzia
