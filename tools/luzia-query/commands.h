// The commands that only luzia-query has, one function each; shared ones are in tools/read. A command returns
// the exit code, or the error to print. The table of all commands is in command_table.cc.
#pragma once

#include "tools/read/session.h"

namespace luzia {

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
Result<int> run_archive(Session& session);
Result<int> run_salvage(Session& session);
Result<int> run_seal(Session& session);

}  // namespace luzia
