#include "tools/luziad/base/salted_text.h"

#include "engine/base/hash.h"

namespace luzia {

Blob salted_text(std::uint32_t index, std::string content) {
  constexpr std::size_t kSaltBytes = 16;
  return {index, random_bytes(kSaltBytes), std::move(content)};
}

}  // namespace luzia
