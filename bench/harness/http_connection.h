// A blocking connection to luzia-web, as a program's: one request at a time, kept open between them.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/descriptor.h"

namespace luzia::bench {

/// A connected socket to the port of this machine; without one: errno says why.
Descriptor connect_to(std::uint16_t port);

class HttpConnection {
 public:
  explicit HttpConnection(std::uint16_t port);
  /// Returns the body of the answer, which must have this status; otherwise the run ends (give_up).
  /// `token`: of the device that asks; empty: none does. `body`: JSON, sent with POST; empty: a GET.
  std::string ask(const std::string& path, const std::string& token, const std::string& body, int status);

 private:
  void receive();

  std::uint16_t port_;
  Descriptor socket_;
  std::string received_;
};

}  // namespace luzia::bench
