// Offers to pair a device: which code redeems which offer, and when guessing ends one. Pure: time and random
// bytes are given. Kept in memory only, so no code outlives the daemon. One thread.
//
// The first half of a code (20 bits) says which offer is meant, the second (20 bits) proves it. A wrong
// second half counts against that offer alone, which ends at the fifth. So, for luzia-web lets each address
// and user try four wrong codes in the five minutes that an offer lasts (budget.h):
// - To guess a code: ten thousand addresses have 40,000 tries at 40 bits; at 16 open offers 6e-7.
//   What runs as the owner may try more: at 10 a second 3,000 times, 4e-8.
// - Who has seen the first half has five tries at 20 bits: 5e-6.
// - To end an offer that one does not see: five tries at each of 2^20 halves, 5,242,880 tries to be sure;
//   ten thousand addresses end one of 131 offers. The owner makes another, which nothing delays.
//
// Rejected: offers as events. A code that survives a crash could pair two devices.
// Rejected: to pair nothing for a while after wrong codes. Whoever may try could keep everybody out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device.h"

namespace luzia {

/// Who offered: the event of the pairing names them, and whom the device speaks for if no person was named.
struct PairingOffer {
  DeviceGrant grant;
  schema::ActorT by;
};

class PairingOffers {
 public:
  static constexpr TimeUs kValid = 5 * kMinuteUs;
  static constexpr std::size_t kMostWrong = 5, kMost = 16, kCodeBytes = 5;

  /// The code, "XXXX-XXXX", of kCodeBytes random bytes. It always works: of kMost open offers the oldest
  /// ends. `now`: of a clock that is never set back.
  std::string offer(PairingOffer offer, std::string_view random, TimeUs now);
  /// Takes the offer with this code, which nobody can redeem again. Case, hyphens and spaces do not matter.
  /// Refused: `wrong_code` (also when it is over, was used, or ended by wrong tries).
  Result<PairingOffer> redeem(std::string_view code, TimeUs now);

 private:
  struct Open {
    PairingOffer offer;
    std::string begin;  // the first half of the code
    Hash code;
    TimeUs until;
    std::size_t wrong;  // tries with its first half
  };

  std::vector<Open> open_;  // oldest first
};

}  // namespace luzia
