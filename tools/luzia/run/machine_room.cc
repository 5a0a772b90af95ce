#include "tools/luzia/run/machine_room.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <tuple>

#include "engine/base/hash.h"
#include "engine/base/try.h"
#include "tools/luzia/asking.h"

namespace luzia {
namespace {

using RoomAnswers = std::vector<std::optional<Result<MachineRoom>>>;

/// Each answers soon, or counts as away: one that is dead must not hold up the others.
constexpr std::chrono::milliseconds kMostForChoosing{3'000};

RoomAnswers ask_machines(const std::vector<Machine>& machines, std::chrono::milliseconds limit) {
  RoomAnswers answers(machines.size());
  const auto most = limit.count() == 0 ? kMostForChoosing : std::min(limit, kMostForChoosing);
  for_machines(machines, [&](std::size_t index, const Machine& machine) {
    auto far = connect_by_ssh(machine, {most, {}, {}, true});
    answers[index] = far ? room_of(machine, *far) : tl::unexpected(far.error());
  });
  return answers;
}

tl::unexpected<Error> no_machine(const std::string& label, const std::vector<Error>& errors) {
  std::string why;
  for (const Error& error : errors) why += (why.empty() ? ": " : "; ") + error.message;
  return fail(ErrorKind::trouble, "no_machine", "no machine for --on " + label + " answers" + why,
              errors.front().hint);
}

}  // namespace

Result<MachineRoom> room_of(const Machine& machine, FarDaemon& far) {
  MachineRoom room;
  room.machine = machine;
  room.slots = far.greeting.slots;
  if (machine.max_running != 0) room.slots = std::min(room.slots, machine.max_running);
  room.load_percent = far.greeting.load_percent;
  const auto jobs = LUZIA_TRY(ask_rows(far.client, jobs_for_room(true)));
  for (const view::Job* job : jobs.as<view::Job>()) room.add(*job);
  const auto switches = LUZIA_TRY(ask_rows(far.client, view_query(wire::View::switches)));
  for (const view::QueueSwitch* each : pauses_of(&switches)) room.add(*each);
  return room;
}

void for_machines(const std::vector<Machine>& machines,
                  const std::function<void(std::size_t index, const Machine& machine)>& visit) {
  std::vector<std::thread> threads;
  threads.reserve(machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    threads.emplace_back([&, i] { visit(i, machines[i]); });
  }
  for (std::thread& thread : threads) thread.join();
}

void sort_by_room(std::vector<MachineRoom>& rooms) {
  std::ranges::sort(rooms, {}, [](const MachineRoom& room) {
    return std::tuple(room.paused, -room.free_slots(), room.load_percent, room.machine.shown());
  });
}

std::string room_text(const MachineRoom& room) {
  const std::string of = " of " + std::to_string(room.slots) + " slots ";
  const std::int64_t free = std::max<std::int64_t>(room.free_slots(), 0);
  return std::to_string(free) + of + (free == 1 ? "is" : "are") + " free, load " +
         std::to_string(room.load_percent) + " %" + (room.paused ? ", its queue is paused" : "");
}

const Machine& machine_for(const std::string& command_id, const std::vector<Machine>& machines) {
  return *std::ranges::max_element(machines, {}, [&](const Machine& machine) {
    return blake2b({as_bytes(machine.name), as_bytes("\n"), as_bytes(command_id)});
  });
}

Result<std::vector<Machine>> machines_to_try(Invocation& invocation) {
  const std::string label = invocation.elsewhere();
  if (label.empty() || label.starts_with(kSshScheme)) return std::vector<Machine>();
  const auto config = LUZIA_TRY(invocation.config());
  if (config->machines.contains(label)) return std::vector<Machine>();
  const auto machines = machines_with(*config, label);
  if (machines.empty()) return std::vector<Machine>();
  const std::string id = invocation.args().text("command-id");
  if (machines.size() == 1 || !id.empty()) {
    const Machine& machine = machine_for(id, machines);
    if (machines.size() > 1) {
      invocation.say("on machine " + machine.name + ": it follows from the command id, for repetitions");
    }
    return std::vector<Machine>{machine};
  }
  const auto silence = LUZIA_TRY(invocation.silence());
  std::vector<MachineRoom> rooms;
  std::vector<Error> errors;
  for (const auto& answer : ask_machines(machines, silence.limit)) {
    *answer ? rooms.push_back(**answer) : errors.push_back(answer->error());
  }
  if (rooms.empty()) return no_machine(label, errors);
  for (const Error& error : errors) invocation.say("not there: " + error.message);
  sort_by_room(rooms);
  invocation.say("on machine " + rooms[0].machine.name + ": " + room_text(rooms[0]) +
                 (rooms.size() > 1 ? "; next is " + rooms[1].machine.name + ": " + room_text(rooms[1]) : ""));
  std::vector<Machine> sorted;
  for (MachineRoom& room : rooms) sorted.push_back(std::move(room.machine));
  return sorted;
}

}  // namespace luzia
