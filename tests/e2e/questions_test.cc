// Agents' questions to people, with real processes: asked by `luzia ask` in a job, answered by `luzia answer`
// outside.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "adapters/socket/client.h"
#include "tests/e2e/daemon_fixture.h"
#include "view.fb.h"

namespace luzia {
namespace {

class QuestionsTest : public DaemonTest {
 protected:
  /// A job that asks and writes the reply to `heard` and the exit code to `code`.
  std::string asking(const std::string& ask) const {
    return dispatch(kLuzia + " ask " + ask + " > heard 2> said; echo $? > code");
  }
  std::string heard() const { return read_text(project() + "/heard"); }
  std::string said() const { return read_text(project() + "/said"); }
  std::string code() const { return read_text(project() + "/code"); }
  /// Waits until the job has asked that many times and returns the id of the last question.
  Finished answer(const Words& words) const {
    Words all = {"answer"};
    all.insert(all.end(), words.begin(), words.end());
    return luzia(all);
  }
};

TEST_F(QuestionsTest, WatchersSeeTheQuestionAndItsOutcome) {
  const std::string job = dispatch(kLuzia + " ask 'Where to?' --options production,staging; exit 3");
  BesideProgram watch({kLuzia, "watch", job}, environment(), path("watched"));
  EXPECT_TRUE(wait_until([&] {
    return watch.output().find(job + " asks: Where to? (1 production, 2 staging)") != std::string::npos;
  }));
  EXPECT_EQ(answer({job, "1"}).code, 0);
  EXPECT_EQ(watch.end(), 1) << "the same exit code as luzia wait";
  EXPECT_EQ(luzia({"watch", job}).code, 1);
  const std::string good = dispatch("exit 0");
  EXPECT_EQ(luzia({"watch", good}).code, 0);
}

TEST_F(QuestionsTest, ForegroundShowsTheQuestionAndHowToAnswer) {
  BesideProgram person({kLuzia, "demo", kLuzia + " ask 'Where to?' --options production,staging; exit 3",
                        "--agent", "shell", "--fg"},
                       environment(), path("stayed"));
  EXPECT_TRUE(wait_until([&] { return person.output().find("Where to?") != std::string::npos; }));
  const std::string shown = person.output();
  EXPECT_THAT(shown, HasSubstr("1  production"));
  const std::size_t command = shown.find("luzia answer q-");
  ASSERT_NE(command, std::string::npos) << shown;
  const std::string id = shown.substr(command + 13, shown.find(' ', command + 13) - command - 13);
  EXPECT_EQ(answer({id, "staging"}).code, 0);
  EXPECT_EQ(person.end(), 3);
  EXPECT_EQ(person.output().find("Where to?"), person.output().rfind("Where to?")) << "shown once";
}

TEST_F(QuestionsTest, ForegroundShowsWhatAJobLeavesOpen) {
  const Finished left = luzia({"demo",
                               "echo '{\"question\":\"Which way?\"}' > "
                               "\"$LUZIA_JOB_DIR/clarification.json\"; exit 100",
                               "--agent", "shell", "--fg"});
  EXPECT_THAT(left.err, HasSubstr("Which way?"));
  EXPECT_THAT(left.err, HasSubstr("luzia answer q-"));
}

TEST_F(QuestionsTest, ProgramGetsTheFullAnswer) {
  struct Case {
    const char* ask;
    const char* typed;
    const char* heard;
  };
  const std::vector<Case> cases = {{"Where? --options production,staging", "2", "staging"},
                                   {"Where? --options production,staging", "prod", "production"},
                                   {"Which? --option 'a, b' --option c", "a, b", "a, b"},
                                   {"Which? --multi --options a,b,c", "3,a", "a, c"},
                                   {"Sure? --confirm", "y", "yes"},
                                   {"Name? --timeout 1h", "Ada Lovelace", "Ada Lovelace"}};
  std::string script;
  for (const Case& each : cases) script += kLuzia + " ask " + std::string(each.ask) + " >> heard || exit 9\n";
  const std::string id = dispatch(script);
  std::string all;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string question = asked(id, i + 1);
    EXPECT_TRUE(becomes(id, "waiting"));
    const Finished done = answer({id, question, cases[i].typed});
    EXPECT_EQ(done.code, 0) << cases[i].ask << done.err;
    EXPECT_THAT(done.err, HasSubstr(question + " is answered"));
    all += std::string(cases[i].heard) + "\n";
  }
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(), all);
  const auto delivered = events_of(id, "AnswerDelivered");
  ASSERT_EQ(delivered.size(), cases.size());
  EXPECT_EQ(delivered.front()["data"]["channel"], "client");
  EXPECT_EQ(count(id, "QuestionCancelled"), 0U);
  expect_verified();
}

