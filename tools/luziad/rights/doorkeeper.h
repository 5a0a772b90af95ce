// Limits connections on the socket that everyone on the machine may use: unidentified clients until they
// present an attempt's credential, and connections per attempt after that. So nobody can use up the
// descriptors that others need. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace luzia {

class Doorkeeper {
 public:
  using Visitor = std::uint64_t;
  struct Limits {
    std::size_t strangers, of_user, of_attempt;
  };
  /// The limits for a daemon that may open this many files.
  static Limits limits_for(std::size_t open_files);

  explicit Doorkeeper(Limits limits) : limits_(limits) {}

  /// False: the limit is reached.
  bool let_in(Visitor visitor, std::uint32_t uid);
  /// The client has presented a credential. False: its attempt has too many connections.
  bool introduce(Visitor visitor, const std::string& attempt);
  bool is_stranger(Visitor visitor) const { return strangers_.contains(visitor); }
  /// Removes the client; unknown ones are ignored.
  void gone(Visitor visitor);

 private:
  Limits limits_;
  std::unordered_map<Visitor, std::uint32_t> strangers_;
  std::map<std::uint32_t, std::size_t> of_user_;
  std::unordered_map<Visitor, std::string> guests_;
  std::map<std::string, std::size_t> of_attempt_;
};

}  // namespace luzia
