// The feed of events: the first one at once, many together, each once and in order.
#include "tools/luzia-web/feed.h"

#include <condition_variable>
#include <mutex>

#include "tests/engine/log/log_events.h"
#include "tests/scratch.h"
#include "tests/tools/luzia_query/fake_daemon.h"

namespace luzia::web {
namespace {

constexpr std::chrono::minutes kFeedPatience{2};

wire::ReplyUnion events_reply(Position position) {
  const std::string event = luzia::test::encoded_event(position);
  wire::EventsT events;
  events.position = position;
  auto row = std::make_unique<wire::RowT>();
  row->data.assign(event.begin(), event.end());
  events.events.push_back(std::move(row));
  return luzia::test::reply(std::move(events));
}

/// Collects what a feed delivers.
class Delivered {
 public:
  void take(Batch batch) {
    const std::lock_guard lock(mutex_);
    batches_.push_back(std::move(batch));
    changed_.notify_all();
  }
  bool reach(Position position) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kFeedPatience,
                             [&] { return !batches_.empty() && batches_.back().position >= position; });
  }
  std::vector<Batch> batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Batch> batches_;
};

class FeedTest : public ScratchTest {
 protected:
  std::string socket() const { return scratch_ + "/socket"; }

  Delivered delivered_;
};

/// A daemon at position 7 that answers a subscription with these frames.
luzia::test::FakeDaemon::Handler daemon_with(Position last) {
  return [last](const wire::ClientFrame& frame) {
    luzia::test::FakeDaemon::Answer answer;
    if (frame.request_type() == wire::Request::Control) {
      wire::WelcomeT welcome;
      welcome.protocol = kProtocolVersion;
      welcome.position = 7;
      answer.replies.push_back(luzia::test::reply(std::move(welcome)));
    } else {
      EXPECT_EQ(frame.request_as_Follow()->since(), 7U);
      for (Position position = 8; position <= last; ++position)
        answer.replies.push_back(events_reply(position));
    }
    return answer;
  };
}

TEST_F(FeedTest, AnEventAfterARestIsDeliveredAtOnce) {
  luzia::test::FakeDaemon daemon(socket(), daemon_with(8));
  const DaemonDoor door(socket());
  Feed feed(door, {}, [this](Batch batch) { delivered_.take(std::move(batch)); });
  ASSERT_TRUE(delivered_.reach(8));
  const auto batches = delivered_.batches();
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].position, 7U);
  ASSERT_EQ(batches[1].blocks.size(), 1U);
  EXPECT_EQ(batches[1].after, 7U);
}

TEST_F(FeedTest, ManyEventsAreDeliveredTogetherEachOnce) {
  constexpr Position kLast = 3'007;
  constexpr std::int64_t kCollectMs = 10;
  luzia::test::FakeDaemon daemon(socket(), daemon_with(kLast));
  const DaemonDoor door(socket());
  const auto begun = std::chrono::steady_clock::now();
  Feed feed(door, {}, [this](Batch batch) { delivered_.take(std::move(batch)); });
  ASSERT_TRUE(delivered_.reach(kLast));
  const auto took = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  Position position = 7;
  std::size_t bytes = 0;
  const auto batches = delivered_.batches();
  for (const Batch& batch : batches) {
    EXPECT_EQ(batch.after, position);
    for (const Block& block : batch.blocks) {
      EXPECT_EQ(block.position, ++position);
      bytes += block.text->size();
    }
    EXPECT_EQ(batch.position, position);
  }
  EXPECT_EQ(position, kLast);
  // By time, or because much was collected.
  const auto most = static_cast<std::size_t>(took.count() / kCollectMs) + bytes / (256 << 10) + 3;
  EXPECT_LE(batches.size(), most);
}

}  // namespace
}  // namespace luzia::web
