// Holds each way out of a sandbox that the attacker's program knows: under `off` it works, where that is the
// documented truth; under `project` and `strict` it does not. A machine that can make no sandbox fails these
// tests.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/base/descriptor.h"
#include "tests/e2e/daemon_fixture.h"
#include "tests/paths.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

enum class Outcome { escaped, held, not_tried };

const std::string kEscapes = build_path("tests/wall/escapes");

class WallTest : public DaemonTest {
 protected:
  WallTest() {
    for (const char* folder : {".ssh", ".aws", ".config/gh", ".config/git", ".claude"})
      fs::create_directories(home() + "/" + folder);
    for (const std::string& secret : secrets()) write_text(secret, "secret\n");
    write_text(home() + "/.bashrc", "plain\n");
    set_up();
  }

  void set_up(const std::string& more = {}) {
    // A way that is held is a quick failure; ten in a row would stop the project for ten minutes.
    configure("[retry]\nbreaker_failures = 0\n[agents.shell]\nsandbox_read = [\"" + kEscapes + "\", \"" +
              kLuzia + "\"]\n" + more);
  }
  Words secrets() const {
    return {home() + "/.ssh/id", home() + "/.aws/credentials",    home() + "/.config/gh/hosts.yml",
            home() + "/.netrc",  home() + "/.config/luzia/token", home() + "/.config/git/credentials"};
  }
  std::string secret() const { return secrets().front(); }
  std::string output(const std::string& job) const { return read_text(job_dir(job) + "/output.log"); }

  std::string dispatch_in(const std::string& sandbox, const std::string& task, const Words& more = {}) const {
    Words options = {"--sandbox", sandbox};
    options.insert(options.end(), more.begin(), more.end());
    return dispatch(task, options);
  }
  /// Runs a job that takes this way out (escapes.cc).
  Outcome take(const std::string& sandbox, const std::string& way, const Words& more = {}) const {
    const std::string id = dispatch_in(sandbox, kEscapes + " " + way, more);
    const Json row = ended(id);
    const std::string said = output(id);
    if (row["exit_code"] == 0 && said.find("escaped: ") != std::string::npos) return Outcome::escaped;
    if (row["exit_code"] == 1 && said.find("held") != std::string::npos) return Outcome::held;
    ADD_FAILURE() << sandbox << ": " << way << ": " << row.dump() << "\n" << said;
    return Outcome::not_tried;
  }
  /// Under both sandboxes; under `off` the way must work, so that the test means something.
  void expect_only_off(const std::string& way, const Words& more = {}) const {
    EXPECT_EQ(take("off", way, more), Outcome::escaped) << way;
    expect_held(way, more);
  }
  void expect_held(const std::string& way, const Words& more = {}) const {
    for (const char* sandbox : {"project", "strict"})
      EXPECT_EQ(take(sandbox, way, more), Outcome::held) << way;
  }
};

/// A socket of a program of the same user, outside of every sandbox.
Descriptor listener(const std::string& path, bool abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path + (abstract ? 1 : 0), sizeof address.sun_path - 2);
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + (abstract ? 1 : 0) + path.size());
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0) << path;
  EXPECT_EQ(::listen(fd.get(), 16), 0);
  return fd;
}

/// Whether this machine lets the tester trace programs that it did not start itself
/// (kernel.yama.ptrace_scope).
bool may_trace(pid_t pid) {
  char byte = 0;
  const iovec here{&byte, 1}, nowhere{nullptr, 1};
  return ::process_vm_readv(pid, &here, 1, &nowhere, 1, 0) >= 0 || errno == EFAULT;
}

bool kernel_scopes_abstract_sockets() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) >= 6;
}

TEST_F(WallTest, SecretsAreNotThere) {
  for (const std::string& path : secrets()) expect_only_off("read " + path);
  for (const char* way : {"link ", "hard-link ", "roots ", "namespace "}) {
    SCOPED_TRACE(way);
    EXPECT_EQ(take("project", way + secret()), Outcome::held);
    EXPECT_EQ(take("strict", way + secret()), Outcome::held);
  }
  for (const char* way : {"link ", "hard-link ", "roots "})
    EXPECT_EQ(take("off", way + secret()), Outcome::escaped) << way;
}

