// What is made for a sandbox so that its agent cannot make it.
#include "tools/luziad/attempts/agent_state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "engine/ports/agent.h"
#include "tests/fork_that_ends.h"
#include "tests/text_files.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class AgentStateTest : public testing::Test {
 protected:
  AgentStateTest() {
    std::string pattern = fs::temp_directory_path().string() + "/luzia-state-XXXXXX";
    scratch_ = ::mkdtemp(pattern.data());
    spec_.home = scratch_ + "/home";
    spec_.working_dir = scratch_ + "/demo";
    spec_.uid = ::geteuid();
    spec_.gid = ::getegid();
    spec_.sandbox = std::make_unique<schema::SandboxT>();
    fs::create_directories(spec_.home);
    fs::create_directories(spec_.working_dir + "/.git");
    ::chmod((spec_.working_dir + "/.git").c_str(), 0755);
    state_of("claude");
  }
  ~AgentStateTest() override { fs::remove_all(scratch_); }

  void state_of(const std::string& agent, const std::string& moved = {}) {
    spec_.agent = agent;
    AgentPlaces places = places_of(*find_agent(agent), spec_.home, moved);
    spec_.sandbox->write = std::move(places.write);
    spec_.sandbox->read = std::move(places.read);
  }
  Status make() const { return make_agent_state(spec_, {spec_.agent}); }
  static void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  std::string claude(const std::string& name) const { return spec_.home + "/.claude/" + name; }
  std::string git(const std::string& name) const { return spec_.working_dir + "/.git/" + name; }

  std::string scratch_;
  schema::JobSpecT spec_;
};

TEST_F(AgentStateTest, WhatIsMissingIsMadeEmptyAndValid) {
  for (const Agent& agent : known_agents()) {
    state_of(std::string(agent.name));
    ASSERT_TRUE(make()) << agent.name;
    for (const std::string& path : spec_.sandbox->read) {
      if (path.ends_with("/.env")) continue;
      ASSERT_TRUE(fs::exists(path)) << path;
      if (path.ends_with(".json")) {
        const bool has_servers = path.ends_with("/.copilot/mcp-config.json");
        EXPECT_EQ(whole_text(path), has_servers ? "{\"mcpServers\":{}}\n" : "{}\n") << path;
      } else {
        EXPECT_TRUE(fs::is_empty(path)) << path;
      }
    }
  }
  EXPECT_TRUE(fs::is_directory(claude("hooks")));
  EXPECT_TRUE(fs::is_regular_file(claude("CLAUDE.md")));
  EXPECT_FALSE(fs::exists(spec_.home + "/.gemini/.env")) << "it would hide the one in the home";
}

TEST_F(AgentStateTest, RepositoryGetsHooksAsOpenAsItself) {
  ASSERT_TRUE(make());
  EXPECT_TRUE(fs::is_directory(git("hooks")));
  EXPECT_EQ(static_cast<unsigned>(fs::status(git("hooks")).permissions()), 0755U);
  EXPECT_EQ(static_cast<unsigned>(fs::status(git("config.worktree")).permissions()), 0644U);
  EXPECT_EQ(whole_text(git("config.worktree")), "");
}

TEST_F(AgentStateTest, WhatIsThereStays) {
  fs::create_directories(claude("hooks"));
  write_text(claude("hooks/mine"), "x");
  write_text(claude("settings.json"), "mine");
  ASSERT_EQ(::symlink("nowhere", claude("CLAUDE.md").c_str()), 0);
  ASSERT_TRUE(make());
  ASSERT_TRUE(make()) << "the next attempt";
  EXPECT_EQ(whole_text(claude("settings.json")), "mine");
  EXPECT_EQ(whole_text(claude("hooks/mine")), "x");
  EXPECT_EQ(fs::read_symlink(claude("CLAUDE.md")), "nowhere");
  EXPECT_FALSE(fs::exists(claude("nowhere")));
}

