// The client's side: a blocking connection, for the command line and the Publisher. One thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "adapters/socket/frame.h"

namespace luzia {

class Client {
 public:
  /// `no_daemon` (trouble) when nothing listens.
  static Result<Client> connect(const std::string& socket_path);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  /// Sends without waiting; the id to match replies with.
  Result<std::uint64_t> send(wire::RequestUnion request);
  /// Next frame of any id; nullptr after `timeout` (negative: none). The frame is valid until the next receive.
  /// `connection_lost` (trouble) when the daemon went away: what was sent may or may not have been taken.
  Result<const wire::ServerFrame*> receive(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));
  /// Sends and waits for the first frame of that id. A Refused becomes its Error.
  Result<std::unique_ptr<wire::ServerFrameT>> ask(wire::RequestUnion request);
  int fd() const;

 private:
  explicit Client(int fd);
  struct State;
  std::unique_ptr<State> state_;
};

/// A Refused as an Error.
Error error_from(const wire::Refused& refused);

}  // namespace luzia