TEST_F(QuestionsTest, QuestionCanBeAnsweredByItsId) {
  const std::string job = dispatch(kLuzia + " ask Where? > heard; " + kLuzia + " ask When? >> heard");
  const std::string first = asked(job);
  EXPECT_EQ(answer({first, first, "here"}).code, 0);
  const std::string second = asked(job, 2);
  const Finished closed = answer({first, "there"});
  EXPECT_EQ(closed.code, 4);
  EXPECT_THAT(closed.err, HasSubstr("was answered by "));
  const Finished unknown = answer({"q-0000000000000", "there"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("no recent question or approval has the id"));
  EXPECT_EQ(luzia({"approve", first}).code, 2) << "it is a question";
  const Finished two = answer({second, first, "now"});
  EXPECT_EQ(two.code, 2);
  EXPECT_THAT(two.err, HasSubstr("both '" + second + "' and '" + first + "' are given"));
  EXPECT_EQ(answer({second, "now", "--command-id", "once"}).code, 0);
  EXPECT_EQ(answer({second, "now", "--command-id", "once"}).code, 0) << "repeated, it has no further effect";
  EXPECT_EQ(ended(job)["state"], "completed");
  EXPECT_EQ(heard(), "here\nnow\n");
}

TEST_F(QuestionsTest, QuestionCanBeCanceledByItsId) {
  const std::string job = dispatch(kLuzia + " ask Where?; exit 0");
  EXPECT_EQ(luzia({"question", "cancel", asked(job)}).code, 0);
  EXPECT_EQ(ended(job)["state"], "completed");
  EXPECT_EQ(count(job, "QuestionCancelled"), 1U);
}

TEST_F(QuestionsTest, AnswerMayComeFromAFileOrStandardInput) {
  const std::string id = dispatch(kLuzia + " ask One? > one; " + kLuzia + " ask Two? > two");
  asked(id);
  write_text(path("answer"), "first\nsecond\n");
  EXPECT_EQ(answer({id, "--file", path("answer")}).code, 0);
  const std::string second = asked(id, 2);
  EXPECT_EQ(luzia({"answer", id, second.substr(0, 6), "-"}, "typed\n").code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/one"), "first\nsecond\n");
  EXPECT_EQ(read_text(project() + "/two"), "typed\n");
}

TEST_F(QuestionsTest, FirstOfManyConcurrentAnswersCounts) {
  const std::string id = asking("Where? --options a,b");
  asked(id);
  std::vector<std::unique_ptr<BesideProgram>> people;
  for (int i = 0; i < 8; ++i) {
    people.push_back(std::make_unique<BesideProgram>(Words{kLuzia, "answer", id, i % 2 == 0 ? "a" : "b"},
                                                     environment(), path("person-" + std::to_string(i))));
  }
  int won = 0;
  std::string winner;
  for (std::size_t i = 0; i < people.size(); ++i) {
    const int ended_with = people[i]->end();
    if (ended_with == 0) {
      ++won;
      winner = i % 2 == 0 ? "a" : "b";
    } else {
      EXPECT_EQ(ended_with, 4);
      EXPECT_THAT(people[i]->output(), HasSubstr("was answered by "));
    }
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(), winner + "\n");
  EXPECT_EQ(count(id, "QuestionAnswered"), 1U);
}

TEST_F(QuestionsTest, RepeatedAnswerCommandCountsOnce) {
  const std::string id = asking("Where?");
  const std::string question = asked(id);
  const Words words = {"answer", id, "here", "--command-id", "x-1"};
  EXPECT_EQ(luzia_json(words)["repeated"], false);
  ended(id);
  const Json again = luzia_json(words);
  EXPECT_EQ(again["repeated"], true);
  EXPECT_EQ(again["id"], question);
}

TEST_F(QuestionsTest, DefaultAnswersAtTheDeadline) {
  const std::string id = asking("Where? --options a,b --timeout 2s --default b");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(), "b\n");
  EXPECT_EQ(code(), "0\n");
  EXPECT_THAT(said(), HasSubstr("using the default"));
  const Finished late = answer({id, "a"});
  EXPECT_EQ(late.code, 4);
  EXPECT_THAT(late.err, HasSubstr("was answered by the default"));
  EXPECT_GE(count(id, "QuestionReminded"), 1U);
}

TEST_F(QuestionsTest, WithoutADefaultTheDeadlineEndsTheJob) {
  const std::string id = asking("Where? --timeout 200ms");
  const Json end = ended(id);
  EXPECT_EQ(end["state"], "failed");
  EXPECT_EQ(end["reason"], "question_unanswered");
  EXPECT_EQ(count(id, "QuestionTimedOut"), 1U);
}

TEST_F(QuestionsTest, WaitSurvivesAKilledDaemon) {
  const std::string id = asking("Where?");
  const std::string question = asked(id);
  for (int i = 0; i < 3; ++i) {
    kill_and_start_daemon();
  }
  EXPECT_EQ(state(id), "waiting");
  EXPECT_EQ(answer({id, question, "here"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(), "here\n");
  EXPECT_EQ(count(id, "QuestionAsked"), 1U);
  EXPECT_EQ(count(id, "AnswerDelivered"), 1U);
  expect_verified();
}

TEST_F(QuestionsTest, DisconnectedProgramGetsItsAnswerLater) {
  const std::string id = asking("Where?");
  asked(id);
  std::vector<pid_t> asking;
  for (const pid_t pid : processes_of(id)) {
    if (read_text("/proc/" + std::to_string(pid) + "/cmdline").find("Where?") != std::string::npos &&
        read_text("/proc/" + std::to_string(pid) + "/comm") == "luzia\n")
      asking.push_back(pid);
  }
  ASSERT_EQ(asking.size(), 1U);
  ::kill(asking.front(), SIGSTOP);
  kill_and_start_daemon();
  EXPECT_EQ(answer({id, "here"}).code, 0);
  kill_and_start_daemon();
  ::kill(asking.front(), SIGCONT);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(), "here\n");
  EXPECT_EQ(count(id, "AnswerDelivered"), 1U);
}

TEST_F(QuestionsTest, KilledDaemonAsksOnce) {
  for (const char* point : {"append.write", "append.written", "append.marked", "commit.tell"}) {
    const std::string gate = project() + "/go";
    write_text(gate, "");
    std::filesystem::remove(gate);
    kill_and_start_daemon();
    const std::string id =
        dispatch("until [ -e go ]; do sleep 0.05; done; exec " + kLuzia + " ask Where? > heard");
    ASSERT_TRUE(becomes(id, "running"));
    kill_daemon();
    // The daemon's own first group is DaemonStarted; the question comes later.
    const FailingDaemon daemon = start_daemon_that_ends_at(std::string(point) + "@2");
    write_text(gate, "");
    EXPECT_TRUE(daemon.pid == 0 || wait_until([&] { return !is_running(daemon.pid); })) << point;
    start_daemon();
    asked(id);
    EXPECT_EQ(answer({id, "here"}).code, 0) << point;
    EXPECT_EQ(ended(id)["state"], "completed") << point;
    EXPECT_EQ(heard(), "here\n");
    EXPECT_EQ(count(id, "QuestionAsked"), 1U) << point;
  }
  expect_verified();
}

TEST_F(QuestionsTest, RepeatedAskCommandIsOneQuestion) {
  const std::string ask = kLuzia + " ask Where? --command-id mine";
  const std::string id = dispatch(ask + " & sleep 0.5; kill -9 $!; wait; " + ask + " > heard");
  asked(id);
  EXPECT_TRUE(wait_until([&] { return answer({id, "here"}).code == 0; }));
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(), "here\n");
  EXPECT_EQ(count(id, "QuestionAsked"), 1U);
}

TEST_F(QuestionsTest, StoppingToAskCancelsTheQuestion) {
  const std::string id = dispatch_until("running", "sleep 600");
  for (const int signal : {SIGINT, SIGTERM}) {
    BesideProgram ask({kLuzia, "ask", "Where?", "--job", id}, environment(), path("asking"));
    ASSERT_TRUE(becomes(id, "waiting"));
    ask.signal(signal);
    EXPECT_EQ(ask.end(), 128 + signal) << ask.output();
    EXPECT_TRUE(becomes(id, "running"));
  }
  EXPECT_EQ(count(id, "QuestionCancelled"), 2U);
  EXPECT_EQ(answer({id, "late"}).code, 4);
  luzia({"cancel", id});
}

TEST_F(QuestionsTest, CanceledQuestionReportsItsReason) {
  const std::string id = asking("Where?");
  asked(id);
  EXPECT_EQ(luzia({"question", "cancel", id, "--reason", "done by hand"}).code, 0);
  ended(id);
  EXPECT_EQ(heard(), "");
  EXPECT_EQ(code(), "1\n");
  EXPECT_THAT(said(), HasSubstr("was cancelled: done by hand"));
}

TEST_F(QuestionsTest, EndOfTheJobCancelsOpenQuestions) {
  const std::string id = dispatch(kLuzia + " ask Where? --no-wait > heard");
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto cancelled = events_of(id, "QuestionCancelled");
  ASSERT_EQ(cancelled.size(), 1U);
  EXPECT_EQ(cancelled.front()["data"]["question"].get<std::string>() + "\n", heard());
  EXPECT_EQ(answer({id, "late"}).code, 4);
}

TEST_F(QuestionsTest, AskingWithoutWaitingKeepsTheTimeLimit) {
  const std::string id =
      dispatch(kLuzia + " ask Where? --no-wait > heard; while :; do sleep 0.05; done", {"--timeout", "4s"});
  EXPECT_EQ(ended(id)["state"], "timed_out");
  EXPECT_EQ(count(id, "QuestionAsked"), 1U);
  EXPECT_EQ(count(id, "JobWaiting"), 0U) << "the job ran all the time";
  EXPECT_EQ(count(id, "QuestionCancelled"), 1U);
}

TEST_F(QuestionsTest, AgentMayFetchTheAnswerLater) {
  const std::string id = dispatch(
      kLuzia + " ask Where? --no-wait --command-id w > id; while [ ! -e go ]; do sleep 0.05; done; " +
      kLuzia + " ask Where? --command-id w > heard");
  asked(id);
  EXPECT_EQ(answer({id, "north"}).code, 0);
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(), "north\n");
  EXPECT_EQ(count(id, "QuestionAsked"), 1U);
}