TEST_F(WallTest, SecretPutInPlaceMeanwhileStaysInvisible) {
  const std::string id =
      dispatch_in("project", "touch ready; while [ ! -e go ]; do sleep 0.05; done; " + kEscapes + " read " +
                                 secret() + "; " + kEscapes + " read " + home() + "/.pgpass");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/ready"); }));
  write_text(home() + "/new", "secret\n");
  fs::rename(home() + "/new", secret());
  write_text(home() + "/.pgpass", "secret\n");
  write_text(project() + "/go", "");
  ended(id);
  EXPECT_THAT(output(id), Not(HasSubstr("escaped")));
  EXPECT_THAT(output(id), HasSubstr("held\nheld"));
}

TEST_F(WallTest, NothingOutsideOfTheProjectIsWritten) {
  const std::string sibling = path("other") + "/file";
  EXPECT_EQ(take("off", "write " + sibling), Outcome::escaped);
  fs::remove(sibling);
  for (const char* sandbox : {"project", "strict"}) {
    // Below /tmp, which is private in a sandbox, writing may succeed and reach nothing.
    take(sandbox, "write " + sibling);
    take(sandbox, "replace " + home() + "/.bashrc");
    EXPECT_FALSE(fs::exists(sibling)) << sandbox;
    EXPECT_EQ(read_text(home() + "/.bashrc"), "plain\n") << sandbox;
    EXPECT_EQ(take(sandbox, "write /usr/luzia-wall"), Outcome::held);
    EXPECT_EQ(take(sandbox, "write " + project() + "/mine"), Outcome::escaped) << "its project is its own";
  }
}

TEST_F(WallTest, WhatGitExecutesCannotBeChanged) {
  ASSERT_EQ(run_to_end({"/usr/bin/git", "-C", project(), "init", "-q"}, environment()).code, 0);
  fs::create_directories(project() + "/.git/hooks");
  for (const std::string name : {"/.git/config", "/.git/hooks/pre-commit"}) {
    const std::string file = project() + name, before = read_text(file);
    EXPECT_EQ(take("off", "replace " + file), Outcome::escaped) << file;
    fs::remove(file);
    if (!before.empty()) write_text(file, before);
    expect_held("replace " + file);
  }
  for (const char* name : {"/.git/config", "/.git/hooks"}) expect_held("under-mounts " + project() + name);
  const Json row =
      ended(dispatch_in("project", "git -c user.name=a -c user.email=b commit -q --allow-empty -m x"));
  EXPECT_EQ(row["state"], "completed") << "a commit needs neither";
}

TEST_F(WallTest, WhatGitExecutesCannotBeMade) {
  const Words init = {"/usr/bin/git", "-C", project(), "init", "-q", "--template="};
  ASSERT_EQ(run_to_end(init, environment()).code, 0);
  ASSERT_FALSE(fs::exists(project() + "/.git/hooks"));
  for (const char* name : {"/.git/hooks", "/.git/hooks/pre-commit", "/.git/config.worktree"})
    expect_held("replace " + project() + name);
  EXPECT_TRUE(fs::is_empty(project() + "/.git/hooks"));
  EXPECT_TRUE(fs::is_empty(project() + "/.git/config.worktree"));
  for (const Words& words : {Words{"config", "extensions.worktreeConfig", "true"}, Words{"status"}}) {
    Words git = {"/usr/bin/git", "-C", project()};
    git.insert(git.end(), words.begin(), words.end());
    EXPECT_EQ(run_to_end(git, environment()).code, 0) << "git takes them as they are";
  }
}

