// The credential with which an attempt acts for its job: a keyed hash of job and attempt, passed to it in
// LUZIA_CREDENTIAL and nowhere else. The key belongs to the store (STORE/attempt.key, 0600), so a credential
// outlives the daemon. Whether its attempt still lives is decided by the engine.
//
// Rejected: a socket in each job's directory. It costs a descriptor per job and disappears with the daemon.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/base/result.h"

namespace luzia {

class AttemptCredentials {
 public:
  /// Creates the key if it is missing. `unsafe_key` (refused): it is not a regular file, or others may read
  /// it.
  static Result<AttemptCredentials> open(const std::string& store);

  /// With which the environments of dispatches are sealed.
  Hash environment_key() const;
  /// 64 hexadecimal digits.
  std::string of(const std::string& job, std::uint32_t attempt) const;
  /// Constant time, whether the credential is right or wrong.
  bool proves(std::string_view credential, const std::string& job, std::uint32_t attempt) const;

 private:
  explicit AttemptCredentials(std::string key) : key_(std::move(key)) {}
  std::string key_;
};

}  // namespace luzia
