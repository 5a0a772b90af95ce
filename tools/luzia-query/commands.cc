#include "tools/luzia-query/commands.h"

#include <algorithm>

namespace luzia {
namespace {

constexpr Grammar kLists{
    .at = true, .subjects = true, .jobs = true, .time = true, .pages = true, .csv = true};

constexpr Grammar with_all(Grammar grammar) {
  grammar.all = true;
  return grammar;
}

constexpr Grammar with_times(Grammar grammar, std::string_view happened) {
  grammar.happened = happened;
  return grammar;
}

constexpr Grammar with_positions(Grammar grammar) {
  grammar.position = true;
  return grammar;
}

constexpr Command kCommands[] = {
    {"status",
     "jobs by the attention they need, then those that ended last",
     "luzia-query status\n"
     "luzia-query status --project web --json\n"
     "luzia-query status --at 14:05\n",
     {.at = true, .subjects = true, .jobs = true, .time = true, .recent = true, .csv = true},
     run_status},
    {"jobs", "jobs, newest first; ended ones with --all or a filter on the past",
     "luzia-query jobs --all --project web --state failed,timed_out\n"
     "luzia-query jobs --since 2h --csv\n"
     "luzia-query jobs --all --limit 100 --cursor 1c8zk7m4p0q2r --json\n",
     with_all(kLists), run_jobs},
    {"job",
     "everything about one job",
     "luzia-query job 1c8zk7\n"
     "luzia-query job @last --json\n"
     "luzia-query job 1c8zk7 --at 2026-11-21T14:05:00Z\n",
     {.argument = "JOB", .at = true, .csv = true},
     run_job},
    {"queue", "jobs that wait to start, in the order of start",
     "luzia-query queue\n"
     "luzia-query queue --project web --json\n",
     kLists, run_queue},
    {"flows", "tasks of several steps that are active; those that have ended with --all",
     "luzia-query flows\n"
     "luzia-query flows --all --project web --json\n",
     with_times(with_all(kLists), "Created"), run_flows},
    {"flow",
     "everything about one flow",
     "luzia-query flow @last\n"
     "luzia-query flow f-1r3q --at 14:05 --json\n",
     {.argument = "FLOW", .at = true, .csv = true},
     run_flow},
    {"events", "the log: its newest 50 events for people, all of them as JSON Lines or CSV",
     "luzia-query events --job @last\n"
     "luzia-query events --since 1200 --json\n"
     "luzia-query events --since yesterday --until today --project web --csv\n",
     with_positions(kLists), run_events},
    {"stats",
     "totals per project and durations; with --by how jobs came out, how long they took, what they cost; "
     "success is of the jobs that were not killed",
     "luzia-query stats\n"
     "luzia-query stats --by project --since 30d\n"
     "luzia-query stats --by day --plot\n"
     "luzia-query stats --by reason --project web --json\n",
     {.at = true,
      .subjects = true,
      .time = true,
      .csv = true,
      .plot = true,
      .by = "project|agent|model|reason|day"},
     run_stats},
    {"issues",
     "known problems that were recognised in output; how often they come and are mended with --by",
     "luzia-query issues --job @last\n"
     "luzia-query issues --project web --since 7d --json\n"
     "luzia-query issues --by pattern\n",
     {.at = true,
      .subjects = true,
      .jobs = true,
      .time = true,
      .pages = true,
      .csv = true,
      .by = "pattern|project|severity|day"},
     run_issues},
    {"questions", "what agents ask of people; what was answered, and by whom, with --all",
     "luzia-query questions\n"
     "luzia-query questions --all --project web --since 7d --csv\n"
     "luzia-query questions --at 14:05\n",
     with_times(with_all(kLists), "Asked"), run_questions},
    {"approvals", "gates and tools that wait for an approval; how the others were decided with --all",
     "luzia-query approvals\n"
     "luzia-query approvals --all --job @last --json\n",
     with_times(with_all(kLists), "Asked"), run_approvals},
    {"audit", "every decision, the newest first: who or which policy, when, about what, with which note",
     "luzia-query audit\n"
     "luzia-query audit --project web --since 30d --csv\n"
     "luzia-query audit --limit 0 --json\n",
     with_times(kLists, "Decided"), run_audit},
    {"tools",
     "which tools agents called, how often that failed or was denied, and how long it took",
     "luzia-query tools\n"
     "luzia-query tools --by tool --since 7d\n"
     "luzia-query tools --project web --by day --csv\n",
     {.at = true, .subjects = true, .time = true, .csv = true, .by = "tool|agent|model|project|day"},
     run_tools},
    {"cost",
     "tokens and money that agents used, by model unless --by says otherwise",
     "luzia-query cost\n"
     "luzia-query cost --by project --since 30d\n"
     "luzia-query cost --agent claude --by day --json\n",
     {.at = true, .subjects = true, .time = true, .csv = true, .by = "agent|model|project|day"},
     run_cost},
    {"learning", "what was learned: solutions, facts, and the tools that agents could call",
     "luzia-query learning --project web\n"
     "luzia-query learning --at yesterday --json\n",
     with_times({.at = true, .subjects = true, .time = true}, "Learned"), run_learning},
    {"why",
     "why a job is in its state: the chain of causes, each with its evidence",
     "luzia-query why @last\n"
     "luzia-query why 1c8zk7 --json\n",
     {.argument = "JOB", .at = true, .csv = true},
     run_why},
    {"diff",
     "what changed between two moments: jobs, flows, known problems, costs",
     "luzia-query diff --from yesterday\n"
     "luzia-query diff --from 09:00 --to 12:00 --project web\n"
     "luzia-query diff --from 1200 --to 1500 --json\n",
     {.subjects = true, .span = true},
     run_diff},
    {"play",
     "a job's life once more: its events and its output, at its pace or faster",
     "luzia-query play @last\n"
     "luzia-query play 1c8zk7 --speed 10x --max-gap 500ms\n",
     {.argument = "JOB", .pace = true},
     run_play},
    {"report",
     "one HTML file: throughput, durations, costs, known problems, when jobs ran",
     "luzia-query report --out report.html --since 30d\n"
     "luzia-query report --out web.html --project web --at yesterday\n",
     {.at = true, .subjects = true, .time = true, .out = true},
     run_report},
    {"replay",
     "replay the log through the projections and measure it, or rebuild the rows",
     "luzia-query replay\n"
     "luzia-query replay --projection jobs --at 100000\n"
     "luzia-query replay --projection costs --since yesterday --into /tmp/costs\n"
     "luzia-query replay --into /tmp/rows\n"
     "luzia-query replay --rebuild\n",
     {.at = true, .position = true, .replay = true},
     run_replay},
    {"verify",
     "prove that the log is whole and that the rows equal its replay",
     "luzia-query verify\n"
     "luzia-query verify --offline --store /backup/luzia\n",
     {},
     run_verify},
    {"sql",
     "one SQL query of jobs, costs, outcomes, questions, ... (SELECT * FROM columns tells what there is)",
     "luzia-query sql \"SELECT project, count(*), sum(cost_usd) FROM jobs GROUP BY project\"\n"
     "luzia-query sql \"SELECT id, task FROM jobs WHERE state = 'failed' ORDER BY ended_us DESC LIMIT 5\" "
     "--json\n"
     "luzia-query sql \"SELECT day, sum(jobs) FROM outcomes GROUP BY day\" --csv --at yesterday\n",
     {.argument = "QUERY", .at = true, .subjects = true, .csv = true, .timeout = true},
     run_sql},
    {"export",
     "write events, analytics, queue, cross-agent-todos or prometheus; export WHAT --help has the options",
     "luzia-query export events --out events.jsonl\n"
     "luzia-query export analytics --out analytics/\n"
     "luzia-query export queue --out queued\n"
     "luzia-query export cross-agent-todos\n"
     "luzia-query export prometheus --out /var/lib/node_exporter/luzia.prom\n",
     {.argument = "WHAT"},
     run_export},
    {"backup",
     "copy the log to a new folder and verify the copy",
     "luzia-query backup /backup/luzia-2026-11-21\n"
     "luzia-query status --store /backup/luzia-2026-11-21\n",
     {.argument = "DIR"},
     run_backup},
    {"salvage",
     "copy what can be proved of a damaged store to a new one, and say exactly what is missing",
     "luzia-query salvage /srv/luzia-saved\n"
     "luzia-query salvage /srv/luzia-saved --store /mnt/broken/luzia --json\n",
     {.argument = "DIR"},
     run_salvage},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == std::end(kCommands) ? nullptr : found;
}

}  // namespace luzia
