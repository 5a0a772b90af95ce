// When a program that runs beside the daemon is to end: SIGTERM, SIGINT or SIGHUP, or the daemon has gone,
// which holds a pipe open on our standard input. One thread, the first of the process.
#pragma once

#include <chrono>

#include "engine/base/descriptor.h"

namespace luzia {

class Ending {
 public:
  /// Blocks these signals for good.
  Ending();
  /// Readable from then on.
  int fd() const { return both_.get(); }
  bool is_due() const { return wait(std::chrono::milliseconds(0)); }
  /// False: it was not due within that time.
  bool wait(std::chrono::milliseconds most) const;

 private:
  Descriptor signals_, both_;
};

}  // namespace luzia
