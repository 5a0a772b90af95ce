#include "engine/base/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace luzia {

void open_standard_files() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // open() returns the lowest free number, which is `fd`.
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) return;
  }
}

}  // namespace luzia
