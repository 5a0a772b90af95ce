// Other machines for a test: each is a home with a store of its own, behind a real sshd on a loopback port.
// The fixture's own machine reaches them with OpenSSH, with keys and known hosts of the test alone.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/sshd.h"

namespace luzia {

class SshHostsTest : public DaemonTest {
 protected:
  SshHostsTest();

  /// Starts the sshd of a machine and adds it to the configuration of this one. `programs`: where its `luzia`
  /// is; empty: the one under test, and a daemon serves the machine's store, `path(name)`/store.
  void add_host(const std::string& name, const std::string& programs = {});
  /// Adds a machine at an address where no sshd of this fixture listens.
  void add_address(const std::string& name, int port);
  /// The machine cannot be reached any more, though its daemon lives on; or can be again.
  void cut_off(const std::string& name);
  void reconnect(const std::string& name);

  /// At the address of `name` is `liar` from now on, and `name` cannot be reached.
  void impersonate(const std::string& name, const std::string& liar);

  /// Runs luzia on this machine, which can reach the others.
  Finished here(const Words& words, const std::string& input = {}) const;
  /// The same, as JSON. `code`: as it must end.
  Json here_json(Words words, int code = 0) const;
  /// Runs luzia on a host, as a person who is logged in there.
  Finished there(const std::string& name, const Words& words) const;
  std::string dispatch_there(const std::string& name, const std::string& task,
                             const Words& options = {}) const;
  /// The folder where the rows of other machines are kept.
  std::string cache() const { return path("cache/luzia/machines"); }

 private:
  struct Host {
    int port = 0;
    std::string home, programs;
    std::unique_ptr<BesideProgram> sshd = {};
  };
  Words environment_here() const;
  Words environment_of(const Host& host) const;
  void write_machines();
  void start(Host& host) const;

  std::map<std::string, Host> hosts_;
};

}  // namespace luzia
