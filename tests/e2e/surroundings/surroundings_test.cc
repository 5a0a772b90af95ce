// Who may start a daemon, and how little environment it needs.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using SurroundingsTest = DaemonTest;

TEST_F(SurroundingsTest, ClientInsideAJobStartsNoDaemon) {
  const Finished refused = luzia({"jobs"}, "", {"LUZIA_JOB_ID=1qfamr9c00c6x"});
  EXPECT_EQ(refused.code, 5) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("jobs do not start daemons"));
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  EXPECT_EQ(daemon_pid(), 0);
}

TEST_F(SurroundingsTest, AgentReachesItsDaemonBySocketVariable) {
  const std::string id = dispatch(std::string(kLuzia) + " publish progress --progress-percent 40 && " +
                                  kLuzia + " jobs --json > seen.json");
  EXPECT_EQ(ended(id)["state"], "completed") << luzia({"logs", id}).out;
  EXPECT_EQ(job(id)["progress"]["percent"], 40);
  const Json seen = Json::parse(read_text(project() + "/seen.json"), nullptr, false);
  ASSERT_FALSE(seen.is_discarded());
  EXPECT_EQ(seen["jobs"].at(0)["id"], id);
}

TEST_F(SurroundingsTest, AgentDoesNotInheritTheDaemonsSecrets) {
  const Finished started = luzia({"daemon", "start"}, "", {"SECRET_TOKEN=hunter2", "LC_TOKEN=x"});
  ASSERT_EQ(started.code, 0) << started.err;
  const std::string id = dispatch("env", {"--env", "MINE=yes"});
  ended(id);
  const std::string seen = luzia({"logs", id}).out;
  EXPECT_THAT(seen, Not(HasSubstr("hunter2")));
  for (const std::string& line :
       {std::string("MINE=yes"), "LUZIA_JOB_ID=" + id, std::string("LUZIA_PROJECT=demo"),
        std::string("LUZIA_ATTEMPT=1"), "LUZIA_JOB_DIR=" + job_dir(id), "TMPDIR=" + home() + "/.tmp",
        "PWD=" + project()}) {
    EXPECT_THAT(seen, HasSubstr(line));
  }
}

TEST_F(SurroundingsTest, PipelinesShowTheirOutputWhileTheyRun) {
  const std::string id =
      dispatch("(echo one; while [ ! -e go ]; do sleep 0.05; done) | sed s/one/seen/; echo over");
  EXPECT_TRUE(wait_until([&] { return luzia({"logs", id}).out == "seen\n"; })) << luzia({"logs", id}).out;
  write_text(project() + "/go", "");
  ended(id);
  EXPECT_EQ(luzia({"logs", id}).out, "seen\nover\n");
}

TEST_F(SurroundingsTest, LineBufferingCanBeTurnedOff) {
  configure("[agents.shell]\nline_buffered = false\n");
  const std::string id = dispatch("env");
  ended(id);
  EXPECT_THAT(luzia({"logs", id}).out, Not(testing::AnyOf(HasSubstr("LD_PRELOAD"), HasSubstr("_STDBUF_O"))));
}

TEST_F(SurroundingsTest, AgentGetsTheOriginalDescriptorLimit) {
  rlimit ours{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &ours), 0);
  ASSERT_GT(ours.rlim_max, 300u) << "this machine leaves nothing to raise";
  BesideProgram daemon({kLuziad, "--store", store()}, environment(), path("daemon.out"), [ours] {
    const rlimit low{300, ours.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &low);
  });
  ASSERT_TRUE(wait_until([&] { return ::access((store() + "/socket").c_str(), F_OK) == 0; }));
  rlimit raised{};
  ASSERT_EQ(::prlimit(daemon.pid(), RLIMIT_NOFILE, nullptr, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, ours.rlim_max);
  const std::string id = dispatch("ulimit -Sn");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(luzia({"logs", id}).out, "300\n");
}

TEST_F(SurroundingsTest, EmptyEnvironmentWorksOrGivesOneError) {
  const Words nothing = {};
  const std::string config = home() + "/.config/luzia/luzia.toml";
  const Finished bare = run_to_end({kLuzia, "--version"}, nothing);
  EXPECT_EQ(bare.code, 0) << bare.err;
  // As from cron, with the locations given.
  const Finished sent = run_to_end(
      {kLuzia, "dispatch", "demo", "echo from cron; env", "--config", config, "--store", store(), "--wait"},
      nothing);
  EXPECT_EQ(sent.code, 0) << sent.err;
  ASSERT_FALSE(lines_of(sent.out).empty());
  EXPECT_EQ(sent.out, luzia_json({"job", "@last"}).value("id", "") + "\n");
  EXPECT_THAT(sent.err, HasSubstr("completed"));
  EXPECT_EQ(luzia_json({"job", "@last"})["state"], "completed");
}

TEST_F(SurroundingsTest, UnwritableStoreIsOneErrorLine) {
  const Finished refused = luzia({"jobs", "--store", "/proc/luzia"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
}

TEST_F(SurroundingsTest, StoreBelowAMissingFolderIsOneErrorLine) {
  const std::string gone = path("gone");
  const auto stand_there = [&gone] {
    if (::mkdir(gone.c_str(), 0700) != 0 || ::chdir(gone.c_str()) != 0 || ::rmdir(gone.c_str()) != 0) {
      ::_exit(99);
    }
  };
  BesideProgram daemon({kLuziad, "--store", "here"}, environment(), path("daemon.out"), stand_there);
  EXPECT_EQ(daemon.end(), 2) << daemon.output();
  EXPECT_EQ(error_lines(daemon.output()), 1u) << daemon.output();
  EXPECT_THAT(daemon.output(), HasSubstr("absolute path"));
}

TEST_F(SurroundingsTest, WrongConfigurationIsNamedWithItsPlace) {
  write_text(home() + "/.config/luzia/luzia.toml", "[queue]\nmax_runing = 3\n");
  const Finished refused = luzia({"jobs"});
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("luzia.toml:2"));
  EXPECT_THAT(refused.err, HasSubstr("max_running"));
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
}

}  // namespace
}  // namespace luzia
