// A real sshd on a loopback port, with keys and settings of the test alone (Debian package openssh-server).
#pragma once

#include <memory>
#include <string>

#include "tests/e2e/program.h"

namespace luzia {

struct SshdSettings {
  int port = 0;
  std::string host_key;         // as of make_ssh_key()
  std::string authorized_keys;  // file of the public keys that may log in
  Words environment;            // of the programs that it starts
};
/// Starts it and returns when it listens. Its settings and its log are `folder`/sshd_config and
/// `folder`/sshd.log.
std::unique_ptr<BesideProgram> start_sshd(const std::string& folder, const SshdSettings& settings);
/// Makes a key in `file`, with its public half in `file`.pub.
void make_ssh_key(const std::string& file);

/// A port of this machine where nobody listens.
int free_port();

/// A server that accepts connections and never says a word.
class SilentServer {
 public:
  SilentServer();
  ~SilentServer();
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  int port() const { return port_; }

 private:
  int fd_ = -1, port_ = 0;
};

}  // namespace luzia
