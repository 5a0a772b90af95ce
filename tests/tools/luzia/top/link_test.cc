// The connection of luzia top to its daemon: when it asks for what, and how a command survives a lost
// connection.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <future>

#include "projections/query.h"
#include "tests/scratch.h"
#include "tests/tools/luzia/recording_daemon.h"
#include "tests/tools/luzia/top/top_world.h"
#include "tools/luzia/look/top/feed.h"

namespace luzia {
namespace {

class TopLinkTest : public ScratchTest {
 protected:
  TopLinkTest() { ::unsetenv("LUZIA_JOB_ID"); }
  TopLink link() const {
    return TopLink([path = scratch_ + "/socket"] { return Client::connect(path); }, {});
  }

  /// The replies of a daemon with one running job.
  static std::vector<wire::ReplyUnion> usual(const wire::ClientFrameT& frame) {
    if (const auto* query = frame.request.AsQuery()) {
      if (query->view == wire::View::overview) {
        return {job_rows({top_job("aaaa", schema::JobState::running)})};
      }
      return {job_rows({})};
    }
    if (frame.request.AsFollow() != nullptr) return {reply_of(wire::EventsT())};
    if (frame.request.AsTail() != nullptr) {
      wire::OutputT output;
      const std::string bytes = "one\ntwo\n";
      output.data.assign(bytes.begin(), bytes.end());
      return {reply_of(std::move(output))};
    }
    return {accepted({"aaaa"})};
  }

  /// Takes news until the condition holds, with a generous deadline. Returns everything that came.
  static TopLink::News until(TopLink& link, const std::function<bool(const TopLink::News&)>& holds) {
    TopLink::News all;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      auto news = link.take();
      if (!news) {
        ADD_FAILURE() << news.error().message;
        return all;
      }
      all.changed = all.changed || news->changed;
      if (news->overview) all.overview = news->overview;
      if (news->detail) all.detail = news->detail;
      if (!news->said.empty()) all.said = news->said;
      if (holds(all)) return all;
      if (link.is_away()) {
        link.try_again();
      } else {
        pollfd readable{link.fd(), POLLIN, 0};
        ::poll(&readable, 1, 1'000);
      }
    }
    ADD_FAILURE() << "nothing like that came";
    return all;
  }

