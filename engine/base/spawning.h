// Attributes for posix_spawn. The new program does not inherit this process's signal settings, and does not
// receive signals meant for this process's terminal or group. Any thread.
#pragma once

#include <spawn.h>

#include <string>
#include <vector>

namespace luzia {

class SpawnAttributes {
 public:
  /// The new program gets its own session, so that all of it can be stopped together, and without our
  /// terminal: a program of another user could type into it.
  SpawnAttributes();
  ~SpawnAttributes();
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// The variable by which a program that starts luziad names a pipe's descriptor. luziad closes it when it
/// listens, or ends.
inline constexpr const char* kReadyDescriptor = "LUZIAD_READY";

/// An argument vector or an environment for exec, null-terminated. Valid as long as `texts` is unchanged.
std::vector<char*> exec_pointers(std::vector<std::string>& texts);

}  // namespace luzia