TEST_F(QuestionsTest, AgentCannotAnswerItself) {
  const std::string id = dispatch(kLuzia + " ask Where? --no-wait; " + kLuzia +
                                  " answer $LUZIA_JOB_ID here 2> said; echo $? > code; " + kLuzia +
                                  " approve @last 2>> said; echo $? >> code");
  ended(id);
  EXPECT_EQ(code(), "4\n4\n");
  EXPECT_EQ(error_lines(said()), 2U) << said();
  EXPECT_EQ(count(id, "QuestionAnswered"), 0U);
}

TEST_F(QuestionsTest, BadInputIsOneLineAndChangesNothing) {
  const std::string id = dispatch_until("running", "sleep 600");
  struct Case {
    Words words;
    int code;
    const char* says;
  };
  const std::string before = std::to_string(position());
  const std::vector<Case> cases = {
      {{"ask", "Where?"}, 2, "no job given"},
      {{"ask", "Where?", "--job", "0zzzz"}, 3, "no job"},
      {{"ask", "  ", "--job", id}, 2, "the question is empty"},
      {{"ask", "Where?", "--job", id, "--options", "a"}, 2, "fewer than two"},
      {{"ask", "Where?", "--job", id, "--options", "a,a"}, 2, "twice"},
      {{"ask", "Where?", "--job", id, "--multi"}, 2, "fewer than two"},
      {{"ask", "Where?", "--job", id, "--confirm", "--options", "a,b"}, 2, "no options"},
      {{"ask", "Where?", "--job", id, "--options", "a,b", "--default", "c"}, 2, "default"},
      {{"ask", "Where?", "--job", id, "--timeout", "0"}, 2, "nobody time"},
      {{"ask", "Where?", "--job", id, "--timeout", "100000d"}, 2, "ten years"},
      {{"ask", "Where?", "--job", id, "--timeout", "soon"}, 2, "--timeout"},
      {{"ask", std::string(70'000, 'x'), "--job", id}, 2, "64 KiB"},
      {{"answer", id}, 2, "no answer given"},
      {{"answer", id, "yes"}, 3, "no open question"},
      {{"answer", "0zzzz", "yes"}, 3, "no job"},
      {{"answer", id, "yes", "--file", "/nonexistent"}, 2, "/nonexistent"},
      {{"answer", id, "q", "yes", "--file", "/dev/null"}, 2, "both an answer and --file"},
      {{"question", "drop", id}, 2, "unknown action"},
      {{"question", "cancel", id}, 3, "no open question"},
      {{"approve", id}, 3, "no open approval"},
      {{"deny", id, "deploy"}, 3, "no open approval"},
      {{"gate", "", "--job", id}, 2, "no name"},
      {{"gate", std::string(300, 'x'), "--job", id}, 2, "200 bytes"},
      {{"gate", "deploy"}, 2, "to open the gate: luzia approve JOB"},
      {{"resume", "--agent", "cluade"}, 2, "no agent 'cluade'"},
      {{"resume", "--agent", "claude", "--all"}, 2, "--agent NAME"}};
  for (const Case& each : cases) {
    const Finished refused = luzia(each.words);
    EXPECT_EQ(refused.code, each.code) << testing::PrintToString(each.words) << refused.err;
    EXPECT_EQ(error_lines(refused.err), 1U) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(each.says)) << testing::PrintToString(each.words);
    EXPECT_EQ(refused.out, "");
  }
  EXPECT_EQ(std::to_string(position()), before);
  luzia({"cancel", id});
}

TEST_F(QuestionsTest, InvalidAnswerLeavesTheQuestionOpen) {
  const std::string id = asking("Where? --options alpha,alba");
  asked(id);
  for (const char* typed : {"3", "gamma", "al", "", " "}) {
    const Finished refused = answer({id, typed});
    EXPECT_EQ(refused.code, 2) << typed << refused.err;
    EXPECT_EQ(error_lines(refused.err), 1U) << refused.err;
  }
  EXPECT_EQ(answer({id, "alp"}).code, 0);
  ended(id);
  EXPECT_EQ(heard(), "alpha\n");
}

TEST_F(QuestionsTest, SeveralOpenQuestionsNeedAnId) {
  const std::string id = dispatch(kLuzia + " ask One? > one & " + kLuzia + " ask Two? > two & wait");
  asked(id, 2);
  const Finished which = answer({id, "x"});
  EXPECT_EQ(which.code, 2);
  EXPECT_THAT(which.err, HasSubstr("several open questions"));
  for (const Json& question : events_of(id, "QuestionAsked")) {
    EXPECT_EQ(answer({id, question["data"]["question"], "x"}).code, 0);
  }
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/one") + read_text(project() + "/two"), "x\nx\n");
}

/// What a waiting program receives on the socket.
class AwaitedQuestionTest : public QuestionsTest {
 protected:
  Result<view::QuestionT> await(const std::string& job, const std::string& id, std::uint64_t timeout_ms = 0) {
    auto client = Client::connect(store() + "/socket");
    if (!client) return tl::unexpected(client.error());
    const auto frame = client->ask(request_of(awaiting(job, id, timeout_ms)));
    if (!frame) return tl::unexpected(frame.error());
    view::QuestionT question;
    const auto& rows = (*frame)->reply.AsRows()->rows;
    EXPECT_EQ(rows.size(), 1U);
    flatbuffers::GetRoot<view::Question>(rows.at(0)->data.data())->UnPackTo(&question);
    return question;
  }
  static wire::AwaitInputT awaiting(const std::string& job, const std::string& id, std::uint64_t timeout_ms) {
    wire::AwaitInputT request;
    request.job = job;
    request.id = id;
    request.timeout_ms = timeout_ms;
    return request;
  }
};

TEST_F(AwaitedQuestionTest, QuestionStaysOpenAtTheTimeout) {
  const std::string id = asking("Where? --options a,b --timeout 1h --default a");
  const auto row = await(id, asked(id), 50);
  ASSERT_TRUE(row.has_value()) << row.error().message;
  EXPECT_EQ(row->state, view::QuestionState::open);
  EXPECT_EQ(row->question, "Where?");
  EXPECT_EQ(row->options, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(row->default_answer + row->answer, "a");
  EXPECT_EQ(row->project + " " + row->agent + " " + row->source, "demo shell cli");
  EXPECT_GT(row->deadline_us, row->asked_us);
  answer({id, "b"});
}

TEST_F(AwaitedQuestionTest, EarlierAnswerIsGivenAfterTheJobsEnd) {
  const std::string id = asking("Where?");
  const std::string question = asked(id);
  answer({id, "here"});
  EXPECT_EQ(await(id, question)->answer, "here");
  ended(id);
  EXPECT_EQ(await(id, question)->answer, "here");
  restart_daemon();
  const auto row = await(id, question);
  ASSERT_TRUE(row.has_value()) << row.error().message;
  EXPECT_EQ(row->answer, "here");
  EXPECT_EQ(row->state, view::QuestionState::answered);
  EXPECT_EQ(row->channel, "client");
  EXPECT_GT(row->delivered_us, row->answered_us);
}

TEST_F(AwaitedQuestionTest, UnknownQuestionIsRefused) {
  const std::string id = dispatch("true");
  ended(id);
  EXPECT_EQ(await(id, "q-nothing").error().code, "no_such_question");
  EXPECT_EQ(await(id, "a-nothing").error().code, "no_such_approval");
  EXPECT_EQ(await(id, "").error().kind, ErrorKind::not_found);
  EXPECT_EQ(await("0zzzz", "q-nothing").error().code, "no_such_job");
}

TEST_F(AwaitedQuestionTest, AllCurrentWaitersGetTheAnswer) {
  const std::string id = asking("Where?");
  const std::string question = asked(id);
  auto client = Client::connect(store() + "/socket");
  ASSERT_TRUE(client.has_value());
  std::vector<std::uint64_t> sent;
  for (int i = 0; i < 3; ++i) sent.push_back(*client->send(request_of(awaiting(id, question, 0))));
  wire::ForgetT forget;
  forget.request = sent[1];
  ASSERT_TRUE(client->send(request_of(std::move(forget))).has_value());
  // Requests are handled in order: the reply shows that those before it are known.
  ASSERT_TRUE(client->ask(request_of(awaiting(id, question, 1))).has_value());
  EXPECT_EQ(answer({id, "here"}).code, 0);
  std::vector<std::uint64_t> told;
  while (told.size() < 2) {
    const auto frame = client->receive(std::chrono::seconds(60));
    ASSERT_TRUE(frame.has_value() && *frame != nullptr) << (frame ? "nothing" : frame.error().message);
    if ((*frame)->reply_type() == wire::Reply::Rows) told.push_back((*frame)->id());
  }
  std::ranges::sort(told);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{sent[0], sent[2]}));
  ended(id);
}

}  // namespace
}  // namespace luzia