TEST_F(WallTest, LinkedWorktreeIsLedToNoOtherRepository) {
  const std::string repository = path("main"), linked = path("linked");
  const auto git = [&](const std::string& folder, const Words& words) {
    Words whole = {"/usr/bin/git", "-C", folder, "-c", "user.name=a", "-c", "user.email=b"};
    whole.insert(whole.end(), words.begin(), words.end());
    return run_to_end(whole, environment()).code;
  };
  fs::create_directory(repository);
  for (const Words& words : {Words{"init", "-q"}, Words{"commit", "-q", "--allow-empty", "-m", "first"},
                             Words{"worktree", "add", "-q", "--detach", linked}})
    ASSERT_EQ(git(repository, words), 0) << words.front();
  const std::string own = repository + "/.git/worktrees/linked";
  for (const std::string& file : {own + "/commondir", own, linked + "/.git"})
    expect_held("replace " + file, {"--dir", linked});
  const std::string commit = "touch new && git add new && git -c user.name=a -c user.email=b commit -q -m x";
  const Json row = ended(dispatch_in("project", commit, {"--dir", linked}));
  EXPECT_EQ(row["state"], "completed") << output(row["id"]);
  EXPECT_EQ(git(linked, {"diff", "--quiet", "HEAD"}), 0);
}

TEST_F(WallTest, StoreJobsAndConfigurationAreNotThere) {
  const std::string other = dispatch("echo private");
  ended(other);
  for (const std::string& file : {store() + "/attempt.key", store() + "/luziad.log",
                                  job_dir(other) + "/output.log", home() + "/.config/luzia/luzia.toml"}) {
    expect_only_off("read " + file);
  }
  expect_only_off("socket " + store() + "/socket");
}

TEST_F(WallTest, FilesOfSecretsAreNotThere) {
  const std::string file = home() + "/token";
  write_text(file, "secret\n");
  fs::permissions(file, fs::perms::owner_read);
  set_up("secrets = { OTHER = { file = \"" + file + "\" } }\n");
  expect_only_off("read " + file);
}

TEST_F(WallTest, StateOfAnAgentIsItsOwn) {
  const std::string codex = home() + "/.codex/auth.json", claude = home() + "/.claude/.credentials.json",
                    opencode = home() + "/.local/share/opencode/auth.json";
  for (const std::string& login : {codex, claude, opencode}) {
    fs::create_directories(fs::path(login).parent_path());
    write_text(login, "secret\n");
  }
  set_up("[agents.codex]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\nsandbox_read = [\"" + kEscapes +
         "\"]\n");
  for (const std::string& login : {codex, claude, opencode}) expect_only_off("read " + login);
  const Words as_codex = {"--agent", "codex"};
  for (const char* sandbox : {"project", "strict"}) {
    EXPECT_EQ(take(sandbox, "read " + codex, as_codex), Outcome::escaped) << "its own login, which it needs";
    EXPECT_EQ(take(sandbox, "read " + claude, as_codex), Outcome::held);
    EXPECT_EQ(take(sandbox, "link " + claude, as_codex), Outcome::held);
  }
  set_up("sandbox_write = [\"~/.claude\"]\n");
  ASSERT_EQ(luzia({"config", "reload"}).code, 0);
  EXPECT_EQ(take("project", "read " + claude), Outcome::escaped) << "it was named";
  EXPECT_EQ(take("project", "read " + codex), Outcome::held);
}

TEST_F(WallTest, SettingsThatALaterSessionExecutesCannotBeMade) {
  set_up("[agents.codex]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\nsandbox_read = [\"" + kEscapes +
         "\"]\n");
  const std::string state = home() + "/.codex";
  const Words as_codex = {"--agent", "codex"};
  for (const std::string name : {"/config.toml", "/hooks.json", "/rules"}) {
    fs::create_directory(state);
    EXPECT_EQ(take("off", "replace " + state + name, as_codex), Outcome::escaped);
    fs::remove_all(state);
    expect_held("replace " + state + name, as_codex);
  }
  expect_held("replace " + state + "/rules/mine.rules", as_codex);
  // Nor by a later attempt, after one that nobody could clean up behind.
  const std::string id = dispatch_in("project", "echo > ready; exec sleep 1000", {"--agent", "codex"});
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/ready"); }));
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "AttemptStarted").empty(); }));
  const Json started = events_of(id, "AttemptStarted").at(0)["data"];
  ASSERT_EQ(::kill(started["runner_pid"].get<pid_t>(), SIGKILL), 0);
  ended(id);
  EXPECT_EQ(read_text(state + "/hooks.json"), "{}\n") << "which Codex may read meanwhile";
  expect_held("under-mounts " + state + "/hooks.json", as_codex);
  expect_held("replace " + state + "/hooks.json", as_codex);
  EXPECT_EQ(read_text(state + "/hooks.json"), "{}\n");
  EXPECT_EQ(read_text(state + "/config.toml"), "");
}

