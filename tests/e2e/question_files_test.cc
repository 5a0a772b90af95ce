// Questions and gates through files in the job directory, with real processes. However agents write a file,
// it is asked once; the answer returns as a file or with the next attempt.
#include "tests/e2e/question_files.h"

#include <sys/stat.h>

#include <filesystem>

namespace luzia {
namespace {

namespace fs = std::filesystem;

class QuestionFilesTest : public AskingByFilesTest {
 protected:
  QuestionFilesTest()
      : AskingByFilesTest(
            std::string(
                "[agents.session]\ncommand = [\"./agent\"]\nresume = [\"./agent\", \"{session_id}\"]\n"
                "output = \"claude-stream-json\"\n") +
            kExitCodes) {}

  void answer(const std::string& job, const std::string& value) const {
    // Asks by id: without it the previous question could be meant. The daemon may be down at this moment.
    std::string question;
    EXPECT_TRUE(wait_until([&] {
      const Finished listed = luzia({"questions", "--json"});
      const Json page = Json::parse(listed.out, nullptr, false);
      if (listed.code != 0 || !page.is_object()) return false;
      for (const Json& each : page["questions"]) {
        if (each["job"] == job) question = each["id"];
      }
      return !question.empty();
    }));
    const Finished done = luzia({"answer", job, question, value});
    EXPECT_EQ(done.code, 0) << done.err;
  }
  /// The gate's id; its name alone could mean the previous gate.
  std::string last_gate(const std::string& job) const {
    return events_of(job, "ApprovalRequested").back()["data"].value("approval", "");
  }
  /// Releases the job that waits for this file.
  void let_go(const std::string& name = "go") const { write_text(project() + '/' + name, ""); }
  std::string await(const std::string& name = "go") const {
    return "while [ ! -f " + project() + '/' + name + " ]; do sleep 0.05; done\n";
  }
};

TEST_F(QuestionFilesTest, AnswerFileNamesTheQuestion) {
  const std::string id = run(write(kQuestion) + kAwaitResponse);
  const std::string question = asked(id);
  ASSERT_TRUE(waits(id));
  answer(id, "stag");
  EXPECT_EQ(ended(id)["state"], "completed");
  const Json response = json_file(id, "response.json");
  EXPECT_EQ(response["choice"], "staging");
  EXPECT_EQ(response["question_id"], question);
  EXPECT_NE(response["answered_by"], "");
  EXPECT_THAT(response.value("answered_at", ""), HasSubstr("Z"));
  const auto delivered = events_of(id, "AnswerDelivered");
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0]["data"]["channel"], "file");
  const Json event = events_of(id, "QuestionAsked").front();
  EXPECT_EQ(event["actor"]["kind"], "agent");
  EXPECT_EQ(event["data"]["source"], "file");
  struct stat status {};
  ASSERT_EQ(stat((job_dir(id) + "/response.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(QuestionFilesTest, FileWrittenInPiecesIsOneQuestion) {
  const std::string id =
      run("printf '{\"question\":' > clarification.json; sleep 0.3\n"
          "printf '\"Name' >> clarification.json; sleep 0.3\n"
          "printf '?\"}' >> clarification.json\n" +
          std::string(kAwaitResponse));
  asked(id);
  answer(id, "Ada");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(json_file(id, "response.json")["text"], "Ada");
  EXPECT_EQ(count(id, "QuestionAsked"), 1u);
  EXPECT_THAT(warnings(id), testing::IsEmpty());
}

TEST_F(QuestionFilesTest, ChangedFileReplacesTheOpenQuestion) {
  const std::string id =
      run(write(R"({"question":"One?"})") + kAwaitResponse + write(R"({"question":"Two?"})") + await("two") +
          write(R"({"question":"Three?"})") + await());
  asked(id);
  answer(id, "first");
  asked(id, 2);
  let_go("two");
  const std::string third = asked(id, 3);
  EXPECT_TRUE(wait_until([&] { return count(id, "QuestionCancelled") == 1; }));
  answer(id, "last");
  EXPECT_TRUE(wait_until([&] {
    const Json response = json_file(id, "response.json");
    return response.is_object() && response.value("question_id", "") == third;
  }));
  EXPECT_EQ(json_file(id, "response.json")["choice"], "last");
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(QuestionFilesTest, SameContentIsOneQuestion) {
  const std::string id = run(write(kQuestion) + await("again") + write(kQuestion, "new") +
                             "mv new clarification.json; touch clarification.json\n" + await());
  asked(id);
  let_go("again");
  restart_daemon();
  kill_and_start_daemon();
  answer(id, "1");
  ASSERT_TRUE(wait_until([&] { return json_file(id, "response.json").is_object(); }));
  kill_and_start_daemon();
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "QuestionAsked"), 1u);
  EXPECT_EQ(count(id, "AnswerDelivered"), 1u);
}

TEST_F(QuestionFilesTest, RewrittenAnsweredFileIsANewQuestion) {
  const std::string id =
      run(write(kQuestion) + kAwaitResponse + "mv response.json first\n" + write(kQuestion) + kAwaitResponse +
          "mv response.json second\n" + await("third") + "rm clarification.json\n" + write(kQuestion) +
          "touch third-stands\n" + kAwaitResponse + await());
  const std::string first = asked(id);
  answer(id, "1");
  EXPECT_NE(asked(id, 2), first);
  kill_and_start_daemon();
  answer(id, "2");
  ASSERT_TRUE(wait_until([&] { return fs::exists(job_dir(id) + "/second"); }));
  kill_and_start_daemon();
  EXPECT_EQ(count(id, "QuestionAsked"), 2u) << "a file seen again is not answered again";
  EXPECT_EQ(json_file(id, "first")["choice"], "production");
  EXPECT_EQ(json_file(id, "second")["choice"], "staging");
  kill_daemon();
  let_go("third");
  ASSERT_TRUE(wait_until([&] { return fs::exists(job_dir(id) + "/third-stands"); }));
  start_daemon();
  asked(id, 3);
  answer(id, "1");
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "QuestionAsked"), 3u);
  expect_verified();
}

