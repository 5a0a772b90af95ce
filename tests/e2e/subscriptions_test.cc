// What a client may keep waiting for, and what it cannot do to the daemon or to other clients.
#include <sys/socket.h>

#include "adapters/socket/client.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

wire::RequestUnion wait_for(const std::string& job) {
  wire::WaitT wait;
  wait.jobs = {job};
  return request_of(std::move(wait));
}

wire::RequestUnion follow() {
  wire::FollowT follow;
  follow.live = true;
  follow.from_now = true;
  return request_of(std::move(follow));
}

class SubscriptionsTest : public DaemonTest {
 protected:
  SubscriptionsTest() { start_daemon(); }
  Client client() const { return std::move(Client::connect(store() + "/socket").value()); }
  /// The code of the next refusal.
  static std::string refusal(Client& client) {
    while (true) {
      const auto frame = client.receive(std::chrono::seconds(60));
      if (!frame || *frame == nullptr) return frame ? "nothing" : frame.error().code;
      if (const auto* refused = (*frame)->reply_as_Refused()) return refused->code()->str();
    }
  }
};

TEST_F(SubscriptionsTest, ConnectionHasALimitOfWaits) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  Client greedy = client();
  for (int i = 0; i < 1001; ++i) ASSERT_TRUE(greedy.post(wait_for(id)).has_value());
  EXPECT_EQ(refusal(greedy), "too_many_subscriptions");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed") << "others are served";
  int answers = 0;
  while (answers < 1000) {
    const auto frame = greedy.receive(std::chrono::seconds(60));
    ASSERT_TRUE(frame.has_value() && *frame != nullptr) << "after " << answers;
    ASSERT_NE((*frame)->reply_as_Rows(), nullptr);
    ++answers;
  }
}

TEST_F(SubscriptionsTest, HalfClosedClientGetsItsReplyLater) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  Client half_closed = client();
  ASSERT_TRUE(half_closed.send(wait_for(id)).has_value());
  ::shutdown(half_closed.fd(), SHUT_WR);
  luzia({"jobs"});  // the daemon has processed it
  write_text(project() + "/go", "");
  bool answered = false;
  while (!answered) {
    const auto frame = half_closed.receive(std::chrono::seconds(60));
    ASSERT_TRUE(frame.has_value() && *frame != nullptr) << (frame ? "nothing" : frame.error().message);
    answered = (*frame)->reply_as_Rows() != nullptr;
  }
  const auto end = half_closed.receive(std::chrono::seconds(60));
  EXPECT_FALSE(end.has_value()) << "the daemon closes it then";
}

TEST_F(SubscriptionsTest, LogIsVerifiedOnceAtATime) {
  dispatch("echo something to verify");
  wire::ControlT verify;
  verify.action = wire::ControlAction::verify;
  Client twice = client();
  ASSERT_TRUE(twice.post(request_of(verify)).has_value());
  ASSERT_TRUE(twice.post(request_of(verify)).has_value());
  EXPECT_EQ(refusal(twice), "verify_running");
  bool verified = false;
  while (!verified) {
    const auto frame = twice.receive(std::chrono::seconds(60));
    ASSERT_TRUE(frame.has_value() && *frame != nullptr);
    ASSERT_EQ((*frame)->reply_as_Refused(), nullptr) << "the first goes on";
    verified = (*frame)->reply_as_Progressed() != nullptr && (*frame)->reply_as_Progressed()->last();
  }
  expect_verified();
}

TEST_F(SubscriptionsTest, DuplicateIdOfARunningRequestIsRefused) {
  Client client_of_one_id = client();
  ASSERT_TRUE(client_of_one_id.flush().has_value());
  wire::ClientFrameT frame;
  frame.id = 7;
  frame.request = follow();
  const std::string bytes = encode(frame) + encode(frame);
  ASSERT_EQ(::send(client_of_one_id.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(refusal(client_of_one_id), "id_in_use");
}

}  // namespace
}  // namespace luzia