TEST_F(WallTest, AgentThatMayOnlyReadChangesNothing) {
  set_up("[agents.codex]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\nsandbox_read = [\"" + kEscapes +
         "\"]\nsandbox_write = [\"~/shared\"]\n");
  ASSERT_EQ(run_to_end({"/usr/bin/git", "-C", project(), "init", "-q"}, environment()).code, 0);
  fs::create_directory(home() + "/shared");
  const std::string there = project() + "/there";
  const Words editor = {"--agent", "codex"}, reader = {"--agent", "codex", "--permissions", "plan"};
  for (const std::string& file :
       {project() + "/new", project() + "/.git/index", home() + "/shared/new", there}) {
    for (const char* sandbox : {"off", "project", "strict"}) {
      EXPECT_EQ(take(sandbox, "write " + file, editor), Outcome::escaped) << "it may edit";
      fs::remove(file);
    }
    write_text(there, "plain\n");
    for (const char* way : {"replace ", "write-roots "}) expect_held(way + file, reader);
    EXPECT_EQ(fs::exists(file), file == there) << file;
  }
  for (const char* way : {"under-mounts ", "hard-link "}) expect_held(way + there, reader);
  expect_held("replace " + there, {"--agent", "codex", "--permissions", "ask"});
  EXPECT_EQ(read_text(there), "plain\n");
  EXPECT_EQ(take("strict", "read " + there, reader), Outcome::escaped);
  EXPECT_EQ(take("strict", "write " + home() + "/.codex/session", reader), Outcome::escaped) << "its state";
  EXPECT_EQ(take("off", "write-roots " + there), Outcome::escaped);
}

TEST_F(WallTest, EditThatFailsWhereAnAgentMayOnlyReadWasDenied) {
  set_up("[agents.codex]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\n");
  const auto item = [](const std::string& event, const std::string& status) {
    return R"(echo '{"type":"item.)" + event + R"(","item":{"id":"item_1","type":"file_change",)" +
           R"("changes":[{"path":"a.cc","kind":"update"}],"status":")" + status + R"("}}'; )";
  };
  const std::string task = item("started", "in_progress") + item("completed", "failed");
  for (const auto& [level, warnings] : {std::pair("plan", 1U), {"edits", 0U}}) {
    const std::string id = dispatch_in("project", task, {"--agent", "codex", "--permissions", level});
    ended(id);
    const auto warned = events_of(id, "WarningReported");
    ASSERT_EQ(warned.size(), warnings) << level;
    for (const Json& each : warned) EXPECT_EQ(each["data"]["warning_type"], "ALL_DENIED");
  }
}

