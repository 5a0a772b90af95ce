// Builds one question or approval from its job's events, including its texts. The result is correct as soon
// as the events are durable, whether the job is still in memory or ended long ago. Any thread.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"
#include "view.fb.h"

namespace luzia {

/// Whether an id is that of a question or an approval; nullopt: neither.
std::optional<view::InputKind> kind_of_input(std::string_view id);

/// nullopt: the job has none with that id. `job`: the full id.
Result<std::optional<view::QuestionT>> read_question(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id);
Result<std::optional<view::ApprovalT>> read_approval(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id);

}  // namespace luzia
