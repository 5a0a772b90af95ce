#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "adapters/config/nearest.h"
#include "tools/luzia/families.h"
#include "tools/luzia/top_command.h"

namespace luzia {
namespace {

constexpr Option kCommon[] = {
    {"--store", ValueKind::text, "DIR", "the store to use (default: $LUZIA_STORE, else the configuration's)",
     "", Completes::directory},
    {"--config", ValueKind::text, "FILE", "read this configuration too (default: $LUZIA_CONFIG)", "",
     Completes::file},
    {"--json", ValueKind::flag, "", "values and errors as JSON"},
    {"--patience", ValueKind::duration, "D",
     "how long to wait for a daemon that does not answer (default: $LUZIA_PATIENCE, else 10s; 0: for ever)"},
    {"--color", ValueKind::choice, "WHEN", "colours: auto, always or never", "auto|always|never"},
    {"-q,--quiet", ValueKind::flag, "", "nothing on standard error but errors"},
    {"-h,--help", ValueKind::flag, "", "this help"},
};

constexpr std::array kCommands = {
    &kRunCommand,      &kDispatchCommand, &kWorkCommand,     &kFlowCommand,         &kAttachCommand,
    &kTerminalCommand, &kStatusCommand,   &kJobsCommand,     &kJobCommand,          &kLogsCommand,
    &kWatchCommand,    &kTopCommand,      &kWaitCommand,     &kWhyCommand,          &kFollowCommand,
    &kCancelCommand,   &kRetryCommand,    &kPauseCommand,    &kResumeCommand,       &kHoldCommand,
    &kReleaseCommand,  &kEditCommand,     &kAskCommand,      &kGateCommand,         &kAnswerCommand,
    &kQuestionCommand, &kApproveCommand,  &kDenyCommand,     &kQuestionsCommand,    &kApprovalsCommand,
    &kIssuesCommand,   &kPublishCommand,  &kSolutionCommand, &kFactCommand,         &kToolsCommand,
    &kPromptCommand,   &kDiffCommand,     &kRestoreCommand,  &kRmCommand,           &kGcCommand,
    &kMcpCommand,      &kHookCommand,     &kProjectCommand,  &kInitCommand,         &kConfigCommand,
    &kImportCommand,   &kHooksCommand,    &kDaemonCommand,   &kDoctorCommand,       &kCompletionCommand,
    &kHelpCommand,     &kCompleteCommand, &kSnapshotCommand, &kHoldTerminalCommand,
};

}  // namespace

std::span<const Option> common_options() {
  return kCommon;
}

std::span<const Command* const> all_commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const Command* command : all_commands()) {
    if (command->name == name) {
      return command;
    }
  }
  return nullptr;
}

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

std::string nearest_command(std::string_view name) {
  std::vector<std::string> names;
  for (const Command* command : all_commands()) {
    if (!command->group.empty()) {
      names.emplace_back(command->name);
    }
  }
  return nearest_name(name, names);
}

bool is_query_command(std::string_view word) {
  constexpr std::string_view kTheirs[] = {"audit",  "backup",   "cost", "events", "export",
                                          "flows",  "learning", "play", "queue",  "replay",
                                          "report", "salvage",  "sql",  "stats",  "verify"};
  return std::ranges::find(kTheirs, word) != std::end(kTheirs);
}

std::string_view long_name(const Option& option) {
  const std::size_t dashes = option.names.find("--");
  return option.names.substr(dashes + 2);
}

}  // namespace luzia
