// The network between luzia-fleet and a database, for tests that cut it: takes connections at a TCP port of
// this machine and passes their bytes on to the server's socket. Any thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>

#include "engine/base/descriptor.h"

namespace luzia {

enum class Network : std::uint8_t {
  open,
  cut,       // every connection ends, and nobody answers a new one
  stalled,   // connections live, new ones begin, and no byte arrives until it is open again
  half_open  // the server's side of every connection ends, and the client's hears nothing of it
};

class DatabaseRelay {
 public:
  /// `folder`: where the server's socket is.
  explicit DatabaseRelay(const std::string& folder);
  ~DatabaseRelay();
  DatabaseRelay(const DatabaseRelay&) = delete;

  /// "127.0.0.1:PORT".
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Holds when it returns.
  void set(Network network);
  Network network() const { return network_; }
  /// The bytes that have reached the server.
  std::uint64_t passed() const { return passed_; }
  /// Cuts the network after so many more bytes for the server, wherever in a message that is.
  void cut_after(std::uint64_t bytes) { left_ = bytes; }

 private:
  struct Way {
    Descriptor client, server;
  };
  void run();
  void obey(Network network);
  void admit();
  bool pass(int from, int to, bool to_server);

  std::string socket_;
  Descriptor listener_, wake_;
  std::uint16_t port_ = 0;
  std::list<Way> ways_;  // of the thread
  std::atomic<Network> wanted_{Network::open}, network_{Network::open};
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> passed_{0}, left_{~std::uint64_t{0}};
  std::jthread thread_;
};

}  // namespace luzia
