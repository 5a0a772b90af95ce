// Copying the log through the socket, as luzia-fleet does: everything once and in order, and whoever has all
// of it waits for the next commit.
#include "adapters/socket/client.h"
#include "engine/log/group.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using std::chrono::steady_clock;

wire::RequestUnion read_after(Position after, std::uint32_t wait_ms = 0, std::uint32_t most_bytes = 0) {
  wire::ReadGroupsT read;
  read.after = after;
  read.wait_ms = wait_ms;
  read.most_bytes = most_bytes;
  return request_of(read);
}

class GroupReadsOfADaemonTest : public DaemonTest {
 protected:
  GroupReadsOfADaemonTest() { start_daemon(); }
  Client client() const { return std::move(Client::connect(store() + "/socket").value()); }
  static std::string refusal(Client& from, const wire::RequestUnion& request) {
    const auto answer = from.ask(request);
    return answer ? "none" : answer.error().code;
  }
  /// The answer to one request; a refusal fails the test.
  static wire::GroupsT groups(Client& from, const wire::RequestUnion& request) {
    const auto answer = from.ask(request);
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    const auto* groups = answer ? (*answer)->reply.AsGroups() : nullptr;
    EXPECT_NE(groups, nullptr);
    return groups != nullptr ? *groups : wire::GroupsT();
  }
  /// The answer to what was sent last.
  static wire::GroupsT next_groups(Client& from) {
    while (true) {
      const auto frame = from.receive(std::chrono::seconds(60));
      if (!frame || *frame == nullptr) {
        ADD_FAILURE() << (frame ? "nothing came" : frame.error().message);
        return {};
      }
      if (const auto* groups = (*frame)->reply_as_Groups())
        return *std::unique_ptr<wire::GroupsT>(groups->UnPack());
      EXPECT_EQ((*frame)->reply_type(), wire::Reply::Welcome);
    }
  }
};

/// A copy of the log that grows by answers and checks what it gets.
struct MirroredLog {
  Tip tip;
  std::vector<std::string> events;  // their encoded bytes

  void take(const wire::GroupsT& groups) {
    ASSERT_EQ(as_text(groups.previous), as_text(tip.chain));
    EXPECT_GE(groups.tip, tip.position);
    for (const auto& stored : groups.groups) {
      ASSERT_EQ(stored->first_position, tip.position + 1) << "no gap, and nothing twice";
      const auto group = Group::parse(stored->first_position, stored->value);
      ASSERT_TRUE(group) << group.error().message;
      const auto count = static_cast<std::uint32_t>(group->events().size());
      ASSERT_EQ(group->chain(), chain_hash(tip.chain, tip.position + 1, count, group->frames()));
      for (std::size_t i = 0; i < count; ++i) events.emplace_back(as_text(group->event_bytes(i)));
      tip = {group->last_position(), group->chain()};
    }
  }
};

/// Reads until a daemon that has nothing to do has committed nothing for a while.
template <class Groups>
MirroredLog read_all(const Groups& groups_after) {
  MirroredLog mirror;
  for (bool more = true; more && !testing::Test::HasFatalFailure();) {
    const wire::GroupsT groups = groups_after(mirror.tip.position);
    more = !groups.groups.empty();
    mirror.take(groups);
  }
  return mirror;
}

TEST_F(GroupReadsOfADaemonTest, CopyIsTheLogByteForByte) {
  for (int i = 0; i < 5; ++i) ended(dispatch("echo " + std::to_string(i)));
  Client reader = client();
  MirroredLog small_steps, one_step;
  for (std::size_t before = 1; before != small_steps.events.size();) {
    before = small_steps.events.size();
    small_steps.take(groups(reader, read_after(small_steps.tip.position, 0, 1)));
  }
  one_step.take(groups(reader, read_after(0)));
  ASSERT_GE(one_step.events.size(), small_steps.events.size());
  one_step.events.resize(small_steps.events.size());
  EXPECT_EQ(small_steps.events, one_step.events);
  const std::vector<Json> told = events();
  ASSERT_GE(told.size(), one_step.events.size());
  EXPECT_EQ(told[one_step.events.size() - 1]["position"].get<Position>(), one_step.tip.position);
}

