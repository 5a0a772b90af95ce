// What a sandbox shows of a project's files, its repository and Luzia's own.
#include "tools/luziad/attempts/sandbox_rules.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class SandboxRulesTest : public ScratchTest {
 protected:
  SandboxRulesTest() {
    spec_.home = scratch_ + "/home";
    spec_.working_dir = scratch_ + "/demo";
    spec_.job_dir = scratch_ + "/jobs/j1";
    spec_.sandbox = std::make_unique<schema::SandboxT>();
    spec_.sandbox->kind = schema::SandboxKind::project;
    fs::create_directories(spec_.working_dir);
  }
  void file(const std::string& name, const std::string& text) const {
    const fs::path path = scratch_ + "/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::vector<std::string> rules(const std::string& program = "sh") const {
    return sandbox_rules(spec_, {scratch_ + "/store/sandbox", {scratch_ + "/store", "~/token"}, "/opt/luzia"},
                         {program}, {"PATH=/usr/bin:/bin"});
  }
  /// The last rule for the path, which counts; ' ': none.
  char rule_of(const std::string& path) const {
    const auto all = rules();
    const auto found = std::find_if(all.rbegin(), all.rend(),
                                    [&](const std::string& rule) { return rule.substr(2) == path; });
    return found == all.rend() ? ' ' : found->front();
  }

  schema::JobSpecT spec_;
};

TEST_F(SandboxRulesTest, OnlyTheJobsOwnPlacesAreWritable) {
  EXPECT_EQ(rule_of("/"), 'r');
  EXPECT_EQ(rule_of(spec_.home), 'p');
  EXPECT_EQ(rule_of(spec_.home + "/.ssh"), 'x');
  EXPECT_EQ(rule_of(scratch_ + "/store"), 'x');
  EXPECT_EQ(rule_of(spec_.home + "/token"), 'x');
  EXPECT_EQ(rule_of(spec_.home + "/.local/state/luzia"), 'x') << "another daemon's";
  EXPECT_EQ(rule_of(spec_.home + "/.cache/luzia"), 'x') << "what other machines have said";
  EXPECT_EQ(rule_of("/var/lib/luzia"), 'c');
  EXPECT_EQ(rule_of(scratch_ + "/store/sandbox"), 'r');
  EXPECT_EQ(rule_of(scratch_ + "/jobs"), 'x');
  EXPECT_EQ(rule_of(spec_.job_dir), 'w');
  EXPECT_EQ(rule_of(spec_.working_dir), 'w');
  EXPECT_EQ(rule_of("/tmp"), 't');
  spec_.sandbox->kind = schema::SandboxKind::strict;
  EXPECT_EQ(rule_of("/"), ' ');
  EXPECT_EQ(rule_of("/usr"), 'r');
  EXPECT_EQ(rule_of(spec_.home), 't');
  EXPECT_EQ(rule_of(spec_.home + "/.config/git"), 'r');
  EXPECT_EQ(rule_of(spec_.home + "/.config/git/credentials"), 'x') << "git keeps passwords there";
}

TEST_F(SandboxRulesTest, HiddenPathsWin) {
  spec_.sandbox->write = {"/srv/a", "/srv/b"};
  spec_.sandbox->read = {"/srv/b", "/srv/c"};
  spec_.sandbox->hide = {"/srv/c"};
  EXPECT_EQ(rule_of("/srv/a"), 'w');
  EXPECT_EQ(rule_of("/srv/b"), 'r');
  EXPECT_EQ(rule_of("/srv/c"), 'x');
}

TEST_F(SandboxRulesTest, StateOfOtherAgentsIsAbsentUnlessNamed) {
  spec_.uid = ::geteuid();
  spec_.agent = "codex";
  spec_.sandbox->write = {spec_.home + "/.codex"};
  ::setenv("CLAUDE_CONFIG_DIR", "/srv/claude", 1);
  for (const auto kind : {schema::SandboxKind::project, schema::SandboxKind::strict}) {
    spec_.sandbox->kind = kind;
    EXPECT_EQ(rule_of(spec_.home + "/.codex"), 'w');
    for (const char* other : {"/.claude", "/.claude.json", "/.gemini", "/.local/share/opencode", "/.copilot"})
      EXPECT_EQ(rule_of(spec_.home + other), 'x') << other;
    EXPECT_EQ(rule_of(spec_.home + "/.config/opencode"), 'x');
    EXPECT_EQ(rule_of("/srv/claude"), 'x');
  }
  ::setenv("CLAUDE_CONFIG_DIR", spec_.home.c_str(), 1);
  EXPECT_EQ(rule_of(spec_.home), 't') << "the home itself stays";
  ::setenv("CLAUDE_CONFIG_DIR", "/srv/claude", 1);
  spec_.uid = ~0U;
  EXPECT_EQ(rule_of("/srv/claude"), ' ') << "the daemon's variable, another user's job";
  ::unsetenv("CLAUDE_CONFIG_DIR");
  spec_.sandbox->read = {spec_.home + "/.claude"};
  EXPECT_EQ(rule_of(spec_.home + "/.claude"), 'r');
  spec_.agent = "opencode";
  EXPECT_EQ(rule_of(spec_.home + "/.config/opencode"), 'p') << "its own; what it adds is gone afterwards";
}

