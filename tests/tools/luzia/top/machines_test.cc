#include "tools/luzia/look/top/machines.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/tools/read/rows_of_machines.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

using testing::HasSubstr;
using Clock = TopMachines::Clock;

MachineToAsk machine_with(const std::string& name, std::vector<std::string> jobs) {
  return {name, {}, [jobs = std::move(jobs)]() -> Result<std::unique_ptr<Source>> {
            return std::make_unique<test::JobsOfMachine>(jobs);
          }};
}

bool comes_to_say(TopMachines& machines, Clock::time_point now, const std::string& words) {
  return wait_until([&] {
    machines.step(now);
    return machines.text(now).find(words) != std::string::npos;
  });
}

TEST(TopMachines, LineSaysWhatEachMachineDoes) {
  std::vector<MachineToAsk> all;
  all.push_back(machine_with("web1", {"1aa", "1bb"}));
  all.push_back(machine_with("db", {}));
  all.push_back({"away", {}, []() -> Result<std::unique_ptr<Source>> {
                   return fail(ErrorKind::trouble, "machine_unreachable", "no route to host");
                 }});
  TopMachines machines(std::move(all));
  const auto now = Clock::now();
  EXPECT_EQ(machines.text(now), "web1: ...; db: ...; away: ...");
  EXPECT_TRUE(comes_to_say(machines, now, "web1: 2 working; db: idle; away: no route to host"))
      << machines.text(now);
  const auto seen = machines.seen(now);
  ASSERT_EQ(seen.size(), 2U) << "nothing is known of the one that is away";
  EXPECT_EQ(seen[0].machine, "web1");
  EXPECT_EQ(seen[0].seen->jobs.size(), 2U);
  EXPECT_FALSE(seen[0].is_old);
}

TEST(TopMachines, SilentMachineIsSaidToBeAndTheOthersGoOn) {
  std::vector<MachineToAsk> all;
  all.push_back({"quiet", {}, []() -> Result<std::unique_ptr<Source>> {
                   while (true) ::pause();
                 }});
  all.push_back(machine_with("db", {"1aa"}));
  TopMachines machines(std::move(all));
  const auto now = Clock::now();
  EXPECT_TRUE(comes_to_say(machines, now, "db: 1 working"));
  EXPECT_THAT(machines.text(now + std::chrono::seconds(7)),
              HasSubstr("quiet: no answer for 7.0s; db: 1 working"));
}

TEST(TopMachines, WithoutMachinesThereIsNoLine) {
  TopMachines none;
  none.step(Clock::now());
  EXPECT_EQ(none.text(Clock::now()), "");
}

}  // namespace
}  // namespace luzia