TEST_F(AgentStateTest, OnlyWhatTheSandboxShowsIsMade) {
  state_of("codex");
  std::erase(spec_.sandbox->read, spec_.home + "/.codex/prompts");
  spec_.sandbox->read.push_back(spec_.home + "/other/config.toml");
  ASSERT_TRUE(make());
  EXPECT_TRUE(fs::exists(spec_.home + "/.codex/config.toml"));
  EXPECT_FALSE(fs::exists(spec_.home + "/.codex/prompts")) << "it was named in sandbox_write";
  EXPECT_FALSE(fs::exists(spec_.home + "/.claude") || fs::exists(spec_.home + "/other"));
  spec_.agent = "shell";
  fs::remove_all(spec_.home + "/.codex");
  ASSERT_TRUE(make());
  EXPECT_FALSE(fs::exists(spec_.home + "/.codex"));
}

TEST_F(AgentStateTest, StateThatAVariableMovedIsMadeThere) {
  const std::string moved = scratch_ + "/deep/claude";
  state_of("claude", moved);
  ASSERT_TRUE(make());
  EXPECT_TRUE(fs::is_directory(moved + "/hooks"));
  EXPECT_EQ(whole_text(moved + "/settings.json"), "{}\n");
  EXPECT_FALSE(fs::exists(spec_.home + "/.claude"));
}

TEST_F(AgentStateTest, NothingIsMadeWhereNobodyMayWrite) {
  fs::create_directories(spec_.home + "/.claude");
  fs::remove_all(spec_.working_dir + "/.git");
  if (::geteuid() == 0) {
    ::chmod((spec_.home + "/.claude").c_str(), 0755);
    spec_.uid = spec_.gid = 65534;
    EXPECT_TRUE(make()) << "its agent may not either";
    EXPECT_TRUE(fs::is_empty(spec_.home + "/.claude"));
    spec_.uid = spec_.gid = 0;
  }
  fs::remove_all(spec_.home + "/.claude");
  write_text(spec_.home + "/.claude", "no folder");
  EXPECT_TRUE(make());
  EXPECT_EQ(whole_text(spec_.home + "/.claude"), "no folder");
}

TEST_F(AgentStateTest, WhatCannotBeMadeWholeKeepsTheAttemptFromItsStart) {
  fs::create_directories(spec_.home + "/.claude");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{1, before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  const Status made = make();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "sandbox_unavailable");
  EXPECT_EQ(made.error().message.find("sandbox_unavailable: cannot make " + claude("settings.json")), 0U);
  EXPECT_FALSE(fs::exists(claude("settings.json"))) << "nor half of it";
  EXPECT_TRUE(make()) << "once there is room";
}

TEST_F(AgentStateTest, FolderClosedByItsOwnerKeepsTheAttemptFromItsStart) {
  if (::geteuid() == 0) spec_.uid = spec_.gid = 65534;
  const std::string state = spec_.home + "/.claude";
  fs::create_directories(state);
  for (const std::string& folder : {scratch_, spec_.home, state, spec_.working_dir, git("")})
    ASSERT_EQ(::chown(folder.c_str(), spec_.uid, spec_.gid), 0);
  for (const unsigned mode : {0500U, 0200U, 0000U}) {
    ASSERT_EQ(::chmod(state.c_str(), mode), 0);
    const Status made = make();
    ASSERT_FALSE(made) << mode << ": its agent could open it";
    EXPECT_EQ(made.error().code, "sandbox_unavailable");
    EXPECT_NE(made.error().message.find("cannot make " + state + "/settings.json, which is missing"),
              std::string::npos)
        << made.error().message;
  }
  ASSERT_EQ(::chmod(state.c_str(), 0300), 0);
  EXPECT_TRUE(make()) << "nobody can list it, but there is what must be there";
  ASSERT_EQ(::chmod(state.c_str(), 0700), 0);
  EXPECT_EQ(whole_text(claude("settings.json")), "{}\n");
  EXPECT_TRUE(fs::is_directory(claude("hooks")));
}

