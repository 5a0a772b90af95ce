// The scenarios' commands about schedules.
#pragma once

#include <optional>

#include "engine/core/command.h"
#include "tests/scenarios/step.h"
#include "tests/scenarios/world.h"

namespace luzia {

/// Parses a command about a schedule; the third word after the time is its name. Times are since 1970:
///   set_schedule NAME next=TIME [project=P] [rule=R], drop_schedule NAME
///   pause_schedule NAME [note=TEXT], resume_schedule NAME next=TIME
///   settle NAME job=JOB due=TIME next=TIME [missed=N] [overlap=queue|cancel] [too_late=yes] [why=TEXT]
///   take_up NAME job=JOB, run_schedule NAME job=JOB [overlap=...]
/// Returns nullopt for another command.
std::optional<ToSchedule> schedule_command(const Step& step);

/// Checks a schedule: schedule NAME [next=TIME] [job=JOB] [runs=N] [overlap=N] [missed=N] [refused=N]
///   [waits=yes|no] [paused=WHO|no] [dropped=yes]
void expect_schedule(const Step& step, World& world);

}  // namespace luzia