TEST_F(QuestionFilesTest, NextDaemonDoesNotRepeatACanceledQuestion) {
  const std::string id = run(write(kQuestion) + await());
  asked(id);
  ASSERT_EQ(luzia({"question", "cancel", id}).code, 0);
  kill_and_start_daemon();
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "QuestionAsked"), 1u);
}

TEST_F(QuestionFilesTest, RemovedFilesCancelTheirPrompts) {
  const std::string id =
      run(write(kQuestion) + write(R"({"gate":"deploy"})", "approval.json") + await("rm") +
          "rm clarification.json approval.json\n" + await("again") + write(kQuestion) + await());
  asked(id);
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 1; }));
  let_go("rm");
  ASSERT_TRUE(
      wait_until([&] { return count(id, "QuestionCancelled") == 1 && count(id, "ApprovalCancelled") == 1; }));
  EXPECT_EQ(events_of(id, "QuestionCancelled")[0]["data"]["reason"], "the agent took it back");
  EXPECT_TRUE(becomes(id, "running"));
  let_go("again");
  asked(id, 2);
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(QuestionFilesTest, NextDaemonNoticesARemovedFile) {
  const std::string id = run(write(kQuestion) + await("rm") + "rm clarification.json\n" + await());
  asked(id);
  kill_daemon();
  let_go("rm");
  ASSERT_TRUE(wait_until([&] { return !fs::exists(job_dir(id) + "/clarification.json"); }));
  start_daemon();
  EXPECT_TRUE(wait_until([&] { return count(id, "QuestionCancelled") == 1; }));
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(QuestionFilesTest, InvalidFileWarnsOnce) {
  struct Case {
    const char* commands;
    const char* says;
  };
  const std::vector<Case> cases = {
      {"printf '{}' > clarification.json", "no \"question\""},
      {"printf '{\"question\":\"a?\",\"type\":\"poll\"}' > clarification.json", "none of choice"},
      {"printf '{\"question\":\"a?\",\"options\":[\"x\"]}' > clarification.json", "clarification.json"},
      {"ln -s /etc/passwd clarification.json", "symbolic link"},
      {"mkfifo clarification.json", "not a regular file"},
      {"mkdir clarification.json", "not a regular file"},
      {"head -c 10485760 /dev/zero > clarification.json", "larger than 64 KiB"},
      {"printf 'no json' > clarification.json", "not JSON"},
      {"printf '{\"gate\":7}' > approval.json", "\"gate\" is not a string"},
  };
  std::vector<std::string> jobs;
  for (const Case& each : cases) jobs.push_back(run(std::string(each.commands) + "\n" + await()));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(wait_until([&] { return count(jobs[i], "WarningReported") > 0; })) << cases[i].commands;
  }
  kill_and_start_daemon();
  const std::string fine = run(write(kQuestion) + await());
  asked(fine);
  let_go();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(ended(jobs[i])["state"], "completed") << cases[i].commands;
    EXPECT_THAT(warnings(jobs[i]), testing::ElementsAre(HasSubstr(cases[i].says))) << cases[i].commands;
    EXPECT_EQ(count(jobs[i], "QuestionAsked"), 0u) << cases[i].commands;
  }
}

