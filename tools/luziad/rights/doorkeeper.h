// Who stands at the door that is open to everybody on the machine: how many strangers at a time, until they
// have shown the credential of an attempt, and how many connections of each attempt after that. So nobody can
// take the descriptors that others need. One thread at a time.
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
  /// For a daemon that may open so many files.
  static Limits limits_for(std::size_t open_files);

  explicit Doorkeeper(Limits limits) : limits_(limits) {}

  /// False: there is no room for one more.
  bool let_in(Visitor visitor, std::uint32_t uid);
  /// The visitor is no stranger any more. False: its attempt has enough connections.
  bool introduce(Visitor visitor, const std::string& attempt);
  bool is_stranger(Visitor visitor) const { return strangers_.contains(visitor); }
  /// Whoever it was; unknown ones are nobody.
  void gone(Visitor visitor);

 private:
  Limits limits_;
  std::unordered_map<Visitor, std::uint32_t> strangers_;
  std::map<std::uint32_t, std::size_t> of_user_;
  std::unordered_map<Visitor, std::string> guests_;
  std::map<std::string, std::size_t> of_attempt_;
};

}  // namespace luzia
