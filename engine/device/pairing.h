// Offers to pair a device: which code redeems which offer, and when guessing ends them all. Pure: time and
// random bytes are given. Kept in memory only, so no code outlives the daemon. One thread.
//
// Rejected: offers as events. A code that survives a crash could pair two devices.
#pragma once

#include <deque>
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
  static constexpr TimeUs kValid = 5 * kMinuteUs, kGuessesCount = 5 * kMinuteUs, kRest = kMinuteUs;
  static constexpr std::size_t kMostGuesses = 5, kMost = 16, kCodeBytes = 5;

  /// The code, "XXXX-XXXX", of kCodeBytes random bytes. Refused: `pairing_rests` after guesses,
  /// `too_many_offers`. `now`: of a clock that is never set back.
  Result<std::string> offer(PairingOffer offer, std::string_view random, TimeUs now);
  /// Takes the offer with this code, which nobody can redeem again. Case, hyphens and spaces do not matter.
  /// Refused: `wrong_code` (also when it is over or was used), `pairing_rests`.
  Result<PairingOffer> redeem(std::string_view code, TimeUs now);

 private:
  struct Open {
    PairingOffer offer;
    Hash code;
    TimeUs until;
  };
  Status may_pair(TimeUs now) const;

  std::vector<Open> open_;
  std::deque<TimeUs> guesses_;  // the wrong codes that still count
  TimeUs rests_until_ = 0;
};

}  // namespace luzia
