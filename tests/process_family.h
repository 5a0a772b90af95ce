// Processes of a known size, for tests of what attempts use (tests/family.cc).
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace luzia {

class ProcessFamily {
 public:
  enum class Memory { own, shared };
  /// A process whose `children` fill `bytes`, each its own ones or all the same. Their name is "family". It
  /// is killed at the end of this object, or of the test.
  explicit ProcessFamily(std::size_t bytes, int children = 1, Memory memory = Memory::own);
  ~ProcessFamily() { end(); }
  ProcessFamily(const ProcessFamily&) = delete;
  void end();
  /// -1 after end().
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

}  // namespace luzia
