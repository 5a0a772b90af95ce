// One-time codes: redeemed once, for five minutes, and ended by guessing.
#include "engine/device/pairing.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

constexpr std::string_view kRandom("\x01\x23\x45\x67\x89", 5), kOther("\xff\xff\xff\xff\xff", 5);

PairingOffer offer_of(const std::string& name) {
  PairingOffer offer;
  offer.grant.name = name;
  return offer;
}

std::string code_of(const Result<PairingOffer>& redeemed) {
  return redeemed ? "good" : redeemed.error().code;
}

TEST(PairingOffers, CodePairsOneDevice) {
  PairingOffers offers;
  EXPECT_EQ(offers.offer(offer_of("phone"), kRandom, 0).value(), "04HM-ASW9");
  EXPECT_EQ(offers.redeem("04HM-ASW9", kSecondUs).value().grant.name, "phone");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", kSecondUs)), "wrong_code");
}

TEST(PairingOffers, CodeIsReadAsPeopleTypeIt) {
  for (const char* typed : {"04HM-ASW9", "04hmasw9", " o4hm asw9", "O4-HM-AS-W9"}) {
    PairingOffers offers;
    ASSERT_TRUE(offers.offer(offer_of("phone"), kRandom, 0));
    EXPECT_EQ(code_of(offers.redeem(typed, 0)), "good") << typed;
  }
  for (const char* typed : {"", "04HM-ASW", "04HM-ASW99", "04HM-ASWB", "04HM-ASW9-04HM-ASW9"}) {
    PairingOffers offers;
    ASSERT_TRUE(offers.offer(offer_of("phone"), kRandom, 0));
    EXPECT_EQ(code_of(offers.redeem(typed, 0)), "wrong_code") << typed;
  }
}

TEST(PairingOffers, CodeIsOverAfterFiveMinutes) {
  PairingOffers offers;
  ASSERT_TRUE(offers.offer(offer_of("a"), kRandom, 0) && offers.offer(offer_of("b"), kOther, kSecondUs));
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", PairingOffers::kValid)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("ZZZZ-ZZZZ", PairingOffers::kValid)), "good");
}

TEST(PairingOffers, FiveGuessesEndAllOffersForAMinute) {
  PairingOffers offers;
  ASSERT_TRUE(offers.offer(offer_of("phone"), kRandom, 0));
  for (int guess = 0; guess < 4; ++guess) EXPECT_EQ(code_of(offers.redeem("WRONG", 0)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", 0)), "good") << "four are not too many";
  ASSERT_TRUE(offers.offer(offer_of("phone"), kRandom, 0));
  EXPECT_EQ(code_of(offers.redeem("WRONG", kSecondUs)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", 2 * kSecondUs)), "pairing_rests");
  EXPECT_EQ(offers.offer(offer_of("x"), kRandom, kMinuteUs).error().code, "pairing_rests");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", kSecondUs + PairingOffers::kRest)), "wrong_code")
      << "the offer is dead";
  EXPECT_TRUE(offers.offer(offer_of("x"), kRandom, kSecondUs + PairingOffers::kRest));
}

TEST(PairingOffers, OldGuessesDoNotCount) {
  PairingOffers offers;
  for (int guess = 0; guess < 4; ++guess) EXPECT_EQ(code_of(offers.redeem("WRONG", 0)), "wrong_code");
  const TimeUs later = PairingOffers::kGuessesCount;
  ASSERT_TRUE(offers.offer(offer_of("phone"), kRandom, later));
  for (int guess = 0; guess < 4; ++guess) EXPECT_EQ(code_of(offers.redeem("WRONG", later)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", later)), "good");
}

TEST(PairingOffers, OffersAreFew) {
  PairingOffers offers;
  for (std::size_t i = 0; i < PairingOffers::kMost; ++i) {
    const std::string random = std::string(4, '\0') + static_cast<char>(i);
    ASSERT_TRUE(offers.offer(offer_of("phone"), random, 0));
  }
  EXPECT_EQ(offers.offer(offer_of("phone"), kOther, 0).error().code, "too_many_offers");
  EXPECT_TRUE(offers.offer(offer_of("phone"), kOther, PairingOffers::kValid));
}

}  // namespace
}  // namespace luzia
