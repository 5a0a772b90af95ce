// The commands, one file per family. The table of all of them is in command_table.cc.
#pragma once

#include "tools/luzia/command.h"

namespace luzia {

extern const Command kDispatchCommand, kRunCommand, kProjectCommand;
extern const Command kJobsCommand, kJobCommand, kStatusCommand, kWhyCommand;
extern const Command kLogsCommand, kWatchCommand, kWaitCommand, kFollowCommand;
extern const Command kCancelCommand, kRetryCommand, kPauseCommand, kResumeCommand, kHoldCommand,
    kReleaseCommand, kEditCommand;
extern const Command kAskCommand, kGateCommand;
extern const Command kAnswerCommand, kQuestionCommand, kApproveCommand, kDenyCommand;
extern const Command kDiffCommand, kRestoreCommand, kRmCommand, kGcCommand, kSnapshotCommand;
extern const Command kAttachCommand, kWorkCommand, kTerminalCommand, kHoldTerminalCommand;
extern const Command kFlowCommand;
extern const Command kSolutionCommand, kFactCommand, kToolsCommand, kPromptCommand;
extern const Command kPublishCommand;
extern const Command kHooksCommand;
extern const Command kIssuesCommand;
extern const Command kQuestionsCommand, kApprovalsCommand;
extern const Command kMcpCommand, kHookCommand, kInitCommand;
extern const Command kImportCommand;
extern const Command kConfigCommand, kDaemonCommand, kDoctorCommand, kCompletionCommand, kHelpCommand,
    kCompleteCommand;

}  // namespace luzia
