// Imports ended jobs of another tool. They appear in every list and never run. Their output is read from
// where it is. Loop thread.
#pragma once

#include "tools/luziad/queries/queries.h"

namespace luzia {

/// The most jobs in one request.
constexpr std::size_t kMostImports = 1'000;

struct ImportCommand {
  ToJob item;
  std::string older_id;  // given by earlier versions, from its start in the importer's zone
};
/// The command that imports one job. The same job always gets the same id, whatever the source, time zone or
/// copies of its files: the id is derived from the job's own id, project, task and start as written. Errors
/// (usage, `bad_import`): no project, a state that is not final, times that are invalid or after `now`, a
/// relative folder.
Result<ImportCommand> import_command(const wire::ImportedJobT& job, TimeUs now);

class Imports {
 public:
  Imports(const ViewStore& views, const Desk& desk, Queries& queries)
      : views_(views), desk_(desk), queries_(queries) {}
  static Status check(const Caller& caller, const wire::ImportJobs& request);
  /// Imports all or none. Requires a trusted caller, who could read any file through the daemon.
  Status take(const RequestId& to, const Caller& caller, const wire::ImportJobs& request);

 private:
  Status keep_older_ids(const RequestId& to, std::vector<ImportCommand> imports,
                        std::function<Status(std::vector<ToJob>)> then);
  Status reply_with_new(const RequestId& to, const std::vector<ToJob>& commands);

  const ViewStore& views_;
  Desk desk_;
  Queries& queries_;
};

}  // namespace luzia
