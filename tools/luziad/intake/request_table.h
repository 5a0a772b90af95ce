// The requests of clients: one row each says who may make it, what is wrong with it whoever makes it, and who
// answers it. Loop thread.
#pragma once

#include "tools/luziad/hooks/hooks.h"
#include "tools/luziad/inputs/inputs.h"
#include "tools/luziad/intake/flows.h"
#include "tools/luziad/intake/imports.h"
#include "tools/luziad/intake/job_requests.h"
#include "tools/luziad/intake/lessons.h"
#include "tools/luziad/intake/queue_requests.h"
#include "tools/luziad/queries/follows.h"
#include "tools/luziad/queries/tails.h"
#include "tools/luziad/queries/waits.h"
#include "tools/luziad/upkeep/removals.h"
#include "tools/luziad/upkeep/upkeep.h"

namespace luzia {

/// Those that answer, each a family of requests. All outlive this.
struct RequestFamilies {
  JobRequests* jobs;
  QueueRequests* queue;
  Flows* flows;
  Inputs* inputs;
  Lessons* lessons;
  Imports* imports;
  Removals* removals;
  Queries* queries;
  Waits* waits;
  Follows* follows;
  Tails* tails;
  Hooks* hooks;
  Upkeep* upkeep;
};

struct RequestRow {
  wire::Request kind;
  /// Whether an attempt may make it by its credential alone, being about what is its own.
  bool (*is_of_attempt)(const wire::ClientFrame&, const AttemptScope&);
  /// What is wrong with it, before anything is looked up.
  Status (*check)(const Caller&, const wire::ClientFrame&);
  void (*answer)(const RequestFamilies&, const RequestId&, const Caller&, const wire::ClientFrame&);
};

/// Null: a request that this daemon does not know. Hello is none: it opens the session.
const RequestRow* find_request(wire::Request kind);

/// Whether an attempt may make this request.
bool is_of_attempt(const wire::ClientFrame& frame, const AttemptScope& own);

}  // namespace luzia
