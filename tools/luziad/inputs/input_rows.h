// One question or approval as its job's events tell it, its texts joined: right from the moment at which the
// events are durable, whether the job is still in memory or ended long ago. Any thread.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"
#include "view.fb.h"

namespace luzia {

/// Whether an id is of a question or an approval; nullopt: of neither.
std::optional<view::InputKind> kind_of_input(std::string_view id);

/// nullopt: the job has none of that id. `job` in full.
Result<std::optional<view::QuestionT>> read_question(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id);
Result<std::optional<view::ApprovalT>> read_approval(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id);

/// The question or approval that the event is about; empty: none.
std::string input_of_event(const schema::Event& event);

}  // namespace luzia
