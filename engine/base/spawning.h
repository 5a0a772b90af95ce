// What posix_spawn is told about a program that is started from here: nothing of what this process has set
// for its own signals is handed on, and signals to its terminal or its group are not for the program. Any
// thread.
#pragma once

#include <spawn.h>

#include <string>
#include <vector>

namespace luzia {

class SpawnAttributes {
 public:
  /// Of its own, so that all of it can be stopped together.
  enum class Own { session, process_group };

  explicit SpawnAttributes(Own own);
  ~SpawnAttributes();
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// An argument vector or an environment as exec takes it, null at the end. Valid as long as `texts` stay as
/// they are.
std::vector<char*> exec_pointers(std::vector<std::string>& texts);

}  // namespace luzia
