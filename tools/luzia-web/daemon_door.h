// Connections to the daemon. One that speaks for a device has the rights of the device, no others, and the
// daemon attributes its commands to the device's person. Any thread; a connection belongs to one.
#pragma once

#include <string>

#include "adapters/socket/client.h"

namespace luzia::web {

struct DaemonDoor {
  std::string socket;

  /// Speaks for no device: for what the server itself asks. Errors as Client::connect().
  Result<Client> connect() const;
  /// Speaks for the device with this id.
  Result<Client> connect_as(const std::string& device) const;
  /// Sends a request that may be repeated (a query, or a command with a command id), to the next daemon if
  /// this one goes away.
  Result<std::unique_ptr<wire::ServerFrameT>> ask_as(const std::string& device,
                                                     const wire::RequestUnion& request) const;
};

/// Whether the daemon restarts, so that the same request may be sent again.
bool is_passing(const Error& error);

}  // namespace luzia::web
