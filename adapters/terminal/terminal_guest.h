// The host's view of an attached client: a socket that never makes the host wait. A client that is too slow
// misses output and continues with the newest. One thread.
#pragma once

#include <string>

#include "adapters/terminal/frames.h"
#include "adapters/terminal/recent_output.h"
#include "engine/base/descriptor.h"

namespace luzia {

class TerminalGuest {
 public:
  explicit TerminalGuest(Descriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }
  bool gone() const { return gone_; }
  void drop() { gone_ = true; }
  bool has_output() const { return !waiting_.empty() || !last_word_.empty(); }
  Role role() const { return role_; }
  void set_role(Role role) { role_ = role; }
  /// Whether it has sent its size before; sets that.
  bool sized() { return std::exchange(sized_, true); }

  /// Queues the agent's output, as frames.
  void send(const std::string& frames);
  /// Queues the last frame: the agent ended.
  void finish() { last_word_ = frame_of(FrameKind::ended, {}); }
  /// Writes as much as the socket accepts. `recent` serves a client that has missed some output.
  void flush(const RecentOutput& recent);
  /// Reads what has arrived; sets gone() if the client closed.
  TerminalFrameReader& receive();

 private:
  static constexpr std::size_t kMostWaiting = 1 << 20;

  Descriptor socket_;
  TerminalFrameReader reader_;
  std::string waiting_, last_word_;
  Role role_ = Role::person;
  bool misses_some_ = false, sized_ = false, gone_ = false;
};

}  // namespace luzia
