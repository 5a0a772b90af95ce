// Work that is proved: checks after the agent, and what the agent is told about those that fail.
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class VerificationTest : public DaemonTest {
 protected:
  /// An agent that keeps what each attempt is given, and does its work in the attempt that `does_it` names.
  void begin(const std::string& project_keys) {
    configure(
        "[agents.worker]\ncommand = [\"./agent\"]\nresume = [\"./agent\", \"{session_id}\"]\n"
        "output = \"claude-stream-json\"\n[projects.proven]\npath = \"" +
        project() + "\"\n" + project_keys);
    script("agent",
           "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'\n"
           "cat > heard-$LUZIA_ATTEMPT\n"
           "[ ! -e does-it-$LUZIA_ATTEMPT ] || echo good > result\n");
  }
  void does_it(int attempt) const { std::ofstream(project() + "/does-it-" + std::to_string(attempt)); }
  std::string heard(int attempt) const { return read_text(project() + "/heard-" + std::to_string(attempt)); }
  Json run(Words words) const {
    words.insert(words.begin(), "proven");
    const Finished ran = luzia(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ended(ran.out.substr(0, ran.out.find('\n')));
  }
};

TEST_F(VerificationTest, ProvedWorkCompletes) {
  begin("verify = [\"grep good result\"]\n");
  does_it(1);
  const Json job = run({"--agent", "worker", "do it"});
  EXPECT_EQ(job["state"], "completed");
  EXPECT_EQ(job["verified"], true);
  EXPECT_EQ(job["attempts"], 1);
  const std::string id = job["id"];
  EXPECT_THAT(luzia({"logs", id, "--raw"}).out, HasSubstr("check: grep good result\ngood\n"));
  EXPECT_THAT(luzia({"jobs", "--all"}).out, HasSubstr("  proved  "));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("its checks passed"));
}

TEST_F(VerificationTest, FailedCheckGoesBackToTheAgentsSession) {
  begin("verify = [\"echo nothing good in here; grep good result\"]\n");
  does_it(2);
  const Json job = run({"--agent", "worker", "do it"});
  EXPECT_EQ(job["state"], "completed") << job;
  EXPECT_EQ(job["verified"], true);
  EXPECT_EQ(job["attempts"], 2);
  EXPECT_EQ(heard(1), "do it");
  EXPECT_THAT(heard(2), HasSubstr("the check 'echo nothing good in here; grep good result' failed: exit 2"));
  EXPECT_THAT(heard(2), HasSubstr("\n    nothing good in here\n"));
  EXPECT_THAT(heard(2), Not(HasSubstr("do it\n")));
  EXPECT_THAT(luzia({"why", job["id"]}).out, HasSubstr("sent back to its agent as attempt 2"));
}

TEST_F(VerificationTest, AgentThatChecksIsNotTakenForTheJobsAgent) {
  begin("verify = [\"./review\"]\n");
  script("review",
         "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"reviewer\"}'\n"
         "echo '{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,"
         "\"session_id\":\"reviewer\",\"usage\":{\"input_tokens\":9},\"total_cost_usd\":7.0}'\n"
         "grep good result\n");
  does_it(2);
  const Json job = run({"--agent", "worker", "do it"});
  EXPECT_EQ(job["state"], "completed") << job;
  EXPECT_EQ(job["attempts"], 2);
  EXPECT_EQ(job["session_id"], "s-1");
  EXPECT_NE(job.value("cost_usd", Json()), Json(7.0));
}

TEST_F(VerificationTest, NewSessionIsToldThePersonsMessageAndTheChecks) {
  begin("verify = [\"echo '## Message'; grep good result\"]\n[agents.forgetful]\ncommand = [\"./agent\"]\n");
  does_it(1);
  does_it(3);
  const std::string id = run({"--agent", "forgetful", "do it"})["id"];
  std::filesystem::remove(project() + "/result");
  ASSERT_EQ(luzia({"retry", id, "--message", "but well"}).code, 0);
  EXPECT_EQ(ended(id)["attempts"], 3);
  EXPECT_THAT(heard(2), Not(HasSubstr("was checked")));
  const std::string told = heard(3);
  EXPECT_THAT(told, testing::StartsWith("do it\n\n## Message\n\nA person says"));
  EXPECT_THAT(told, HasSubstr("but well\n\n\n## Checks\n\nYour work was checked"));
  EXPECT_THAT(told, HasSubstr("\n    ## Message\n")) << "what a check prints is no part of the prompt";
}

