// luzia: which commands there are, and what other words mean.
#include <algorithm>
#include <array>

#include "adapters/config/config.h"
#include "adapters/config/nearest.h"
#include "engine/base/shell_quote.h"
#include "tools/cli/common_options.h"
#include "tools/cli/completion.h"
#include "tools/cli/help.h"
#include "tools/luzia/families.h"
#include "tools/read/commands.h"

namespace luzia {
namespace {

constexpr std::array kCommands = {
    &kRunCommand,       &kDispatchCommand,  &kWorkCommand,         &kFlowCommand,       &kAttachCommand,
    &kTerminalCommand,  &kTrackCommand,     &kUntrackCommand,      &kScheduleCommand,   &kStatusCommand,
    &kDigestCommand,    &kJobsCommand,      &kJobCommand,          &kLogsCommand,       &kWatchCommand,
    &kTopCommand,       &kWaitCommand,      &kWhyCommand,          &kSearchCommand,     &kFollowCommand,
    &kCancelCommand,    &kRetryCommand,     &kPauseCommand,        &kResumeCommand,     &kHoldCommand,
    &kReleaseCommand,   &kEditCommand,      &kAskCommand,          &kGateCommand,       &kTellCommand,
    &kAnswerCommand,    &kQuestionCommand,  &kApproveCommand,      &kDenyCommand,       &kInboxCommand,
    &kQuestionsCommand, &kApprovalsCommand, &kAuditCommand,        &kIssuesCommand,     &kQueueCommand,
    &kFlowsCommand,     &kEventsCommand,    &kStatsCommand,        &kCostCommand,       &kPublishCommand,
    &kAlertCommand,     &kLearnCommand,     &kSolutionCommand,     &kFactCommand,       &kLearningCommand,
    &kToolsCommand,     &kPromptCommand,    &kTodoCommand,         &kDiffCommand,       &kRestoreCommand,
    &kRmCommand,        &kGcCommand,        &kMcpCommand,          &kHookCommand,       &kProjectCommand,
    &kInitCommand,      &kConfigCommand,    &kImportCommand,       &kHooksCommand,      &kDaemonCommand,
    &kWebCommand,       &kMachineCommand,   &kDoctorCommand,       &kCompletionCommand, &kHelpCommand,
    &kCompleteCommand,  &kSnapshotCommand,  &kHoldTerminalCommand, &kProxyCommand,
};

constexpr std::array kEveryday = {
    &kRunCommand,   &kDispatchCommand, &kStatusCommand,  &kTopCommand,    &kJobsCommand,
    &kJobCommand,   &kWatchCommand,    &kLogsCommand,    &kWhyCommand,    &kWaitCommand,
    &kInboxCommand, &kAnswerCommand,   &kApproveCommand, &kCancelCommand, &kRetryCommand,
    &kDiffCommand,  &kInitCommand,     &kDoctorCommand,  &kHelpCommand,
};

/// A word of other programs, unless a project is called so; null: none.
const Command* command_meant(std::string_view word) {
  const Command* meant = find_alias(word);
  if (meant == nullptr) return nullptr;
  const auto config = load_config();
  return config && config->projects.contains(std::string(word)) ? nullptr : meant;
}

/// An alias, or a project: a single unknown word is rather a slip than a project without a task.
Result<Chosen> choose_other(std::vector<std::string> words, std::size_t at) {
  const std::string word = words[at];
  if (const Command* command = command_meant(word)) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    return Chosen{command, std::move(words)};
  }
  const bool alone = words.size() == at + 1 && std::ranges::count_if(words, [](const auto& each) {
                                                 return each.empty() || each[0] != '-';
                                               }) == 1;
  if (!alone) return Chosen{&kDispatchCommand, std::move(words)};
  const std::string near = word.empty() ? std::string() : nearest_command(kLuzia, word);
  return fail(ErrorKind::usage, "bad_usage", "'" + word + "' is not a command, and a project needs a task",
              word.empty()             ? "luzia PROJECT \"TASK\"; is a variable of your script not set?"
              : is_query_command(word) ? "did you mean luzia-query " + word + "?"
              : !near.empty()          ? "did you mean luzia " + near + "?"
                                       : "luzia " + word + " \"TASK\", or luzia help");
}

/// `luzia web "TASK"` and `luzia proxy "TASK"` give the task to a project of that name, as before there were
/// the commands.
std::vector<std::string> with_project_web(std::vector<std::string> words) {
  const std::size_t at = command_index(kLuzia, words);
  const bool is_proxy = at < words.size() && words[at] == kProxyCommand.name;
  if (at >= words.size() || (words[at] != kWebCommand.name && !is_proxy)) return words;
  const std::span<const std::string> after(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
  const auto next =
      std::ranges::find_if(after, [](const std::string& word) { return !word.starts_with('-'); });
  const bool is_task =
      next != after.end() &&
      (is_proxy || (std::ranges::none_of(after, is_web_word) && nearest_name(*next, web_words()).empty()));
  if (is_task)
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), std::string(kDispatchCommand.name));
  return words;
}

