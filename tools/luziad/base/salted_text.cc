#include "tools/luziad/base/salted_text.h"

#include "engine/base/hash.h"

namespace luzia {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kSaltsAtOnce = 64;

}  // namespace

Blob salted_text(std::uint32_t index, std::string content) {
  return {index, random_bytes(kSaltBytes), std::move(content)};
}

Blob Salts::text(std::uint32_t index, std::string content) {
  if (left_.empty()) left_ = random_bytes(kSaltsAtOnce * kSaltBytes);
  std::string salt = left_.substr(left_.size() - kSaltBytes);
  left_.resize(left_.size() - kSaltBytes);
  return {index, std::move(salt), std::move(content)};
}

}  // namespace luzia
