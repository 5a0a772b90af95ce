// Core view command_ids: commands that have been carried out, so that a repeated command gets its first
// answer. Key: big-endian period of the log, big-endian uid, command id. A record can be found in its own
// period and the next one; after that it is erased, a few records with each command.
//
// A period lasts eight days of log time. The time between two commands counts up to an hour. So a record
// lives 8 to 16 days if commands come at least hourly, and longer if they are fewer. A wrong clock does not
// make records expire: a jump ahead counts one hour at most, and a jump back counts nothing.
//
// Rejected: calendar weeks of the events' times. One event from a clock far ahead ended all weeks before, and
// all commands up to that date belonged to its week.
#pragma once

#include <optional>
#include <string_view>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kCommandIdsView{2, 2, "command_ids", ViewKind::core, 1};

std::unique_ptr<Projection> make_command_ids_projection(ViewReaderSource rows);

/// The record of `command_id` of user `uid`; nullopt: there is none, or it has expired. Any thread.
std::optional<view::CommandRecordT> find_command(const ViewReader& rows, std::uint32_t uid,
                                                 std::string_view command_id);

}  // namespace luzia
