// One-time codes: redeemed once, for five minutes; guessing ends the code that it aims at, and no other.
#include "engine/device/pairing.h"

#include <gtest/gtest.h>

#include <vector>

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
  EXPECT_EQ(offers.offer(offer_of("phone"), kRandom, 0), "04HM-ASW9");
  EXPECT_EQ(offers.redeem("04HM-ASW9", kSecondUs).value().grant.name, "phone");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", kSecondUs)), "wrong_code");
}

TEST(PairingOffers, CodeIsReadAsPeopleTypeIt) {
  for (const char* typed : {"04HM-ASW9", "04hmasw9", " o4hm asw9", "O4-HM-AS-W9"}) {
    PairingOffers offers;
    offers.offer(offer_of("phone"), kRandom, 0);
    EXPECT_EQ(code_of(offers.redeem(typed, 0)), "good") << typed;
  }
  for (const char* typed : {"", "04HM-ASW", "04HM-ASW99", "04HM-ASWB", "04HM-ASW9-04HM-ASW9"}) {
    PairingOffers offers;
    offers.offer(offer_of("phone"), kRandom, 0);
    EXPECT_EQ(code_of(offers.redeem(typed, 0)), "wrong_code") << typed;
  }
}

TEST(PairingOffers, CodeIsOverAfterFiveMinutes) {
  PairingOffers offers;
  offers.offer(offer_of("a"), kRandom, 0);
  offers.offer(offer_of("b"), kOther, kSecondUs);
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", PairingOffers::kValid)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("ZZZZ-ZZZZ", PairingOffers::kValid)), "good");
}

/// Codes with the first half of "04HM-ASW9" and a wrong second one.
std::string wrong_half(int n) {
  return "04HM-" + std::to_string(1'000 + n);
}

TEST(PairingOffers, FiveWrongTriesEndTheirCodeAlone) {
  PairingOffers offers;
  offers.offer(offer_of("phone"), kRandom, 0);
  offers.offer(offer_of("other"), kOther, 0);
  for (int guess = 0; guess < 5; ++guess)
    EXPECT_EQ(code_of(offers.redeem(wrong_half(guess), 0)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", 0)), "wrong_code") << "it has ended";
  EXPECT_EQ(code_of(offers.redeem("ZZZZ-ZZZZ", 0)), "good") << "nobody has tried this one";
}

TEST(PairingOffers, FourMistakesAreForgivenHoweverLateTheyCome) {
  PairingOffers offers;
  offers.offer(offer_of("phone"), kRandom, 0);
  for (int guess = 0; guess < 4; ++guess)
    EXPECT_EQ(code_of(offers.redeem(wrong_half(guess), guess * kMinuteUs)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", 4 * kMinuteUs)), "good");
}

TEST(PairingOffers, GuessesWithoutAFirstHalfEndNoCode) {
  PairingOffers offers;
  offers.offer(offer_of("phone"), kRandom, 0);
  for (int guess = 0; guess < 100'000; ++guess) {
    const std::string typed = std::to_string(90'000'000 + guess);
    ASSERT_EQ(code_of(offers.redeem(typed, 0)), "wrong_code") << typed;
  }
  for (const char* typed : {"", "0", "04H", "04HM"})
    EXPECT_EQ(code_of(offers.redeem(typed, 0)), "wrong_code");
  EXPECT_EQ(code_of(offers.redeem("04HM-ASW9", 0)), "good");
}

TEST(PairingOffers, WhoGuessesWithoutPauseCannotKeepAFreshCodeFromWorking) {
  PairingOffers offers;
  for (int round = 0; round < 100; ++round) {
    const TimeUs now = round * kSecondUs;
    for (int guess = 0; guess < 50; ++guess)
      ASSERT_EQ(code_of(offers.redeem(wrong_half(guess), now)), "wrong_code");
    const std::string random = std::string(4, '\x55') + static_cast<char>(round);
    EXPECT_EQ(code_of(offers.redeem(offers.offer(offer_of("phone"), random, now), now)), "good") << round;
  }
}

TEST(PairingOffers, TheOldestOfTooManyCodesEnds) {
  PairingOffers offers;
  std::vector<std::string> codes;
  for (std::size_t i = 0; i <= PairingOffers::kMost; ++i)
    codes.push_back(offers.offer(offer_of("phone"), static_cast<char>(i * 8) + std::string(4, '\0'), 0));
  EXPECT_EQ(code_of(offers.redeem(codes.front(), 0)), "wrong_code");
  for (std::size_t i = 1; i < codes.size(); ++i) EXPECT_EQ(code_of(offers.redeem(codes[i], 0)), "good") << i;
}

}  // namespace
}  // namespace luzia