TEST_F(QuestionFilesTest, SecondAnswerIsRefusedAndTheFirstStands) {
  const std::string id = run(write(kQuestion) + await());
  asked(id);
  answer(id, "1");
  const Finished second = luzia({"answer", id, "2"});
  EXPECT_EQ(second.code, 4);
  EXPECT_THAT(second.err, HasSubstr("answered by"));
  ASSERT_TRUE(wait_until([&] { return json_file(id, "response.json").is_object(); }));
  EXPECT_EQ(json_file(id, "response.json")["choice"], "production");
  let_go();
  ended(id);
}

TEST_F(QuestionFilesTest, GateDecisionReturnsAsAFile) {
  const std::string id = run(write(R"({"gate":"migrate","description":"Drops a column"})", "approval.json") +
                             "while [ ! -f approved.json ]; do sleep 0.05; done\n");
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 1; }));
  ASSERT_EQ(luzia({"deny", id, "migrate", "--note", "not on a Friday"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  const Json decision = json_file(id, "approved.json");
  EXPECT_EQ(decision["gate"], "migrate");
  EXPECT_EQ(decision["decision"], "denied");
  EXPECT_EQ(decision["approved"], false);
  EXPECT_EQ(decision["note"], "not on a Friday");
  EXPECT_EQ(decision["approval_id"], events_of(id, "ApprovalRequested")[0]["data"]["approval"]);
}

TEST_F(QuestionFilesTest, UnwritableAnswerIsReportedAndWrittenLater) {
  const std::string id = run("mkdir -p response.json/x\n" + write(kQuestion) + await("fix") +
                             "rm -r response.json\n" + kAwaitResponse);
  asked(id);
  answer(id, "1");
  ASSERT_TRUE(wait_until([&] { return !warnings(id).empty(); }));
  EXPECT_THAT(warnings(id).front(), HasSubstr("response.json"));
  EXPECT_EQ(count(id, "AnswerDelivered"), 0u);
  let_go("fix");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(json_file(id, "response.json")["choice"], "production");
  EXPECT_EQ(warnings(id).size(), 1u);
}

TEST_F(QuestionFilesTest, AnswerEchoesTheRequestsId) {
  const std::string id = run(write(R"({"question":"Name?","id":"mine-1"})") + kAwaitResponse +
                             write(R"({"gate":"deploy","id":"mine-2"})", "approval.json") + kAwaitDecision);
  asked(id);
  answer(id, "Ada");
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 1; }));
  ASSERT_EQ(luzia({"approve", id, "deploy"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(json_file(id, "response.json")["id"], "mine-1");
  EXPECT_EQ(json_file(id, "approved.json")["id"], "mine-2");
}

// ---- files of an earlier question or gate ----

TEST_F(QuestionFilesTest, EarlierDecisionIsRemovedBeforeTheNextGate) {
  const std::string id =
      run(write(R"({"gate":"db","description":"drop column"})", "approval.json") + kAwaitDecision +
          await("second") + write(R"({"gate":"db","description":"drop table"})", "approval.json") + await());
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 1; }));
  ASSERT_EQ(luzia({"approve", id, "db"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return count(id, "DecisionDelivered") == 1; }));
  let_go("second");
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 2; }));
  EXPECT_FALSE(fs::exists(job_dir(id) + "/approved.json"));
  ASSERT_EQ(luzia({"deny", id, last_gate(id)}).code, 0);
  ASSERT_TRUE(wait_until([&] { return json_file(id, "approved.json").is_object(); }));
  EXPECT_EQ(json_file(id, "approved.json")["approved"], false);
  kill_and_start_daemon();
  const std::string later = run(write(kQuestion) + await());
  asked(later);
  EXPECT_EQ(json_file(id, "approved.json")["approved"], false) << "delivered for the file that is there now";
  let_go();
  ended(id);
}

