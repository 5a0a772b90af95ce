#include "tools/luzia/person.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>

#include "projections/rows/row_bytes.h"
#include "tests/scratch.h"
#include "tests/tools/luzia/recording_daemon.h"

namespace luzia {
namespace {

constexpr const char* kJob = "0kx8aaaaaaaaa";

wire::ReplyUnion question_row(view::QuestionState state) {
  view::QuestionT row;
  row.id = "q-1";
  row.job = kJob;
  row.state = state;
  row.answer = state == view::QuestionState::answered ? "staging" : "";
  const std::string bytes = row_bytes(row);
  wire::RowsT rows;
  rows.type = wire::RowType::question;
  rows.rows.push_back(std::make_unique<wire::RowT>());
  rows.rows.back()->data.assign(bytes.begin(), bytes.end());
  return reply_of(std::move(rows));
}

std::vector<wire::ReplyUnion> taken_and_answered(const wire::ClientFrameT& frame) {
  return frame.request.AsAwaitInput() != nullptr ? std::vector{question_row(view::QuestionState::answered)}
                                                 : std::vector{accepted({"q-1"})};
}

wire::AskQuestionT question() {
  wire::AskQuestionT request;
  request.job = kJob;
  request.question = "Where?";
  return request;
}

Result<view::QuestionT> ask_person(DaemonLink& link, wire::AskQuestionT request) {
  const auto put = put_question(link, std::move(request));
  return put ? await_question(link, *put) : tl::unexpected(put.error());
}

class Person : public ScratchTest {
 protected:
  Person() {
    for (const char* name : {"LUZIA_JOB_ID", "LUZIA_ATTEMPT"}) ::unsetenv(name);
  }
  ~Person() override {
    for (const char* name : {"LUZIA_JOB_ID", "LUZIA_ATTEMPT"}) ::unsetenv(name);
  }
  DaemonLink link() const {
    return DaemonLink([this] { return Client::connect(scratch_ + "/socket"); });
  }
};

TEST_F(Person, AskingSendsCommandWaitAndDelivery) {
  RecordingDaemon daemon(scratch_, taken_and_answered);
  DaemonLink daemon_link = link();
  const auto row = ask_person(daemon_link, question());
  ASSERT_TRUE(row.has_value()) << row.error().message;
  EXPECT_EQ(row->answer, "staging");
  ASSERT_EQ(daemon.requests().size(), 2u);
  EXPECT_EQ(daemon.requests()[1]->request.AsAwaitInput()->id, "q-1");
  EXPECT_EQ(daemon.requests()[1]->request.AsAwaitInput()->timeout_ms, 0u);
  EXPECT_TRUE(confirm_delivery(daemon_link, {kJob, "q-1"}).has_value());
  const auto* said = daemon.requests().back()->request.AsConfirmDelivery();
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->id + " " + said->channel, "q-1 client");
}

TEST_F(Person, LostCommandIsRepeatedAndTheWaitContinues) {
  int asked = 0, awaited = 0;
  RecordingDaemon daemon(scratch_, [&](const wire::ClientFrameT& frame) {
    const bool awaits = frame.request.AsAwaitInput() != nullptr;
    const bool lost = awaits ? ++awaited < 4 : ++asked < 3;
    return lost ? std::vector<wire::ReplyUnion>() : taken_and_answered(frame);
  });
  DaemonLink daemon_link = link();
  const auto row = ask_person(daemon_link, question());
  ASSERT_TRUE(row.has_value()) << row.error().message;
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(awaited, 4);
  const auto requests = daemon.requests();
  const std::string id = requests[0]->request.AsAskQuestion()->command_id;
  EXPECT_FALSE(id.empty());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(requests[i]->request.AsAskQuestion()->command_id, id);
}

TEST_F(Person, RestartingDaemonIsAskedAgain) {
  int seen = 0;
  RecordingDaemon daemon(scratch_, [&](const wire::ClientFrameT& frame) {
    return ++seen % 2 == 1 ? std::vector{refused("commit_failed", ErrorKind::trouble)}
                           : taken_and_answered(frame);
  });
  DaemonLink daemon_link = link();
  EXPECT_EQ(ask_person(daemon_link, question())->answer, "staging");
  EXPECT_EQ(seen, 4);
}

TEST_F(Person, WaitContinuesWithoutADaemon) {
  RecordingDaemon daemon(scratch_, taken_and_answered);
  int ticks = 0, knocks = 0;
  DaemonLink daemon_link([&]() -> Result<Client> {
    ++knocks;
    if (ticks < 3) return fail(ErrorKind::trouble, "no_daemon", "none");
    return Client::connect(scratch_ + "/socket");
  });
  Patience patience;
  patience.tick = std::chrono::milliseconds(5);
  patience.on_tick = [&] { ++ticks; };
  const auto row = await_question(daemon_link, {kJob, "q-1"}, patience);
  ASSERT_TRUE(row.has_value()) << row.error().message;
  EXPECT_GE(ticks, 3);
  EXPECT_GE(knocks, 2);
}

TEST_F(Person, LocalTimeoutLeavesTheQuestionOpen) {
  RecordingDaemon daemon(scratch_,
                         [](const auto&) { return std::vector{question_row(view::QuestionState::open)}; });
  DaemonLink daemon_link = link();
  Patience patience;
  patience.timeout = std::chrono::milliseconds(1'500);
  const auto row = await_question(daemon_link, {kJob, "q-1"}, patience);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->state, view::QuestionState::open);
  ASSERT_EQ(daemon.requests().size(), 1u);
  const std::uint64_t asked_for = daemon.requests()[0]->request.AsAwaitInput()->timeout_ms;
  EXPECT_GT(asked_for, 0u);
  EXPECT_LE(asked_for, 1'500u);
}

TEST_F(Person, SignalEndsTheWait) {
  const int stop = ::eventfd(1, EFD_CLOEXEC);
  DaemonLink nobody([]() -> Result<Client> { return fail(ErrorKind::trouble, "no_daemon", "none"); });
  Patience patience;
  patience.stop_fd = stop;
  EXPECT_EQ(await_question(nobody, {kJob, "q-1"}, patience).error().code, "interrupted");
  EXPECT_EQ(put_question(nobody, question(), stop).error().code, "interrupted");
  ::close(stop);
}

TEST_F(Person, DaemonsRefusalIsShown) {
  RecordingDaemon daemon(
      scratch_, [](const auto&) { return std::vector{refused("no_such_question", ErrorKind::not_found)}; });
  DaemonLink daemon_link = link();
  EXPECT_EQ(await_question(daemon_link, {kJob, "q-1"}).error().code, "no_such_question");
  EXPECT_EQ(put_question(daemon_link, question()).error().kind, ErrorKind::not_found);
  EXPECT_EQ(daemon.requests().size(), 2u);
}

TEST_F(Person, JobAndAttemptComeFromTheEnvironment) {
  RecordingDaemon daemon(scratch_, taken_and_answered);
  DaemonLink daemon_link = link();
  wire::AskQuestionT request;
  request.question = "Where?";
  EXPECT_EQ(put_question(daemon_link, request).error().code, "no_job");
  ::setenv("LUZIA_JOB_ID", kJob, 1);
  ::setenv("LUZIA_ATTEMPT", "3", 1);
  ASSERT_TRUE(put_question(daemon_link, request).has_value());
  EXPECT_EQ(daemon.requests()[0]->request.AsAskQuestion()->job, kJob);
  EXPECT_EQ(daemon.requests()[0]->request.AsAskQuestion()->attempt, 3u);
  request.job = "0kx8bbbbbbbbb";
  ASSERT_TRUE(put_question(daemon_link, request).has_value());
  EXPECT_EQ(daemon.requests()[1]->request.AsAskQuestion()->attempt, 0u)
      << "attempts of another job do not match";
}

TEST_F(Person, InvalidAttemptVariableIsAnError) {
  RecordingDaemon daemon(scratch_, taken_and_answered);
  DaemonLink daemon_link = link();
  ::setenv("LUZIA_JOB_ID", kJob, 1);
  for (const char* attempt : {"two", "3x", "-1", " 3"}) {
    ::setenv("LUZIA_ATTEMPT", attempt, 1);
    const auto put = put_question(daemon_link, question());
    ASSERT_FALSE(put.has_value()) << attempt;
    EXPECT_EQ(put.error().code, "bad_value");
    EXPECT_EQ(put.error().message,
              "$LUZIA_ATTEMPT: '" + std::string(attempt) + "' is not a whole number from 0");
  }
  EXPECT_TRUE(daemon.requests().empty());
}

}  // namespace
}  // namespace luzia
