// Digests that come by themselves: at their time, once, whatever happens to the daemon and the clock.
#include <ctime>
#include <filesystem>

#include "tests/adapters/notify/http_server.h"
#include "tests/e2e/hooks_fixture.h"

namespace luzia {
namespace {

constexpr std::int64_t kOneHourS = 3600, kOneDayS = 24 * kOneHourS;

class DigestsTest : public HooksTest {
 protected:
  void start(std::int64_t shift) {
    step_to(shift);
    start_shifted_daemon();
  }
  /// Sets the daemon's clock to so many seconds after ours. A request lets the daemon notice at once.
  void step_to(std::int64_t seconds) const {
    shift_clock(seconds * 1'000'000);
    if (shifted_daemon_) luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"});
  }
  /// The time of the day that comes in about half an hour: `digest = "..."`.
  static std::string in_half_an_hour() {
    const std::time_t then = std::time(nullptr) + kOneHourS / 2;
    std::tm local{};
    ::unsetenv("TZ");  // as in the programs under test
    ::tzset();
    ::localtime_r(&then, &local);
    char text[32];
    std::snprintf(text, sizeof text, "digest = \"%02d:%02d\"\n", local.tm_hour, local.tm_min);
    return text;
  }
  std::string reader(const std::string& name, const std::string& more = "") const {
    return hook(name, "", "cat >> $D/" + name + "; [ ! -e $D/broken ]", in_half_an_hour() + more);
  }
  Json told(const std::string& name, std::size_t place) const { return Json::parse(lines(name).at(place)); }
  std::size_t due() const { return facts("DigestDue").size(); }
};

TEST_F(DigestsTest, ComesOnceADayWhateverTheClockDoes) {
  configure(reader("mail"));
  start(0);
  const std::string good = dispatch("echo well");
  const std::string bad = dispatch("echo no paper; exit 3");
  ended(good);
  ended(bad);
  EXPECT_EQ(due(), 0U) << "its time has not come";
  step_to(kOneHourS);
  ASSERT_TRUE(gets_lines("mail", 1));
  const Json first = told("mail", 0);
  EXPECT_EQ(first["type"], "DigestDue");
  EXPECT_EQ(first["digest"]["counts"]["completed"], 1);
  EXPECT_EQ(first["digest"]["counts"]["failed"], 1);
  EXPECT_THAT(first["text"].get<std::string>(), HasSubstr("1 completed, 1 failed"));
  EXPECT_THAT(first["text"].get<std::string>(), HasSubstr("luzia why JOB"));
  EXPECT_THAT(first["text"].get<std::string>(), Not(HasSubstr("\x1b")));
  // The same moment comes again and again.
  step_to(0);
  step_to(kOneHourS);
  step_to(kOneHourS / 4);
  kill_daemon();
  start(kOneHourS);
  ASSERT_TRUE(records(1));
  EXPECT_EQ(due(), 1U);
  // On the next day it tells only of what came since.
  ended(dispatch("true"));
  step_to(kOneDayS + kOneHourS);
  ASSERT_TRUE(gets_lines("mail", 2));
  EXPECT_EQ(told("mail", 1)["digest"]["counts"]["completed"], 1);
  EXPECT_EQ(told("mail", 1)["digest"]["counts"]["failed"], 0);
  EXPECT_EQ(lines("mail").size(), 2U);
  ASSERT_TRUE(records(2));
  expect_verified();
}

TEST_F(DigestsTest, MissedDaysMakeOneDigestWithWhatEndedMeanwhile) {
  configure(reader("mail"));
  start(0);
  const std::string working = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(working, "running"));
  kill_daemon();
  write_text(in_project("go"), "");
  ASSERT_TRUE(wait_until([&] { return processes_of("LUZIA_JOB_ID=" + working).empty(); }));
  start(3 * kOneDayS + kOneHourS);
  ASSERT_TRUE(gets_lines("mail", 1));
  EXPECT_EQ(told("mail", 0)["digest"]["counts"]["completed"], 1) << "its end was found before the digest";
  EXPECT_EQ(told("mail", 0)["digest"]["counts"]["working"], 0);
  ASSERT_TRUE(records(1));
  kill_daemon();
  start(3 * kOneDayS + kOneHourS);
  EXPECT_EQ(due(), 1U) << "three days, one digest";
  expect_verified();
}

TEST_F(DigestsTest, KilledDaemonRepeatsWithTheSameIdUntilItIsRecorded) {
  configure(hook("mail", "", "echo $LUZIA_EVENT_ID >> $D/mail; while [ ! -e $D/go ]; do sleep 0.05; done",
                 in_half_an_hour() + "timeout = \"1m\"\n"));
  start(0);
  ended(dispatch("true"));
  step_to(kOneHourS);
  ASSERT_TRUE(gets_lines("mail", 1));
  kill_daemon();
  write_text(in_project("go"), "");
  start(kOneHourS);
  ASSERT_TRUE(records(1));
  const Words told = lines("mail");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], told[1]);
  EXPECT_EQ(due(), 1U);
  kill_daemon();
  start(kOneHourS);
  EXPECT_EQ(lines("mail").size(), 2U);
  EXPECT_EQ(due(), 1U);
}