TEST_F(QuestionFilesTest, EarlierAnswerIsAlwaysRemoved) {
  const std::string id = run(write(R"({"question":"One?"})") + kAwaitResponse + await("second") +
                             write(R"({"question":"Two?"})") + await("third") + write("{}") + await());
  asked(id);
  answer(id, "first");
  ASSERT_TRUE(wait_until([&] { return count(id, "AnswerDelivered") == 1; }));
  kill_daemon();
  let_go("second");
  ASSERT_TRUE(wait_until([&] { return file(id, "clarification.json") == R"({"question":"Two?"})"; }));
  start_daemon();
  asked(id, 2);
  EXPECT_FALSE(fs::exists(job_dir(id) + "/response.json"));
  answer(id, "second");
  ASSERT_TRUE(wait_until([&] { return count(id, "AnswerDelivered") == 2; }));
  let_go("third");
  EXPECT_TRUE(wait_until([&] { return !fs::exists(job_dir(id) + "/response.json"); }));
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(QuestionFilesTest, RepeatedContentGetsItsOwnDecision) {
  const std::string first = write(R"({"gate":"db","description":"drop column"})", "approval.json");
  const std::string second = write(R"({"gate":"db","description":"drop table"})", "approval.json");
  const std::string id = run(first + await("second") + second + await("back") + first + await("other") +
                             second + "touch other-stands\n" + await());
  const auto approved = [&] {
    const Json decision = json_file(id, "approved.json");
    return !decision.is_object() ? -1 : decision.value("approved", false) ? 1 : 0;
  };
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 1; }));
  ASSERT_EQ(luzia({"deny", id, "db"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return count(id, "DecisionDelivered") == 1; }));
  let_go("second");
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 2; }));
  ASSERT_EQ(luzia({"approve", id, last_gate(id)}).code, 0);
  ASSERT_TRUE(wait_until([&] { return count(id, "DecisionDelivered") == 2; }));
  let_go("back");
  EXPECT_TRUE(wait_until([&] { return approved() == 0; })) << "the first was denied";
  kill_daemon();
  let_go("other");
  ASSERT_TRUE(wait_until([&] { return fs::exists(job_dir(id) + "/other-stands"); }));
  start_daemon();
  EXPECT_TRUE(wait_until([&] { return approved() == 1; })) << "the second was approved";
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "ApprovalRequested"), 2u);
}

