// The least that any HTTP server in front of the daemon costs: it waits, reads a request, asks the daemon
// over one kept connection, waits, reads the answer and sends it. It checks nothing and knows nobody's
// rights. Beside it a read by luzia-web is judged, because its packets and changes of process use the same
// processors.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace luzia::bench {

/// Serves in a process of its own, as luzia-web does, at a free port of 127.0.0.1: GET /v1/jobs/ID with the
/// row as the daemon sends it, and other addresses with a constant. If the system denies a resource, ends the
/// program (give_up). Owned and destroyed by one thread.
class LeastDoor {
 public:
  /// `socket`: of a daemon that runs for as long.
  explicit LeastDoor(const std::string& socket);
  ~LeastDoor();
  LeastDoor(const LeastDoor&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace luzia::bench
