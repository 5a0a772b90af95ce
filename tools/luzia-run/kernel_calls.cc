#include "tools/luzia-run/kernel_calls.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

namespace luzia::run::kernel {
namespace {

constexpr char kShell[] = "/bin/sh";
constexpr char kDefaultPath[] = "/bin:/usr/bin";

// The kernel neither knows the format nor finds `#!`.
void execute_script(const char* path, char** command) {
  std::size_t count = 0;
  while (command[count] != nullptr) ++count;
  // The parent is suspended and has one thread, so its heap is in order.
  const auto words = static_cast<const char**>(::calloc(count + 2, sizeof(char*)));
  if (words == nullptr) return;
  words[0] = kShell;
  words[1] = path;
  for (std::size_t i = 1; i < count; ++i) words[i + 1] = command[i];
  ::execve(kShell, const_cast<char**>(words), environ);
  ::free(words);
}

void execute_file(const char* path, char** command) {
  ::execve(path, command, environ);
  if (errno == ENOEXEC) execute_script(path, command);
}

// The folder has no such program, or cannot be searched.
bool is_elsewhere(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ESTALE || error == ENODEV ||
         error == ETIMEDOUT;
}

}  // namespace

void execute(char** command) {
  const char* program = command[0];
  const std::size_t length = ::strlen(program);
  if (::strchr(program, '/') != nullptr) return execute_file(program, command);
  errno = length == 0 ? ENOENT : ENAMETOOLONG;
  if (length == 0 || length > NAME_MAX) return;
  const char* folder = ::getenv("PATH");
  if (folder == nullptr) folder = kDefaultPath;
  bool refused = false;
  for (;; ++folder) {
    const std::size_t size = ::strcspn(folder, ":");
    char path[PATH_MAX + NAME_MAX + 2];
    errno = ENOENT;
    if (size < PATH_MAX) {
      ::memcpy(path, folder, size);
      path[size] = '/';
      ::memcpy(path + size + (size > 0 ? 1 : 0), program, length + 1);
      execute_file(path, command);
    }
    if (!is_elsewhere(errno)) return;
    refused = refused || errno == EACCES;
    folder += size;
    if (*folder == '\0') break;
  }
  errno = refused ? EACCES : ENOENT;
}

}  // namespace luzia::run::kernel
