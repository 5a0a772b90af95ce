// The daemon's warnings while real agents run: too long, silent, repeating itself, too loud.
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class WarningsTest : public DaemonTest {
 protected:
  std::vector<Json> warnings(const std::string& id, const std::string& type) const {
    std::vector<Json> list;
    for (Json& event : events_of(id, "WarningReported")) {
      if (event["data"]["warning_type"] == type) list.push_back(std::move(event));
    }
    return list;
  }
  /// Waits for the only warning of that type.
  Json warning(const std::string& id, const std::string& type) const {
    EXPECT_TRUE(wait_until([&] { return !warnings(id, type).empty(); })) << type;
    const auto found = warnings(id, type);
    return found.empty() ? Json::object() : found.front();
  }
};

TEST_F(WarningsTest, TextOfAWorkflowCommandIsShownAsTheLastLine) {
  const std::string id = dispatch("echo '::error file=a.c,line=3::unused thing'; exit 1");
  EXPECT_EQ(ended(id)["last_line"], "unused thing");
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("exit code 1: unused thing"));
  EXPECT_THAT(luzia({"job", id}).out,
              AllOf(HasSubstr("last line   unused thing\n"), HasSubstr("found       1 error\n")));
  EXPECT_THAT(luzia({"logs", id}).out, HasSubstr("::error file=a.c,line=3::unused thing"))
      << "the output as it is";
}

TEST_F(WarningsTest, OverlongAttemptIsShownEverywhere) {
  configure("[monitor]\nduration_warning_fraction = 0.1\n");
  const std::string id = dispatch("sleep 600", {"--estimate", "3s"});
  const Json seen = warning(id, "DURATION_EXCEEDED");
  EXPECT_EQ(seen["actor"]["kind"], "daemon");
  EXPECT_THAT(seen["data"]["message"], AllOf(HasSubstr("10 % of its estimate of 3"), HasSubstr("since 2")));
  EXPECT_THAT(seen["data"]["recommendation"], HasSubstr("luzia cancel " + id));

  const Json row = job(id);
  EXPECT_EQ(row["warnings"], 1);
  EXPECT_THAT(row["last_warning"], HasSubstr("of its estimate"));
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("1 warning: has run for"));
  EXPECT_THAT(luzia({"status", "--alerts"}).out, AllOf(HasSubstr("Warnings and errors (1)"), HasSubstr(id)));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("warning DURATION_EXCEEDED: has run for"));
  luzia({"cancel", id, "--grace", "0s"});
  ended(id);
  EXPECT_EQ(warnings(id, "DURATION_EXCEEDED").size(), 1u);
  expect_verified();
}

TEST_F(WarningsTest, CanceledJobRaisesNoAlert) {
  const std::string started = dispatch("sleep 600"), later = dispatch("true", {"--not-before", "2h"});
  const std::string failed = dispatch("exit 3");
  ASSERT_TRUE(becomes(started, "running"));
  EXPECT_EQ(luzia({"cancel", started, later, "--grace", "0s"}).code, 0);
  EXPECT_EQ(ended(started)["state"], "killed");
  EXPECT_EQ(ended(later)["state"], "cancelled");
  EXPECT_EQ(ended(failed)["state"], "failed");
  EXPECT_THAT(luzia({"status", "--alerts"}).out,
              AllOf(HasSubstr(failed), Not(HasSubstr(started)), Not(HasSubstr(later))));
}

TEST_F(WarningsTest, SilenceIsReportedOnceAcrossARestart) {
  configure("[monitor]\nsilence_warning = \"300ms\"\n");
  const std::string id = dispatch("echo begin; sleep 600");
  const Json seen = warning(id, "SILENCE");
  EXPECT_THAT(seen["data"]["message"], HasSubstr("has printed nothing for"));
  kill_and_start_daemon();
  // The new daemon reports another job's silence, so it would have reported this one's too.
  const std::string other = dispatch("sleep 600");
  warning(other, "SILENCE");
  EXPECT_EQ(warnings(id, "SILENCE").size(), 1u);
}

TEST_F(WarningsTest, SilenceFromBeforeTheDaemonIsReported) {
  const std::string id = dispatch_until("running", "sleep 600");
  kill_daemon();
  configure("[monitor]\nsilence_warning = \"50ms\"\n");
  start_daemon();
  warning(id, "SILENCE");
}