TEST_F(DigestsTest, NextDigestTellsWhatCouldNotBeDelivered) {
  configure(hook("mail", "", "[ ! -e $D/broken ] && cat >> $D/mail", in_half_an_hour()));
  write_text(in_project("broken"), "");
  start(0);
  ended(dispatch("true"));
  step_to(kOneHourS);
  ASSERT_TRUE(wait_until([this] { return due() == 1; }));
  kill_daemon();
  std::filesystem::remove(in_project("broken"));
  start(kOneDayS + kOneHourS);
  ASSERT_TRUE(records(2)) << "that of yesterday, and that of today";
  std::size_t completed = 0;
  for (const std::string& line : lines("mail"))
    completed += Json::parse(line)["digest"]["counts"]["completed"].get<std::size_t>();
  EXPECT_EQ(completed, 1U) << "told once";
}

TEST_F(DigestsTest, IdleDayIsRecordedButSendsNothing) {
  configure(reader("mail"));
  start(0);
  step_to(kOneHourS);
  ASSERT_TRUE(records(1));
  const Json record = facts("HookDelivered")[0]["data"];
  EXPECT_EQ(record["hook"], "mail/digest");
  EXPECT_EQ(record["outcome"], "suppressed");
  EXPECT_EQ(record["detail"], "nothing happened");
  EXPECT_NE(::access(in_project("mail").c_str(), F_OK), 0);
}

TEST_F(DigestsTest, ChannelHearsOfItsProjectsInQuietHours) {
  HttpServer server(kOkAnswer);
  configure(reader("mail", "projects = [\"other\"]\n") +
            "[[webhooks]]\nname = \"chat\"\nformat = \"slack\"\n" + in_half_an_hour() + "url = \"" +
            server.url("/x") + "\"\n[notifications]\nquiet_hours = \"00:00-23:59\"\n");
  start(0);
  ended(dispatch("echo secret word"));
  ASSERT_EQ(luzia({"dispatch", "other", "echo public", "--wait"}).code, 0);
  step_to(kOneHourS);
  ASSERT_TRUE(records(2));
  const std::string mail = told("mail", 0)["text"];
  EXPECT_THAT(mail, HasSubstr("echo public"));
  EXPECT_THAT(lines("mail").at(0), Not(HasSubstr("secret")));
  EXPECT_EQ(told("mail", 0)["digest"]["counts"]["completed"], 1);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U);
  const Json chat = Json::parse(requests[0].substr(requests[0].find("\r\n\r\n") + 4));
  EXPECT_THAT(chat["text"].get<std::string>(), HasSubstr("secret word"));
  EXPECT_THAT(chat["text"].get<std::string>(), HasSubstr("2 completed"));
}

TEST_F(DigestsTest, LongNightFitsAMessage) {
  configure(reader("mail") + "[retry]\nbreaker_failures = 0\n");
  start(0);
  std::string batch;
  const std::string words(600, 'x');
  for (int i = 0; i < 60; ++i) batch += "{\"project\":\"demo\",\"task\":\"exit 1 # " + words + "\"}\n";
  luzia({"dispatch", "--batch", "-", "--wait"}, batch);
  step_to(kOneHourS);
  ASSERT_TRUE(gets_lines("mail", 1));
  const std::string text = told("mail", 0)["text"];
  EXPECT_LE(text.size(), 3'300U);
  EXPECT_THAT(text, HasSubstr("60 failed"));
  EXPECT_THAT(text, HasSubstr(" more\n"));
  EXPECT_THAT(text, HasSubstr("luzia retry --state failed"));
  EXPECT_EQ(told("mail", 0)["digest"]["counts"]["failed"], 60);
}

TEST_F(DigestsTest, TestSendsOneNowAndRecordsNothing) {
  configure(reader("mail") + hook("desk", "\"job_failed\"", "true"));
  start(0);
  ended(dispatch("true"));
  const auto before = position();
  const Finished sent = luzia({"hooks", "test", "mail", "--digest"});
  EXPECT_EQ(sent.code, 0) << sent.err;
  EXPECT_THAT(sent.out, HasSubstr("notified of a digest"));
  EXPECT_EQ(told("mail", 0)["digest"]["counts"]["completed"], 1);
  EXPECT_EQ(position(), before);
  const Finished none = luzia({"hooks", "test", "desk", "--digest"});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("add digest = \"07:00\" to it"));
  EXPECT_EQ(luzia({"hooks", "--digest"}).code, 2);
  step_to(kOneHourS);
  ASSERT_TRUE(gets_lines("mail", 2)) << "a test is no digest";
}

TEST_F(DigestsTest, TimeThatIsOverWhenItIsConfiguredComesTomorrow) {
  start(kOneHourS);
  ended(dispatch("true"));
  configure(reader("mail"));
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  EXPECT_EQ(due(), 0U);
  kill_daemon();
  start(kOneHourS);
  EXPECT_EQ(due(), 0U);
  ended(dispatch("true"));
  step_to(kOneDayS + kOneHourS);
  ASSERT_TRUE(gets_lines("mail", 1));
}

}  // namespace
}  // namespace luzia
