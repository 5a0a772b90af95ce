// Rows and events as JSON, in the stable shapes that users' scripts rely on: fields may be added, never
// renamed, and keep their type. Each function returns one object without a line break. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// position stream version time time_us type actor cause evidence command_id site data. `type` is the fact's
/// name, `data` its fields by schema names, all of them: unset optional numbers and tables are null, bytes
/// are hexadecimal; beside a wall time x_us stands x_at in RFC 3339 (null for 0).
std::string event_json(const schema::Event& event);

/// `now` counts the elapsed time of a job that is not terminal.
/// `waiting`, or in lists `entry`: what a queued job waits for, if that was asked.
std::string job_json(const view::Job& job, TimeUs now, const view::Waiting* waiting = nullptr,
                     const view::QueueEntry* entry = nullptr);
std::string queue_entry_json(const view::QueueEntry& entry);
std::string queue_switch_json(const view::QueueSwitch& queue_switch);
std::string activity_json(const view::Activity& activity);
std::string totals_json(const view::ProjectTotals& totals);
std::string durations_json(const view::Durations& durations);
/// `end`: the log's, which the lag is counted to.
std::string hook_json(const view::HookCursor& hook, Position end);

/// {"<plural>":[...],"position":N,"next":null|"cursor"}; the objects are JSON already.
std::string list_json(std::string_view plural, const std::vector<std::string>& objects, Position position,
                      std::string_view next);

/// {"error":{"code","message","hint"}}
std::string error_json(const Error& error);

}  // namespace luzia
