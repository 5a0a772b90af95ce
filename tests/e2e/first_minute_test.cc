// A new user's first minute: no configuration, words known from other programs, the newest job.
#include <sys/stat.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class FirstMinuteTest : public DaemonTest {
 protected:
  /// Runs luzia as typed in that folder.
  Finished in(const std::string& folder, const Words& words, const Words& more = {}) const {
    fs::create_directories(folder);
    Words all = {"/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder, kLuzia};
    all.insert(all.end(), words.begin(), words.end());
    return run_to_end(all, environment(more));
  }
  /// A program called `name` in a PATH folder of its own; it prints its standard input.
  Words agent_on_path(const std::string& name) const {
    const std::string bin = path("bin");
    fs::create_directories(bin);
    write_text(bin + "/" + name, "#!/bin/sh\necho \"$0 was told:\"; cat\n");
    ::chmod((bin + "/" + name).c_str(), 0755);
    return {"PATH=" + bin + ":/usr/bin:/bin"};
  }
  std::string configuration() const { return read_text(home() + "/.config/luzia/luzia.toml"); }
};

TEST_F(FirstMinuteTest, AnyFolderBecomesAProject) {
  const auto ran = in(path("shop"), {"--", "sh", "-c", "pwd; echo 'a b'"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("is project shop from now on"));
  const std::string id = ran.out.substr(0, ran.out.size() - 1);
  const Json row = ended_as(id, "completed", "exit_code");
  EXPECT_EQ(row["project"], "shop");
  EXPECT_EQ(row["agent"], "shell");
  EXPECT_THAT(luzia({"logs", id}).out, HasSubstr(path("shop") + "\na b\n"));
  const auto again = in(path("shop"), {"-q", "--", "true"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err, "");
}

TEST_F(FirstMinuteTest, DotNamesTheFolder) {
  for (const Words& words :
       {Words{".", "pwd", "--agent", "shell"}, {".", "--", "pwd"}, {"dispatch", ".", "--", "pwd"}}) {
    const auto ran = in(path("shop"), words);
    ASSERT_EQ(ran.code, 0) << ran.err;
    const std::string id = ran.out.substr(0, ran.out.size() - 1);
    EXPECT_EQ(ended(id)["project"], "shop");
    EXPECT_THAT(luzia({"logs", id}).out, HasSubstr(path("shop") + "\n"));
  }
}

TEST_F(FirstMinuteTest, RunningDaemonAcceptsNewProjects) {
  start_daemon();
  const auto ran = in(path("later"), {"--", "true"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ended(ran.out.substr(0, ran.out.size() - 1))["project"], "later");
}

TEST_F(FirstMinuteTest, FirstInstalledAgentGetsTheTask) {
  const auto none = in(path("shop"), {"run", "fix it"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("no coding agent is installed"));
  const auto dry = in(path("shop"), {"run", "fix it", "--dry-run"}, agent_on_path("codex"));
  EXPECT_EQ(dry.code, 2);
  EXPECT_THAT(dry.err, HasSubstr("is not a project yet"));
  EXPECT_THAT(configuration(), testing::Not(HasSubstr("[projects.shop]")))
      << "a refused command changes nothing";
  const auto ran = in(path("shop"), {"run", "fix it"}, agent_on_path("codex"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string id = ran.out.substr(0, ran.out.size() - 1);
  EXPECT_EQ(ended(id)["agent"], "codex");
  EXPECT_THAT(luzia({"logs", id, "--raw"}).out, HasSubstr("fix it"));
}

TEST_F(FirstMinuteTest, RefusedTaskLeavesNoProject) {
  configure("[agents.gone]\ncommand = [\"no-such-agent\", \"{task}\"]\n");
  const std::string before = configuration();
  for (const Words& words : {Words{"run", "x", "--agent", "nosuch"},
                             {"run", "x", "--agent", "gone"},
                             {"gone", "x"},
                             {"run", "--file", "/no/such/file", "--agent", "shell"},
                             {"run", "x", "--tag", "", "--agent", "shell"},
                             {"run", "x", "--agent", "shell", "--after", "000000000000"},
                             {"run", "x", "--agent", "shell", "--prompt", "nosuch"},
                             {"run", "x", "--agent", "shell", "--permissions", "nosuch"}}) {
    const auto refused = in(path("shop"), words);
    EXPECT_THAT(refused.code, testing::AnyOf(2, 3, 4)) << words.back() << refused.err;
    EXPECT_EQ(configuration(), before) << words.back();
    EXPECT_THAT(refused.err, testing::Not(HasSubstr("is project"))) << words.back();
  }
  const auto ran = in(path("shop"), {"run", "true", "--agent", "shell"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(configuration(), testing::AllOf(testing::StartsWith(before), HasSubstr("[projects.shop]")));
}

TEST_F(FirstMinuteTest, RefusedTaskLeavesNoFileBehind) {
  const std::string file = home() + "/.config/luzia/luzia.toml";
  fs::remove(file);
  const auto refused = in(path("shop"), {"run", "x", "--agent", "nosuch", "--store", path("fresh")});
  EXPECT_THAT(refused.err, HasSubstr("no agent 'nosuch' is configured"));
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(FirstMinuteTest, AgentThatOnlyThisShellFindsIsNamed) {
  ASSERT_EQ(luzia({"daemon", "start"}).code, 0);
  const auto ran = in(path("shop"), {"gemini", "add dark mode"}, agent_on_path("gemini"));
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_THAT(ran.err, testing::AllOf(HasSubstr("this shell finds " + path("bin") + "/gemini"),
                                      HasSubstr("luzia daemon restart")));
  const std::string lacks = "agent gemini: the daemon's PATH lacks " + path("bin") + "/gemini";
  EXPECT_THAT(in(path("shop"), {"doctor"}, agent_on_path("gemini")).out, HasSubstr(lacks));
  ASSERT_EQ(in(path("shop"), {"daemon", "restart"}, agent_on_path("gemini")).code, 0);
  EXPECT_THAT(in(path("shop"), {"doctor"}, agent_on_path("gemini")).out,
              testing::Not(HasSubstr("PATH lacks")));
  EXPECT_EQ(in(path("shop"), {"gemini", "add dark mode"}, agent_on_path("gemini")).code, 0);
}

TEST_F(FirstMinuteTest, AgentsNameMayReplaceTheProject) {
  const auto ran = in(path("shop"), {"gemini", "add dark mode"}, agent_on_path("gemini"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ended(ran.out.substr(0, ran.out.size() - 1))["agent"], "gemini");
}

TEST_F(FirstMinuteTest, WorkTreeIsTheProjectAndTheJobsFolder) {
  fs::create_directories(path("tree/.git"));
  const auto ran = in(path("tree/src/deep"), {"--", "pwd"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string id = ran.out.substr(0, ran.out.size() - 1);
  EXPECT_EQ(ended(id)["project"], "tree");
  EXPECT_THAT(luzia({"logs", id}).out, HasSubstr(path("tree/src/deep") + "\n"));
  EXPECT_THAT(configuration(), HasSubstr("path = \"" + path("tree") + "\""));
}

TEST_F(FirstMinuteTest, AHomeBecomesAProjectOnlyIfSomebodySaysSo) {
  const std::string before = configuration();
  fs::create_directories(home() + "/notes");
  for (const Words& words : {Words{"--", "true"}, {"run", "x", "--agent", "shell"}, {".", "true"}}) {
    const Finished refused = in(home(), words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr(home() + " is your home folder"));
    EXPECT_THAT(refused.err, HasSubstr("luzia project add"));
  }
  EXPECT_EQ(configuration(), before);
  const Finished elsewhere = in(home(), {"run", "pwd", "--agent", "shell", "--dir", "notes"});
  ASSERT_EQ(elsewhere.code, 0) << elsewhere.err;
  const Json row = ended_as(elsewhere.out.substr(0, elsewhere.out.size() - 1), "completed", "exit_code");
  EXPECT_EQ(row["project"], "notes");
  EXPECT_EQ(row["working_dir"], home() + "/notes");
  EXPECT_EQ(in(home(), {"project", "add"}).code, 0);
  EXPECT_EQ(in(home(), {"--", "true"}).code, 0);
}

TEST_F(FirstMinuteTest, AHomeUnderGitIsNoProjectOfItsFolders) {
  fs::create_directories(home() + "/.git");
  const Finished refused = in(home() + "/notes", {"--", "true"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is your home folder"));
}

TEST_F(FirstMinuteTest, ReservedNamesAreNotGivenToFolders) {
  const auto named = luzia({"project", "add", "--name", "shop", project()});
  EXPECT_EQ(named.code, 0);
  EXPECT_THAT(named.err, HasSubstr("is project demo already, and stays that, too"));
  for (const char* folder : {"work/jobs", "work/claude", "work/demo", "work/ls"}) {
    const auto added = in(path(folder), {"-q", "project", "add"});
    EXPECT_EQ(added.code, 0) << added.err;
    EXPECT_THAT(added.out, testing::StartsWith("work-")) << folder;
  }
  EXPECT_EQ(luzia({"-q", "config", "check"}).code, 0);
}

TEST_F(FirstMinuteTest, FolderWithAnyNameBecomesAProject) {
  for (const char* folder : {"caf\u00e9 \"quoted\"\\", "line\nbreak", "...", "-rf"}) {
    const auto added = in(path(folder), {"-q", "project", "add"});
    EXPECT_EQ(added.code, 0) << folder << added.err;
    EXPECT_EQ(in(path(folder), {"-q", "--", "true"}).code, 0) << folder;
  }
  EXPECT_EQ(luzia({"-q", "config", "check"}).code, 0);
}

TEST_F(FirstMinuteTest, UneditableConfigurationIsLeftUnchanged) {
  const std::string file = home() + "/.config/luzia/luzia.toml";
  write_text(file,
             "projects = { demo = { path = \"" + project() + "\" } }\n[store]\npath = \"" + store() + "\"\n");
  const std::string before = configuration();
  const auto ran = in(path("shop"), {"--", "true"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("by hand"));
  EXPECT_EQ(configuration(), before);
}

TEST_F(FirstMinuteTest, ConcurrentlyAddedProjectsAreAllKept) {
  constexpr int kFolders = 12;
  std::string script;
  for (int i = 0; i < kFolders; ++i) {
    const std::string folder = path("many/f" + std::to_string(i));
    fs::create_directories(folder);
    script += "\"$0\" -q project add '" + folder + "' & ";
  }
  ASSERT_EQ(run_to_end({"/bin/sh", "-c", script + "wait", kLuzia}, environment()).code, 0);
  EXPECT_EQ(luzia_json({"projects"})["projects"].size(), kFolders + 2U);
}

TEST_F(FirstMinuteTest, WordsOfOtherProgramsAreUnderstood) {
  const std::string id = dispatch("exit 3");
  ended(id);
  for (const char* word : {"ls", "list", "ps"}) {
    EXPECT_THAT(luzia({word, "--all", "--json"}).out, HasSubstr(id)) << word;
  }
  EXPECT_THAT(luzia({"show", id}).out, HasSubstr(id));
  EXPECT_EQ(luzia({"log", id}).code, 0);
  EXPECT_EQ(luzia({"restart", id}).code, 0);
  ended(id);
  const std::string sleeper = dispatch("sleep 1000");
  EXPECT_EQ(luzia({"kill", sleeper}).code, 0);
  ended(sleeper);
}

TEST_F(FirstMinuteTest, ProjectNameOutranksAForeignCommandWord) {
  fs::create_directories(path("show"));
  configure("[projects.show]\npath = \"" + path("show") + "\"\n");
  const auto ran = luzia({"show", "true"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ended(ran.out.substr(0, ran.out.size() - 1))["project"], "show");
}

TEST_F(FirstMinuteTest, NewestJobIsTheDefault) {
  ended(dispatch("true"));
  const std::string id = dispatch("echo the newest; exit 3");
  EXPECT_EQ(luzia({"wait"}).code, 1);
  EXPECT_THAT(luzia({"logs"}).out, HasSubstr("the newest"));
  EXPECT_THAT(luzia({"job"}).out, HasSubstr(id));
  EXPECT_THAT(luzia({"why"}).out, HasSubstr("exit code 3"));
  EXPECT_EQ(luzia({"watch"}).code, 1);
}

TEST_F(FirstMinuteTest, WordsAfterDashesAreTheProjectsCommand) {
  const auto ran = luzia({"demo", "--", "printf", "%s-", "a b", "c"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string id = ran.out.substr(0, ran.out.size() - 1);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(luzia({"logs", id}).out, HasSubstr("a b-c-"));
}

TEST_F(FirstMinuteTest, BareLuziaSaysWhatToTypeFirstAndStartsNothing) {
  const Finished first = luzia({});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, testing::AllOf(testing::StartsWith("No job has run here yet"),
                                        testing::EndsWith("\nluzia help lists the commands.\n")));
  EXPECT_FALSE(fs::exists(store())) << "looking creates nothing";
  ended_as(dispatch("exit 3"), "failed", "exit_code");
  const std::string sleeper = dispatch_until("running", "sleep 1000");
  EXPECT_THAT(luzia({}).out, testing::StartsWith("1 failure in the last 24 hours:\n"));
  EXPECT_THAT(luzia({}).out, HasSubstr("exit code 3  luzia why "));
  EXPECT_THAT(luzia({}).out, HasSubstr("\n1 running: luzia status\n"));
  EXPECT_EQ(luzia({"cancel", sleeper}).code, 0);
  ended(sleeper);
  stop_daemon();
  EXPECT_THAT(luzia({}).out, testing::StartsWith("No daemon is running: luzia status starts it"));
  EXPECT_TRUE(own_processes().empty());
}

TEST_F(FirstMinuteTest, InitWithoutATerminalShowsWhatItWouldWriteAndWritesItWithYes) {
  const Words agents = agent_on_path("claude");
  const std::string before = configuration();
  const Finished shown = in(path("shop"), {"init"}, agents);
  EXPECT_EQ(shown.code, 4) << shown.err;
  EXPECT_THAT(shown.err, HasSubstr("add --yes to do it"));
  EXPECT_THAT(shown.out, HasSubstr("+[projects.shop]\n"));
  EXPECT_EQ(configuration(), before);
  EXPECT_FALSE(fs::exists(path("shop/.mcp.json")));
  start_daemon();
  const Finished done = in(path("shop"), {"init", "--yes"}, agents);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(configuration(), testing::AllOf(testing::StartsWith(before), HasSubstr("agent = \"claude\"")));
  EXPECT_THAT(read_text(path("shop/.mcp.json")), HasSubstr("luzia"));
  EXPECT_THAT(done.err, HasSubstr("the daemon has read its configuration again"));
  EXPECT_EQ(luzia({"-q", "config", "check"}).code, 0);
  const Finished again = in(path("shop"), {"init", "--yes"}, agents);
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.err, HasSubstr("nothing to change: " + path("shop") + " is set up as project shop"));
  EXPECT_THAT(again.err, HasSubstr("what next: luzia run"));
}

}  // namespace
}  // namespace luzia