TEST_F(WarningsTest, PromptIsRecognizedAfterARestart) {
  configure("[monitor]\nsilence_warning = \"0s\"\n");
  // In one write, so that the log's offset lies behind both.
  const std::string id = dispatch("printf '::warning::low on ink\\nPassword: '; exec sleep 600");
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "AnnotationFound").empty(); }));
  ASSERT_THAT(job(id)["last_line"].get<std::string>(), HasSubstr("Password:"));
  kill_daemon();
  configure("[monitor]\nsilence_warning = \"50ms\"\n");
  start_daemon();
  EXPECT_THAT(warning(id, "SILENCE")["data"]["message"], HasSubstr("its last line asks: Password:"));
}

TEST_F(WarningsTest, PersonMayStopASilentAgent) {
  configure("[monitor]\nsilence_warning = \"300ms\"\nwhen_silent = \"ask\"\n");
  const std::string id = dispatch("echo begin; sleep 600");
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "QuestionAsked").empty(); }));
  EXPECT_EQ(job(id)["questions_open"], 1);
  EXPECT_EQ(state(id), "running") << "nothing waits for the answer";
  const Finished shown = luzia({"questions"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("It has printed nothing for"), HasSubstr("keep waiting")));
  // Answer 1 lets the job continue, and it is asked about again; the other answer stops it.
  EXPECT_EQ(luzia({"answer", id, "1"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return events_of(id, "QuestionAsked").size() == 2; }));
  const std::string again = events_of(id, "QuestionAsked").back()["data"].value("question", "");
  kill_daemon();
  const Finished stopped = luzia({"answer", id, again, "stop it"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "killed");
  EXPECT_EQ(row["reason"], "cancelled");
  EXPECT_EQ(warnings(id, "SILENCE").size(), 1u);
  expect_verified();
}

TEST_F(WarningsTest, SilentAgentIsStoppedIfConfigured) {
  configure(
      "[monitor]\nsilence_warning = \"300ms\"\n[agents.quiet]\ncommand = [\"sh\", \"-c\", \"{task}\"]\n"
      "when_silent = \"kill\"\n");
  const std::string other = dispatch("sleep 600"), id = dispatch("sleep 600", {"--agent", "quiet"});
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "killed");
  EXPECT_EQ(row["reason"], "policy");
  const auto stops = events_of(id, "StopRequested");
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(stops.front()["data"]["reason"], "policy");
  EXPECT_THAT(stops.front()["data"]["note"], HasSubstr("has printed nothing for"));
  warning(other, "SILENCE");
  EXPECT_EQ(state(other), "running");
  expect_verified();
}

TEST_F(WarningsTest, PrintingJobIsNotSilent) {
  configure("[monitor]\nsilence_warning = \"20s\"\n");
  const std::string id = dispatch("for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.1; done");
  ended(id);
  EXPECT_TRUE(events_of(id, "WarningReported").empty());
}

TEST_F(WarningsTest, RepeatedLineIsALoop) {
  const std::string id = dispatch("echo begin; yes retrying | head -n 150");
  ended(id);
  const Json seen = warning(id, "OUTPUT_LOOP");
  EXPECT_THAT(seen["data"]["message"], AllOf(HasSubstr("the same line"), HasSubstr("in a row: retrying")));
  EXPECT_EQ(seen["evidence"]["rule"], "output-loop");
  EXPECT_EQ(seen["evidence"]["log_to"].get<int>() - seen["evidence"]["log_from"].get<int>(), 9);
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("(output-loop)"));
}

TEST_F(WarningsTest, RepeatedCycleIsALoopButCountingIsNot) {
  const std::string cycle = dispatch("for i in $(seq 120); do echo plan; echo edit; echo failed; done");
  const std::string counted = dispatch("seq 1000");
  ended(cycle);
  ended(counted);
  EXPECT_THAT(warning(cycle, "OUTPUT_LOOP")["data"]["message"], HasSubstr("the same 3 lines"));
  EXPECT_TRUE(events_of(counted, "WarningReported").empty());
}

TEST_F(WarningsTest, TooMuchOutputInAMinuteIsAFlood) {
  configure("[monitor]\nflood_warning_mib = 1\nloop_warning_repeats = 0\n");
  const std::string id = dispatch("head -c 3000000 /dev/zero | tr '\\0' x");
  ended(id);
  EXPECT_THAT(warning(id, "OUTPUT_FLOOD")["data"]["message"], HasSubstr("more than 1 MiB"));
  EXPECT_EQ(job(id)["warnings"], 1);
}

