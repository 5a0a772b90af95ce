// The table of luzia-query's commands. Commands shared with luzia come from tools/read.
#include "tools/cli/common_options.h"
#include "tools/cli/completion.h"
#include "tools/cli/help.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/store_source.h"
#include "tools/read/commands.h"
#include "tools/read/issue_options.h"

namespace luzia {
namespace {

constexpr Option kOutFile{"--out", ValueKind::text, "FILE", "write this file, completely or not at all",
                          "",      Completes::file};
constexpr Option kOutFolder{
    "--out", ValueKind::text, "DIR", "write this folder, completely or not at all", "", Completes::directory};
constexpr Option kResumeOption{"--resume", ValueKind::flag, "", "continue an interrupted export"};

constexpr Command kPastIssuesCommand = {
    "issues",
    "Look",
    "[JOB...] [filters] [--open] [--sort FIELD] [--columns FIELD,...] [--by WHAT] [--limit N] [--at TIME]",
    "list known problems; --by counts how often they occur",
    "",
    "luzia issues --job @last\n"
    "luzia issues --project web --since 7d --json\n"
    "luzia issues --by pattern",
    kIssuesOptions,
    {0, -1, Completes::job},
    reading<show_issues>,
    false,
    {},
    {},
    {},
    issue_fields};

constexpr Option kPlayOptions[] = {
    {"--speed", ValueKind::factor, "FACTOR", "play this many times as fast (default: 1x)"},
    {"--max-gap", ValueKind::duration, "D", "wait at most this long between two events (default: 2s)"}};

constexpr Command kPlayCommand = {"play",
                                  "Look",
                                  "JOB [--speed FACTOR] [--max-gap D]",
                                  "play back a job's events and output, at its pace or faster",
                                  "",
                                  "luzia play @last\n"
                                  "luzia play 1c8zk7 --speed 10x --max-gap 500ms",
                                  kPlayOptions,
                                  {1, 1, Completes::job},
                                  reading<run_play>,
                                  false,
                                  kOneJob};

constexpr Option kReportOptions[] = {
    kProjectFilter,
    kSinceDay,
    kUntilFilter,
    {"--limit", ValueKind::number, "N", "name at most N jobs, 0 for all (default 400); sums cover all"},
    kOutFile,
    kAtOption};

constexpr Command kReportCommand = {"report",
                                    "Add up",
                                    "[--out FILE] [filters] [--at TIME]",
                                    "write an HTML report: throughput, durations, costs, known problems",
                                    "",
                                    "luzia report --out report.html --since 30d\n"
                                    "luzia report --out web.html --project web --at yesterday",
                                    kReportOptions,
                                    {},
                                    reading<run_report>,
                                    false,
                                    "it adds up days and known problems, which name neither jobs nor agents\n"
                                    "the commands jobs, stats and issues take it"};

constexpr Option kSqlOptions[] = {
    kProjectFilter,
    kAgentFilter,
    {"--timeout", ValueKind::duration, "D", "give up after this long (default: 30s)"},
    kAtOption,
    kCsvOption};

constexpr Command kSqlCommand = {
    "sql",
    "Add up",
    "QUERY [filters] [--timeout D] [--at TIME]",
    "run one SQL query over jobs, costs, outcomes, questions, ...",
    "SELECT * FROM columns lists all tables and columns.",
    "luzia sql \"SELECT project, count(*), sum(cost_usd) FROM jobs GROUP BY project\"\n"
    "luzia sql \"SELECT id, task FROM jobs WHERE state = 'failed' ORDER BY ended_us DESC LIMIT 5\" --json\n"
    "luzia sql \"SELECT day, sum(jobs) FROM outcomes GROUP BY day\" --csv --at yesterday",
    kSqlOptions,
    {1, 1},
    reading<run_sql>,
    false,
    "the query itself chooses its rows\n"
    "write WHERE state = 'failed' or LIMIT 5 into it; SELECT * FROM columns lists names"};

constexpr Option kExportEventsOptions[] = {
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    kSincePlace,
    kUntilFilter,
    kEndlessLimit,
    {"--format", ValueKind::choice, "FORMAT", "jsonl (default) or cloudevents", "jsonl|cloudevents"},
    kResumeOption,
    kOutFile,
    kAtOption};
constexpr Option kExportAnalyticsOptions[] = {
    kProjectFilter,
    {"--since", ValueKind::moment, "TIME", "only rows since then; sums since that day (7d, 2026-11-21)"},
    kUntilFilter,
    kResumeOption,
    kOutFolder,
    kAtOption};
constexpr Option kExportQueueOptions[] = {kJobFilter,    kProjectFilter, kAgentFilter,
                                          kTagFilter,    kSinceFilter,   kUntilFilter,
                                          kEndlessLimit, kOutFolder,     kAtOption};
constexpr Option kExportTodosOptions[] = {kJobFilter,   kProjectFilter, kAgentFilter, kTagFilter,
                                          kStateFilter, kSinceFilter,   kUntilFilter, kEndlessLimit,
                                          kOutFile,     kAtOption};
constexpr Option kExportPrometheusOptions[] = {kProjectFilter, kOutFile, kAtOption};

constexpr Command kExports[] = {
    {"export events",
     "Export",
     "[filters] [--format FORMAT] [--out FILE] [--resume]",
     "write every event of the log, one per line, as JSON Lines or CloudEvents",
     "",
     "luzia export events --out events.jsonl\n"
     "luzia export events --out events.jsonl --resume\n"
     "luzia export events --format cloudevents --since yesterday --project web",
     kExportEventsOptions,
     {},
     reading<export_events>},
    {"export analytics",
     "Export",
     "--out DIR [filters] [--resume]",
     "write jobs, questions, issues, flows (all but removed ones) and sums of costs, tools and outcomes, as "
     "JSON, CSV and one SQLite file",
     "",
     "luzia export analytics --out analytics/\n"
     "luzia export analytics --out analytics/ --resume\n"
     "luzia export analytics --out web/ --project web --since 30d",
     kExportAnalyticsOptions,
     {},
     reading<export_analytics>,
     false,
     "sums such as issue_stats are not kept per job\n"
     "use --project, --since and --until, which apply to all tables, or luzia-query jobs ... --csv for the "
     "jobs "
     "alone"},
    {"export queue",
     "Export",
     "[--out DIR] [filters]",
     "write queued jobs as files of the older tool; without --out print one JSON object each",
     "",
     "luzia export queue --out queued --project web\n"
     "luzia export queue --limit 10",
     kExportQueueOptions,
     {},
     reading<export_queue>,
     false,
     "it writes the jobs that are queued\nluzia-query jobs takes it"},
    {"export cross-agent-todos",
     "Export",
     "[--out FILE] [filters]",
     "write the current and finished tasks of all agents as one JSON file",
     "",
     "luzia export cross-agent-todos\n"
     "luzia export cross-agent-todos --out todos.json --project web --since 7d",
     kExportTodosOptions,
     {},
     reading<export_todos>},
    {"export prometheus",
     "Export",
     "[--out FILE] [filters]",
     "write metrics as a Prometheus text file",
     "",
     "luzia export prometheus --out /var/lib/node_exporter/luzia.prom",
     kExportPrometheusOptions,
     {},
     reading<export_prometheus>,
     false,
     "metrics are counters of whole projects since their first job\n"
     "luzia-query jobs and luzia-query stats --by day take it"},
};

/// Runs only if no kind is given: known kinds are subcommands, and unknown ones are refused before.
Result<int> run_export(Invocation&) {
  return fail(ErrorKind::usage, "bad_usage",
              "export needs a kind: events, analytics, queue, cross-agent-todos or prometheus",
              "luzia-query export --help");
}

constexpr Command kExportCommand = {"export",
                                    "Keep",
                                    "events | analytics | queue | cross-agent-todos | prometheus",
                                    "export events, analytics, the queue, todos or Prometheus metrics",
                                    "",
                                    "luzia export events --out events.jsonl\n"
                                    "luzia export analytics --out analytics/\n"
                                    "luzia export queue --out queued\n"
                                    "luzia export cross-agent-todos\n"
                                    "luzia export prometheus --out /var/lib/node_exporter/luzia.prom",
                                    {},
                                    {1, 1},
                                    run_export,
                                    false,
                                    {},
                                    {},
                                    {},
                                    nullptr,
                                    kExports};

constexpr Option kReplayOptions[] = {
    {"--rebuild", ValueKind::flag, "", "replace the store's rows with replayed ones"},
    {"--projection", ValueKind::text, "NAME", "replay only this view"},
    {"--into", ValueKind::text, "DIR", "keep the replayed rows in this new folder", "", Completes::directory},
    {"--since", ValueKind::place_before, "TIME|POSITION",
     "measure only events since then (2h, 14:05, 2026-11-21), or after a position; earlier ones are replayed "
     "first"},
    kAtOption};

constexpr Command kReplayCommand = {
    "replay",
    "Keep",
    "[--rebuild | [--projection NAME] [--into DIR] [--since TIME]] [--at TIME]",
    "rebuild the rows from the log, or measure a replay",
    "",
    "luzia replay\n"
    "luzia replay --projection jobs --at 100000\n"
    "luzia replay --projection costs --since yesterday --into /tmp/costs\n"
    "luzia replay --into /tmp/rows\n"
    "luzia replay --rebuild",
    kReplayOptions,
    {},
    reading<run_replay>,
    false,
    kWholeLog};

constexpr Option kVerifyOptions[] = {
    {"--seals", ValueKind::text, "FILE", "also compare the log with the seals in this file", "",
     Completes::file},
    {"--key", ValueKind::text, "KEY", "the public key that signed them (luzia-query seal --public)"},
    {"--archive", ValueKind::text, "DIR", "also check that the log continues this archive", "",
     Completes::directory}};

constexpr Command kVerifyCommand = {
    "verify",
    "Keep",
    "[--seals FILE --key KEY] [--archive DIR]",
    "verify that the log is intact and the rows equal its replay",
    "--seals names a file that luzia-query seal wrote, and finds a log that was rewritten as a whole or cut.",
    "luzia verify\n"
    "luzia verify --offline --store /backup/luzia\n"
    "luzia verify --seals /mnt/other/desk.seals --key KEY",
    kVerifyOptions,
    {},
    reading<run_verify>,
    false,
    kWholeLog};

constexpr Option kSealOptions[] = {
    {"--to", ValueKind::text, "FILE", "append the seal to this file (default: STORE.seals)", "",
     Completes::file},
    {"--key", ValueKind::text, "FILE", "sign with the key in this file (default: STORE/seal.key)", "",
     Completes::file},
    {"--public", ValueKind::flag, "", "print the public key, and seal nothing"}};

constexpr Command kSealCommand = {
    "seal",
    "Keep",
    "[--to FILE] [--key FILE]\n--public [--key FILE]",
    "sign how far the log goes, as a line in a file",
    "The key is made at its first use. Keep the seals, and the public key, where whoever could rewrite the "
    "store cannot write: luzia-query verify --seals then finds a log that was rewritten or cut. It works "
    "while a daemon runs.",
    "luzia seal\n"
    "luzia seal --to /mnt/other/desk.seals\n"
    "luzia seal --public",
    kSealOptions,
    {},
    reading<run_seal>,
    false,
    kWholeLog};

constexpr Command kBackupCommand = {"backup",
                                    "Keep",
                                    "DIR",
                                    "copy the log to a new folder and verify the copy",
                                    "",
                                    "luzia backup /backup/luzia-2026-11-21\n"
                                    "luzia status --store /backup/luzia-2026-11-21",
                                    {},
                                    {1, 1, Completes::directory},
                                    reading<run_backup>,
                                    false,
                                    kWholeLog};

constexpr Option kArchiveOptions[] = {
    {"--until", ValueKind::place, "POSITION|TIME", "copy the events up to there, in whole groups"}};

constexpr Command kArchiveCommand = {
    "archive",
    "Keep",
    "DIR --until POSITION|TIME",
    "copy the earlier part of the log to a folder, and verify it",
    "The archive is a store for reading: commands read it with --store DIR, and no daemon opens it. "
    "luzia-query verify proves it; verify --archive DIR, on the store, proves that the store continues it. "
    "The store keeps its events.",
    "luzia archive /srv/luzia-2025 --until 2026-01-01\n"
    "luzia jobs --all --store /srv/luzia-2025\n"
    "luzia verify --archive /srv/luzia-2025",
    kArchiveOptions,
    {1, 1, Completes::directory},
    reading<run_archive>,
    false,
    kWholeLog};

constexpr Command kSalvageCommand = {"salvage",
                                     "Keep",
                                     "DIR",
                                     "copy the provable part of a damaged store to a new one",
                                     "",
                                     "luzia salvage /srv/luzia-saved\n"
                                     "luzia salvage /srv/luzia-saved --store /mnt/broken/luzia --json",
                                     {},
                                     {1, 1, Completes::directory},
                                     reading<run_salvage>,
                                     false,
                                     kWholeLog};

constexpr const Command* kCommands[] = {
    &kStatusCommand,    &kDigestCommand,    &kJobsCommand,   &kJobCommand,        &kQueueCommand,
    &kFlowsCommand,     &kFlowCardCommand,  &kEventsCommand, &kPastIssuesCommand, &kInboxCommand,
    &kQuestionsCommand, &kApprovalsCommand, &kAuditCommand,  &kLearningCommand,   &kWhyCommand,
    &kChangesCommand,   &kPlayCommand,      &kStatsCommand,  &kToolUseCommand,    &kCostCommand,
    &kReportCommand,    &kSqlCommand,       &kReplayCommand, &kVerifyCommand,     &kExportCommand,
    &kBackupCommand,    &kSalvageCommand,   &kSealCommand,   &kArchiveCommand,    &kDevicesCommand,
    &kHelpCommand,      &kCompleteCommand};

constexpr Option kQueryOptions[] = {
    kStoreOption,
    kConfigOption,
    {"--offline", ValueKind::flag, "", "read the store directly even if a daemon runs"},
    kJsonOption,
    {"--table", ValueKind::flag, "", "print text for people (default)"},
    kPatienceOption,
    kColorOption,
    kQuietOption,
    kHelpOption};

constexpr std::string_view kUsage[] = {"COMMAND [words] [options]"};

constexpr std::string_view kNotes =
    "Every read except diff, play and verify takes --at POSITION|TIME and then answers as of that moment. "
    "If a daemon runs on the store, it answers. Otherwise, and always with --offline, luzia-query reads the "
    "store directly; durations of running jobs then end at the last event. Exit codes: 0 done, 1 verify "
    "found a fault, 2 bad usage, 3 no such job or project, 4 refused, 5 trouble with daemon or store. "
    "luzia-query "
    "COMMAND --help shows a command's options; luzia-query --version the version.";

constexpr std::string_view kManHead = ".TH LUZIA-QUERY 1 \"\" \"luzia " LUZIA_VERSION
                                      "\" \"User Commands\"\n"
                                      R"(.SH NAME
luzia\-query \- query, export, replay and verify what luzia recorded
.SH SYNOPSIS
.B luzia\-query
\fICOMMAND\fR [words] [options]
.SH DESCRIPTION
Answers from the event log and the rows derived from it. Every read except diff, play and verify takes
\fB\-\-at\fR POSITION|TIME and then answers as of that moment. If a daemon runs on the store, it answers.
Otherwise, and always with \fB\-\-offline\fR, luzia\-query reads the store directly; durations of running jobs
then end at the last event.
.SH COMMANDS
)";

constexpr std::string_view kManTail = R"(.SH EXIT STATUS
0 done, 1 verify found a fault, 2 bad usage, 3 no such job or project, 4 refused, 5 trouble with daemon or store.
.SH ENVIRONMENT
.TP
.B LUZIA_STORE
Use this store.
.TP
.B LUZIA_CONFIG
Also read this configuration.
.SH SEE ALSO
.BR luzia (1),
.BR luziad (8)
)";

Result<Chosen> choose_other(std::vector<std::string> words, std::size_t at) {
  return unknown_command(kLuziaQuery, words[at]);
}

std::unique_ptr<Source> open_store(const SourceOptions& place, std::function<void(std::string)> note,
                                   ProgressSink progress) {
  return std::make_unique<StoreSource>(place, std::move(note), std::move(progress));
}

}  // namespace

const Program kLuziaQuery = {
    .name = "luzia-query",
    .purpose = "luzia-query queries, exports, replays and verifies what luzia recorded.",
    .usage = kUsage,
    .notes = kNotes,
    .everyday = {},
    .commands = kCommands,
    .common = kQueryOptions,
    .man_head = kManHead,
    .man_tail = kManTail,
    .choose_other = choose_other,
    .open_store = open_store,
};

}  // namespace luzia
