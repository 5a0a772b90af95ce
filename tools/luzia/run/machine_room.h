// How busy another machine is, and which of several gets a job. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/cli/invocation.h"
#include "tools/read/job_room.h"

namespace luzia {

struct MachineRoom : JobRoom {
  Machine machine;
  std::uint32_t load_percent = 0;  // load average of one minute, for each core
};

/// Asks the daemon, which is that of `far`'s machine.
Result<MachineRoom> room_of(const Machine& machine, FarDaemon& far);

/// Calls `visit` for each machine, all at once, each on a thread of its own.
void for_machines(const std::vector<Machine>& machines,
                  const std::function<void(std::size_t index, const Machine& machine)>& visit);

/// The best first: those that start jobs, then by free slots, then by load, then by name.
void sort_by_room(std::vector<MachineRoom>& rooms);
/// "3 of 8 slots are free, load 35 %"
std::string room_text(const MachineRoom& room);

/// The machine that a command id belongs to. It follows from the id and the names alone, so that a repeated
/// dispatch reaches the machine that may know it already. `machines` is not empty.
const Machine& machine_for(const std::string& command_id, const std::vector<Machine>& machines);

/// The machines on which a dispatch with --on LABEL may be tried, the best first; why is said on standard
/// error. Empty: --on names none, or one machine. With --command-id it is one. `no_machine` (trouble): none
/// of them answers.
Result<std::vector<Machine>> machines_to_try(Invocation& invocation);

}  // namespace luzia