TEST_F(WarningsTest, ReloadChangesTheWarnings) {
  configure("[monitor]\nsilence_warning = \"0s\"\nduration_warning_fraction = 0.0\n");
  const std::string id = dispatch_until("running", "sleep 600", {"--estimate", "100ms"});
  EXPECT_TRUE(events_of(id, "WarningReported").empty());
  configure("[monitor]\nsilence_warning = \"10ms\"\nduration_warning_fraction = 1.0\n");
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  warning(id, "SILENCE");
  warning(id, "DURATION_EXCEEDED");
}

/// Jobs whose agents' tool calls say that they change the same files at the same time.
class ContentionTest : public DaemonTest {
 protected:
  ContentionTest() {
    configure("[agents.talking]\ncommand = [\"sh\", \"-c\", \"{task}\"]\noutput = \"claude-stream-json\"\n");
  }
  static std::string says_it_edits(const std::string& file) {
    return R"(echo '{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","id":"t)" +
           file + R"(","name":"Edit","input":{"file_path":")" + file + R"("}}]}}'; )";
  }
  std::string editing(const std::string& what, const std::string& folder = {}) const {
    Words options = {"--agent", "talking"};
    if (!folder.empty()) options.insert(options.end(), {"--dir", folder});
    std::string id = dispatch(what + "sleep 600", options);
    EXPECT_TRUE(wait_until([&] { return !events_of(id, "ToolCalled").empty(); }));
    return id;
  }
  std::vector<Json> told(const std::string& id) const { return events_of(id, "FilesContended"); }
};

TEST_F(ContentionTest, ContentionIsReportedOnceAcrossARestart) {
  const std::string first = editing(says_it_edits("a.cc") + says_it_edits("b.cc"));
  ASSERT_TRUE(wait_until([&] { return events_of(first, "ToolCalled").size() == 2; }));
  kill_and_start_daemon();
  const std::string second = editing(says_it_edits(project() + "/a.cc"));
  ASSERT_TRUE(wait_until([&] { return told(second).size() == 1; }));
  const Json fact = told(second).front()["data"];
  EXPECT_EQ(fact["job"], first);
  EXPECT_EQ(fact["files"], Json::array({project() + "/a.cc"}));
  EXPECT_EQ(fact["files_count"], 1);
  EXPECT_TRUE(told(first).empty());
  EXPECT_THAT(luzia({"why", second}).out, AllOf(HasSubstr(first), HasSubstr("changes the same files")));
  EXPECT_THAT(luzia({"status", "--alerts"}).out, AllOf(HasSubstr(second), HasSubstr("the same files")));
  EXPECT_EQ(job(second)["warnings"], 1);
  kill_and_start_daemon();
  // The new daemon reports the third job's files. It does not repeat the second's, which the log has.
  const std::string third = editing(says_it_edits("b.cc"));
  ASSERT_TRUE(wait_until([&] { return told(third).size() == 1; }));
  EXPECT_EQ(told(third).front()["data"]["job"], first);
  EXPECT_EQ(told(second).size(), 1u);
  expect_verified();
}

TEST_F(ContentionTest, ContentionThroughALinkIsReportedOnce) {
  const std::string link = path("link");
  std::filesystem::create_directories(project());
  std::filesystem::create_directory_symlink(project(), link);
  const std::string first = editing(says_it_edits("a.cc") + says_it_edits("b.cc"), link);
  ASSERT_TRUE(wait_until([&] { return events_of(first, "ToolCalled").size() == 2; }));
  const std::string second = editing(says_it_edits("a.cc"), link);
  ASSERT_TRUE(wait_until([&] { return told(second).size() == 1; }));
  kill_and_start_daemon();
  // It is reported by a daemon that has read the past.
  const std::string third = editing(says_it_edits("b.cc"));
  ASSERT_TRUE(wait_until([&] { return told(third).size() == 1; }));
  EXPECT_EQ(told(third).front()["data"]["job"], first);
  EXPECT_EQ(told(second).size(), 1u);
  EXPECT_TRUE(told(first).empty());
  expect_verified();
}

TEST_F(ContentionTest, EndedJobsCauseNoContention) {
  const std::string first = dispatch(says_it_edits("a.cc"), {"--agent", "talking"});
  ended(first);
  const std::string second = editing(says_it_edits("a.cc"));
  const std::string third = editing(says_it_edits("a.cc"));
  ASSERT_TRUE(wait_until([&] { return told(third).size() == 1; }));
  EXPECT_EQ(told(third).front()["data"]["job"], second);
  EXPECT_TRUE(told(second).empty());
}

}  // namespace
}  // namespace luzia