TEST_F(VerificationTest, ReportFitsIntoAnArgument) {
  begin(
      "verify = [\"seq 9999; grep good result\"]\n[agents.arguments]\ncommand = [\"./agent\", "
      "\"{task}\"]\nstdin = \"null\"\n");
  does_it(2);
  const Json job = run({"--agent", "arguments", std::string(123'500, 'a')});
  EXPECT_EQ(job["state"], "completed") << job;
  EXPECT_EQ(job["attempts"], 2);
}

TEST_F(VerificationTest, KilledRunnerLeavesNoCheckRunning) {
  begin("verify = [\"setsid sh -c ': > checking; sleep 1000; :' & wait\"]\n");
  const std::string id = luzia({"proven", "--", "true"}).out.substr(0, 13);
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(project() + "/checking"); }));
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "AttemptStarted").empty(); }));
  const Json started = events_of(id, "AttemptStarted").at(0);
  ::kill(started["data"]["runner_pid"].get<pid_t>(), SIGKILL);
  EXPECT_EQ(ended(id)["state"], "lost");
  EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
}

TEST_F(VerificationTest, RefutedWorkFailsAfterTheLastCorrection) {
  begin("verify = [\"grep good result\"]\nverify_tries = 1\n");
  const Json job = run({"--agent", "worker", "do it"});
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["reason"], "verify_failed");
  EXPECT_EQ(job["verified"], false);
  EXPECT_EQ(job["attempts"], 2);
  EXPECT_THAT(luzia({"jobs", "--all"}).out, HasSubstr("  refuted  "));
}

TEST_F(VerificationTest, RetryByAPersonTellsWhatTheLastChecksSaid) {
  begin("verify = [\"echo look $LUZIA_ATTEMPT; grep good result\"]\nverify_tries = 1\n");
  const std::string id = run({"--agent", "worker", "do it"})["id"];
  does_it(3);
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(heard(2), HasSubstr("\n    look 1\n"));
  EXPECT_THAT(heard(3), HasSubstr("\n    look 2\n"));
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(4), "do it") << "an attempt that completed has heard it";
  expect_verified();
}

TEST_F(VerificationTest, RetriedShellJobRunsItsCommandAlone) {
  begin("");
  const std::string id = run({"--verify", "false", "--", "cat > heard-$LUZIA_ATTEMPT"})["id"];
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["attempts"], 2);
  EXPECT_THAT(heard(2), Not(HasSubstr("was checked")));
  EXPECT_EQ(heard(2), heard(1));
}

TEST_F(VerificationTest, ResultIsWhatTheAgentSaidLast) {
  begin("verify = [\"echo all tests pass\"]\n");
  const Json job = run({"--", "echo the result"});
  EXPECT_EQ(job["verified"], true);
  EXPECT_EQ(job["last_line"], "the result");
}

TEST_F(VerificationTest, ShellJobIsCheckedOnce) {
  begin("");
  const Json job = run({"--verify", "false", "--", "true"});
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["reason"], "verify_failed");
  EXPECT_EQ(job["attempts"], 1);
}

TEST_F(VerificationTest, ChecksCanBeLeftOut) {
  begin("verify = [\"false\"]\n");
  const Json job = run({"--no-verify", "--", "true"});
  EXPECT_EQ(job["state"], "completed");
  EXPECT_EQ(job["verified"], nullptr);
}