TEST_F(GroupReadsOfADaemonTest, WaitingReaderGetsTheNextCommit) {
  Client reader = client();
  MirroredLog mirror;
  mirror.take(groups(reader, read_after(0)));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(reader.send(read_after(mirror.tip.position, 60'000)).has_value());
    const Position before = mirror.tip.position;
    const std::string id = dispatch("true");
    mirror.take(next_groups(reader));
    EXPECT_GT(mirror.tip.position, before);
    ended(id);
    while (mirror.tip.position < position()) mirror.take(groups(reader, read_after(mirror.tip.position)));
  }
}

TEST_F(GroupReadsOfADaemonTest, WaitEndsWithoutGroups) {
  Client reader = client();
  steady_clock::time_point asked;
  const MirroredLog mirror = read_all([&](Position after) {
    asked = steady_clock::now();
    return groups(reader, read_after(after, 300));
  });
  EXPECT_GE(steady_clock::now() - asked, std::chrono::milliseconds(300));
  EXPECT_EQ(mirror.tip.position, position());
}

TEST_F(GroupReadsOfADaemonTest, PositionsOfAnotherLogAreRefused) {
  ended(dispatch("true"));
  Client reader = client();
  EXPECT_EQ(refusal(reader, read_after(position() + 1'000, 60'000)), "no_such_position");
  EXPECT_EQ(refusal(reader, read_after(~Position{0}, 60'000)), "no_such_position");
  std::size_t inside = 0;
  for (const auto& stored : groups(reader, read_after(0)).groups) {
    const auto group = Group::parse(stored->first_position, stored->value);
    ASSERT_TRUE(group);
    if (group->events().size() == 1) continue;
    ++inside;
    EXPECT_EQ(refusal(reader, read_after(group->first_position(), 60'000)), "inside_group");
  }
  EXPECT_GT(inside, 0U) << "a daemon commits several events at once";
}

TEST_F(GroupReadsOfADaemonTest, ConnectionReadsOneStretchAtATime) {
  Client reader = client();
  const MirroredLog mirror = read_all([&](Position after) { return groups(reader, read_after(after, 300)); });
  const auto waiting = reader.send(read_after(mirror.tip.position, 60'000));
  ASSERT_TRUE(waiting.has_value());
  EXPECT_EQ(refusal(reader, read_after(0)), "too_many_subscriptions");
  wire::ForgetT forget;
  forget.request = *waiting;
  ASSERT_TRUE(reader.send(request_of(forget)).has_value());
  EXPECT_FALSE(groups(reader, read_after(0)).groups.empty());
}

TEST_F(GroupReadsOfADaemonTest, ReaderThatGoesOrWaitsHoldsNothingUp) {
  const pid_t before = daemon_pid();
  for (int i = 0; i < 20; ++i) {
    Client gone = client();
    ASSERT_TRUE(gone.send(read_after(position(), 60'000)).has_value());
  }
  Client waits = client();
  ASSERT_TRUE(waits.send(read_after(position(), 600'000)).has_value());
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
  EXPECT_EQ(daemon_pid(), before);
  const auto woken = next_groups(waits);
  ASSERT_TRUE(waits.send(read_after(position(), 600'000)).has_value());
  const auto begun = steady_clock::now();
  stop_daemon();
  EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(30));
  bool is_over = false;
  for (int i = 0; i < 10 && !is_over; ++i) is_over = !waits.receive(std::chrono::seconds(60)).has_value();
  EXPECT_TRUE(is_over) << "the daemon closed the connection";
  EXPECT_FALSE(woken.groups.empty());
}

}  // namespace
}  // namespace luzia
