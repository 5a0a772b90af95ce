// Cgroups that hold limits, in a folder of plain files with the kernel's names.
#include "adapters/launcher/limit_cgroups.h"

#include <unistd.h>

#include <filesystem>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

class LimitCgroupsTest : public AttemptTest {
 protected:
  LimitCgroupsTest() {
    std::filesystem::create_directories(root());
    offer("cpuset cpu io memory pids");
    write_text(root() + "/cgroup.procs", "");
    write_text(root() + "/cgroup.subtree_control", "");
  }
  std::string root() const { return path("cgroup"); }
  void offer(const std::string& controllers) const {
    write_text(root() + "/cgroup.controllers", controllers + "\n");
  }
  /// As the kernel does when the folder of a group is made.
  void make_group(const std::string& name) const {
    std::filesystem::create_directories(root() + "/" + name);
    for (const char* file : {"memory.max", "memory.oom.group", "memory.swap.max", "pids.max", "cpu.max",
                             "cgroup.procs", "memory.events", "pids.events", "cgroup.kill"})
      write_text(root() + "/" + name + "/" + file, "");
  }
  LimitCgroups taken_over() const {
    LimitCgroups cgroups({root(), ""});
    cgroups.take_over();
    return cgroups;
  }
  std::string text_in(const std::string& file) const { return read_text(root() + "/" + file); }
};

schema::AttemptLimitsT all_limits() {
  schema::AttemptLimitsT limits;
  limits.memory_bytes = 64 << 20;
  limits.cpu_percent = 150;
  limits.processes = 20;
  return limits;
}

TEST_F(LimitCgroupsTest, SetsTheKernelsFiles) {
  make_group("job-j1.1");
  const LimitCgroups cgroups = taken_over();
  const auto folder = cgroups.prepare("j1", 1, all_limits());
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(*folder, root() + "/job-j1.1");
  EXPECT_EQ(*folder, cgroups.folder_of("j1", 1));
  EXPECT_EQ(text_in("job-j1.1/memory.max"), "67108864");
  EXPECT_EQ(text_in("job-j1.1/memory.oom.group"), "1");
  EXPECT_EQ(text_in("job-j1.1/memory.swap.max"), "0");
  EXPECT_EQ(text_in("job-j1.1/pids.max"), "20");
  EXPECT_EQ(text_in("job-j1.1/cpu.max"), "150000 100000");
  EXPECT_EQ(cgroups.not_held(all_limits(), true), "");
}

TEST_F(LimitCgroupsTest, LeavesWhatIsNotLimited) {
  make_group("job-j1.1");
  schema::AttemptLimitsT limits;
  limits.processes = 20;
  ASSERT_TRUE(taken_over().prepare("j1", 1, limits));
  EXPECT_EQ(text_in("job-j1.1/memory.max"), "");
  EXPECT_EQ(text_in("job-j1.1/cpu.max"), "");
}

TEST_F(LimitCgroupsTest, DiskAloneNeedsNoCgroup) {
  schema::AttemptLimitsT limits;
  limits.disk_bytes = 1;
  EXPECT_EQ(taken_over().prepare("j1", 1, limits).value_or("error"), "");
  EXPECT_FALSE(exists(root() + "/job-j1.1"));
}

TEST_F(LimitCgroupsTest, ProcessesOfTheRootMoveBeforeControllersAreHandedOn) {
  make_group("daemon");
  write_text(root() + "/cgroup.procs", "4711\n");
  taken_over();
  EXPECT_EQ(text_in("daemon/cgroup.procs"), "4711");
  EXPECT_EQ(text_in("cgroup.subtree_control"), "+pids") << "each in a write of its own; this is the last";
}

TEST_F(LimitCgroupsTest, GroupsOfAttemptsThatAreOverGo) {
  std::filesystem::create_directories(root() + "/job-old.1");
  std::filesystem::create_directories(root() + "/job-live.2");
  std::filesystem::create_directories(root() + "/other");
  taken_over().sweep([](const std::string& job) { return job == "live"; });
  EXPECT_FALSE(exists(root() + "/job-old.1"));
  EXPECT_TRUE(exists(root() + "/job-live.2")) << "it may be between two preflight checks";
  EXPECT_TRUE(exists(root() + "/other"));
}

TEST_F(LimitCgroupsTest, MissingControllerOfCpuIsTold) {
  offer("memory pids");
  make_group("job-j1.1");
  const LimitCgroups cgroups = taken_over();
  ASSERT_TRUE(cgroups.prepare("j1", 1, all_limits()));
  EXPECT_EQ(text_in("job-j1.1/cpu.max"), "");
  EXPECT_THAT(cgroups.not_held(all_limits(), true), HasSubstr("150 % of a core is not held"));
  EXPECT_THAT(cgroups.text(), HasSubstr("CPU by nobody"));
}

TEST_F(LimitCgroupsTest, WithoutControllersTheKernelHoldsNothing) {
  offer("io");
  const LimitCgroups cgroups = taken_over();
  EXPECT_EQ(cgroups.folder_of("j1", 1), "");
  EXPECT_EQ(cgroups.prepare("j1", 1, all_limits()).value_or("error"), "");
  EXPECT_THAT(cgroups.not_held(all_limits(), false), HasSubstr("can hand on no controller"));
}

TEST_F(LimitCgroupsTest, GroupThatCannotBeSetIsAnErrorAndGoes) {
  // An empty folder: opening its files fails, as where a controller was taken away.
  const auto folder = taken_over().prepare("j1", 1, all_limits());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, "cgroup_unusable");
  EXPECT_FALSE(exists(root() + "/job-j1.1"));
}

