// The table of luzia-fleet's commands.
#include "tools/cli/common_options.h"
#include "tools/cli/completion.h"
#include "tools/cli/help.h"
#include "tools/luzia-fleet/commands.h"

namespace luzia {
namespace {

constexpr Option kInitOptions[] = {
    {"--url", ValueKind::text, "URL", "the database, with a role that may create schemas and roles"},
    {"--machine", ValueKind::texts, "NAME",
     "give the machine with this site name a role that may write it; repeatable"},
    {"--reader", ValueKind::text, "NAME", "let this role read the tables"},
    {"--operator", ValueKind::text, "NAME", "the same, and let it place orders in these projects"},
    {"--projects", ValueKind::list, "NAME,...", "the projects of the reader or operator; '*': all"},
    {"--forget", ValueKind::text, "SITE",
     "delete the log and the rows of this site; its machine mirrors its log anew"},
    {"--yes", ValueKind::flag, "", "really delete them"},
    {"--password-file", ValueKind::text, "FILE",
     "the password of the role (default: a random one, shown once)", "", Completes::file},
    {"--dry-run", ValueKind::flag, "", "print the SQL and change nothing"}};

constexpr Command kInitCommand = {
    "init",
    "Set up",
    "--url URL [--machine NAME]... [--reader|--operator NAME --projects NAME,...] [--forget SITE --yes] "
    "[--dry-run]",
    "prepare a database: schema, readable tables and roles",
    "Repeat it after an upgrade, and for each new machine or reader: what is there already stays. The "
    "password of the "
    "URL's role comes from ~/.pgpass or PGPASSFILE.",
    "luzia-fleet init --url postgresql://postgres@db/luzia --machine build1 --machine build2\n"
    "luzia-fleet init --url postgresql://postgres@db/luzia --reader ana --projects web,shop\n"
    "luzia-fleet init --url postgresql://postgres@db/luzia --operator eva --projects web\n"
    "luzia-fleet init --machine build1 --dry-run | less",
    kInitOptions,
    {},
    init_fleet};

constexpr Command kRunCommand = {
    "run",
    "Run",
    "",
    "mirror this machine's log until the daemon ends",
    "It also does the orders that [fleet] orders names. The daemon keeps it running if the "
    "configuration has a [fleet] url. While "
    "the database is away it waits: the log "
    "holds what is to be mirrored.",
    "luzia-fleet run",
    {},
    {},
    run_fleet};

constexpr Command kStatusCommand = {
    "status",
    "Look",
    "",
    "show how far each site is mirrored, when it was last seen, and what is wrong",
    "Each row is as of LAST SEEN. A FAULT says why a log was refused; it was not mixed with the site's own.",
    "luzia-fleet status\n"
    "luzia-fleet status --json",
    {},
    {},
    show_fleet};

constexpr Command kReadCommand = {"read",
                                  "Run",
                                  "",
                                  "answer questions about the rows of all sites, for other programs",
                                  "luzia-query --fleet and luzia-web start it. Questions and answers are "
                                  "frames of schema/fleet.fbs on standard "
                                  "input and output. It reads from [fleet] people_url, else from url.",
                                  "luzia-query jobs --fleet",
                                  {},
                                  {},
                                  read_fleet};

constexpr Command kRebuildCommand = {
    "rebuild",
    "Keep",
    "",
    "replace this site's rows in the readable tables by what the daemon has now",
    "",
    "luzia-fleet rebuild",
    {},
    {},
    rebuild_fleet,
    kNeedsStore};

constexpr Option kRejoinOptions[] = {
    {"--as", ValueKind::text, "NAME",
     "mirror this log under a new name; what is mirrored stays under the old one"}};

constexpr Command kRejoinCommand = {"rejoin",
                                    "Keep",
                                    "--as NAME",
                                    "go on after the database refused this log",
                                    "The database refuses a log that does not continue the one it has under "
                                    "the same name: that of another machine, "
                                    "or one that was restored from a backup. Only the schema's owner can "
                                    "delete what is mirrored: luzia-fleet init "
                                    "--forget SITE. Then this log is mirrored in its place.",
                                    "luzia-fleet rejoin --as build1-restored",
                                    kRejoinOptions,
                                    {},
                                    rejoin_fleet};

constexpr Option kOrderOptions[] = {
    {"--to", ValueKind::text, "SITE|LABEL|any", "whom the orders are for (required)"},
    {"--expires", ValueKind::duration, "D",
     "how long an order may wait for its machine (default 1h, at most 30d)"}};

constexpr Command kOrderCommand = {
    "order",
    "Order",
    "--to SITE|LABEL|any [--expires D]",
    "pass on orders to machines of the fleet; luzia --on fleet:NAME runs it",
    "Reads requests of the daemon's protocol on standard input, places each that is an order, and writes the "
    "machine's reply. An order that nobody has taken when its input ends stands until it expires.",
    "luzia --on fleet:any web 'fix the failing test'\n"
    "luzia --on fleet:build1 cancel 0kx8w2c5r1t3",
    kOrderOptions,
    {},
    pass_on_orders};

constexpr Option kOrdersOptions[] = {
    {"-n,--limit", ValueKind::number, "N", "at most so many, newest first (default 50)"}};

constexpr Command kOrdersCommand = {"orders",
                                    "Order",
                                    "[--limit N]",
                                    "list orders of your projects: state, machine, age and result",
                                    "",
                                    "luzia-fleet orders\n"
                                    "luzia-fleet orders --json",
                                    kOrdersOptions,
                                    {},
                                    list_orders};

constexpr Command kWithdrawCommand = {"withdraw",
                                      "Order",
                                      "ORDER",
                                      "take back an order that no machine has accepted yet",
                                      "",
                                      "luzia-fleet withdraw cli-5f2a31c07b1de49a02c4d17e",
                                      {},
                                      {1, 1, Completes::nothing},
                                      withdraw_order};

constexpr const Command* kFleetCommands[] = {
    &kInitCommand,  &kRunCommand,    &kReadCommand,     &kStatusCommand, &kRebuildCommand, &kRejoinCommand,
    &kOrderCommand, &kOrdersCommand, &kWithdrawCommand, &kHelpCommand,   &kCompleteCommand};

constexpr std::string_view kFleetUsage[] = {"COMMAND [options]"};

constexpr std::string_view kFleetNotes =
    "Settings are [fleet] of luzia.toml. Exit codes: 0 done, 2 bad usage, 4 "
    "refused, 5 "
    "trouble with daemon or database. luzia-fleet COMMAND --help shows a command's options; luzia-fleet "
    "--version the "
    "version.";

constexpr std::string_view kFleetManHead = ".TH LUZIA-FLEET 1 \"\" \"luzia " LUZIA_VERSION
                                           "\" \"User Commands\"\n"
                                           R"(.SH NAME
luzia\-fleet \- mirror this machine's log to a PostgreSQL database that a fleet shares
.SH SYNOPSIS
.B luzia\-fleet
\fICOMMAND\fR [options]
.SH DESCRIPTION
Copies the log as it is stored, and rows for reports, into a database that many machines share. The log of each machine
stays the truth: nothing waits for the database, and nothing is lost while it is away.
.SH COMMANDS
)";

constexpr std::string_view kFleetManTail = R"(.SH EXIT STATUS
0 done, 2 bad usage, 4 refused, 5 trouble with daemon or database.
.SH FILES
.TP
.I STORE/fleet.status
How far this machine's log is mirrored, and what is wrong.
.SH SEE ALSO
.BR luzia (1),
.BR luziad (8)
)";

Result<Chosen> choose_other_fleet(std::vector<std::string> words, std::size_t at) {
  return unknown_command(kLuziaFleet, words[at]);
}

}  // namespace

const Program kLuziaFleet = {
    .name = "luzia-fleet",
    .purpose = "luzia-fleet mirrors this machine's log to a PostgreSQL database that a fleet shares.",
    .usage = kFleetUsage,
    .notes = kFleetNotes,
    .everyday = {},
    .commands = kFleetCommands,
    .common = kCommonOptions,
    .man_head = kFleetManHead,
    .man_tail = kFleetManTail,
    .choose_other = choose_other_fleet,
};

}  // namespace luzia