TEST_F(VerificationTest, NothingMayBeLeftUncommitted) {
  begin("verify_clean = true\n");
  const std::string git = "git -c user.name=a -c user.email=a@b -c init.defaultBranch=main ";
  ASSERT_EQ(std::system(("cd " + project() + " && { " + git + "init . && " + git + "add . && " + git +
                         "commit -m first; } > /dev/null 2>&1")
                            .c_str()),
            0);
  EXPECT_EQ(run({"--", "true"})["verified"], true);
  const Json job = run({"--", "echo more > rest"});
  EXPECT_EQ(job["verified"], false);
  EXPECT_EQ(job["reason_text"],
            "exit code 0, but the check 'nothing is left uncommitted' failed: exit 1: not committed: rest");
  const Json many = run({"--", "touch a b c d e"});
  EXPECT_THAT(std::string(many["reason_text"]), testing::EndsWith("not committed: a, b, c, d, e and 1 more"));
  const std::string id = many["id"];
  EXPECT_THAT(luzia({"logs", id, "--raw"}).out,
              HasSubstr("\ncheck: nothing is left uncommitted\n?? a\n?? b\n"));
  const std::string line = luzia({"jobs", "--job", id}).out;
  EXPECT_THAT(line, HasSubstr("  refuted  "));
  EXPECT_EQ(line.find("not committed"), line.rfind("not committed")) << line;
  const auto listed = [this](const std::string& states) {
    return luzia_json({"jobs", "--state", states})["jobs"].size();
  };
  EXPECT_EQ(listed("proved"), 1U);
  EXPECT_EQ(listed("refuted"), 2U);
  EXPECT_EQ(listed("proved,refuted"), 3U);
  EXPECT_EQ(listed("refuted,completed"), 3U);
  EXPECT_EQ(listed("failed"), 2U) << "they are failed jobs all the same";
  EXPECT_EQ(query_json({"--json", "jobs", "--state", "refuted"})["jobs"].size(), 2U);
  EXPECT_THAT(luzia({"status", "--state", "refuted"}).out, HasSubstr(id));
  EXPECT_THAT(luzia({"status", "--state", "proved"}).out, Not(HasSubstr(id)));
  const Finished again = luzia({"retry", "--state", "refuted"});
  EXPECT_EQ(again.code, 4) << "it only shows them";
  EXPECT_THAT(again.out, HasSubstr(id));
  EXPECT_EQ(luzia({"wait", id, "--until", "proved"}).code, 2) << "a wait is for a state";
}

TEST_F(VerificationTest, OutsideOfARepositoryNothingCanBeCommitted) {
  begin("");
  const Finished refused = luzia({"proven", "--verify-clean", "--", "true"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--verify-clean: '" + project() + "' is in no git repository"));
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
  begin("verify_clean = true\n");
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  EXPECT_THAT(luzia({"proven", "--", "true"}).err, HasSubstr("verify_clean of the project"));
  EXPECT_EQ(run({"--no-verify", "--", "true"})["state"], "completed");
  std::filesystem::create_directory(project() + "/.git");
  EXPECT_EQ(luzia({"proven", "--", "true"}).code, 0);
}

TEST_F(VerificationTest, CheckIsCalledByItsComment) {
  begin("");
  const Json job = run({"--verify", "# the tests pass\nfalse", "--", "true"});
  EXPECT_EQ(job["reason_text"], "exit code 0, but the check 'the tests pass' failed: exit 1");
  EXPECT_THAT(luzia({"jobs", "--job", job["id"]}).out, HasSubstr("failed: exit 1\n"))
      << "what was printed last, the name of the check, says nothing more";
}

TEST_F(VerificationTest, BadChecksAreRefused) {
  begin("");
  const Finished empty = luzia({"proven", "--verify", " ", "--", "true"});
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("a check of its work is empty"));
  EXPECT_THAT(empty.err, HasSubstr("--verify 'make test'"));
  EXPECT_EQ(luzia({"proven", "--verify-tries", "101", "--", "true"}).code, 2);
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
}

TEST_F(VerificationTest, DaemonKilledDuringTheChecksLosesNothing) {
  begin("verify = [\": > checking; while [ ! -e go ]; do sleep 0.02; done\"]\n");
  const std::string id = luzia({"proven", "--", "true"}).out.substr(0, 13);
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(project() + "/checking"); }));
  kill_daemon();
  std::ofstream(project() + "/go");
  const Json job = ended(id);
  EXPECT_EQ(job["verified"], true);
  EXPECT_EQ(job["state"], "completed");
}

}  // namespace
}  // namespace luzia
