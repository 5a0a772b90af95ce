// One that is attached to a terminal, as the host sees it: a socket that never makes the host wait. Who is
// too slow misses the middle and goes on with the newest. One thread.
#pragma once

#include <string>

#include "adapters/terminal/descriptor.h"
#include "adapters/terminal/frames.h"
#include "adapters/terminal/recent_output.h"

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
  /// Whether it has told its size before; it has from now on.
  bool sized() { return std::exchange(sized_, true); }

  /// What the agent wrote, as frames.
  void send(const std::string& frames);
  /// After that comes the word that nothing comes any more.
  void finish() { last_word_ = frame_of(FrameKind::ended, {}); }
  /// As much as the socket takes. `recent` is for one that has missed some.
  void flush(const RecentOutput& recent);
  /// What has come; the guest is gone when it has closed.
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
