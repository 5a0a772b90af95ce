#include "engine/base/spawning.h"

#include <signal.h>

namespace luzia {

SpawnAttributes::SpawnAttributes() {
  posix_spawnattr_init(&attributes_);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes_, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes_, &signals);
  posix_spawnattr_setflags(
      &attributes_, static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
}

SpawnAttributes::~SpawnAttributes() {
  posix_spawnattr_destroy(&attributes_);
}

std::vector<char*> exec_pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace luzia
