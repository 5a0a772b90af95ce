// Answers that people write by hand into response.json and approved.json, with real processes.
#include <unistd.h>

#include "tests/e2e/question_files.h"

namespace luzia {
namespace {

/// Until the file is Luzia's.
constexpr auto kUntilAnswered = "while ! grep -qs answered_by response.json; do sleep 0.05; done\n";

using HandAnswersTest = AskingByFilesTest;

TEST_F(HandAnswersTest, ResponseWrittenByHandIsAnAnswer) {
  const std::string id = run(write(kQuestion) + kAwaitResponse);
  const std::string question = asked(id);
  ASSERT_TRUE(waits(id));
  write_text(job_dir(id) + "/response.json", R"({"choice":"staging"})");
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto answered = events_of(id, "QuestionAnswered");
  ASSERT_EQ(answered.size(), 1u);
  EXPECT_EQ(answered[0]["data"]["question"], question);
  EXPECT_EQ(answered[0]["actor"]["kind"], "person");
  EXPECT_EQ(answered[0]["actor"]["uid"], ::geteuid());
  EXPECT_THAT(answered[0]["actor"]["name"], HasSubstr(" (response.json)")) << "nobody saw a person";
  EXPECT_EQ(luzia_json({"questions", "--all", "--job", id})["questions"][0]["answer"], "staging");
}

TEST_F(HandAnswersTest, AgentInASandboxCannotAnswerItself) {
  const std::string id = run(write(kQuestion) + "while [ ! -e asked ]; do sleep 0.05; done\n" +
                                 write(R"({"choice":"production"})", "response.json") + kUntilAnswered,
                             {"--sandbox", "project"});
  asked(id);
  write_text(job_dir(id) + "/asked", "");
  EXPECT_TRUE(wait_until([&] { return !warnings(id).empty(); }));
  EXPECT_THAT(warnings(id).at(0), HasSubstr("could have written this itself"));
  EXPECT_EQ(count(id, "QuestionAnswered"), 0u);
  EXPECT_EQ(luzia({"answer", id, "staging"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(HandAnswersTest, ResponseByHandResumesAnAgentThatExited) {
  const std::string id = run("if [ $LUZIA_ATTEMPT = 1 ]; then\n" + write(kQuestion) + "exit 100\nfi\n");
  asked(id);
  ASSERT_TRUE(wait_until([&] { return count(id, "AttemptEnded") == 1; }));
  stop_daemon();
  write_text(job_dir(id) + "/response.json", R"({"choice":"production"})");
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(json_file(id, "response.json")["choice"], "production");
  EXPECT_EQ(count(id, "QuestionAnswered"), 1u);
}

TEST_F(HandAnswersTest, DecisionWrittenByHandIsOne) {
  const std::string id = run(write(R"({"gate":"deploy"})", "approval.json") + kAwaitDecision);
  ASSERT_TRUE(waits(id));
  write_text(job_dir(id) + "/approved.json", R"({"approved":false,"note":"not today"})");
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto decided = events_of(id, "ApprovalDecided");
  ASSERT_EQ(decided.size(), 1u);
  EXPECT_EQ(decided[0]["data"]["decision"], "denied");
  EXPECT_EQ(decided[0]["data"]["note"], "not today");
}

TEST_F(HandAnswersTest, InvalidResponseByHandIsNamedAndTheJobWaits) {
  const std::string id = run(write(kQuestion) + kUntilAnswered);
  ASSERT_TRUE(waits(id));
  write_text(job_dir(id) + "/response.json", R"({"choice":"moon"})");
  ASSERT_TRUE(wait_until([&] { return !warnings(id).empty(); }));
  EXPECT_THAT(warnings(id)[0], HasSubstr("cannot take what was written as an answer"));
  EXPECT_EQ(state(id), "waiting");
  write_text(job_dir(id) + "/response.json", R"({"choice":"staging","question_id":"q-of-another"})");
  EXPECT_EQ(count(id, "QuestionAnswered"), 0u);
  EXPECT_EQ(luzia({"answer", id, "staging"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(HandAnswersTest, DecisionThatStaysNoJsonIsNamedOnce) {
  const std::string id = run(write(R"({"gate":"deploy"})", "approval.json") +
                             "while ! grep -qs decided_by approved.json; do sleep 0.05; done\n");
  ASSERT_TRUE(waits(id));
  const std::string file = job_dir(id) + "/approved.json";
  for (const char* garbage : {"yes please", "{\"approved\":", "yes"}) {
    write_text(file, garbage);
    ASSERT_TRUE(wait_until([&] { return !warnings(id).empty(); }));
  }
  EXPECT_THAT(warnings(id)[0], HasSubstr(file + ": it is not JSON"));
  EXPECT_EQ(state(id), "waiting");
  write_text(file, R"({"approved":true})");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(warnings(id).size(), 1u);
}

TEST_F(HandAnswersTest, AgentCannotApproveAGateThatItsDispatcherNamed) {
  const std::string id =
      run(write(R"({"gate":"deploy"})", "approval.json") + write(R"({"approved":true})", ".draft") +
              "while ! grep -qs awaited go; do sleep 0.05; done; mv .draft approved.json\n" +
              "while ! grep -qs decided_by approved.json; do sleep 0.05; done\n",
          {"--gate", "dep*"});
  ASSERT_TRUE(waits(id));
  write_text(job_dir(id) + "/go", "awaited");
  ASSERT_TRUE(wait_until([&] { return !warnings(id).empty(); }));
  EXPECT_THAT(warnings(id)[0], HasSubstr("a person decides about gate 'deploy'"));
  EXPECT_EQ(count(id, "ApprovalDecided"), 0u);
  EXPECT_EQ(luzia({"approve", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(json_file(id, "approved.json")["approved"], true);
}

TEST_F(HandAnswersTest, FileOfTheJobsUserMayDenyAGate) {
  const std::string id =
      run(write(R"({"gate":"deploy"})", "approval.json") + kAwaitDecision, {"--gate", "deploy"});
  ASSERT_TRUE(waits(id));
  write_text(job_dir(id) + "/approved.json", R"({"approved":false})");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(events_of(id, "ApprovalDecided").at(0)["data"]["decision"], "denied");
}

TEST_F(HandAnswersTest, AnswersThatChangeWithoutEndAreWarnedAboutTenTimes) {
  const std::string id = run(write(kQuestion) +
                             "for n in $(seq 30); do printf '{\"choice\":\"no %s\"}' $n > response.json; "
                             "sleep 0.1; done; touch done; while [ ! -f go ]; do sleep 0.05; done\n");
  ASSERT_TRUE(wait_until([&] { return ::access((job_dir(id) + "/done").c_str(), F_OK) == 0; }));
  write_text(job_dir(id) + "/go", "");
  ended(id);
  EXPECT_LE(warnings(id).size(), 10u);
  EXPECT_GE(warnings(id).size(), 1u);
}

}  // namespace
}  // namespace luzia
