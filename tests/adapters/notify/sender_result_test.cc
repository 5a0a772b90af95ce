// What the programs that send notices say of it.
#include <gtest/gtest.h>

#include "adapters/notify/delivery.h"
#include "adapters/notify/post_request.h"

namespace luzia {
namespace {

CommandRun said(int code, const std::string& output) {
  return {code, "exit code " + std::to_string(code), output, 7};
}

TEST(SenderResult, FirstLineSaysWhy) {
  const Delivery sent = delivery_with_words(said(post_request::kDelivered, "sent\n"));
  EXPECT_TRUE(sent.result.delivered);
  EXPECT_EQ(sent.result.elapsed_ms, 7U);
  EXPECT_EQ(sent.result.detail, "");
  const Delivery later = delivery_with_words(said(post_request::kTryAgain, "too many\nretry_after 30\n"));
  EXPECT_FALSE(later.result.delivered);
  EXPECT_FALSE(later.result.final);
  EXPECT_EQ(later.result.detail, "too many");
  EXPECT_EQ(later.result.retry_after_ms, 30'000U);
  const Delivery never = delivery_with_words(said(post_request::kNever, "no\ngone expired\n"));
  EXPECT_TRUE(never.result.final);
  EXPECT_TRUE(never.gone);
}

TEST(SenderResult, SilentProgramIsDescribed) {
  const Delivery killed = delivery_with_words({std::nullopt, "killed by signal 9", "half a li", 1});
  EXPECT_EQ(killed.result.detail, "killed by signal 9");
  EXPECT_FALSE(killed.result.final);
  EXPECT_FALSE(delivery_with_words(said(127, "no such program\ngone\ngone x\n")).gone);
}

TEST(SenderResult, ServersAnswerDecidesNothing) {
  const Delivery posted =
      delivery_of(said(post_request::kTryAgain, "status 500\nretry_after 4000000000\ngone for ever\n"));
  EXPECT_EQ(posted.result.retry_after_ms, 0U);
  EXPECT_FALSE(posted.gone);
}

TEST(SenderResult, PauseIsBounded) {
  for (const char* seconds : {"4000000000", "1000001"}) {
    const std::string words = std::string("later\nretry_after ") + seconds + "\n";
    EXPECT_EQ(delivery_with_words(said(post_request::kTryAgain, words)).result.retry_after_ms,
              1'000'000'000U);
  }
  EXPECT_EQ(delivery_with_words(said(post_request::kTryAgain, "x\nretry_after -1\n")).result.retry_after_ms,
            0U);
}

}  // namespace
}  // namespace luzia
