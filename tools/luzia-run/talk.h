// What luzia-run and the processes that it makes for a sandbox say to each other over a socket: single bytes,
// or the reason of a failure and the end.
#pragma once

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/luzia-run/text.h"

namespace luzia::run {

constexpr char kReady = 'r';  // all is made; else the problem follows instead

inline bool say(int fd, char byte) {
  return ::send(fd, &byte, 1, MSG_NOSIGNAL) == 1;
}

inline bool hear(int fd, char& byte) {
  ssize_t size = 0;
  do {
    size = ::read(fd, &byte, 1);
  } while (size < 0 && errno == EINTR);
  return size == 1;
}

/// False: the other said why not, or ended, which `silent` describes.
inline bool hear_ready(int fd, const char* silent, TextView& problem) {
  char byte = '\0';
  const bool spoke = hear(fd, byte);
  if (spoke && byte == kReady) return true;
  if (spoke) problem.add_char(byte);
  while (spoke && hear(fd, byte)) problem.add_char(byte);
  if (problem.empty()) problem.add("%s", silent);
  return false;
}

}  // namespace luzia::run
