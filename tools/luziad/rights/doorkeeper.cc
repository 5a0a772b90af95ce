#include "tools/luziad/rights/doorkeeper.h"

#include <algorithm>

namespace luzia {
namespace {

template <class Counts, class Key>
void count_down(Counts& counts, const Key& key) {
  const auto it = counts.find(key);
  if (it != counts.end() && --it->second == 0) counts.erase(it);
}

}  // namespace

Doorkeeper::Limits Doorkeeper::limits_for(std::size_t open_files) {
  constexpr std::size_t kFewest = 4, kMost = 256;
  const std::size_t strangers = std::clamp(open_files / 8, kFewest, kMost);
  return {strangers, strangers / 2, std::clamp(open_files / 16, kFewest, kMost)};
}

bool Doorkeeper::let_in(Visitor visitor, std::uint32_t uid) {
  if (strangers_.size() >= limits_.strangers) return false;
  std::size_t& of_user = of_user_[uid];
  if (of_user >= limits_.of_user) return false;
  ++of_user;
  strangers_.emplace(visitor, uid);
  return true;
}

bool Doorkeeper::introduce(Visitor visitor, const std::string& attempt) {
  const auto it = strangers_.find(visitor);
  if (it == strangers_.end()) return guests_.contains(visitor);
  std::size_t& of_attempt = of_attempt_[attempt];
  if (of_attempt >= limits_.of_attempt) return false;
  ++of_attempt;
  count_down(of_user_, it->second);
  strangers_.erase(it);
  guests_.emplace(visitor, attempt);
  return true;
}

void Doorkeeper::gone(Visitor visitor) {
  if (const auto it = strangers_.find(visitor); it != strangers_.end()) {
    count_down(of_user_, it->second);
    strangers_.erase(it);
  }
  if (const auto it = guests_.find(visitor); it != guests_.end()) {
    count_down(of_attempt_, it->second);
    guests_.erase(it);
  }
}

}  // namespace luzia
