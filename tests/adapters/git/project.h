// A project with its own git repository in a scratch folder.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "adapters/git/restore.h"
#include "adapters/git/worktree.h"
#include "tests/scratch.h"
#include "tests/text_files.h"

namespace luzia {

inline GitDeadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

class GitProjectTest : public ScratchTest {
 protected:
  GitProjectTest() {
    ::chmod(scratch_.c_str(), 0755);
    std::filesystem::create_directory(scratch_ + "/home");
    std::filesystem::create_directory(project());
    ::setenv("HOME", (scratch_ + "/home").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (scratch_ + "/home").c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    for (const char* gone : {"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"}) ::unsetenv(gone);
    shell(
        "git init -q -b main && git config user.name Ana && git config user.email ana@localhost && "
        "git config protocol.file.allow always");
  }
  std::string scratch(const std::string& name) const { return scratch_ + "/" + name; }
  std::string project() const { return scratch_ + "/project"; }
  std::string path(const std::string& name) const { return project() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return whole_text(path(name)); }
  bool exists(const std::string& name) const {
    struct stat status {};
    return ::lstat(path(name).c_str(), &status) == 0;
  }
  /// Runs `command` in the project and returns its output; the test fails if the command fails.
  std::string shell(const std::string& command) const {
    const std::string out = scratch_ + "/out";
    const std::string whole = "cd '" + project() + "' && { " + command + "; } >'" + out + "' 2>&1";
    const int status = std::system(whole.c_str());
    std::string text = whole_text(out);
    EXPECT_EQ(status, 0) << command << "\n" << text;
    return text;
  }
  void commit(const std::string& message = "work") const {
    shell("git add -A && git commit -q --allow-empty -m '" + message + "'");
  }

  Result<Snapshot> snapshot(std::uint64_t max_file = kSnapshotMaxFile, const std::string& name = "1") const {
    return take_snapshot(project(), max_file, snapshot_ref("job", name), "files before attempt 1", soon());
  }
  Snapshot taken(std::uint64_t max_file = kSnapshotMaxFile) const {
    auto snapshot = this->snapshot(max_file);
    EXPECT_TRUE(snapshot) << snapshot.error().message;
    return snapshot.value_or(Snapshot{});
  }
  /// Names in the snapshot's tree, sorted.
  std::vector<std::string> names_in(const Snapshot& snapshot) const {
    const auto names = Git(project(), soon()).output({"ls-tree", "-r", "-z", "--name-only", snapshot.tree});
    EXPECT_TRUE(names) << names.error().message;
    return split_at_nul(names.value_or(""));
  }
  std::string content_in(const Snapshot& snapshot, const std::string& name) const {
    return Git(project(), soon()).output({"cat-file", "blob", snapshot.tree + ":" + name}).value_or("(none)");
  }
  /// Runs `act` in a child process and returns the exit code that `act` returns. If the test runs as root,
  /// the child is an unprivileged user.
  int as_nobody(const std::function<int()>& act) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      constexpr unsigned kNobody = 65534;
      const bool root = ::geteuid() == 0;
      if (root && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(99);
      ::_exit(act());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

}  // namespace luzia
