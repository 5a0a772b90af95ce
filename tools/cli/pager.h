// Pipes long output on a terminal through $PAGER (default: less). One thread.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace luzia {

class Pager {
 public:
  /// Starts the pager if `wanted`. If not, or if it cannot be started, output goes to standard output.
  explicit Pager(bool wanted);
  /// Waits until the person quits the pager.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  /// False: the pager has exited.
  bool write(std::string_view text);

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
};

}  // namespace luzia
