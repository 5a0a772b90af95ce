// A daemon of root and several users, with their own user database in their own mount namespace:
//
//   root    keeps the configuration
//   alice   member of the projects `team` and `served`
//   bob     the same
//   eve     may talk to the daemon, but is in no project
//   mallory has an account on the machine and nothing else
//   svc     the user that runs the jobs of `served`; in no project, and not in the socket's group
//
// Needs root, since only root can become other users. Otherwise `make()` returns false and no program may be
// started.
#pragma once

#include <string>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {

/// Exit codes of luzia.
constexpr int kOk = 0, kUsage = 2, kUnknown = 3, kRefused = 4;

class SeveralUsersTest : public DaemonTest {
 protected:
  ~SeveralUsersTest() override;

  /// `more`: lines for luzia.toml, placed after [jobs] and before the projects.
  bool make(const std::string& more = {});
  /// Runs luzia as that user; `out` holds standard output and standard error together.
  Finished as(const std::string& user, const Words& words) const;
  /// Dispatches a job as that user and returns its id; the test fails if there is none.
  std::string dispatch_as(const std::string& user, const Words& words) const;
  /// Runs luzia as that user with the environment of a job's agent (`file` has the format of `env -0`).
  Finished with_environment(const std::string& user, const std::string& file, const Words& words) const;
  /// An executable copy of luzia that every user can reach.
  std::string client() const { return path("luzia"); }
  /// The job's output.
  std::string output(const std::string& job) const;
  /// The folder of the projects, where every user may create files.
  std::string common() const { return path("common"); }

  static unsigned uid_of(const std::string& user);

 private:
  Finished run_as(const std::string& user, const Words& words, const Words& environment) const;

  bool mounted_passwd_ = false, mounted_group_ = false;
};

}  // namespace luzia
