// The log as clients copy it: whole groups in order, a bounded number of bytes, and never those of another
// log.
#include "tools/luziad/queries/group_reads.h"

#include <gmock/gmock.h>

#include "adapters/memory/memory_event_log.h"
#include "tests/engine/log/log_events.h"
#include "tools/luziad/intake/request_table.h"

namespace luzia {
namespace {

using testing::ElementsAre;

constexpr std::size_t kPlenty = 8 << 20;

/// A log whose earlier groups were archived.
class ShortenedLog : public MemoryEventLog {
 public:
  explicit ShortenedLog(Tip base) : base_(base) {}
  Tip base() const override { return base_; }

 private:
  Tip base_;
};

/// The first positions of the groups.
std::vector<Position> starts_of(const Result<GroupBatch>& batch) {
  std::vector<Position> starts;
  if (!batch) return starts;
  for (const auto& group : batch->groups.groups) starts.push_back(group->first_position);
  return starts;
}

std::string refused_with(const Result<GroupBatch>& batch) {
  return batch ? std::string() : batch.error().code;
}

class GroupReadsTest : public testing::Test {
 protected:
  GroupReadsTest() { EXPECT_TRUE(test::append_groups(log_, 4, 3)); }
  /// Where the group ends that holds `position`.
  Tip end_of_group(Position position) const {
    const auto group = log_.read_from(position)->next().value();
    return {group->last_position(), group->chain()};
  }
  MemoryEventLog log_;
};

TEST_F(GroupReadsTest, GroupsComeWholeAndInOrderAsTheyAreStored) {
  const auto batch = read_groups(log_, 3, 12, kPlenty, std::nullopt);
  ASSERT_THAT(starts_of(batch), ElementsAre(4, 7, 10));
  EXPECT_EQ(batch->end, log_.tip());
  EXPECT_EQ(batch->groups.tip, 12U);
  EXPECT_EQ(as_text(batch->groups.previous), as_text(end_of_group(3).chain));
  const auto cursor = log_.read_from(4);
  Hash chain = end_of_group(3).chain;
  for (const auto& stored : batch->groups.groups) {
    const auto group = Group::parse(stored->first_position, stored->value);
    ASSERT_TRUE(group) << group.error().message;
    EXPECT_EQ(as_text(group->frames()), as_text(cursor->next().value()->frames()));
    chain = chain_hash(chain, group->first_position(), 3, group->frames());
    EXPECT_EQ(group->chain(), chain);
  }
}

TEST_F(GroupReadsTest, KnownChainHashGivesTheSameGroups) {
  for (const Position after : {Position{0}, Position{6}}) {
    const auto alone = read_groups(log_, after, 12, kPlenty, std::nullopt);
    const auto known = read_groups(log_, after, 12, kPlenty, after == 0 ? Hash{} : end_of_group(6).chain);
    ASSERT_TRUE(alone && known);
    EXPECT_EQ(starts_of(alone), starts_of(known));
    EXPECT_EQ(alone->groups.previous, known->groups.previous);
  }
}

TEST_F(GroupReadsTest, AnswerIsBoundedButNeverEmptyIfThereIsAGroup) {
  const std::size_t one = log_.read_from(1)->next().value()->frames().size();
  EXPECT_THAT(starts_of(read_groups(log_, 0, 12, 1, std::nullopt)), ElementsAre(1));
  EXPECT_THAT(starts_of(read_groups(log_, 0, 12, 2 * one, std::nullopt)), ElementsAre(1, 4));
  EXPECT_THAT(starts_of(read_groups(log_, 0, 12, 3 * one - 1, std::nullopt)), ElementsAre(1, 4));
  const auto first = read_groups(log_, 0, 12, 1, std::nullopt);
  EXPECT_EQ(first->end, end_of_group(1));
}

TEST_F(GroupReadsTest, GroupsThatNobodyMayKnowOfYetStayBack) {
  EXPECT_THAT(starts_of(read_groups(log_, 0, 6, kPlenty, std::nullopt)), ElementsAre(1, 4));
  const auto none = read_groups(log_, 6, 6, kPlenty, std::nullopt);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->groups.groups.empty());
  EXPECT_EQ(none->end, end_of_group(6));
}

TEST_F(GroupReadsTest, PositionInsideAGroupIsOfAnotherLog) {
  for (const Position inside : {1, 2, 4, 11}) {
    EXPECT_EQ(refused_with(read_groups(log_, inside, 12, kPlenty, std::nullopt)), "inside_group") << inside;
  }
  EXPECT_EQ(refused_with(read_groups(log_, 4, 12, kPlenty, Hash{})), "inside_group");
}

TEST(GroupReadsOfAnArchivedLog, EarlierGroupsAreMissingAndTheBaseIsNamed) {
  const Tip base{0, chain_hash({}, 1, 1, {})};
  ShortenedLog log(base);
  ASSERT_TRUE(test::append_groups(log, 2, 3));
  const auto from_base = read_groups(log, 0, 6, kPlenty, std::nullopt);
  ASSERT_THAT(starts_of(from_base), ElementsAre(1, 4));
  EXPECT_EQ(as_text(from_base->groups.previous), as_text(base.chain)) << "not the zeros of a new log";
  const ShortenedLog later(Tip{40, base.chain});
  EXPECT_EQ(from_base->groups.begins_after, 0u);
  const auto before_base = read_groups(later, 39, 40, kPlenty, std::nullopt);
  ASSERT_TRUE(before_base);
  EXPECT_TRUE(before_base->groups.groups.empty());
  EXPECT_EQ(before_base->groups.begins_after, 40u);
  EXPECT_EQ(as_text(before_base->groups.previous), as_text(base.chain));
  const auto at_base = read_groups(later, 40, 40, kPlenty, std::nullopt);
  ASSERT_TRUE(at_base);
  EXPECT_EQ(as_text(at_base->groups.previous), as_text(base.chain));
}

TEST(GroupReadsRights, OnlyTrustedCallersWithoutADeviceMay) {
  wire::ClientFrameT frame;
  frame.request.Set(wire::ReadGroupsT());
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::ClientFrame::Pack(builder, &frame));
  const auto& request = *flatbuffers::GetRoot<wire::ClientFrame>(builder.GetBufferPointer());
  const RequestRow* row = find_request(wire::Request::ReadGroups);
  ASSERT_NE(row, nullptr);
  Caller member, root;
  member.name = "ana";
  root.trusted = true;
  EXPECT_TRUE(row->check(root, request));
  EXPECT_EQ(row->check(member, request).error().code, "not_allowed");
  root.device.emplace();
  EXPECT_EQ(row->check(root, request).error().code, "not_allowed") << "it speaks for a phone";
}

}  // namespace
}  // namespace luzia