/// After -- come the words of a command, which a shell runs: they become one task, for the project that is
/// named or for the current folder.
std::vector<std::string> with_command_line(std::vector<std::string> words) {
  words = with_project_web(std::move(words));
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end() || std::next(dashes) == words.end()) return words;
  std::vector<std::string> head(words.begin(), dashes);
  const std::size_t at = command_index(kLuzia, head);
  const Command* command = at < head.size() ? find_command(kLuzia, head[at]) : &kRunCommand;
  if (command != nullptr && command != &kRunCommand && command != &kDispatchCommand) return words;
  if (at >= head.size()) head.emplace_back(kRunCommand.name);
  const bool for_agent = std::ranges::any_of(
      head, [](const std::string& word) { return word == "-a" || word.starts_with("--agent"); });
  if (!for_agent) head.insert(head.end(), {"--agent", "shell"});
  std::string line = *std::next(dashes);  // a single word may be a whole line for the shell
  if (std::next(dashes, 2) != words.end()) {
    line.clear();
    for (auto word = std::next(dashes); word != words.end(); ++word) {
      line += (line.empty() ? "" : " ") + shell_quote(*word);
    }
  }
  head.insert(head.end(), {"--", std::move(line)});
  return head;
}

/// Commands that use this machine's files, processes or terminals beside the daemon's answers.
OnlyHere only_here(const Command& command) {
  struct Row {
    const Command* command;
    OnlyHere why;
  };
  constexpr OnlyHere kTerminal{"it needs the job's terminal",
                               "ssh -t to that machine, then luzia attach JOB"};
  constexpr OnlyHere kFiles{"it works on the files of jobs", "ssh to that machine and type it there"};
  constexpr OnlyHere kSetUp{"it is about programs and files here", "ssh to that machine and type it there"};
  constexpr OnlyHere kInside{"the daemon's own programs call it", ""};
  static constexpr Row kRows[] = {
      {&kRunCommand, {"it works in a folder", "luzia --on MACHINE dispatch PROJECT \"TASK\""}},
      {&kWorkCommand, kTerminal},
      {&kAttachCommand, kTerminal},
      {&kTerminalCommand, kTerminal},
      {&kTrackCommand, {"it follows a process", "ssh to that machine and type it there"}},
      {&kDiffCommand, kFiles},
      {&kRestoreCommand, kFiles},
      {&kGcCommand, kFiles},
      {&kPromptCommand, kSetUp},
      {&kInitCommand, kSetUp},
      {&kConfigCommand, kSetUp},
      {&kImportCommand, kSetUp},
      {&kDoctorCommand, kSetUp},
      {&kWebCommand, kSetUp},
      {&kCompletionCommand, kSetUp},
      {&kMachineCommand, {"it is about the machines that are configured here", "luzia machine list"}},
      {&kMcpCommand, kInside},
      {&kHookCommand, kInside},
      {&kSnapshotCommand, kInside},
      {&kHoldTerminalCommand, kInside},
      {&kProxyCommand, kInside},
  };
  // luzia learn prompt is luzia prompt, and luzia web status a part of luzia web.
  const auto is_it = [&](const Command& one) { return one.run == command.run; };
  const auto found = std::ranges::find_if(kRows, [&](const Row& row) {
    return is_it(*row.command) || std::ranges::any_of(row.command->parts, is_it);
  });
  return found == std::end(kRows) ? OnlyHere() : found->why;
}

