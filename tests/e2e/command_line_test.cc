// Command-line questions that start no daemon, come before one starts, or arise when it would not start.
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using CommandLineTest = DaemonTest;

/// No later file gets one of the standard descriptors.
TEST_F(CommandLineTest, ClosedStandardDescriptorsBecomeDevNull) {
  for (const std::string& program : {kLuzia, kLuziaQuery}) {
    for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"}) {
      const Words words = {"/bin/sh", "-c", "exec " + program + " --help " + closed};
      EXPECT_EQ(run_to_end(words, environment()).code, 0) << program << " " << closed;
    }
  }
}

TEST_F(CommandLineTest, EveryListShowsAPausedQueue) {
  ASSERT_EQ(luzia({"pause", "--project", "demo", "--note", "deploying"}).code, 0);
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string id = dispatch("true");
  EXPECT_THAT(luzia({"status"}).out,
              AllOf(StartsWith("queue paused since "), HasSubstr("project demo paused since "),
                    HasSubstr("(deploying)")));
  const Json paused = luzia_json({"status", "--json"})["paused"];
  ASSERT_EQ(paused.size(), 2u) << paused;
  EXPECT_EQ(paused[1]["project"], "demo");
  EXPECT_THAT(luzia({"daemon", "status"}).out, HasSubstr("project demo paused since "));
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("fix: luzia resume --project demo\n"));
  EXPECT_THAT(query({"status"}).out, StartsWith("queue paused since "));
  ASSERT_EQ(luzia({"resume", "--all"}).code, 0);
  ASSERT_EQ(luzia({"resume", "--project", "demo"}).code, 0);
  EXPECT_EQ(luzia_json({"status", "--json"})["paused"], Json::array());
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(CommandLineTest, InitFindsSettingsWhereTheAgentDoes) {
  std::filesystem::create_directories(path("codex"));
  std::filesystem::create_directories(path("gemini/.gemini"));
  write_text(path("codex/config.toml"), "model = \"m\"\n");
  write_text(path("gemini/.gemini/settings.json"), "{}\n");
  const auto init = [&](const std::string& agent, const std::string& variable) {
    return luzia({"init", agent, "--user", "--yes"}, {}, {variable});
  };
  EXPECT_EQ(init("codex", "CODEX_HOME=" + path("codex")).code, 0);
  EXPECT_THAT(read_text(path("codex/config.toml")), HasSubstr("[mcp_servers.luzia]"));
  EXPECT_EQ(init("gemini", "GEMINI_CLI_HOME=" + path("gemini")).code, 0);
  EXPECT_THAT(read_text(path("gemini/.gemini/settings.json")), HasSubstr("luzia"));
  EXPECT_FALSE(std::filesystem::exists(home() + "/.codex"));
  EXPECT_FALSE(std::filesystem::exists(home() + "/.gemini"));
  const Finished nowhere = init("codex", "CODEX_HOME=" + path("nowhere"));
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("CODEX_HOME"));
  const Finished unreadable =
      init("codex", "CODEX_HOME=/" + std::string(300, 'x'));  // no file name is that long
  EXPECT_EQ(unreadable.code, 2);
  EXPECT_THAT(unreadable.err, HasSubstr("CODEX_HOME"));
}