TEST_F(SandboxRulesTest, OwnStateIsAbsentWhereItIsNotUsed) {
  spec_.agent = "claude";
  spec_.sandbox->write = {spec_.home + "/work/claude"};
  EXPECT_EQ(rule_of(spec_.home + "/.claude"), 'x');
  EXPECT_EQ(rule_of(spec_.home + "/.claude.json"), 'x');
  EXPECT_EQ(rule_of(spec_.home + "/work/claude"), 'w');
}

TEST_F(SandboxRulesTest, GitsConfigurationAndHooksAreReadOnly) {
  file("demo/.git/config", "");
  EXPECT_EQ(rule_of(spec_.working_dir + "/.git"), 'w');
  EXPECT_EQ(rule_of(spec_.working_dir + "/.git/config"), 'r');
  EXPECT_EQ(rule_of(spec_.working_dir + "/.git/hooks"), 'r');
  EXPECT_EQ(rule_of(spec_.working_dir + "/.git/config.worktree"), 'r');
  spec_.worktree = true;
  EXPECT_EQ(rule_of(spec_.working_dir), 'r') << "it works in its own worktree";
  EXPECT_EQ(rule_of(spec_.working_dir + "/.git"), 'w');
}

TEST_F(SandboxRulesTest, WhatAgentsOnlyReadIsFolderAndRepository) {
  file("demo/.git/config", "");
  EXPECT_TRUE(guarded_paths(spec_).empty());
  spec_.sandbox->only_reads = true;
  const std::string git = spec_.working_dir + "/.git";
  EXPECT_THAT(guarded_paths(spec_), testing::ElementsAre(spec_.working_dir, git));
  EXPECT_EQ(rule_of(spec_.working_dir), 'w') << "for checks";
  spec_.worktree = true;
  EXPECT_THAT(guarded_paths(spec_), testing::ElementsAre(spec_.job_dir + "/worktree", git));
  spec_.worktree = false;
  fs::remove_all(git);
  EXPECT_THAT(guarded_paths(spec_), testing::ElementsAre(spec_.working_dir));
}

TEST_F(SandboxRulesTest, ProjectInsideARepositoryMayCommit) {
  file("demo/.git/config", "");
  fs::create_directories(spec_.working_dir + "/part");
  const std::string git = spec_.working_dir + "/.git";
  spec_.working_dir += "/part";
  EXPECT_EQ(rule_of(git), 'w');
}

TEST_F(SandboxRulesTest, LinkedWorktreeHasItsRepository) {
  file("main/.git/config", "");
  file("main/.git/worktrees/demo/gitdir", scratch_ + "/demo/.git\n");
  file("main/.git/worktrees/demo/commondir", "../..\n");
  file("demo/.git", "gitdir: " + scratch_ + "/main/.git/worktrees/demo\n");
  const auto all = rules();
  EXPECT_THAT(all, Contains("w:" + scratch_ + "/main/.git"));
  EXPECT_THAT(all, Contains("r:" + scratch_ + "/main/.git/config"));
  for (const char* leads : {"/demo/.git", "/main/.git/worktrees/demo/commondir"})
    EXPECT_EQ(rule_of(scratch_ + leads), 'r') << "git is led by it to its settings";
  for (const char* above : {"/main/.git/worktrees", "/main/.git/worktrees/demo"})
    EXPECT_EQ(rule_of(scratch_ + above), 'w') << "it cannot be moved away with what is only read";
}

TEST_F(SandboxRulesTest, AgentCannotNameAnotherRepository) {
  file("victim/.git/config", "");
  file("victim/.git/worktrees/demo/commondir", "../..\n");
  file("victim/.git/worktrees/demo/gitdir", scratch_ + "/elsewhere/.git\n");
  file("elsewhere/.git", "gitdir: " + scratch_ + "/victim/.git/worktrees/demo\n");
  for (const std::string& named :
       {scratch_ + "/victim/.git/worktrees/demo", scratch_ + "/victim/.git", scratch_ + "/home/.ssh"}) {
    file("demo/.git", "gitdir: " + named + "\n");
    for (const std::string& rule : rules()) {
      EXPECT_FALSE(rule.starts_with("w:" + scratch_ + "/victim")) << rule;
      EXPECT_FALSE(rule.starts_with("w:" + scratch_ + "/home")) << rule;
    }
  }
}

TEST_F(SandboxRulesTest, AgentCannotMakeARepositoryOfAnotherFolder) {
  file("demo/fake/gitdir", scratch_ + "/demo/.git\n");
  file("demo/fake/commondir", scratch_ + "/home/.ssh\n");
  file("demo/.git", "gitdir: " + scratch_ + "/demo/fake\n");
  EXPECT_EQ(rule_of(scratch_ + "/home/.ssh"), 'x');
  file("demo/worktrees/fake/gitdir", scratch_ + "/demo/.git\n");
  file("demo/worktrees/fake/commondir", scratch_ + "/home/.ssh\n");
  file("demo/.git", "gitdir: " + scratch_ + "/demo/worktrees/fake\n");
  EXPECT_EQ(rule_of(scratch_ + "/home/.ssh"), 'x');
}