  static std::size_t count(const RecordingDaemon& daemon, wire::Request kind) {
    const auto requests = daemon.requests();
    return static_cast<std::size_t>(std::count_if(
        requests.begin(), requests.end(), [&](const auto& frame) { return frame->request.type == kind; }));
  }
};

TEST_F(TopLinkTest, AsksOnceThenFollows) {
  RecordingDaemon daemon(scratch_, usual);
  TopLink link = this->link();
  link.try_again();
  const auto news = until(link, [](const auto& all) { return all.overview != nullptr; });
  ASSERT_EQ(news.overview->jobs.size(), 1u);
  EXPECT_EQ(text(news.overview->jobs.front()->id()), "aaaa");
  EXPECT_FALSE(link.is_asking());
  const std::size_t asked = count(daemon, wire::Request::Query);
  EXPECT_EQ(count(daemon, wire::Request::Follow), 1u);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(link.take().has_value());
  EXPECT_EQ(count(daemon, wire::Request::Query), asked) << "nothing has changed";
  link.ask();
  until(link, [](const auto& all) { return all.overview != nullptr; });
  EXPECT_EQ(count(daemon, wire::Request::Query), 2 * asked);
}

TEST_F(TopLinkTest, NewsIsShownAfterAShortDelay) {
  RecordingDaemon daemon(scratch_, usual);
  TopFeed feed(link());
  feed.link().try_again();
  const auto drawn = TopFeed::Clock::now();
  feed.drawn(drawn);
  EXPECT_EQ(feed.next_draw(), drawn + kTopTick);
  while (feed.model().rows().is_empty()) {
    ASSERT_EQ(feed.next_draw(), drawn + kTopTick) << "there is nothing to show yet";
    pollfd readable{feed.link().fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&readable, 1, 60'000), 1);
    ASSERT_TRUE(feed.take_news(drawn, kTopNow).has_value());
  }
  EXPECT_EQ(feed.next_draw(), drawn + kShortestTopGap);
  EXPECT_EQ(feed.next_step(), feed.next_draw());
}

TEST_F(TopLinkTest, SelectionThatMovedOnTakesKeysAfterAPause) {
  TopFeed feed(link());
  TopWorld gates, decided;
  gates.add(top_flow_gate("ship it", "deploy"));
  for (TopWorld* each : {&gates, &decided}) each->add(top_flow_gate("tell", "mail"));
  feed.model().take(gates.snapshot(), kTopNow);
  for (const char* key : {"a", "y"}) feed.model().press({KeyCode::text, key}, 2);
  feed.model().take(decided.snapshot(), kTopNow);
  const auto shown = TopFeed::Clock::now() + 10 * kTopSettle;
  ASSERT_TRUE(feed.take_news(shown, kTopNow).has_value());
  EXPECT_TRUE(feed.model().has_moved_on()) << "it was not shown yet";
  feed.drawn(shown);
  feed.pressed(shown + kTopSettle / 2);
  ASSERT_TRUE(feed.take_news(shown + kTopSettle, kTopNow).has_value());
  EXPECT_TRUE(feed.model().has_moved_on()) << "a key came";
  ASSERT_TRUE(feed.take_news(shown + 2 * kTopSettle, kTopNow).has_value());
  EXPECT_FALSE(feed.model().has_moved_on());
}

TEST_F(TopLinkTest, AsksForMoreOfALongQueue) {
  RecordingDaemon daemon(scratch_, usual);
  TopLink link = this->link();
  link.try_again();
  until(link, [](const auto& all) { return all.overview != nullptr; });
  int asked = 0;
  for (const auto& frame : daemon.requests()) {
    const auto* query = frame->request.AsQuery();
    asked += query != nullptr && query->view == wire::View::overview && query->long_queue ? 1 : 0;
  }
  EXPECT_EQ(asked, 1);
}

TEST_F(TopLinkTest, LostCommandIsRepeatedWithItsCommandId) {
  std::atomic<int> commands = 0;
  RecordingDaemon daemon(scratch_, [&](const wire::ClientFrameT& frame) {
    const bool lost = frame.request.AsActOnJobs() != nullptr && ++commands == 1;
    return lost ? std::vector<wire::ReplyUnion>{} : usual(frame);
  });
  TopLink link = this->link();
  link.try_again();
  link.carry_out({TopAction::Kind::cancel, "aaaa", {}, {}});
  const auto news = until(link, [](const auto& all) { return all.said == "cancelling aaaa"; });
  std::vector<std::string> ids;
  for (const auto& frame : daemon.requests()) {
    if (const auto* act = frame->request.AsActOnJobs()) ids.push_back(act->command_id);
  }
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_FALSE(ids[0].empty());
}

TEST_F(TopLinkTest, RefusedCommandIsReported) {
  RecordingDaemon daemon(scratch_, [](const wire::ClientFrameT& frame) {
    return frame.request.AsAnswerQuestion() != nullptr
               ? std::vector{refused("already_answered", ErrorKind::refused)}
               : usual(frame);
  });
  TopLink link = this->link();
  link.try_again();
  link.carry_out({TopAction::Kind::answer, "aaaa", "q-1", "2"});
  EXPECT_EQ(until(link, [](const auto& all) { return !all.said.empty(); }).said, "the daemon says no");
}

TEST_F(TopLinkTest, FlowGateIsDecidedThroughItsStep) {
  RecordingDaemon daemon(scratch_, usual);
  TopLink link = this->link();
  link.try_again();
  link.carry_out({TopAction::Kind::deny, "f-1/ship it", "f-1/ship it", {}});
  until(link, [](const auto& all) { return all.said == "denied"; });
  std::size_t commands = 0;
  for (const auto& frame : daemon.requests()) {
    const auto* act = frame->request.AsActOnFlow();
    if (act == nullptr) continue;
    ++commands;
    EXPECT_EQ(act->action, wire::FlowAction::deny_gate);
    EXPECT_EQ(act->flow, "f-1");
    EXPECT_EQ(act->step, "ship it");
  }
  EXPECT_EQ(commands, 1U);
}

TEST_F(TopLinkTest, JobViewFollowsItsOutput) {
  RecordingDaemon daemon(scratch_, usual);
  TopLink link = this->link();
  link.try_again();
  link.show_detail("aaaa");
  const auto news = until(link, [](const auto& all) { return all.detail && !all.detail->output.empty(); });
  EXPECT_EQ(news.detail->job, "aaaa");
  EXPECT_EQ(news.detail->output, "one\ntwo\n");
  link.show_detail("");
  until(link, [&](const auto&) { return count(daemon, wire::Request::Forget) == 1; });
}

TEST_F(TopLinkTest, RequestsStayWithinLimits) {
  RecordingDaemon daemon(scratch_, usual);
  TopLink link([path = scratch_ + "/socket"] { return Client::connect(path); }, {},
               {.output_lines = 7, .history = 3});
  link.try_again();
  link.show_detail("aaaa");
  until(link, [](const auto& all) { return all.detail && !all.detail->output.empty(); });
  std::int64_t lines = 0;
  std::uint32_t ended = 0;
  for (const auto& frame : daemon.requests()) {
    if (const auto* tail = frame->request.AsTail()) lines = tail->last_lines;
    const auto* query = frame->request.AsQuery();
    if (query != nullptr && query->view == wire::View::overview) ended = query->limit;
  }
  EXPECT_EQ(lines, 7);
  EXPECT_EQ(ended, 3U);
}

TEST_F(TopLinkTest, SearchIncludesMoreEndedJobs) {
  RecordingDaemon daemon(scratch_, usual);
  TopLink link = this->link();
  link.try_again();
  until(link, [](const auto& all) { return all.overview != nullptr; });
  const auto last_limit = [&] {
    std::uint32_t limit = 0;
    for (const auto& frame : daemon.requests()) {
      const auto* query = frame->request.AsQuery();
      if (query != nullptr && query->view == wire::View::overview) limit = query->limit;
    }
    return limit;
  };
  EXPECT_EQ(last_limit(), 20U);
  EXPECT_TRUE(link.look_further(true));
  EXPECT_FALSE(link.look_further(true)) << "that many are requested already";
  link.ask();
  until(link, [](const auto& all) { return all.overview != nullptr; });
  EXPECT_EQ(last_limit(), 500U);
  EXPECT_TRUE(link.look_further(false));
  link.ask();
  until(link, [](const auto& all) { return all.overview != nullptr; });
  EXPECT_EQ(last_limit(), 20U);
}

TEST_F(TopLinkTest, ReportsAMissingDaemonAndReconnects) {
  std::optional<RecordingDaemon> daemon;
  daemon.emplace(scratch_, usual);
  TopLink link = this->link();
  link.try_again();
  until(link, [](const auto& all) { return all.overview != nullptr; });
  daemon.reset();
  while (!link.is_away()) ASSERT_TRUE(link.take().has_value());
  link.try_again();
  EXPECT_TRUE(link.is_away());
  EXPECT_EQ(link.fd(), -1);
  daemon.emplace(scratch_, usual);
  EXPECT_NE(until(link, [](const auto& all) { return all.overview != nullptr; }).overview, nullptr);
}

TEST_F(TopLinkTest, HangingDaemonIsReportedWithinSeconds) {
  std::promise<void> goes_on;
  const std::shared_future<void> hangs = goes_on.get_future().share();
  std::atomic<bool> hanging = false;
  RecordingDaemon daemon(scratch_, [&](const wire::ClientFrameT& frame) {
    if (hanging) hangs.wait();
    return usual(frame);
  });
  TopFeed feed(link());
  feed.link().try_again();
  auto now = TopFeed::Clock::now();
  while (feed.model().rows().is_empty() || feed.link().is_waiting()) {
    pollfd readable{feed.link().fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&readable, 1, 60'000), 1);
    ASSERT_TRUE(feed.take_news(now, kTopNow).has_value());
  }
  EXPECT_EQ(feed.model().message(), "");
  hanging = true;
  for (const auto later = now + kTopProbeEvery + kTopSilence + kTopTick; now < later; now += kTopTick) {
    ASSERT_TRUE(feed.take_news(now + kTopTick, kTopNow).has_value());
  }
  EXPECT_THAT(feed.model().message(), testing::HasSubstr("has not answered for"));
  hanging = false;
  goes_on.set_value();
  pollfd readable{feed.link().fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&readable, 1, 60'000), 1);
  ASSERT_TRUE(feed.take_news(now, kTopNow).has_value());
  EXPECT_EQ(feed.model().message(), "") << "it answers again";
}

TEST_F(TopLinkTest, DeniedAccessIsExplained) {
  RecordingDaemon daemon(scratch_, [](const wire::ClientFrameT&) {
    return std::vector{refused("not_allowed", ErrorKind::refused)};
  });
  TopLink link = this->link();
  link.try_again();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  auto news = link.take();
  while (news && std::chrono::steady_clock::now() < deadline) news = link.take();
  ASSERT_FALSE(news.has_value());
  EXPECT_EQ(news.error().code, "not_allowed");
}

}  // namespace
}  // namespace luzia
