// The contract of every EventLog, whatever its backend. A backend instantiates the suite with a type whose
// `EventLog& log()` returns a new, empty log.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/log/verify_chain.h"
#include "tests/engine/log/log_events.h"

namespace luzia::test {

template <class Backend>
class EventLogContract : public testing::Test {
 protected:
  EventLog& log() { return backend_.log(); }

 private:
  Backend backend_;
};
TYPED_TEST_SUITE_P(EventLogContract);

TYPED_TEST_P(EventLogContract, EmptyLogHasNothingToRead) {
  EXPECT_EQ(this->log().tip(), Tip{});
  const auto cursor = this->log().read_from(1);
  auto group = cursor->next();
  ASSERT_TRUE(group);
  EXPECT_EQ(*group, nullptr);
}

TYPED_TEST_P(EventLogContract, AppendedGroupsAreReadBackInOrderWithoutGaps) {
  ASSERT_TRUE(append_groups(this->log(), 5, 3));
  ASSERT_TRUE(append_groups(this->log(), 5, 1));
  EXPECT_EQ(this->log().tip().position, 20U);
  EXPECT_EQ(read_positions(*this->log().read_from(1)), positions_from_to(1, 20));
}

TYPED_TEST_P(EventLogContract, AppendReturnsTheStoredGroup) {
  PendingGroup pending(1);
  pending.add(as_bytes(encoded_event(1, "first")));
  pending.add(as_bytes(encoded_event(2, std::string(1000, 'x'))));
  auto appended = this->log().append(pending);
  ASSERT_TRUE(appended);
  auto read = this->log().read_from(1)->next();
  ASSERT_TRUE(read);
  EXPECT_EQ((*appended)->chain(), (*read)->chain());
  EXPECT_EQ((*appended)->chain(), this->log().tip().chain);
  EXPECT_EQ(as_text((*appended)->frames()), as_text((*read)->frames()));
  ASSERT_EQ((*appended)->events().size(), 2U);
  EXPECT_EQ(note_of(*(*appended)->events()[0]), "first");
  EXPECT_EQ(note_of(*(*read)->events()[1]), std::string(1000, 'x'));
  EXPECT_EQ(as_text((*read)->event_bytes(0)), encoded_event(1, "first"));
  EXPECT_EQ(as_text((*appended)->event_bytes(1)), encoded_event(2, std::string(1000, 'x')));
}

TYPED_TEST_P(EventLogContract, ReadingFromInsideAGroupBeginsWithThatGroup) {
  ASSERT_TRUE(append_groups(this->log(), 3, 4));
  EXPECT_EQ(read_positions(*this->log().read_from(6)), positions_from_to(5, 12));
  EXPECT_EQ(read_positions(*this->log().read_from(12)), positions_from_to(9, 12));
  EXPECT_EQ(read_positions(*this->log().read_from(13)), positions_from_to(1, 0));
  EXPECT_EQ(read_positions(*this->log().read_from(0)), positions_from_to(1, 12));
}

TYPED_TEST_P(EventLogContract, AnyEventOfAGroupIsReadAlone) {
  EXPECT_FALSE(this->log().event(1).value());
  ASSERT_TRUE(append_groups(this->log(), 3, 4, "some note"));
  for (Position position = 1; position <= 12; ++position) {
    const auto alone = this->log().event(position);
    ASSERT_TRUE(alone && *alone) << position;
    EXPECT_EQ(as_text((*alone)->bytes()), encoded_event(position, "some note"));
    EXPECT_EQ((*alone)->event().position(), position);
  }
  EXPECT_FALSE(this->log().event(0).value());
  for (const Position beyond : {Position{13}, Position{17}, ~Position{0}})
    EXPECT_FALSE(this->log().event(beyond).value());
}

TYPED_TEST_P(EventLogContract, CursorAtTheEndContinuesLater) {
  const auto cursor = this->log().read_from(1);
  EXPECT_EQ(read_positions(*cursor), positions_from_to(1, 0));
  ASSERT_TRUE(append_groups(this->log(), 2, 2));
  EXPECT_EQ(read_positions(*cursor), positions_from_to(1, 4));
  EXPECT_EQ(read_positions(*cursor), positions_from_to(1, 0));
  ASSERT_TRUE(append_groups(this->log(), 1, 1));
  EXPECT_EQ(read_positions(*cursor), positions_from_to(5, 5));
}

TYPED_TEST_P(EventLogContract, CursorFromBeyondTheEndWaitsForItsPosition) {
  ASSERT_TRUE(append_groups(this->log(), 1, 2));
  const auto cursor = this->log().read_from(5);
  ASSERT_TRUE(append_groups(this->log(), 1, 2));
  EXPECT_EQ(read_positions(*cursor), positions_from_to(1, 0));
  ASSERT_TRUE(append_groups(this->log(), 1, 2));
  EXPECT_EQ(read_positions(*cursor), positions_from_to(5, 6));
}

TYPED_TEST_P(EventLogContract, GroupOfAnotherPositionIsRefusedAndChangesNothing) {
  ASSERT_TRUE(append_groups(this->log(), 1, 2));
  const Tip tip = this->log().tip();
  for (const Position wrong : {Position{0}, Position{1}, Position{2}, Position{4}, Position{1000}}) {
    auto appended = this->log().append(group_of(wrong, 1));
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, "wrong_position");
  }
  EXPECT_EQ(this->log().tip(), tip);
  EXPECT_TRUE(append_groups(this->log(), 1, 1));
}

