#include "tools/luzia-run/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"

namespace luzia::run {
namespace {

int open_file_of(const char* folder, const char* name, int flags) {
  char path[PATH_MAX];
  const int length = ::snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length < 0 || static_cast<size_t>(length) >= sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return ::open(path, flags | O_CLOEXEC);
}

bool write_to(const char* folder, const char* name, const char* value) {
  const int fd = open_file_of(folder, name, O_WRONLY);
  if (fd < 0) return false;
  const ssize_t size = static_cast<ssize_t>(::strlen(value));
  const bool written = ::write(fd, value, static_cast<size_t>(size)) == size;
  const int error = errno;
  ::close(fd);
  errno = error;
  return written;
}

// The number after `key` in a file of lines "key number"; 0 if there is none.
unsigned long long count_in(const char* folder, const char* name, const char* key) {
  const int fd = open_file_of(folder, name, O_RDONLY);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  text[size > 0 ? size : 0] = '\0';
  const size_t length = ::strlen(key);
  for (const char* line = text; line != nullptr && *line != '\0';) {
    if (::strncmp(line, key, length) == 0 && line[length] == ' ')
      return ::strtoull(line + length, nullptr, 10);
    line = ::strchr(line, '\n');
    if (line != nullptr) ++line;
  }
  return 0;
}

}  // namespace

bool enter_cgroup(const char* folder) {
  return write_to(folder, "cgroup.procs", "0");
}

void kill_cgroup(const char* folder) {
  write_to(folder, "cgroup.kill", "1");
}

const char* leave_cgroup(const char* folder) {
  const char* reached = "";
  // Without "oom", the whole machine was out of memory.
  if (count_in(folder, "memory.events", "oom") > 0 && count_in(folder, "memory.events", "oom_kill") > 0) {
    reached = run_record::kReachedMemory;
  } else if (count_in(folder, "pids.events", "max") > 0) {
    reached = run_record::kReachedProcesses;
  }
  ::rmdir(folder);
  return reached;
}

}  // namespace luzia::run
