// The commands of luzia, declared by family. The table of all commands is in command_table.cc.
#pragma once

#include "tools/cli/command.h"

namespace luzia {

extern const Program kLuzia;

/// What waits for the user, for bare luzia: look/first_look.h.
std::string first_look(Invocation& invocation);
/// The command for a word known from other programs, such as ls, ps or kill; null: none.
const Command* find_alias(std::string_view word);
/// Whether it is a command that only luzia-query has.
bool is_query_command(std::string_view word);

extern const Command kDispatchCommand, kRunCommand, kProjectCommand;
extern const Command kTrackCommand, kUntrackCommand, kScheduleCommand;
extern const Command kLogsCommand, kWatchCommand, kWaitCommand, kFollowCommand, kSearchCommand;
extern const Command kCancelCommand, kRetryCommand, kPauseCommand, kResumeCommand, kHoldCommand,
    kReleaseCommand, kEditCommand;
extern const Command kAskCommand, kGateCommand, kTellCommand;
extern const Command kAnswerCommand, kQuestionCommand, kApproveCommand, kDenyCommand;
extern const Command kDiffCommand, kRestoreCommand, kRmCommand, kGcCommand, kSnapshotCommand;
extern const Command kAttachCommand, kWorkCommand, kTerminalCommand, kHoldTerminalCommand;
extern const Command kFlowCommand;
extern const Command kLearnCommand, kSolutionCommand, kFactCommand, kToolsCommand, kPromptCommand,
    kTodoCommand;
extern const Command kPublishCommand;
extern const Command kAlertCommand;
extern const Command kHooksCommand;
extern const Command kIssuesCommand;
extern const Command kMcpCommand, kHookCommand, kInitCommand;
extern const Command kImportCommand;
extern const Command kConfigCommand, kDaemonCommand, kDoctorCommand;
extern const Command kTopCommand;
extern const Command kWebCommand;
extern const Command kMachineCommand, kProxyCommand;

/// Whether it is a part of luzia web: "open", "pair", ...; and all of them.
bool is_web_word(std::string_view word);
std::vector<std::string> web_words();

}  // namespace luzia
