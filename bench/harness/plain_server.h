// What no server can avoid that listens to anybody: it takes connections up to a bound and closes the others,
// reads what comes, and closes where a body is promised. Beside its cost an attack on luzia-web is judged,
// because attackers and their packets use the same processors here.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>

#include "engine/base/descriptor.h"

namespace luzia::bench {

/// Serves on a thread of its own at a free port of 127.0.0.1. If the system denies a resource, ends the
/// program (give_up). Owned and destroyed by one thread.
class PlainServer {
 public:
  /// What becomes of a connection whose body nobody wants: it is closed at once, or it is answered, stays
  /// open for a second and is not read any more, as in luzia-web.
  enum class Refused { closed, kept };
  explicit PlainServer(Refused refused = Refused::closed);
  ~PlainServer();
  PlainServer(const PlainServer&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  void serve(const std::stop_token& stopped);
  void take_connections();
  void read_from(int connection);
  void keep(int connection);
  void close_kept(double now);

  Refused refused_;
  std::deque<std::pair<double, int>> kept_;  // until when, in seconds; of the serving thread
  Descriptor listener_, events_;
  std::uint16_t port_ = 0;
  std::unordered_set<int> open_;  // of the serving thread
  std::jthread thread_;
};

}  // namespace luzia::bench