TEST_F(QuestionFilesTest, ObstructedAnswerFileBlocksNoQuestion) {
  write_text(project() + "/kept", "mine");
  const std::string id = run("ln -s " + project() + "/kept response.json; mkdir -p approved.json/x\n" +
                             write(kQuestion) + write(R"({"gate":"g"})", "approval.json") + await());
  asked(id);
  ASSERT_TRUE(wait_until([&] { return count(id, "ApprovalRequested") == 1; }));
  EXPECT_FALSE(fs::is_symlink(job_dir(id) + "/response.json"));
  EXPECT_EQ(read_text(project() + "/kept"), "mine");
  EXPECT_TRUE(fs::is_directory(job_dir(id) + "/approved.json/x"));
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
}

// ---- exit code 100 ----

TEST_F(QuestionFilesTest, QuestionBeforeExitCode100StartsANewAttempt) {
  const std::string id = run("if [ $LUZIA_ATTEMPT = 1 ]; then\n" + write(kQuestion) + "exit 100\nfi\n");
  asked(id);
  ASSERT_TRUE(waits(id));
  ASSERT_TRUE(wait_until([&] { return count(id, "AttemptEnded") == 1; }));
  answer(id, "staging");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "AttemptStarted"), 2u);
  EXPECT_THAT(file(id, "prompt.txt"), HasSubstr("clarification.json")) << "the original prompt";
  EXPECT_THAT(file(id, "prompt.txt"), HasSubstr("Answer to your question \"Where to?\": staging\n"));
  EXPECT_EQ(file(id, "attempt-1/clarification.json"), kQuestion);
  EXPECT_EQ(file(id, "clarification.json"), kQuestion) << "where the agent looks";
  EXPECT_EQ(json_file(id, "response.json")["choice"], "staging");
  EXPECT_EQ(count(id, "QuestionAsked"), 1u);
  EXPECT_EQ(json_file(id, "meta.json")["attempt"], 2);
  EXPECT_EQ(events_of(id, "AnswerDelivered")[0]["data"]["channel"], "resume");
}

TEST_F(QuestionFilesTest, NewAttemptKnowsThatItGotTheDefault) {
  const std::string id =
      run("if [ $LUZIA_ATTEMPT = 1 ]; then\n" +
          write(R"({"question":"Colour?","timeout_minutes":0.02,"default_if_timeout":"red"})") +
          "exit 100\nfi\n");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(file(id, "prompt.txt"), HasSubstr("Answer to your question \"Colour?\": red "
                                                "(the default: nobody answered in time)\n"));
}

TEST_F(QuestionFilesTest, ResumedSessionGetsOnlyTheAnswer) {
  script("agent",
         "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'\n"
         "cat > input-$LUZIA_ATTEMPT; echo \"$@\" > words-$LUZIA_ATTEMPT\n"
         "[ $LUZIA_ATTEMPT = 2 ] && exit 0\n"
         "echo '{\"question\":\"Name?\"}' > $LUZIA_JOB_DIR/clarification.json; exit 100\n");
  const std::string id = dispatch("Build it", {"--agent", "session"});
  asked(id);
  ASSERT_TRUE(wait_until([&] { return count(id, "AttemptEnded") == 1; }));
  ASSERT_TRUE(waits(id));
  answer(id, "Ada");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/input-2"), "Answer to your question \"Name?\": Ada\n");
  EXPECT_EQ(read_text(project() + "/words-2"), "s-1\n");
  EXPECT_EQ(file(id, "prompt.txt"), read_text(project() + "/input-2"));
  EXPECT_EQ(count(id, "JobQueued"), 1u);
}

TEST_F(QuestionFilesTest, ExitCode100WithoutAQuestionFails) {
  const std::string id = run("printf '{\"question\":' > clarification.json; exit 100\n");
  const Json end = ended(id);
  EXPECT_EQ(end["state"], "failed");
  EXPECT_EQ(end["reason"], "needs_clarification");
  EXPECT_THAT(warnings(id), testing::ElementsAre(HasSubstr("not JSON")));
}

