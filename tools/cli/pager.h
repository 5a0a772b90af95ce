// Long output on a terminal goes through $PAGER (less where that is unset). One thread.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace luzia {

class Pager {
 public:
  /// Starts it when `wanted`; else, or where it cannot be started, output goes to standard output.
  explicit Pager(bool wanted);
  /// Waits until the person has left it.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  /// False: nobody reads any more.
  bool write(std::string_view text);

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
};

}  // namespace luzia
