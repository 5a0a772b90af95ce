// Questions that no thread waits for: each is answered once, in order, or handed back when the daemon goes.
#include "tools/luzia-web/daemon_lines.h"

#include <uv.h>

#include "tests/adapters/socket/echo_server.h"

namespace luzia::web {
namespace {

class Lines : public Server {
 protected:
  Lines() { uv_loop_init(&loop_); }
  ~Lines() override {
    lines_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "handles were left open";
  }

  void begin() {
    lines_.emplace(door_, [this](int descriptor, std::function<void()> readable) {
      return std::make_unique<DescriptorWatch>(&loop_, descriptor, std::move(readable));
    });
  }
  /// Leaves a connection behind, as the first read of a device does.
  void connect(const std::string& device) { ASSERT_TRUE(door_.ask_as(device, ping())); }

  void ask(const std::string& device, int number) {
    lines_->ask(device, view_query(wire::View::jobs), [this, number](std::optional<Result<RowPage>> page) {
      (page ? answered_ : handed_back_).push_back(number);
      if (page) last_ = std::move(*page);
    });
  }
  template <class Condition>
  void run_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (!condition() && std::chrono::steady_clock::now() < deadline) uv_run(&loop_, UV_RUN_NOWAIT);
    EXPECT_TRUE(condition());
  }
  static std::vector<int> numbers_to(int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
  }

  uv_loop_t loop_{};
  DaemonDoor door_{path_};
  std::optional<DaemonLines> lines_;
  std::vector<int> answered_, handed_back_;
  Result<RowPage> last_ = RowPage();
};

TEST_F(Lines, WithoutAKeptConnectionAWorkerAsks) {
  EchoServer server(path_);
  begin();
  EXPECT_FALSE(lines_->can_ask("d-1"));
  connect("d-1");
  EXPECT_FALSE(lines_->can_ask("d-2")) << "no device gets the connection of another";
  EXPECT_TRUE(lines_->can_ask("d-1"));
  EXPECT_EQ(door_.kept(), 0U);
}

TEST_F(Lines, ThousandQuestionsAtOnceAreAnsweredInOrder) {
  constexpr int kQuestions = 1'000;
  EchoServer server(path_);
  server.answers_rows_ = true;
  begin();
  connect("d-1");
  for (int i = 0; i < kQuestions; ++i) {
    ASSERT_TRUE(lines_->can_ask("d-1"));
    ask("d-1", i);
  }
  EXPECT_TRUE(answered_.empty()) << "later, not within ask()";
  run_until([&] { return answered_.size() == kQuestions; });
  EXPECT_EQ(answered_, numbers_to(kQuestions));
  EXPECT_TRUE(server.eventually([&] { return server.opened_ == 1; }));
}

TEST_F(Lines, TooManyQuestionsAreLeftToOthers) {
  EchoServer server(path_);
  server.answers_rows_ = true;
  server.to_hold_ = 1 << 20;
  begin();
  // Answered before it holds back anything.
  auto client = door_.connect_as("d-1");
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->flush());
  door_.keep("d-1", std::move(*client));
  int asked = 0;
  while (asked < 10'000 && lines_->can_ask("d-1")) ask("d-1", asked++);
  EXPECT_EQ(static_cast<std::size_t>(asked), DaemonLines::kMostSent + DaemonLines::kMostWaiting);
}

TEST_F(Lines, DaemonThatEndsHandsAllQuestionsBack) {
  constexpr int kQuestions = 100;
  begin();
  {
    EchoServer server(path_);
    server.answers_rows_ = true;
    server.to_hold_ = 1 << 20;
    auto client = door_.connect_as("d-1");
    ASSERT_TRUE(client);
    ASSERT_TRUE(client->flush());
    door_.keep("d-1", std::move(*client));
    ASSERT_TRUE(lines_->can_ask("d-1"));
    for (int i = 0; i < kQuestions; ++i) ask("d-1", i);
    ASSERT_TRUE(server.eventually([&] { return server.received_ > 1; }));
  }
  run_until([&] { return handed_back_.size() == kQuestions; });
  EXPECT_EQ(handed_back_, numbers_to(kQuestions));
  EXPECT_TRUE(answered_.empty());
  EXPECT_EQ(lines_->lines(), 0U);
}

TEST_F(Lines, DaemonThatEndsWithinAnAnswerHandsTheQuestionBack) {
  begin();
  {
    EchoServer server(path_);
    server.answers_rows_ = true;
    server.reply_bytes_ = 8 << 20;
    connect("d-1");
    // connect() leaves no connection with large buffers.
    auto client = door_.connect_as("d-1");
    ASSERT_TRUE(client);
    ASSERT_TRUE(client->flush());
    door_.keep("d-1", std::move(*client));
    ASSERT_TRUE(lines_->can_ask("d-1"));
    ask("d-1", 0);
    ASSERT_TRUE(server.eventually([&] { return server.received_ == 4; }));
  }
  run_until([&] { return handed_back_.size() == 1; });
  EXPECT_TRUE(answered_.empty()) << "a part of it is no answer";
}

TEST_F(Lines, AnswerOfSixteenMebibytesArrivesWhole) {
  EchoServer server(path_);
  server.answers_rows_ = true;
  server.reply_bytes_ = (16 << 20) - 1'024;
  begin();
  auto client = door_.connect_as("d-1");
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->flush());
  door_.keep("d-1", std::move(*client));
  ASSERT_TRUE(lines_->can_ask("d-1"));
  ask("d-1", 0);
  run_until([&] { return answered_.size() == 1; });
  ASSERT_TRUE(last_);
  EXPECT_EQ(last_->rows.front().size(), server.reply_bytes_);
  EXPECT_EQ(lines_->lines(), 0U) << "its buffers are large";
}

