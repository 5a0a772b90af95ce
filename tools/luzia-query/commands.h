// The commands that luzia-query has beside those of tools/read, one function each; a command returns the exit
// code, or the error that is printed. The table of all commands is in command_table.cc.
#pragma once

#include "tools/read/session.h"

namespace luzia {

/// The program.
extern const Program kLuziaQuery;

Result<int> export_events(Session& session);
Result<int> export_analytics(Session& session);
Result<int> export_queue(Session& session);
Result<int> export_todos(Session& session);
Result<int> export_prometheus(Session& session);
Result<int> run_play(Session& session);
Result<int> run_report(Session& session);
Result<int> run_sql(Session& session);
Result<int> run_replay(Session& session);
Result<int> run_verify(Session& session);
Result<int> run_backup(Session& session);
Result<int> run_salvage(Session& session);

}  // namespace luzia