TEST_F(LimitCgroupsTest, RefusedProcessesAreCounted) {
  make_group("job-j1.1");
  EXPECT_EQ(refused_processes(root() + "/job-j1.1"), 0u);
  write_text(root() + "/job-j1.1/pids.events", "max 3\n");
  EXPECT_EQ(refused_processes(root() + "/job-j1.1"), 3u);
  EXPECT_EQ(refused_processes(root() + "/none"), 0u);
}

TEST(DelegatedCgroup, IsTheOneOfTheUnit) {
  std::string asked;
  const auto delegated = [&asked](const std::string& folder) {
    asked = folder;
    return true;
  };
  const std::string unit = "/user.slice/user-1000.slice/user@1000.service/app.slice/luziad.service";
  EXPECT_EQ(find_delegated_cgroup("4:memory:/x\n0::" + unit + "\n", "/c", delegated).folder, "/c" + unit);
  EXPECT_EQ(find_delegated_cgroup("0::" + unit + "/daemon\n", "/c", delegated).folder, "/c" + unit)
      << "an earlier daemon has moved this process";
  EXPECT_EQ(asked, "/c" + unit);
}

TEST(DelegatedCgroup, IsNeverTakenUnasked) {
  const auto nobody = [](const std::string&) { return false; };
  const auto none = find_delegated_cgroup("0::/user.slice/session-1.scope\n", "/c", nobody);
  EXPECT_EQ(none.folder, "");
  EXPECT_THAT(none.why_none, HasSubstr("no cgroup is delegated"));
  const auto old = find_delegated_cgroup("4:memory:/x\n", "/c", [](const std::string&) { return true; });
  EXPECT_THAT(old.why_none, HasSubstr("no cgroups of version 2"));
}

TEST_F(LimitCgroupsTest, UnitOfAUserIsDelegatedThoughItIsNotMarked) {
  const uid_t own = ::geteuid(), user = own == 0 ? 4711u : own;
  const std::string unit = path("app.slice/luziad.service"), other = path("app.slice/terminal.scope");
  for (const std::string& folder : {unit, other}) {
    std::filesystem::create_directories(folder);
    ASSERT_EQ(::chown(folder.c_str(), user, static_cast<gid_t>(-1)), 0);
  }
  EXPECT_TRUE(is_delegated_cgroup(unit, user));
  EXPECT_FALSE(is_delegated_cgroup(unit, user + 1)) << "somebody else's";
  EXPECT_FALSE(is_delegated_cgroup(other, user)) << "other programs live there";
  EXPECT_FALSE(is_delegated_cgroup(unit + "/none/luziad.service", user));
  ASSERT_EQ(::chown(unit.c_str(), own, static_cast<gid_t>(-1)), 0);
  EXPECT_EQ(is_delegated_cgroup(unit, own), own != 0) << "all is root's: that says nothing";
}

using AttemptInCgroup = LimitCgroupsTest;

TEST_F(AttemptInCgroup, TheAgentEntersItAndLuziaRunStaysOutside) {
  make_group("job-j1.1");
  LaunchSpec spec = shell("cat $S/cgroup/job-j1.1/cgroup.procs");
  spec.cgroup = root() + "/job-j1.1";
  EXPECT_EQ(run(spec).reached, nullptr);
  EXPECT_THAT(output(), testing::StartsWith("0\n")) << "the kernel takes 0 for whoever writes it";
}

TEST_F(AttemptInCgroup, TheExitRecordSaysWhichLimitTheKernelHeld) {
  make_group("job-j1.1");
  LaunchSpec spec =
      shell("echo 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 2' > $S/cgroup/job-j1.1/memory.events; kill -9 $$");
  spec.cgroup = root() + "/job-j1.1";
  const auto end = run(spec);
  EXPECT_EQ(end.signal, 9);
  ASSERT_NE(end.reached, nullptr);
  EXPECT_EQ(end.reached->reason, schema::StopReason::memory_limit);
}

TEST_F(AttemptInCgroup, MachineWithoutMemoryIsNotItsLimit) {
  make_group("job-j1.1");
  LaunchSpec spec = shell("echo 'max 0\noom 0\noom_kill 2' > $S/cgroup/job-j1.1/memory.events; kill -9 $$");
  spec.cgroup = root() + "/job-j1.1";
  EXPECT_EQ(run(spec).reached, nullptr);
}

TEST_F(AttemptInCgroup, RefusedProcessesAreInTheExitRecord) {
  make_group("job-j1.1");
  LaunchSpec spec = shell("echo 'max 1' > $S/cgroup/job-j1.1/pids.events; exit 3");
  spec.cgroup = root() + "/job-j1.1";
  const auto end = run(spec);
  ASSERT_NE(end.reached, nullptr);
  EXPECT_EQ(end.reached->reason, schema::StopReason::process_limit);
}

TEST_F(AttemptInCgroup, WithoutItTheAgentDoesNotStart) {
  LaunchSpec spec = shell("touch $S/ran");
  spec.cgroup = root() + "/none";
  EXPECT_THAT(run(spec).start_error, HasSubstr("cannot enter the cgroup"));
  EXPECT_FALSE(exists(path("ran")));
}

TEST_F(AttemptInCgroup, ForcedStopKillsTheWholeGroup) {
  make_group("job-j1.1");
  LaunchSpec spec = shell(publish("up", "$$") + "sleep 1000");
  spec.cgroup = root() + "/job-j1.1";
  start(spec);
  wait_for_text("up");
  ASSERT_TRUE(stop_attempt(claim_of(spec), StopForce::forced));
  end_of(spec);
  EXPECT_EQ(text_in("job-j1.1/cgroup.kill"), "1");
}

TEST_F(AttemptTest, TheKernelTakesAgentsFirst) {
  run(shell("cat /proc/self/oom_score_adj"));
  EXPECT_GE(std::stoi(output()), 500);
}

}  // namespace
}  // namespace luzia