TEST_F(CommandLineTest, PausingAnUnknownProjectSuggestsTheNearestName) {
  const auto before = [&] { return position(); };
  ASSERT_EQ(luzia({"daemon", "start"}).code, 0);
  const auto start = before();
  const Finished refused = luzia({"pause", "--project", "dmo"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("did you mean demo?"));
  EXPECT_EQ(luzia({"resume", "--project", "dmo"}).code, 3);
  EXPECT_EQ(before(), start);
}

TEST_F(CommandLineTest, DryRunShowsTheCommandAndChangesNothing) {
  ASSERT_EQ(luzia({"daemon", "start"}).code, 0);
  const auto before = position();
  const Json jobs = luzia_json({"demo", "echo 'it is'", "--dry-run", "--timeout", "90s", "--env", "FOO=1",
                                "--priority", "7", "--tag", "night", "--json"})["jobs"];
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_THAT(jobs[0]["command"].get<Words>(), ElementsAre("/bin/sh", testing::EndsWith("/task.sh")));
  EXPECT_THAT(jobs[0]["environment"].get<Words>(), Contains("FOO"));
  EXPECT_THAT(jobs[0]["environment"].get<Words>(), Contains("LUZIA_JOB_ID"));
  EXPECT_EQ(jobs[0]["dir"], project());
  EXPECT_EQ(jobs[0]["timeout_seconds"], 90);
  EXPECT_EQ(jobs[0]["priority"], 7);
  EXPECT_THAT(jobs[0]["tags"].get<Words>(), ElementsAre("night"));
  EXPECT_GT(jobs[0]["limits"]["running"], 0);
  EXPECT_THAT(luzia({"demo", "echo 'it is'", "--dry-run"}).out, HasSubstr("/task.sh\n"));
  EXPECT_EQ(position(), before);
}

TEST_F(CommandLineTest, UnstartableTaskIsRefusedAtOnce) {
  configure("[agents.spoken]\ncommand = ['sh', '-c', '{task}']\nstdin = 'null'\n");
  const Finished refused = luzia({"demo", "--agent", "spoken", "-"}, "true # " + std::string(3 << 20, 'x'));
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("128 KiB"));
  const Json line = {{"project", "demo"}, {"task", "true"}, {"env", {{"BIG", std::string(140'000, 'x')}}}};
  const Finished variable = luzia({"dispatch", "--batch", "-"}, line.dump());
  EXPECT_EQ(variable.code, 2);
  EXPECT_THAT(variable.err, HasSubstr("variable BIG"));
  for (const Words& words : {Words{"-q", "demo", "--agent", "spoken", "-"}, Words{"-q", "demo", "-"}}) {
    const std::size_t size = words.size() > 3 ? 120 << 10 : 3 << 20;
    const Finished fits = luzia(words, "true # " + std::string(size, 'x'));
    ASSERT_EQ(fits.code, 0) << fits.err;
    EXPECT_EQ(ended(fits.out.substr(0, fits.out.find('\n')))["state"], "completed");
  }
}

TEST_F(CommandLineTest, ForegroundWithJsonPrintsOnlyTheJob) {
  const Finished ran = luzia({"demo", "echo hello; exit 3", "--fg", "--json"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("hello\n"));
  const Json row = Json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(row.is_object()) << ran.out;
  EXPECT_EQ(row["state"], "failed");
  EXPECT_EQ(row["exit_code"], 3);
}

TEST_F(CommandLineTest, ReloadOfABadConfigurationKeepsTheOldOne) {
  ASSERT_EQ(luzia({"daemon", "start"}).code, 0);
  const std::string file = home() + "/.config/luzia/luzia.toml";
  const std::string good = read_text(file);
  write_text(file, good + "\n[projects.new]\npath = \"" + project() + "\"\nagnet = \"shell\"\n");
  const Finished refused = luzia({"--store", store(), "config", "reload"});
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("agnet"), HasSubstr("nothing has changed")));
  EXPECT_EQ(luzia({"--store", store(), "new", "true"}).code, 2)
      << "a partial configuration would be worse than none";
  EXPECT_EQ(luzia({"--store", store(), "demo", "true"}).code, 0);
  const Finished read = query({"jobs", "--all"});
  EXPECT_EQ(read.code, 0) << "reading goes on: " << read.err;
  write_text(file, good + "\n[projects.new]\npath = \"" + project() + "\"\n");
  EXPECT_EQ(luzia({"config", "reload"}).code, 0);
  EXPECT_EQ(luzia({"new", "true"}).code, 0);
}

TEST_F(CommandLineTest, DoctorNamesTheProjectsOfAMissingAgent) {
  configure(
      "[agents.ghost]\ncommand = [\"/no/such/ghost\"]\n[agents.idle]\ncommand = [\"/no/such/idle\"]\n"
      "[projects.haunted]\npath = \"" +
      project() + "\"\nagent = \"ghost\"\n");
  const Finished doctor = luzia({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_THAT(doctor.out,
              HasSubstr("agent ghost: there is no program /no/such/ghost, and project haunted would use it"));
  EXPECT_THAT(doctor.out, testing::Not(HasSubstr("idle"))) << "nobody uses it";
  EXPECT_THAT(luzia({"doctor"}, "", {"PATH=/usr/bin:/bin"}).out,
              HasSubstr("no coding agent is installed (claude"));
}

TEST_F(CommandLineTest, DoctorSaysWhatTheDaemonHasNotReadOfItsConfiguration) {
  const std::string file = home() + "/.config/luzia/luzia.toml";
  std::filesystem::create_directories(path("aside"));
  std::filesystem::create_hard_link(file, path("aside/luzia.toml"));
  ASSERT_EQ(luzia({"daemon", "start"}).code, 0);
  const std::string good = read_text(file);
  const auto with_queue = [&](const std::string& key) {
    const std::string before = "max_running = 64";
    return std::string(good).replace(good.find(before), before.size(), key);
  };
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("the daemon's configuration is up to date"));
  // Written through a link in another folder, so that the daemon does not hear of it.
  write_text(path("aside/luzia.toml"),
             with_queue("max_running = 3") + "\n[projects.new]\npath = \"" + project() + "\"\n");
  const Finished changed = luzia({"doctor", "--json"});
  EXPECT_THAT(changed.out, AllOf(HasSubstr("the daemon's configuration has changed since it was read at "),
                                 HasSubstr("queue.max_running"), HasSubstr("projects.new (new)"),
                                 HasSubstr("\"luzia config reload\"")));
  EXPECT_THAT(luzia({"daemon", "status"}).out, HasSubstr("configuration: changed since it was read at "));
  write_text(file, with_queue("max_runing = 3"));
  const Finished refused = luzia({"--store", store(), "doctor", "--json"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out,
              AllOf(HasSubstr("the daemon cannot read its configuration: refused, that of "),
                    HasSubstr("max_runing"), HasSubstr("luzia config check shows every mistake")));
  write_text(file, with_queue("max_running = 3"));
  ASSERT_EQ(luzia({"config", "reload"}).code, 0);
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("the daemon's configuration is up to date"));
}

TEST_F(CommandLineTest, DaemonReadsAChangedConfigurationByItself) {
  ASSERT_EQ(luzia({"daemon", "start"}).code, 0);
  const std::string file = home() + "/.config/luzia/luzia.toml";
  const std::string good = read_text(file);
  const auto count = [&](const std::string& type) {
    return std::ranges::count_if(events(), [&](const Json& event) { return event["type"] == type; });
  };
  write_text(file + ".new", good + "\n[agents.twin]\ncommand = [\"true\"]\n");
  std::filesystem::rename(file + ".new", file);
  const std::string log = store() + "/luziad.log";
  EXPECT_TRUE(
      wait_until([&] { return read_text(log).find("configuration read again") != std::string::npos; }));
  for (int i = 0; i < 3; ++i) {
    write_text(file, good + "\n[queue_]\n" + std::string(static_cast<std::size_t>(i), '\n'));
    ASSERT_TRUE(wait_until([&] { return count("AlertRaised") > 0; }));
  }
  EXPECT_THAT(luzia({"--store", store(), "status", "--json"}).out, HasSubstr("queue_"));
  EXPECT_EQ(luzia({"--store", store(), "demo", "true", "--agent", "twin"}).code, 0) << "what was read stays";
  write_text(file, good);
  EXPECT_TRUE(wait_until([&] { return count("AlertEnded") > 0; }));
  EXPECT_EQ(count("AlertRaised"), 1) << "the same mistake is one alert";
  EXPECT_EQ(luzia({"demo", "true", "--agent", "twin"}).code, 2);
}

TEST_F(CommandLineTest, WhyOfATimeLimitSaysItOnce) {
  const std::string id = dispatch("sleep 1000", {"--timeout", "300ms"});
  ASSERT_EQ(ended(id)["state"], "timed_out");
  EXPECT_THAT(luzia({"wait", id}).out, HasSubstr("timed_out (ran longer than its limit of "));
  const std::string why = luzia({"why", id}).out;
  EXPECT_THAT(why, HasSubstr("timed_out: ran longer than its limit of "));
  EXPECT_EQ(why.find("stopped at its time limit"), std::string::npos) << why;
}

}  // namespace
}  // namespace luzia