TYPED_TEST_P(EventLogContract, EmptyGroupIsRefused) {
  auto appended = this->log().append(PendingGroup(1));
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, "empty_group");
}

TYPED_TEST_P(EventLogContract, EventOverTheLimitIsRefused) {
  const std::size_t overhead = encoded_event(1, std::string(1000, 'x')).size() - 1000;
  PendingGroup largest(1);
  largest.add(as_bytes(encoded_event(1, std::string(kMaxEventBytes - overhead, 'x'))));
  ASSERT_EQ(largest.largest_event(), kMaxEventBytes);
  ASSERT_TRUE(this->log().append(largest));
  auto appended = this->log().append(group_of(2, 1, std::string(kMaxEventBytes - overhead + 8, 'x')));
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, "event_too_large");
  EXPECT_EQ(read_positions(*this->log().read_from(1)), positions_from_to(1, 1));
}

TYPED_TEST_P(EventLogContract, BlobsAreReadBackByEventAndIndex) {
  const auto group = group_with_texts(
      1, 3, {{1, {{0, "salt", "first"}}}, {3, {{1, "salt", std::string(100'000, 'p')}, {0, "salt", ""}}}});
  ASSERT_TRUE(this->log().append(group));
  ASSERT_TRUE(append_groups(this->log(), 1, 1));
  EXPECT_EQ(this->log().blob(1, 0), "first");
  EXPECT_EQ(this->log().blob(3, 0), "");
  EXPECT_EQ(this->log().blob(3, 1), std::string(100'000, 'p'));
}

TYPED_TEST_P(EventLogContract, UnknownBlobIsNotFound) {
  ASSERT_TRUE(this->log().append(group_with_texts(1, 2, {{1, {{0, "salt", "text"}}}})));
  ASSERT_TRUE(append_groups(this->log(), 1, 1));
  for (const auto& [event, index] : {std::pair{0, 0}, {1, 1}, {2, 0}, {3, 0}, {4, 0}, {99, 0}}) {
    auto read = this->log().blob(static_cast<Position>(event), static_cast<std::uint32_t>(index));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, "no_such_blob");
    auto erased = this->log().erase_blob(static_cast<Position>(event), static_cast<std::uint32_t>(index));
    ASSERT_FALSE(erased);
    EXPECT_EQ(erased.error().code, "no_such_blob");
  }
}

TYPED_TEST_P(EventLogContract, ErasedBlobIsGoneAndTheChainHolds) {
  ASSERT_TRUE(
      this->log().append(group_with_texts(1, 2, {{1, {{0, "salt", "secret"}, {1, "salt", "kept"}}}})));
  ASSERT_TRUE(erase_and_tell(this->log(), 1, 0));
  const Tip tip = this->log().tip();
  auto read = this->log().blob(1, 0);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "blob_erased");
  EXPECT_EQ(read.error().kind, ErrorKind::not_found);
  EXPECT_TRUE(text_is_gone(read.error()));
  EXPECT_TRUE(text_is_gone(this->log().blob(1, 7).error()));
  EXPECT_EQ(this->log().blob(1, 1), "kept");
  EXPECT_TRUE(this->log().erase_blob(1, 0)) << "repeating an effect must not fail";
  auto report = verify_chain(this->log());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tip, tip);
}

TYPED_TEST_P(EventLogContract, TextWithAWrongHashIsNeverRead) {
  auto swapped = group_of(1, 1);
  swapped.add(as_bytes(event_with_texts(2, {{0, "salt", "pay 10"}, {1, "salt", "never stored"}})));
  swapped.add_blob(2, {0, "salt", "pay 99"});
  ASSERT_TRUE(this->log().append(swapped));
  for (const std::uint32_t index : {0U, 1U}) {
    const auto read = this->log().blob(2, index);
    ASSERT_FALSE(read) << *read;
    EXPECT_EQ(read.error().code, "text_damaged");
    EXPECT_TRUE(text_is_gone(read.error()));
    EXPECT_THAT(read.error().message, testing::HasSubstr("event 2 (flow/f-abc)"));
  }
  const auto proof = prove_log(this->log());
  ASSERT_TRUE(proof && proof->fault);
  EXPECT_EQ(proof->damaged, 2U);
  EXPECT_EQ(proof->first_damaged, 2U);
  EXPECT_EQ(proof->report.events, 2U) << "it goes on behind a text";
  EXPECT_EQ(verify_chain(this->log()).error().code, "text_damaged");
}

TYPED_TEST_P(EventLogContract, ErasureWithoutAnEventIsAFault) {
  ASSERT_TRUE(this->log().append(group_with_texts(1, 1, {{1, {{0, "salt", "secret"}}}})));
  ASSERT_TRUE(this->log().erase_blob(1, 0));
  EXPECT_EQ(verify_chain(this->log()).error().code, "text_damaged");
}

TYPED_TEST_P(EventLogContract, OversizedBlobsAreRefusedBeforeWriting) {
  auto large = group_of(1, 1);
  large.add_blob(1, {0, "salt", std::string(kMaxBlobBytes + 1, 'x')});
  auto stray = group_of(1, 1);
  stray.add_blob(2, {0, "salt", "of no event here"});
  auto twice = group_of(1, 1);
  twice.add_blob(1, {0, "salt", "a"});
  twice.add_blob(1, {0, "salt", "b"});
  EXPECT_EQ(this->log().append(large).error().code, "blob_too_large");
  EXPECT_EQ(this->log().append(stray).error().code, "wrong_position");
  EXPECT_EQ(this->log().append(twice).error().code, "blob_repeated");
  EXPECT_EQ(this->log().tip(), Tip{});
  ASSERT_TRUE(
      this->log().append(group_with_texts(1, 1, {{1, {{0, "salt", std::string(kMaxBlobBytes, 'x')}}}})));
  EXPECT_EQ(this->log().blob(1, 0)->size(), kMaxBlobBytes);
}

TYPED_TEST_P(EventLogContract, ChainLinksEachGroupToTheOneBefore) {
  ASSERT_TRUE(append_groups(this->log(), 10, 2));
  auto report = verify_chain(this->log());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tip, this->log().tip());
  EXPECT_EQ(report->groups, 10U);
  EXPECT_EQ(report->events, 20U);
  const auto cursor = this->log().read_from(1);
  Hash previous{};
  for (int i = 0; i < 10; ++i) {
    auto group = cursor->next();
    ASSERT_TRUE(group);
    EXPECT_EQ((*group)->chain(), chain_hash(previous, (*group)->first_position(), 2, (*group)->frames()));
    previous = (*group)->chain();
  }
}

TYPED_TEST_P(EventLogContract, ReaderCatchesUpWhileAnotherThreadAppends) {
  constexpr Position kLast = 600;
  std::atomic<bool> failed = false;
  std::thread writer([&] {
    for (std::uint32_t size = 1; this->log().tip().position < kLast; size = size % 7 + 1) {
      const Position first = this->log().tip().position + 1;
      const auto count = std::min<Position>(size, kLast - first + 1);
      if (!this->log().append(group_of(first, static_cast<std::uint32_t>(count)))) failed = true;
      if (failed) return;
    }
  });
  const auto cursor = this->log().read_from(1);
  Position seen = 0;
  while (seen < kLast && !failed) {
    auto group = cursor->next();
    if (!group) ADD_FAILURE() << group.error().message;
    if (!group) break;
    if (!*group) continue;
    EXPECT_EQ((*group)->first_position(), seen + 1);
    seen = (*group)->last_position();
    EXPECT_LE(seen, this->log().tip().position);
  }
  writer.join();
  EXPECT_FALSE(failed);
  EXPECT_EQ(seen, kLast);
}

TYPED_TEST_P(EventLogContract, CursorsDoNotDisturbEachOther) {
  ASSERT_TRUE(append_groups(this->log(), 4, 1));
  const auto one = this->log().read_from(1);
  const auto two = this->log().read_from(3);
  ASSERT_TRUE(one->next());
  EXPECT_EQ(read_positions(*two), positions_from_to(3, 4));
  EXPECT_EQ(read_positions(*one), positions_from_to(2, 4));
}

REGISTER_TYPED_TEST_SUITE_P(EventLogContract, EmptyLogHasNothingToRead,
                            AppendedGroupsAreReadBackInOrderWithoutGaps, AppendReturnsTheStoredGroup,
                            ReadingFromInsideAGroupBeginsWithThatGroup, AnyEventOfAGroupIsReadAlone,
                            CursorAtTheEndContinuesLater, CursorFromBeyondTheEndWaitsForItsPosition,
                            GroupOfAnotherPositionIsRefusedAndChangesNothing, EmptyGroupIsRefused,
                            EventOverTheLimitIsRefused, BlobsAreReadBackByEventAndIndex,
                            UnknownBlobIsNotFound, ErasedBlobIsGoneAndTheChainHolds,
                            TextWithAWrongHashIsNeverRead, ErasureWithoutAnEventIsAFault,
                            OversizedBlobsAreRefusedBeforeWriting, ChainLinksEachGroupToTheOneBefore,
                            ReaderCatchesUpWhileAnotherThreadAppends, CursorsDoNotDisturbEachOther);

}  // namespace luzia::test
