#include "tools/luziad/base/process_watching.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "adapters/launcher/process_table.h"

namespace luzia {
namespace {

bool has_ended(int pidfd) {
  pollfd look{pidfd, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

}  // namespace

Result<std::unique_ptr<ProcessWatch>> watch_process(uv_loop_t* loop, const ProcessId& process,
                                                    std::function<void()> gone) {
  if (process.pid == 0) return nullptr;
  const int pidfd = open_pidfd(static_cast<pid_t>(process.pid));
  // EINVAL: the pid is now a thread's.
  if (pidfd < 0 && (errno == ESRCH || errno == EINVAL)) return nullptr;
  const std::string doing = "cannot watch process " + std::to_string(process.pid);
  if (pidfd < 0) return fail_errno(errno, "process_unwatched", doing);
  // Check the start time after opening: from now on the descriptor identifies exactly this process.
  const auto start = process_start_time(process.pid);
  if (start == process.start) return std::make_unique<ProcessWatch>(loop, pidfd, std::move(gone));
  const bool is_gone = start || has_ended(pidfd);
  ::close(pidfd);
  if (is_gone) return nullptr;
  return fail(ErrorKind::trouble, "process_unwatched", doing + ": its /proc entry cannot be read");
}

}  // namespace luzia