TEST_F(WallTest, AgentThatMayOnlyReadSaysSoAndHasAWorktree) {
  set_up("[agents.codex]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\n");
  const Words git = {"/usr/bin/git", "-C", project(), "-c", "user.name=a", "-c", "user.email=b"};
  for (const Words& more : {Words{"init", "-q"}, Words{"commit", "-q", "--allow-empty", "-m", "first"}}) {
    Words whole = git;
    whole.insert(whole.end(), more.begin(), more.end());
    ASSERT_EQ(run_to_end(whole, environment()).code, 0);
  }
  const Words plan = {"--agent", "codex", "--permissions", "plan", "--worktree"};
  const std::string id = dispatch_in(
      "project",
      "git status && ! touch new && ! git -c user.name=a -c user.email=b commit --allow-empty -m x", plan);
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  const std::string words = "project; only reads the project; ";
  EXPECT_THAT(job(id).value("sandbox", ""), testing::StartsWith(words));
  EXPECT_THAT(events_of(id, "AttemptStarted").at(0)["data"].value("sandbox", ""), testing::StartsWith(words));
  Words dry = {"dispatch", "demo", "true", "--sandbox", "project", "--dry-run", "--json"};
  dry.insert(dry.end(), plan.begin(), plan.end());
  EXPECT_THAT(luzia_json(dry)["jobs"][0].value("sandbox", ""), testing::StartsWith(words));
  expect_refused({"dispatch", "demo", "true", "--sandbox", "project", "--agent", "codex", "--permissions",
                  "plan", "--dir", home()},
                 4, "sandbox 'project' cannot keep agent codex from changes in " + home());
}

TEST_F(WallTest, OnlyTheStateThatAnAgentUsesIsThere) {
  const std::string moved = home() + "/work-codex", usual = home() + "/.codex";
  for (const std::string& folder : {moved, usual}) {
    fs::create_directories(folder);
    write_text(folder + "/auth.json", "secret\n");
  }
  set_up("[agents.codex]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\nsandbox_read = [\"" + kEscapes +
         "\"]\nenv = { CODEX_HOME = \"" + moved + "\" }\n");
  const Words as_codex = {"--agent", "codex"};
  EXPECT_EQ(take("off", "read " + usual + "/auth.json", as_codex), Outcome::escaped);
  expect_held("read " + usual + "/auth.json", as_codex);
  expect_held("write " + usual + "/new", as_codex);
  for (const char* sandbox : {"project", "strict"})
    EXPECT_EQ(take(sandbox, "read " + moved + "/auth.json", as_codex), Outcome::escaped) << "its own";
  expect_held("read " + moved + "/auth.json");
}

TEST_F(WallTest, FirstSessionOfAnAgentStays) {
  set_up(
      "[agents.codex]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\n"
      "[agents.opencode]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\n");
  for (const auto& [agent, folder] : {std::pair("codex", ".codex"), {"opencode", ".local/share/opencode"}}) {
    const std::string state = home() + "/" + folder;
    ASSERT_FALSE(fs::exists(state));
    const std::string id =
        dispatch_in("strict", "echo x > ~/" + std::string(folder) + "/session", {"--agent", agent});
    EXPECT_EQ(ended(id)["state"], "completed") << output(id);
    EXPECT_EQ(read_text(state + "/session"), "x\n");
    EXPECT_EQ(fs::status(state).permissions(), fs::perms::owner_all);
  }
}

TEST_F(WallTest, FolderToForgetKeepsNothing) {
  const std::string settings = home() + "/.config/opencode";
  fs::create_directories(settings + "/node_modules");
  write_text(settings + "/opencode.json", "{}\n");
  set_up("[agents.opencode]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\n");
  for (const char* sandbox : {"project", "strict"}) {
    const std::string task =
        "cd ~/.config/opencode && cat opencode.json && echo x > .gitignore && cat .gitignore && "
        "! echo x > opencode.json && ! echo x > node_modules/new";
    const std::string id = dispatch_in(sandbox, task, {"--agent", "opencode"});
    EXPECT_EQ(ended(id)["state"], "completed") << sandbox << output(id);
    EXPECT_EQ(read_text(settings + "/opencode.json"), "{}\n");
    EXPECT_FALSE(fs::exists(settings + "/.gitignore") || fs::exists(settings + "/node_modules/new"));
  }
}

TEST_F(WallTest, RunnerAndDaemonAreOutOfReach) {
  expect_only_off("kill");
  for (const char* way : {"trace", "runner-files"}) expect_held(way);
  EXPECT_EQ(take("off", "runner-files"), Outcome::escaped);
  EXPECT_EQ(take("off", "trace"), may_trace(daemon_pid()) ? Outcome::escaped : Outcome::held);
  for (const char* sandbox : {"off", "project", "strict"}) {
    EXPECT_EQ(take(sandbox, "descriptors"), Outcome::held);
    EXPECT_EQ(take(sandbox, "terminal"), Outcome::held);
  }
}

