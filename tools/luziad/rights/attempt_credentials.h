// What an attempt shows to speak for its job: a keyed hash of job and attempt, given to it in
// LUZIA_CREDENTIAL and nowhere else. The key is the store's (STORE/attempt.key, 0600), so a credential
// outlives the daemon; whether its attempt lives is the engine's to say.
//
// Rejected: a socket in each job's directory. It takes a descriptor a job, and is gone with the daemon.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

class AttemptCredentials {
 public:
  /// Makes the key where there is none. `unsafe_key` (refused): something else is in its place, or others may
  /// read it.
  static Result<AttemptCredentials> open(const std::string& store);

  /// 64 hexadecimal digits.
  std::string of(const std::string& job, std::uint32_t attempt) const;
  /// Takes as long for a wrong one as for the right one.
  bool proves(std::string_view credential, const std::string& job, std::uint32_t attempt) const;

 private:
  explicit AttemptCredentials(std::string key) : key_(std::move(key)) {}
  std::string key_;
};

}  // namespace luzia
