// Pages of events, for readers who begin in the past. Waits for the daemon: for worker threads.
#pragma once

#include "tools/luzia-web/feed.h"
#include "tools/luzia-web/routes.h"

namespace luzia::web {

/// GET /v1/events and /v1/jobs/{job}/events: {"events":[...],"position","next"}, oldest first.
Answer events_page(const DaemonDoor& door, const std::string& device, const Match& match,
                   const Request& request);

/// The next events after `since` as blocks of a stream, with the position that they reach.
struct Catchup {
  std::string text;
  Position position = 0;
};
Result<Catchup> catch_up(const DaemonDoor& door, const std::string& device, Position since);

}  // namespace luzia::web
