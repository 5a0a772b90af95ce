#include "tools/luzia/agents/mcp/call_stop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace luzia::mcp {

CallStop::CallStop() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

CallStop::~CallStop() {
  if (fd_ >= 0) ::close(fd_);
}

void CallStop::stop(StopReason reason) {
  int none = static_cast<int>(StopReason::none);
  if (!reason_.compare_exchange_strong(none, static_cast<int>(reason))) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd_, &one, sizeof one);
}

}  // namespace luzia::mcp