TEST_F(WallTest, TerminalsOfPeopleAreOutOfReach) {
  const Descriptor terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal);
  ASSERT_EQ(::grantpt(terminal.get()) | ::unlockpt(terminal.get()), 0);
  char name[64];
  ASSERT_EQ(::ptsname_r(terminal.get(), name, sizeof name), 0);
  expect_only_off("write " + std::string(name));
}

TEST_F(WallTest, OtherJobsAreOutOfReach) {
  const std::string other = dispatch_until("running", "sleep 86399");
  expect_only_off("other-job 86399");
  EXPECT_EQ(state(other), "running");
}

TEST_F(WallTest, PrivilegesCannotBeGained) {
  for (const char* way : {"setuid", "capabilities", "kernel"}) expect_held(way);
  EXPECT_EQ(take("off", "setuid"), Outcome::escaped);
  expect_held("device");
}

TEST_F(WallTest, SocketsOfOtherProgramsAreOutOfReach) {
  const std::string bus = path("bus"), agent = home() + "/.gnupg/S.gpg-agent", abstract = path("abstract");
  fs::create_directories(home() + "/.gnupg");
  const Descriptor at_bus = listener(bus, false), at_agent = listener(agent, false);
  const Descriptor at_abstract = listener(abstract, true);
  expect_only_off("bus", {"--env", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + bus});
  expect_only_off("socket " + agent);
  EXPECT_EQ(take("off", "abstract " + abstract), Outcome::escaped);
  // Without it, the documentation says that they are reached (tools/docs/sandbox.md).
  const Outcome expected = kernel_scopes_abstract_sockets() ? Outcome::held : Outcome::escaped;
  for (const char* sandbox : {"project", "strict"})
    EXPECT_EQ(take(sandbox, "abstract " + abstract), expected) << sandbox;
  set_up("sandbox_network = \"none\"\n");
  ASSERT_EQ(luzia({"config", "reload"}).code, 0);
  expect_held("abstract " + abstract);
}

TEST_F(WallTest, MemoryOfOtherProgramsIsOutOfReach) {
  const key_t key = ::getpid() | 0x4c000000;
  const int memory = ::shmget(key, 4096, IPC_CREAT | 0600);
  ASSERT_GE(memory, 0);
  expect_only_off("memory " + std::to_string(key));
  ::shmctl(memory, IPC_RMID, nullptr);
}

TEST_F(WallTest, KeyRingsAreOutOfReach) {
  // Where even the tester has none, there is nothing to hold.
  const bool has_one = ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) >= 0;
  EXPECT_EQ(take("off", "keys"), has_one ? Outcome::escaped : Outcome::held);
  expect_held("keys");
}

TEST_F(WallTest, NetworkNoneReachesNothing) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(fd.get(), 16), 0);
  ASSERT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string way = "port " + std::to_string(ntohs(address.sin_port));
  EXPECT_EQ(take("project", way), Outcome::escaped) << "sandbox_network is \"all\"";
  set_up("sandbox_network = \"none\"\n");
  ASSERT_EQ(luzia({"config", "reload"}).code, 0);
  expect_held(way);
  EXPECT_EQ(take("off", way), Outcome::escaped) << "without a sandbox there is nothing to hold it";
}

TEST_F(WallTest, NothingSurvivesTheAttempt) {
  for (const char* sandbox : {"project", "strict"}) {
    const Json row = ended(dispatch_in(sandbox, "(setsid sleep 86398 &) ; exit 0"));
    EXPECT_EQ(row["state"], "completed");
    for (const pid_t pid : own_processes())
      EXPECT_THAT(read_text("/proc/" + std::to_string(pid) + "/cmdline"), Not(HasSubstr("86398"))) << sandbox;
  }
}

}  // namespace
}  // namespace luzia