TEST_F(QuestionFilesTest, OtherExitCodesCancelTheLastQuestion) {
  const std::string id = run(write(kQuestion) + "exit 0\n");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "QuestionAsked"), count(id, "QuestionCancelled"));
}

TEST_F(QuestionFilesTest, ExitCode1AfterAnAnnouncedQuestionWaits) {
  const std::string id =
      run("if [ -f response.json ]; then exit 0; fi\n" +
          write(R"({"status":"awaiting_clarification","question":"Where to?","options":["a","b"]})") +
          "exit 1\n");
  asked(id);
  ASSERT_TRUE(wait_until([&] { return count(id, "AttemptEnded") == 1; }));
  ASSERT_TRUE(waits(id));
  answer(id, "b");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(json_file(id, "response.json")["choice"], "b");
}

TEST_F(QuestionFilesTest, ShellMayAskWithExitCode100) {
  const std::string id = dispatch("cd $LUZIA_JOB_DIR\n[ -f response.json ] && rm response.json && exit 0\n" +
                                  write(kQuestion) + "exit 100\n");
  asked(id);
  ASSERT_TRUE(wait_until([&] { return count(id, "AttemptEnded") == 1; }));
  ASSERT_TRUE(waits(id));
  answer(id, "staging");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "QuestionAsked"), 1u) << "its file is still there, but answered";
  EXPECT_EQ(ended(dispatch("exit 100"))["reason"], "exit_code");
}

// ---- a daemon that is killed at each step ----

class KilledWhileAsked : public QuestionFilesTest, public testing::WithParamInterface<const char*> {
 protected:
  /// Waits for that many events; starts a daemon whenever none runs.
  bool come(const std::string& job, const std::string& type, std::size_t number) const {
    return wait_until([&] {
      if (daemon_pid() == 0) start_daemon();
      const Finished read = query({"events", "--json", "--limit", "0", "--job", job});
      std::size_t found = 0;
      for (const std::string& line : lines_of(read.out)) {
        found += line.find("\"type\":\"" + type + '"') != std::string::npos ? 1 : 0;
      }
      return read.code == 0 && found >= number;
    });
  }
};

TEST_P(KilledWhileAsked, DaemonAsksAndAnswersOnce) {
  const auto [started, failing] = start_daemon_that_ends_at(GetParam());
  const std::string id = run(
      "if [ $LUZIA_ATTEMPT = 1 ]; then\n" + write(kQuestion) + kAwaitResponse +
      "cat response.json > heard\nprintf '{\"question\":\"More?\"}' > clarification.json\nexit 100\nfi\n");
  ASSERT_TRUE(come(id, "QuestionAsked", 1));
  answer(id, "1");
  ASSERT_TRUE(come(id, "QuestionAsked", 2));
  ASSERT_TRUE(come(id, "AttemptEnded", 1));
  answer(id, "no");
  ASSERT_TRUE(come(id, "JobEnded", 1));
  EXPECT_TRUE(failing == 0 || !is_running(failing)) << GetParam() << " was not reached";
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(count(id, "QuestionAsked"), 2u);
  EXPECT_EQ(count(id, "QuestionAnswered"), 2u);
  EXPECT_EQ(count(id, "AttemptStarted"), 2u);
  const Json heard = Json::parse(read_text(job_dir(id) + "/heard"), nullptr, false);
  EXPECT_EQ(heard["choice"], "production");
  EXPECT_FALSE(fs::exists(job_dir(id) + "/attempt-1/response.json")) << "it answered an earlier question";
  EXPECT_THAT(file(id, "prompt.txt"), HasSubstr("\"More?\": no\n"));
  expect_verified();
}

INSTANTIATE_TEST_SUITE_P(AtEachPoint, KilledWhileAsked,
                         testing::Values("question.seen@1", "question.seen@2", "answer.write@1",
                                         "answer.written@1", "answer.clear@1", "answer.clear@2",
                                         "answer.cleared@2", "end.report@1", "launch.begin@2",
                                         "launch.done@2"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace luzia
