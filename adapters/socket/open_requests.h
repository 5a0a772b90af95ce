// Counts the requests of a client whose answers have not ended yet. A live Follow has no last answer. Loop
// thread; used only by connection.cc.
#pragma once

#include <cstdint>

#include "adapters/socket/frame.h"

namespace luzia {

class OpenRequests {
 public:
  void asked(const wire::ClientFrame& frame);
  void answered(const wire::ServerFrame& frame);
  bool any() const { return count_ > 0; }

 private:
  std::uint64_t count_ = 0;  // kOpenEnded for one that lasts until it is forgotten
};

}  // namespace luzia
