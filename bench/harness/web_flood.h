// What somebody does to luzia-web who wants to make it useless: on one thread that runs only when nothing
// else wants to, because such a client would be another machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/descriptor.h"

namespace luzia::bench {

enum class FloodKind {
  slow_heads,  // headers that never end, a byte at a time (slowloris)
  idle,        // connections that say nothing
  bodies       // requests with a body of 1 GB, sent as fast as the server takes it
};

class WebFlood {
 public:
  /// Keeps so many connections open: those that the server closes are opened again.
  WebFlood(std::uint16_t port, FloodKind kind, int connections);
  ~WebFlood();
  /// How many connections this process may have open beside its own files, after its limit was raised as far
  /// as it may.
  static int most_connections();
  /// Connections opened so far; 0: nothing was flooded.
  std::uint64_t opened() const { return opened_; }
  /// Ends it, and closes all connections.
  void stop();

 private:
  void flood(const std::stop_token& stopped);
  void open_missing(int most);
  void look_at(std::uint32_t happened, std::size_t at);

  std::uint16_t port_;
  FloodKind kind_;
  std::string head_, filler_;
  std::vector<Descriptor> sockets_;
  std::vector<std::size_t> missing_;  // places in sockets_ without a connection
  Descriptor events_;                 // epoll
  std::atomic<std::uint64_t> opened_ = 0;
  std::jthread thread_;
};

}  // namespace luzia::bench