TEST_F(Lines, RefusalIsAnAnswer) {
  EchoServer server(path_);
  server.refuses_ = true;
  begin();
  auto client = door_.connect_as("d-1");
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->flush());
  door_.keep("d-1", std::move(*client));
  ASSERT_TRUE(lines_->can_ask("d-1"));
  ask("d-1", 0);
  run_until([&] { return answered_.size() == 1; });
  ASSERT_FALSE(last_);
  EXPECT_EQ(last_.error().code, "not_today");
  EXPECT_EQ(lines_->lines(), 1U);
}

TEST_F(Lines, SilentDaemonHandsQuestionsBackAndUnusedLinesClose) {
  EchoServer server(path_);
  server.answers_rows_ = true;
  begin();
  connect("d-1");
  const auto now = DaemonLines::Clock::now();
  ASSERT_TRUE(lines_->can_ask("d-1", now));
  lines_->tick(now + DaemonLines::kMostIdle - 1s);
  EXPECT_EQ(lines_->lines(), 1U);
  ask("d-1", 0);  // answered, but nobody has looked yet
  lines_->tick(DaemonLines::Clock::now() + DaemonLines::kPatience + 1s);
  EXPECT_EQ(handed_back_, numbers_to(1));
  EXPECT_EQ(lines_->lines(), 0U);
  connect("d-1");
  ASSERT_TRUE(lines_->can_ask("d-1", now));
  lines_->tick(now + DaemonLines::kMostIdle + 1s);
  EXPECT_EQ(lines_->lines(), 0U);
}

TEST_F(Lines, LinesAreFewAndTheOldestMakesRoom) {
  EchoServer server(path_);
  server.answers_rows_ = true;
  begin();
  for (std::size_t i = 0; i < DaemonLines::kMostLines + 4; ++i) {
    const std::string device = "d-" + std::to_string(i);
    connect(device);
    EXPECT_TRUE(lines_->can_ask(device));
  }
  EXPECT_EQ(lines_->lines(), DaemonLines::kMostLines);
  EXPECT_FALSE(lines_->can_ask("d-0"));
}

}  // namespace
}  // namespace luzia::web
