// Core view command_ids: which commands have been carried out, so that a repeated one gets its first answer.
// Key: big-endian week of log time, big-endian uid, command id. When the log's week advances, weeks before
// the previous one are erased, so a record lives 7 to 14 days of log time. The week never goes back, whatever
// the clock does.
#pragma once

#include <optional>
#include <string_view>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kCommandIdsView{2, 1, "command_ids", ViewKind::core};

std::unique_ptr<Projection> make_command_ids_projection(ViewReaderSource rows);

/// The record of `command_id` of user `uid`; nullopt when there is none or it has expired. Any thread.
std::optional<view::CommandRecordT> find_command(const ViewReader& rows, std::uint32_t uid,
                                                 std::string_view command_id);

}  // namespace luzia
