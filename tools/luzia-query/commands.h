// The commands, one function each, and the table of them. A command returns the exit code, or the error that
// main prints.
#pragma once

#include <span>
#include <string_view>

#include "tools/luzia-query/session.h"

namespace luzia {

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view examples;  // one a line
  Grammar grammar;
  Result<int> (*run)(Session&);
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

// exports.cc
/// What can be exported, each with options of its own: "export events", ...
std::span<const Command> exports();
/// Of `export` the command for what the first of `words` that is no option names, which is then taken out of
/// them; every other command as it is. `bad_usage`: there is no such export.
Result<const Command*> narrowed(const Command& command, std::vector<std::string>& words);

// jobs_commands.cc
Result<int> run_status(Session& session);
Result<int> run_jobs(Session& session);
Result<int> run_job(Session& session);
Result<int> run_queue(Session& session);
// flow_commands.cc
Result<int> run_flows(Session& session);
Result<int> run_flow(Session& session);
// event_commands.cc
Result<int> run_events(Session& session);
Result<int> run_why(Session& session);
// export_queue.cc
Result<int> export_queue(Session& session);
// issues_command.cc
Result<int> run_issues(Session& session);
// input_commands.cc
Result<int> run_questions(Session& session);
Result<int> run_approvals(Session& session);
Result<int> run_audit(Session& session);
// usage_commands.cc
Result<int> run_tools(Session& session);
Result<int> run_cost(Session& session);
// learning_command.cc
Result<int> run_learning(Session& session);
// export_command.cc
Result<int> run_export(Session& session);
// diff_command.cc
Result<int> run_diff(Session& session);
// play_command.cc
Result<int> run_play(Session& session);
// report_command.cc
Result<int> run_report(Session& session);
// sql_command.cc
Result<int> run_sql(Session& session);
// stats_command.cc
Result<int> run_stats(Session& session);
// replay_command.cc
Result<int> run_replay(Session& session);
// upkeep_commands.cc
Result<int> run_verify(Session& session);
Result<int> run_backup(Session& session);
// salvage_command.cc
Result<int> run_salvage(Session& session);

}  // namespace luzia
