// When people are notified, when they are not, and who is notified next.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <ctime>

#include "tests/e2e/hooks_fixture.h"

namespace luzia {
namespace {

class NoticesTest : public HooksTest {
 protected:
  /// Quiet hours that are in force now and for hours to come.
  static std::string quiet_now() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::unsetenv("TZ");  // as in the programs under test
    ::tzset();
    ::localtime_r(&now, &local);
    char text[16];
    std::snprintf(text, sizeof text, "%02d:00-%02d:00", local.tm_hour, (local.tm_hour + 12) % 24);
    return text;
  }
  std::string note_taker(const std::string& name, const std::string& on, const std::string& more = "") const {
    return hook(name, on, "echo $LUZIA_EVENT $LUZIA_JOB_ID >> $D/" + name, more);
  }
  /// Lines like "desk suppressed somebody was watching the job".
  Words outcomes() const {
    Words words;
    for (const Json& fact : facts("HookDelivered")) {
      const Json& data = fact["data"];
      words.push_back(data["hook"].get<std::string>() + " " + data["outcome"].get<std::string>() +
                      (data.value("detail", "").empty() ? "" : " " + data["detail"].get<std::string>()));
    }
    return words;
  }
  /// The outcome of notifying `desk` about the job's end; empty if there is none yet.
  std::string outcome_of(const std::string& job) const {
    const auto ends = events_of(job, "JobEnded");
    for (const Json& fact : facts("HookDelivered")) {
      const Json& data = fact["data"];
      if (!ends.empty() && data["hook"] == "desk" && data["position"] == ends[0]["position"])
        return data["outcome"];
    }
    return "";
  }
  /// Nothing shows when a program has begun to watch the job, so each try gives it more time.
  bool is_left_out_during(const Words& words, bool names_job = true) {
    for (int tries = 1; tries <= 12; ++tries) {
      const std::string go = "go-" + words.front() + words.back() + std::to_string(tries);
      const std::string job = dispatch("while [ ! -e " + in_project(go) + " ]; do sleep 0.05; done; exit 1");
      Words program = {kLuzia};
      program.insert(program.end(), words.begin(), words.end());
      if (names_job) program.push_back(job);
      const BesideProgram watching(program, environment(), path(go + ".out"));
      for (int i = 0; i < tries * tries; ++i) EXPECT_NE(state(job), "");
      write_text(in_project(go), "");
      EXPECT_TRUE(wait_until([&] { return !outcome_of(job).empty(); }));
      if (outcome_of(job) == "suppressed") return true;
    }
    return false;
  }
  std::string ask(const std::string& timeout) const {
    std::string job = dispatch(kLuzia + " ask 'Go on?' --default yes --timeout " + timeout);
    EXPECT_TRUE(becomes(job, "waiting"));
    return job;
  }
};

TEST_F(NoticesTest, QuietHoursHoldBackAllButPrompts) {
  configure("[notifications]\nquiet_hours = \"" + quiet_now() + "\"\n" +
            note_taker("desk", "\"job_failed\", \"job_retried\", \"question_asked\"") +
            note_taker("log", "\"job_failed\"", "quiet_hours = \"none\"\n"));
  const std::string bad = dispatch("exit 1");
  ended(bad);
  const std::string asking = ask("10m");
  ASSERT_TRUE(gets_lines("desk", 1));
  ASSERT_TRUE(gets_lines("log", 1));
  EXPECT_THAT(lines("desk"), ElementsAre("question_asked " + asking))
      << "the failure is held back, the question is not";
  ASSERT_TRUE(records(2));
  kill_and_start_daemon();
  ASSERT_EQ(luzia({"retry", bad}).code, 0);
  ended(bad);
  ASSERT_TRUE(wait_until([&] {
    const Words told = outcomes();
    return std::ranges::find(told, "desk suppressed over before the quiet hours had passed") != told.end();
  })) << "fixed in the night, by a daemon that came later";
  EXPECT_EQ(lines("desk").size(), 1u);
  EXPECT_THAT(outcomes(), Contains("desk/urgent delivered"));
  // In the morning the rest is delivered.
  configure(note_taker("desk", "\"job_failed\", \"job_retried\", \"question_asked\"") +
            note_taker("log", "\"job_failed\"", "quiet_hours = \"none\"\n"));
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  ASSERT_TRUE(gets_lines("desk", 3));
  EXPECT_THAT(lines("desk"), Contains("job_retried " + bad));
  EXPECT_THAT(lines("desk"), Contains("job_failed " + bad));
  expect_verified();
}

TEST_F(NoticesTest, SkippedJobIsReportedUnderTheNameThatAHookKnows) {
  configure(note_taker("older", "\"job_failed\"") + note_taker("newer", "\"job_skipped\", \"job_failed\"") +
            hook("states", "\"job_skipped\"", "echo $LUZIA_STATE $LUZIA_JOB_ID >> $D/states"));
  const std::string bad = dispatch("while [ ! -e go ]; do sleep 0.05; done; exit 1");
  const std::string skipped = dispatch("true", {"--after", bad});
  write_text(in_project("go"), "");
  for (const char* name : {"older", "newer"}) ASSERT_TRUE(gets_lines(name, 2)) << name;
  EXPECT_THAT(lines("older"), ElementsAre("job_failed " + bad, "job_failed " + skipped));
  EXPECT_THAT(lines("newer"), ElementsAre("job_failed " + bad, "job_skipped " + skipped));
  ASSERT_TRUE(gets_lines("states", 1));
  EXPECT_THAT(lines("states"), ElementsAre("skipped " + skipped));
}

TEST_F(NoticesTest, WatchedJobsCanSuppressNotifications) {
  configure(note_taker("desk", "\"job_failed\"", "unless_watched = true\n") +
            note_taker("log", "\"job_failed\""));
  EXPECT_TRUE(is_left_out_during({"logs", "-f"}));
  EXPECT_TRUE(is_left_out_during({"wait"}));
  EXPECT_TRUE(is_left_out_during({"watch"}));
  EXPECT_TRUE(is_left_out_during({"watch", "--all"}, false));
  EXPECT_TRUE(is_left_out_during({"watch", "--project", "demo"}, false));
  const std::string alone = dispatch("exit 1");
  ASSERT_TRUE(is_over(alone));
  ASSERT_TRUE(wait_until([&] { return outcome_of(alone) == "delivered"; }));
  ASSERT_TRUE(wait_until([&] {
    return lines("log").size() >= 6 && lines("log").back() == "job_failed " + alone;
  })) << "other hooks get everything";
}

TEST_F(NoticesTest, WaitingClientIsNotifiedOfQuestions) {
  configure(note_taker("desk", "\"job_failed\", \"question_asked\"", "unless_watched = true\n"));
  const std::string job = dispatch("while [ ! -e " + in_project("go") + " ]; do sleep 0.05; done; " + kLuzia +
                                   " ask 'Go on?' --default yes --timeout 1s");
  const BesideProgram wait({kLuzia, "wait", job}, environment(), path("wait"));
  write_text(in_project("go"), "");
  ASSERT_TRUE(gets_lines("desk", 1));
  EXPECT_THAT(lines("desk"), ElementsAre("question_asked " + job));
}

TEST_F(NoticesTest, CooldownSurvivesARestart) {
  configure(note_taker("desk", "\"job_failed\"", "cooldown = \"1h\"\n"));
  const std::string bad = dispatch("exit 1");
  ended(bad);
  ASSERT_TRUE(records(1));
  kill_and_start_daemon();
  ASSERT_EQ(luzia({"retry", bad}).code, 0);
  ASSERT_TRUE(records(2));
  EXPECT_THAT(outcomes(),
              ElementsAre("desk delivered", "desk suppressed the same was sent within the cooldown"));
  EXPECT_EQ(lines("desk").size(), 1u);
}

TEST_F(NoticesTest, UnansweredQuestionEscalates) {
  configure(note_taker("desk", "\"question_asked\"", "escalate_to = \"boss\"\nescalate_after = 0.001\n") +
            note_taker("boss", "\"job_lost\"", "escalate_to = \"chief\"\nescalate_after = 0.002\n") +
            note_taker("chief", "\"job_lost\""));
  const std::string job = ask("20m");
  for (const char* told : {"chief", "boss", "desk"}) ASSERT_TRUE(gets_lines(told, 1)) << told;
  EXPECT_THAT(lines("desk"), ElementsAre("question_asked " + job));
  EXPECT_THAT(lines("boss"), ElementsAre("question_reminded " + job));
  EXPECT_THAT(lines("chief"), ElementsAre("question_reminded " + job));
  const auto reminded = events_of(job, "QuestionReminded");
  ASSERT_EQ(reminded.size(), 2u);
  EXPECT_EQ(reminded[0]["data"]["channel"], "boss");
  EXPECT_EQ(reminded[1]["data"]["channel"], "chief");
  EXPECT_THAT(luzia({"why", job}).out, HasSubstr("boss is asked now"));
  ASSERT_TRUE(records(3));
  kill_and_start_daemon();
  EXPECT_EQ(luzia({"answer", job, "yes"}).code, 0);
  ended(job);
  EXPECT_EQ(events_of(job, "QuestionReminded").size(), 2u) << "no escalation step is taken twice";
  expect_verified();
}

TEST_F(NoticesTest, AnswerCancelsTheEscalation) {
  configure(note_taker("desk", "\"question_asked\"", "escalate_to = \"boss\"\nescalate_after = 0.9\n") +
            note_taker("boss", "\"job_lost\""));
  const std::string job = ask("1m");
  kill_and_start_daemon();
  EXPECT_EQ(luzia({"answer", job, "yes"}).code, 0);
  ended(job);
  EXPECT_TRUE(events_of(job, "QuestionReminded").empty());
}

TEST_F(NoticesTest, DesktopIsNotifiedIfThereIsASession) {
  script("notify-send", "#!/bin/sh\nprintf '%s|' \"$@\" >> " + in_project("shown") + "\n");
  configure("[[hooks]]\nname = \"desk\"\non = [\"job_failed\"]\ndesktop = true\nretries = 0\n");
  const int bus = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path("bus").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(bus, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string daemon = path("luziad-of-a-session");
  write_text(daemon, "#!/bin/sh\nPATH=" + project() + ":/usr/bin:/bin DBUS_SESSION_BUS_ADDRESS=unix:path=" +
                         path("bus") + " exec " + kLuziad + " \"$@\"\n");
  ASSERT_EQ(::chmod(daemon.c_str(), 0755), 0);
  ASSERT_EQ(luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + daemon}).code, 0);
  const std::string bad = dispatch("exit 1");
  ASSERT_TRUE(is_over(bad));
  ASSERT_TRUE(records(1));
  EXPECT_THAT(outcomes(), ElementsAre("desk delivered"));
  EXPECT_THAT(read_text(in_project("shown")), HasSubstr("--|luzia: job failed|demo: job " + bad));
  ::unlink(path("bus").c_str());
  ASSERT_TRUE(is_over(dispatch("exit 1")));
  ASSERT_TRUE(records(2));
  ::close(bus);
  EXPECT_THAT(outcomes()[1], HasSubstr("desk suppressed there is no session"));
}

}  // namespace
}  // namespace luzia
