// Requests about the queue: pausing and resuming projects, resuming agents after a usage limit, and lifting
// spent budgets. Loop thread.
#pragma once

#include "tools/luziad/queries/queries.h"
#include "tools/luziad/rights/rights.h"

namespace luzia {

class QueueRequests {
 public:
  QueueRequests(const ViewStore& views, const Desk& desk, Rights& rights, Queries& queries)
      : views_(views), desk_(desk), rights_(rights), queries_(queries) {}

  Status act(const RequestId& to, const Caller& caller, const wire::ActOnQueue& request);

 private:
  const ViewStore& views_;
  Desk desk_;
  Rights& rights_;
  Queries& queries_;
};

}  // namespace luzia
