// Jobs of another tool that have ended, taken over as they are: they appear in every list and never run.
// Their output stays where it is, and is read there. Loop thread.
#pragma once

#include "tools/luziad/base/parts.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

/// At most so many in one request.
constexpr std::size_t kMostImports = 1'000;

struct ImportOrder {
  JobOrder order;
  std::string older_id;  // that earlier versions gave it, by its start in the importer's zone
};
/// The order to take over one job. The same job has the same id, whenever and from wherever it comes, in
/// whatever zone it is read and however its files were copied: it follows from its own id, project, task and
/// start as that is written. Errors (usage, `bad_import`): no project, a state that is no end, times that are
/// none or lie after `now`, a folder that is not absolute.
Result<ImportOrder> import_order(const wire::ImportedJobT& job, TimeUs now);

class Imports {
 public:
  Imports(Parts& parts, Queries& queries) : parts_(parts), queries_(queries) {}
  static Status check(const Caller& caller, const wire::ImportJobs& request);
  /// All or nothing. Who may read every file through the daemon must be trusted.
  void take(const RequestId& to, const Caller& caller, const wire::ImportJobs& request);

 private:
  void keep_older_ids(const RequestId& to, std::vector<ImportOrder> imports,
                      std::function<void(std::vector<JobOrder>)> then);
  void tell_new(const RequestId& to, const std::vector<JobOrder>& orders);

  Parts& parts_;
  Queries& queries_;
};

}  // namespace luzia
