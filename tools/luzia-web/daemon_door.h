// Connections to the daemon. One that speaks for a device has the rights of the device, no others, and the
// daemon attributes its commands to the device's person. Any thread; a connection belongs to one at a time.
//
// Reads that follow each other use connections that are kept, each for its device alone. The daemon holds the
// rights: it checks the device with every request, and closes its connections when it is revoked. A device's
// role and projects never change. Answers cannot be mixed up: ids of requests grow over the life of a
// connection, and only one whose last answer was whole is kept.
// Rejected: one connection that all threads share, on which a slow read would delay the others.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tools/read/daemon_source.h"

namespace luzia::web {

class DaemonDoor {
 public:
  /// The most connections that are kept, of all devices together, and how long one may go unused.
  static constexpr std::size_t kMostKept = 16;
  static constexpr std::chrono::seconds kMostIdle{30};

  /// The path of the daemon's socket.
  explicit DaemonDoor(std::string socket) : socket_(std::move(socket)) {}
  DaemonDoor(const DaemonDoor&) = delete;
  DaemonDoor& operator=(const DaemonDoor&) = delete;

  const std::string& socket() const { return socket_; }

  /// A new connection that speaks for the device with this id; empty: for none, for what the server itself
  /// asks. Errors as Client::connect().
  Result<Client> connect_as(const std::string& device) const;
  /// The same, or one that was kept. Give it back with keep().
  Result<Client> take(const std::string& device) const;
  /// One that was kept; nullopt: none is. Never waits.
  std::optional<Client> take_kept(const std::string& device) const;
  /// Keeps the connection for the next take() for this device. Only after a whole answer to all that was
  /// asked.
  void keep(const std::string& device, Client client) const;
  /// Reads with the rights of the device, over a kept connection if there is one.
  Result<std::unique_ptr<DaemonSource>> source_as(const std::string& device) const;
  /// Sends a request that may be repeated (a query, or a command with a command id), to the next daemon if
  /// this one goes away. Its answer must be one frame.
  Result<std::unique_ptr<wire::ServerFrameT>> ask_as(const std::string& device,
                                                     const wire::RequestUnion& request) const;
  /// Closes connections that nobody has used for too long.
  void close_idle(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now()) const;
  /// How many are kept.
  std::size_t kept() const;

 private:
  struct Kept {
    std::string device;
    Client client;
    std::chrono::steady_clock::time_point since;
  };

  std::string socket_;
  mutable std::mutex mutex_;
  mutable std::deque<Kept> kept_;  // oldest first
};

/// `protocol` (trouble): the daemon answered with something else.
Error unexpected_answer();
/// Whether the daemon restarts, so that the same request may be sent again.
bool is_passing(const Error& error);

}  // namespace luzia::web