/// Runs make() where files without a name are unknown, in a process that `forbidden` kills; -1: nothing does.
int end_where_all_files_have_names(const std::function<bool()>& make, int forbidden) {
  const pid_t child = fork_that_ends();
  if (child == 0) {
    constexpr auto kTmpFile = static_cast<std::uint32_t>(O_TMPFILE & ~O_DIRECTORY);
    const auto killed = static_cast<std::uint32_t>(forbidden);
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, killed, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kTmpFile, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
    };
    const sock_fprog program{sizeof code / sizeof *code, code};
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const bool held = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    ::_exit(!held ? 2 : make() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST_F(AgentStateTest, WithoutFilesWithoutANameNoneIsThereByHalves) {
  const auto try_it = [this] { return static_cast<bool>(make()); };
  const int killed = end_where_all_files_have_names(try_it, SYS_fsync);
  EXPECT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGSYS) << killed;
  EXPECT_FALSE(fs::exists(claude("settings.json"))) << "its agent would take an empty one for broken";
  EXPECT_EQ(end_where_all_files_have_names(try_it, -1), 0);
  EXPECT_EQ(whole_text(claude("settings.json")), "{}\n");
  EXPECT_EQ(static_cast<unsigned>(fs::status(claude("settings.json")).permissions()), 0600U);
  struct stat status;
  ASSERT_EQ(::stat(claude("settings.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_nlink, 1U) << "another name would be a way to write it";
  EXPECT_TRUE(make()) << "the next attempt";
}

/// An agent of an earlier attempt that puts a link in the place of a folder as soon as that is made.
TEST_F(AgentStateTest, ALinkPutInItsPlaceOpensNothingElse) {
  const std::string victim = scratch_ + "/victim";
  fs::create_directory(victim);
  for (int i = 0; i < 1'000; ++i) {
    ::chmod(victim.c_str(), 0700);
    std::atomic<bool> waits{false}, over{false};
    std::jthread agent([&] {
      for (waits = true; !over;) {
        if (::rename(git("hooks").c_str(), git("moved").c_str()) != 0) continue;
        EXPECT_EQ(::symlink(victim.c_str(), git("hooks").c_str()), 0);
        return;
      }
    });
    while (!waits) std::this_thread::yield();
    [[maybe_unused]] const Status made = make();
    over = true;
    agent.join();
    ASSERT_EQ(static_cast<unsigned>(fs::status(victim).permissions()), 0700U) << "turn " << i;
    fs::remove(git("hooks"));
    fs::remove(git("moved"));
  }
}

TEST_F(AgentStateTest, RootMakesItAsTheJobsUser) {
  const bool is_root = ::geteuid() == 0;
  if (is_root) spec_.uid = spec_.gid = 65534;
  for (const std::string& folder : {scratch_, spec_.home, spec_.working_dir, spec_.working_dir + "/.git"})
    ASSERT_EQ(::chown(folder.c_str(), spec_.uid, spec_.gid), 0);
  // A link of that user leads root nowhere that the user may not go.
  fs::create_directory(scratch_ + "/of-root");
  ::chmod((scratch_ + "/of-root").c_str(), 0755);
  ASSERT_EQ(::symlink((scratch_ + "/of-root").c_str(), (spec_.home + "/.claude").c_str()), 0);
  ASSERT_TRUE(make());
  EXPECT_EQ(fs::is_empty(scratch_ + "/of-root"), is_root);
  fs::remove(spec_.home + "/.claude");
  ASSERT_TRUE(make());
  for (const std::string& path : {claude("hooks"), claude("settings.json"), git("hooks")}) {
    struct stat status;
    ASSERT_EQ(::lstat(path.c_str(), &status), 0) << path;
    EXPECT_EQ(status.st_uid, spec_.uid) << path;
  }
}

}  // namespace
}  // namespace luzia
