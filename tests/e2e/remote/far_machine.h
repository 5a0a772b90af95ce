// Other machines in folders of the test's: each has a home, a configuration, a store and a daemon of its own.
#pragma once

#include <string>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {

class RemoteTest : public DaemonTest {
 protected:
  RemoteTest();

  /// Makes a machine of that name, with the project demo. `toml` is added to its configuration.
  void add_far(const std::string& name, const std::string& toml = {}) const;
  std::string far(const std::string& name, const std::string& below) const {
    return path(name + "/" + below);
  }
  std::string far_store(const std::string& name) const { return far(name, "state/luzia/store"); }
  /// Its environment, as sshd gives it to programs.
  Words far_environment(const std::string& name) const;
  /// Runs luzia on that machine.
  Finished luzia_there(const std::string& name, const Words& words) const;

  /// Replaces the program ssh: "DEST" in the script is its destination, "LINE" the command for the other
  /// machine's shell. Without a script it runs the line on the machine whose name is the destination.
  void ssh_is(const std::string& script = {}) const;
  /// Runs luzia here, with that program on its PATH.
  Finished here(const Words& words, const Words& more_environment = {}) const;
  Words here_environment(const Words& more = {}) const;
  Json here_json(Words words) const;
  std::string dispatch_on(const std::string& machine, const std::string& task) const;
};

}  // namespace luzia
