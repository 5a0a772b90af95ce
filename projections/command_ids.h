// Core view command_ids: which commands have been carried out, so that a repeated one gets its first answer.
// Key: big-endian period of the log, big-endian uid, command id. A record is found during its period and the
// next one, and erased after that, a few with each command.
//
// A period lasts eight days of log time. What lies between two commands counts up to an hour, so a record
// lives 8 to 16 days where commands come hourly, longer where they are fewer, and no clock that is wrong for
// a while makes it forgotten: one that jumps ahead, by whatever, counts an hour, the eighth day has room for
// 24 of them, and one that goes back counts nothing. (Rejected: weeks by the calendar of the events. One
// event from a clock far ahead ended all weeks before, and all commands up to that date were of its week.)
#pragma once

#include <optional>
#include <string_view>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kCommandIdsView{2, 2, "command_ids", ViewKind::core, 1};

std::unique_ptr<Projection> make_command_ids_projection(ViewReaderSource rows);

/// The record of `command_id` of user `uid`; nullopt when there is none or it has expired. Any thread.
std::optional<view::CommandRecordT> find_command(const ViewReader& rows, std::uint32_t uid,
                                                 std::string_view command_id);

}  // namespace luzia