constexpr std::string_view kUsage[] = {"PROJECT \"TASK\" [options]", "COMMAND [words] [options]"};

constexpr std::string_view kManHead =
    ".TH LUZIA 1 \"\" \"luzia " LUZIA_VERSION
    "\" \"User Commands\"\n"
    ".SH NAME\nluzia \\- run coding agents in the background and keep a complete record of them\n"
    ".SH SYNOPSIS\n.B luzia\n\\fIPROJECT\\fR \"\\fITASK\\fR\" [options]\n.br\n.B luzia\n"
    "\\fICOMMAND\\fR [words] [options]\n"
    ".SH DESCRIPTION\nA task handed to luzia becomes a job with an id; its agent runs detached, and "
    "everything that happens to it is recorded as an event. A JOB is named by its id, the beginning of one, "
    "@last for the newest, or %3 for row 3 of the list that was shown last on this terminal. Without any "
    "argument luzia shows what waits for you, then the everyday commands.\n.SH COMMANDS\n";

constexpr std::string_view kManTail = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
the thing asked about failed (a job that was waited for)
.TP
2
bad usage or input; nothing was changed
.TP
3
no such job, flow, question, device or project
.TP
4
refused: not allowed, or not possible in this state
.TP
5
trouble with the daemon, the store or the machine
.SH ENVIRONMENT
.TP
.B LUZIA_STORE
the store to use; one that begins with ssh:// is on another machine
.TP
.B LUZIA_ON
the machine whose daemon to ask, as \-\-on
.TP
.B LUZIA_CONFIG
a configuration to read too
.TP
.B LUZIA_DAEMON
the luziad to start
.TP
.B LUZIA_PATIENCE
how long to wait for a daemon that does not answer, as \-\-patience
.TP
.B LUZIA_SOCKET, LUZIA_JOB_ID, LUZIA_ATTEMPT
set inside jobs: whom to talk to, and about what
.TP
.B LUZIA_CREDENTIAL
set inside jobs: proves which attempt speaks, while that lives
.TP
.B NO_COLOR, CLICOLOR_FORCE, COLUMNS, TERM
as everywhere
.SH FILES
.TP
.I /etc/luzia/luzia.toml, ~/.config/luzia/luzia.toml
The configuration; see luzia config.
.TP
.I ~/.local/state/luzia/store, ~/.local/state/luzia/jobs
The store, and the jobs' directories; those of root are /var/lib/luzia/store and /var/log/luz\-orchestrator/jobs. luziad(8) has the rule.
.SH SEE ALSO
.BR luzia\-query (1),
.BR luziad (8)
)";

}  // namespace

const Program kLuzia = {
    .name = "luzia",
    .purpose =
        "luzia runs coding agents, or any command, in the background and keeps a complete record of what "
        "they do.",
    .usage = kUsage,
    .notes =
        "A JOB is an id, the beginning of one, @last, or %3 for row 3 of the list that was shown last on "
        "this terminal. Every command has --help with examples, and --json. luzia-query reads a store, also "
        "without a daemon: SQL, exports, reports, proofs.",
    .everyday = kEveryday,
    .commands = kCommands,
    .common = kLuziaOptions,
    .man_head = kManHead,
    .man_tail = kManTail,
    .choose_other = choose_other,
    .otherwise = &kDispatchCommand,
    .rewritten = with_command_line,
    .first_look = first_look,
    .only_here = only_here,
};

const Command* find_alias(std::string_view word) {
  struct Alias {
    std::string_view word;
    const Command* command;
  };
  static constexpr Alias kAliases[] = {
      {"ls", &kJobsCommand},     {"list", &kJobsCommand},        {"ps", &kJobsCommand},
      {"kill", &kCancelCommand}, {"restart", &kRetryCommand},    {"show", &kJobCommand},
      {"log", &kLogsCommand},    {"projects", &kProjectCommand},
  };
  for (const Alias& alias : kAliases) {
    if (alias.word == word) return alias.command;
  }
  return nullptr;
}

bool is_query_command(std::string_view word) {
  constexpr std::string_view kTheirs[] = {"archive", "backup",  "export", "play", "replay",
                                          "report",  "salvage", "seal",   "sql",  "verify"};
  return std::ranges::find(kTheirs, word) != std::end(kTheirs);
}

}  // namespace luzia
