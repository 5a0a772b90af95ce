// Which of several machines gets a job.
#include "tools/luzia/run/machine_room.h"

#include <gtest/gtest.h>

#include <map>

namespace luzia {
namespace {

Machine machine_called(const std::string& name) {
  Machine machine;
  machine.name = machine.destination = name;
  return machine;
}

MachineRoom room_in(const std::string& name, std::uint32_t slots, std::uint32_t running, std::uint32_t queued,
                    std::uint32_t load_percent, bool paused = false) {
  return {{slots, running, queued, paused}, machine_called(name), load_percent};
}

std::string order_of(std::vector<MachineRoom> rooms) {
  sort_by_room(rooms);
  std::string names;
  for (const MachineRoom& room : rooms) names += room.machine.name;
  return names;
}

TEST(MachineRoom, MostFreeSlotsComeFirstThenTheLowerLoad) {
  EXPECT_EQ(order_of({room_in("a", 4, 3, 0, 0), room_in("b", 8, 4, 0, 90), room_in("c", 2, 0, 0, 0)}), "bca");
  EXPECT_EQ(order_of({room_in("a", 4, 2, 0, 50), room_in("b", 2, 0, 0, 10)}), "ba");
  EXPECT_EQ(order_of({room_in("b", 4, 2, 0, 50), room_in("a", 4, 2, 0, 50)}), "ab")
      << "by name, to be stable";
  EXPECT_EQ(order_of({room_in("a", 4, 4, 90, 0), room_in("b", 4, 4, 3, 0)}), "ba") << "the shorter queue";
  EXPECT_EQ(order_of({room_in("a", 9, 0, 0, 0, true), room_in("b", 1, 1, 9, 99)}), "ba")
      << "a paused one last";
}

TEST(MachineRoom, TextSaysWhy) {
  EXPECT_EQ(room_text(room_in("a", 4, 3, 0, 20)), "1 of 4 slots is free, load 20 %");
  EXPECT_EQ(room_text(room_in("a", 4, 4, 9, 20)), "0 of 4 slots are free, load 20 %");
  EXPECT_EQ(room_text(room_in("a", 4, 0, 0, 0, true)),
            "4 of 4 slots are free, load 0 %, its queue is paused");
}

TEST(MachineRoom, CommandIdAlwaysMeansTheSameMachine) {
  const std::vector<Machine> all = {machine_called("a"), machine_called("b"), machine_called("c")};
  const std::vector<Machine> turned = {all[2], all[0], all[1]}, fewer = {all[0], all[1]};
  std::map<std::string, int> given;
  for (int i = 0; i < 3'000; ++i) {
    const std::string id = "command " + std::to_string(i), name = machine_for(id, all).name;
    ++given[name];
    EXPECT_EQ(machine_for(id, turned).name, name) << "whatever their order";
    if (name != "c") {
      EXPECT_EQ(machine_for(id, fewer).name, name) << "a machine that is gone moves only its own";
    }
  }
  for (const auto& [name, count] : given) EXPECT_NEAR(count, 1'000, 150) << name;
  EXPECT_EQ(given.size(), 3U);
}

TEST(MachineRoom, EachMachineIsVisitedOnce) {
  const std::vector<Machine> all = {machine_called("a"), machine_called("b"), machine_called("c")};
  std::vector<std::string> seen(all.size());
  for_machines(all, [&](std::size_t index, const Machine& machine) { seen[index] += machine.name; });
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace luzia