TEST_F(SandboxRulesTest, RepositoryAtTheHomeIsNotTheProjects) {
  file("home/.git/config", "");
  fs::create_directories(spec_.home + "/web");
  fs::create_directory_symlink(spec_.home, scratch_ + "/link");
  spec_.working_dir = spec_.home + "/web";
  for (const std::string& home : {spec_.home, spec_.home + "/", scratch_ + "/link"}) {
    spec_.home = home;
    EXPECT_EQ(rule_of(scratch_ + "/home/.git"), ' ') << home;
  }
}

// luzia-run follows no link below a path that has become writable by then.
TEST_F(SandboxRulesTest, ProjectOfAWorktreeIsReadOnlyAfterAllPathsBelow) {
  file("demo/.git/config", "");
  spec_.worktree = true;
  spec_.sandbox->write = {spec_.working_dir + "/out"};
  spec_.sandbox->read = {spec_.working_dir + "/data"};
  const auto all = rules();
  const auto place = [&all](const std::string& rule) { return std::ranges::find(all, rule) - all.begin(); };
  for (const char* below : {"w:/.git", "w:/out", "r:/data"}) {
    const std::string rule =
        std::string(below).substr(0, 2) + spec_.working_dir + std::string(below).substr(2);
    EXPECT_LT(place("w:" + spec_.working_dir), place(rule)) << rule;
    EXPECT_LT(place(rule), place("r:" + spec_.working_dir)) << rule;
  }
  spec_.sandbox->hide = {spec_.working_dir};
  EXPECT_EQ(rule_of(spec_.working_dir), 'x');
}

TEST_F(SandboxRulesTest, ProgramWhereAgentsWriteLeadsNowhereElse) {
  spec_.uid = ::geteuid();
  spec_.gid = ::getegid();
  spec_.sandbox->kind = schema::SandboxKind::strict;
  spec_.sandbox->write = {spec_.home + "/.agent"};
  for (const char* name : {"home/tool/run", "home/other/run", "demo/run", "home/.agent/mine"}) {
    file(name, "#!/bin/sh\n");
    fs::permissions(scratch_ + "/" + name, fs::perms::owner_all);
  }
  const std::string other = "r:" + spec_.home + "/other";
  EXPECT_THAT(rules(spec_.home + "/tool/run"), Contains("r:" + spec_.home + "/tool"));
  EXPECT_THAT(rules("./run"), Not(Contains("r:" + spec_.working_dir))) << "it stays writable";
  fs::create_symlink(spec_.home + "/other/run", spec_.home + "/.agent/run");
  fs::create_symlink(spec_.home + "/.agent/run", spec_.home + "/tool/link");
  EXPECT_THAT(rules(spec_.home + "/.agent/run"), Not(Contains(other)));
  EXPECT_THAT(rules(spec_.home + "/tool/link"), Not(Contains(other)));
  EXPECT_THAT(rules(spec_.home + "/tool/link"), Contains("r:" + spec_.home + "/tool/link"));
}

TEST_F(SandboxRulesTest, HostileGitFilesAreIgnored) {
  ASSERT_EQ(::symlink("/etc/passwd", (spec_.working_dir + "/.git").c_str()), 0);
  EXPECT_EQ(rule_of(spec_.working_dir + "/.git"), ' ');
  file("demo2/.git", std::string("gitdir: \0/x\n", 12));
  spec_.working_dir = scratch_ + "/demo2";
  EXPECT_EQ(rule_of(spec_.working_dir + "/.git"), ' ');
}

TEST_F(SandboxRulesTest, CachesAreInsideUnlessSetOrShared) {
  const auto confined = [&](std::vector<std::string> env) {
    confine_environment(env, spec_, "/s/sandbox");
    return env;
  };
  EXPECT_THAT(confined({}), testing::ElementsAre("npm_config_cache=/tmp/.npm", "GOCACHE=/tmp/.go-build"));
  const std::vector<std::string> set = {"NPM_CONFIG_CACHE=/srv/npm", "GOCACHE=/srv/go"};
  EXPECT_EQ(confined(set), set);
  spec_.sandbox->write = {spec_.home + "/.npm", spec_.home + "/.cache"};
  EXPECT_THAT(confined({}), testing::IsEmpty());
}

TEST_F(SandboxRulesTest, EnvironmentLeadsNowhereOutside) {
  std::vector<std::string> env = {"HOME=/h", "TMPDIR=/h/.tmp", "SSH_AUTH_SOCK=/run/a", "SSH_AUTH_SOCKET=b",
                                  "LUZIA_SOCKET=/s/socket"};
  confine_environment(env, spec_, "/s/sandbox");
  env.resize(4);  // caches follow
  EXPECT_THAT(env, testing::ElementsAre("HOME=/h", "TMPDIR=/tmp", "SSH_AUTH_SOCKET=b",
                                        "LUZIA_SOCKET=/s/sandbox/socket"));
}

}  // namespace
}  // namespace luzia
