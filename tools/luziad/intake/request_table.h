// The table of clients' requests. Each row says who may make the request, how to validate it, and which part
// answers it. Loop thread.
#pragma once

#include "tools/luziad/hooks/hooks.h"
#include "tools/luziad/inputs/inputs.h"
#include "tools/luziad/intake/device_requests.h"
#include "tools/luziad/intake/flows.h"
#include "tools/luziad/intake/imports.h"
#include "tools/luziad/intake/job_requests.h"
#include "tools/luziad/intake/learning_requests.h"
#include "tools/luziad/intake/queue_requests.h"
#include "tools/luziad/intake/schedules.h"
#include "tools/luziad/intake/tracking.h"
#include "tools/luziad/queries/follows.h"
#include "tools/luziad/queries/group_reads.h"
#include "tools/luziad/queries/tails.h"
#include "tools/luziad/queries/waits.h"
#include "tools/luziad/upkeep/published_alerts.h"
#include "tools/luziad/upkeep/removals.h"
#include "tools/luziad/upkeep/upkeep.h"

namespace luzia {

/// The parts that answer, each for a family of requests. All outlive this.
struct RequestFamilies {
  JobRequests* jobs;
  QueueRequests* queue;
  Flows* flows;
  Inputs* inputs;
  LearningRequests* learning;
  Imports* imports;
  Removals* removals;
  Queries* queries;
  Waits* waits;
  Follows* follows;
  Tails* tails;
  Hooks* hooks;
  Upkeep* upkeep;
  PublishedAlerts* alerts;
  Tracking* tracking;
  DeviceRequests* devices;
  Schedules* schedules;
  GroupReads* groups;
};

/// The least role of a paired device that may make a request.
enum class DeviceNeeds : std::uint8_t { viewer, operates, admin, never };

struct RequestRow {
  wire::Request kind;
  /// Whether an attempt may make it with its credential alone, because it concerns only that attempt's own
  /// job, project or step.
  bool (*is_of_attempt)(const wire::ClientFrame&, const AttemptScope&);
  DeviceNeeds needs;
  /// Validates the request before anything is looked up.
  Status (*check)(const Caller&, const wire::ClientFrame&);
  /// Returns why the request is refused, or a good status if the reply was sent or comes later.
  Status (*answer)(const RequestFamilies&, const RequestId&, const Caller&, const wire::ClientFrame&);
};

/// Null: unknown to this daemon. Hello has no row: it opens the session.
const RequestRow* find_request(wire::Request kind);

/// Whether an attempt may make this request.
bool is_of_attempt(const wire::ClientFrame& frame, const AttemptScope& own);

/// Whether a device with this role may make such a request.
bool is_of_device(const RequestRow& row, schema::DeviceRole role);

}  // namespace luzia
