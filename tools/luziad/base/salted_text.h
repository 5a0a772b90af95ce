// Texts as the log stores them: with random bytes, so that equal texts have different hashes.
#pragma once

#include <cstdint>
#include <string>

#include "engine/event/event.h"

namespace luzia {

/// Any thread.
Blob salted_text(std::uint32_t index, std::string content);

/// The same for many texts, on one thread: takes random bytes ahead, because a system call per job costs
/// more.
class Salts {
 public:
  Blob text(std::uint32_t index, std::string content);

 private:
  std::string left_;  // not used yet
};

}  // namespace luzia
