// Rows and events as JSON, in stable shapes on which users' scripts rely: fields may be added, but are never
// renamed and keep their type. Each function returns one object without a line break. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Fields: position stream version time time_us type actor cause evidence command_id site data. `type` is the
/// name of the fact, `data` has all of its fields by schema names. Unset optional numbers and tables are
/// null, bytes are hexadecimal. Beside a wall time x_us there is x_at in RFC 3339 (null for 0).
std::string event_json(const schema::Event& event);

/// `now`: end of the elapsed time of a job that is not terminal. `waiting`, or in lists `entry`: what a
/// queued job waits for, if known.
std::string job_json(const view::Job& job, TimeUs now, const view::Waiting* waiting = nullptr,
                     const view::QueueEntry* entry = nullptr);
std::string queue_entry_json(const view::QueueEntry& entry);
/// {"events":[...],"position":N,"next":null}, and as in job_json() what the job waits for in the queue.
std::string why_json(const std::vector<const schema::Event*>& events, Position position,
                     const view::Waiting* waiting, TimeUs now);
std::string activity_json(const view::Activity& activity);
std::string totals_json(const view::ProjectTotals& totals);
std::string durations_json(const view::Durations& durations);
/// `end`: the last position of the log, for the lag.
std::string hook_json(const view::HookCursor& hook, Position end);

/// {"<plural>":[...],"position":N,"next":null|"cursor"}; `objects` are JSON already.
std::string list_json(std::string_view plural, const std::vector<std::string>& objects, Position position,
                      std::string_view next);

/// {"error":{"code","message","hint"}}
std::string error_json(const Error& error);

}  // namespace luzia
