// A daemon of root and its users, among mounts of their own with a user database of their own:
//   root   keeps the configuration
//   alice  member of the projects `team` and `served`
//   bob    the same
//   eve    may talk to the daemon, and is in no project
//   mallory has an account on the machine, and nothing else
//   svc    whom the jobs of `served` run as; in no project, and not in the socket's group
// Root alone can be others: elsewhere `make()` is false, and nothing may be started.
#pragma once

#include <string>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {

/// Exit codes of luzia.
constexpr int kOk = 0, kUsage = 2, kUnknown = 3, kRefused = 4;

class SeveralUsersTest : public DaemonTest {
 protected:
  ~SeveralUsersTest() override;

  /// `more`: of luzia.toml, below [jobs]' and before the projects.
  bool make(const std::string& more = {});
  /// luzia as that user; standard output and errors come together in `out`.
  Finished as(const std::string& user, const Words& words) const;
  /// The id of the job that the user has dispatched; a test failure if there is none.
  std::string dispatch_as(const std::string& user, const Words& words) const;
  /// The same, with the environment that the agent of a job has got (`file` is as `env -0` prints it).
  Finished with_environment(const std::string& user, const std::string& file, const Words& words) const;
  /// An executable luzia that everybody reaches.
  std::string client() const { return path("luzia"); }
  /// What the job has printed.
  std::string output(const std::string& job) const;
  /// Folder of the projects, where everybody may make files.
  std::string common() const { return path("common"); }

  static unsigned uid_of(const std::string& user);

 private:
  Finished run_as(const std::string& user, const Words& words, const Words& environment) const;

  bool mounted_passwd_ = false, mounted_group_ = false;
};

}  // namespace luzia
