// Hooks and webhooks, as a person configures them.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/adapters/notify/http_server.h"
#include "tests/e2e/hooks_fixture.h"

namespace luzia {
namespace {

TEST_F(HooksTest, FailureHookGetsTheEventAsFollowPrintsIt) {
  configure(hook("desk", "\"job_failed\"", "cat > $D/told.part; env > $D/env; mv $D/told.part $D/told"));
  const std::string good = dispatch("true");
  ended(good);
  const std::string bad = dispatch("exit 3");
  ended(bad);
  ASSERT_TRUE(appears("told"));
  const Json told = Json::parse(read_text(in_project("told")));
  const auto ends = events_of(bad, "JobEnded");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(told, ends[0]);
  const std::string environment = read_text(in_project("env"));
  const Words expected = {
      "LUZIA_EVENT=job_failed\n",
      "LUZIA_STATE=failed\n",
      "LUZIA_EXIT_CODE=3\n",
      "LUZIA_JOB_ID=" + bad + "\n",
      "LUZIA_PROJECT=demo\n",
      "LUZIA_POSITION=" + std::to_string(ends[0]["position"].get<std::uint64_t>()) + "\n"};
  for (const std::string& line : expected) {
    EXPECT_THAT(environment, HasSubstr(line));
  }
  ASSERT_TRUE(records(1));
  const auto records = facts("HookDelivered");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0]["data"]["outcome"], "delivered");
  EXPECT_EQ(records[0]["data"]["position"], ends[0]["position"]);
  EXPECT_EQ(records[0]["cause"], ends[0]["position"]);
  expect_verified();
}

TEST_F(HooksTest, OnlyItsProjectsConcernAHook) {
  configure(hook("desk", "\"job_ended\"", "echo $LUZIA_PROJECT >> $D/told", "projects = [\"other\"]\n"));
  ended(dispatch("true"));
  const Finished other = luzia({"dispatch", "other", "true", "--wait"});
  EXPECT_EQ(other.code, 0) << other.err;
  ASSERT_TRUE(gets_lines("told", 1));
  ended(dispatch("true"));
  ASSERT_EQ(luzia({"dispatch", "other", "true", "--wait"}).code, 0);
  ASSERT_TRUE(gets_lines("told", 2));
  EXPECT_THAT(lines("told"), ElementsAre("other", "other"));
}

TEST_F(HooksTest, HangingHookDelaysNoJobAndIsKilled) {
  configure(hook("stuck", "\"job_queued\"", "echo $$ >> $D/stuck; trap '' TERM; while :; do sleep 0.05; done",
                 "timeout = \"5s\"\nretries = 0\n"));
  ended(dispatch("true"));
  ASSERT_TRUE(gets_lines("stuck", 1));
  const pid_t first = std::stoi(lines("stuck").front());
  ASSERT_TRUE(is_running(first));
  std::string batch;
  for (int i = 0; i < 200; ++i) batch += "{\"project\":\"demo\",\"task\":\"true\"}\n";
  const Finished dispatched = luzia({"dispatch", "--batch", "-"}, batch);
  ASSERT_EQ(dispatched.code, 0) << dispatched.err;
  Words ids = lines_of(dispatched.out);
  ASSERT_EQ(ids.size(), 200u);
  ids.insert(ids.begin(), "wait");
  EXPECT_EQ(luzia(ids).code, 0);
  // That many hooks of 5 s each take minutes, so the jobs did not wait for them.
  EXPECT_LT(facts("HookDelivered").size(), 200u);
  EXPECT_TRUE(wait_until([&] { return !is_running(first); }));
  ASSERT_TRUE(records(1));
  const Json record = facts("HookDelivered")[0];
  EXPECT_EQ(record["data"]["outcome"], "given_up");
  EXPECT_THAT(record["data"]["detail"].get<std::string>(), HasSubstr("killed"));
}

TEST_F(HooksTest, FailingHookIsRetriedThenGivenUp) {
  configure(hook("broken", "\"job_failed\"", "echo $LUZIA_POSITION >> $D/tries; echo no paper; exit 7",
                 "retries = 1\n"));
  const std::string bad = dispatch("exit 1");
  ended(bad);
  ASSERT_TRUE(records(1));
  const Json record = facts("HookDelivered")[0];
  EXPECT_EQ(record["data"]["outcome"], "given_up");
  EXPECT_EQ(record["data"]["tries"], 2);
  EXPECT_THAT(record["data"]["detail"].get<std::string>(), HasSubstr("exit code 7: no paper"));
  const Words tries = lines("tries");
  ASSERT_EQ(tries.size(), 2u);
  EXPECT_EQ(tries[0], tries[1]);
  const Json listed = luzia_json({"hooks"});
  ASSERT_EQ(listed["hooks"].size(), 1u);
  EXPECT_EQ(listed["hooks"][0]["name"], "broken");
  EXPECT_EQ(listed["hooks"][0]["given_up"], 1);
  EXPECT_THAT(listed["hooks"][0]["last_failure"].get<std::string>(), HasSubstr("no paper"));
  EXPECT_THAT(luzia({"hooks"}).out, HasSubstr("broken"));
}

TEST_F(HooksTest, DaemonKilledDuringADeliveryRepeatsIt) {
  configure(hook("desk", "\"job_failed\"",
                 "echo $LUZIA_EVENT_ID >> $D/told; while [ ! -e $D/go ]; do sleep 0.05; done",
                 "timeout = \"1m\"\n"));
  ended(dispatch("exit 1"));
  ASSERT_TRUE(gets_lines("told", 1));
  kill_daemon();
  EXPECT_TRUE(facts("HookDelivered").empty());
  write_text(in_project("go"), "");
  start_daemon();
  ASSERT_TRUE(records(1));
  const Words told = lines("told");
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0], told[1]);
  kill_and_start_daemon();
  ended(dispatch("exit 1"));
  ASSERT_TRUE(records(2));
  EXPECT_EQ(lines("told").size(), 3u) << "recorded deliveries are not repeated";
  expect_verified();
}

TEST_F(HooksTest, DaemonKilledBeforeTheRecordRepeatsTheDelivery) {
  configure(hook("desk", "\"job_failed\"", "cat >> $D/told"));
  write_text(path("points"), "hook.told@1");
  const std::string daemon = path("failing-luziad");
  write_text(daemon,
             "#!/bin/sh\nLUZIA_FAILPOINTS=$(cat " + path("points") + ") exec " + kLuziad + " \"$@\"\n");
  ASSERT_EQ(::chmod(daemon.c_str(), 0755), 0);
  ASSERT_EQ(luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + daemon}).code, 0);
  const pid_t failing = daemon_pid();
  const std::string bad = dispatch("exit 1");
  ASSERT_TRUE(wait_until([&] { return !is_running(failing); }));
  EXPECT_EQ(lines("told").size(), 1u);
  start_daemon();
  ASSERT_TRUE(records(1));
  const Words told = lines("told");
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0], told[1]);
  EXPECT_EQ(Json::parse(told[0])["stream"], "job/" + bad);
  EXPECT_EQ(facts("HookDelivered").size(), 1u);
}

TEST_F(HooksTest, NextDaemonDeliversMissedEvents) {
  configure(hook("desk", "\"job_failed\"", "echo $LUZIA_JOB_ID >> $D/told"));
  const std::string bad = dispatch("while [ ! -e go ]; do sleep 0.05; done; exit 1");
  ASSERT_TRUE(becomes(bad, "running"));
  kill_daemon();
  write_text(in_project("go"), "");
  start_daemon();
  ended(bad);
  ASSERT_TRUE(gets_lines("told", 1));
  EXPECT_THAT(lines("told"), ElementsAre(bad));
}

TEST_F(HooksTest, CooldownLimitsAFlappingJob) {
  configure(hook("desk", "\"job_failed\"", "echo $LUZIA_JOB_ID >> $D/told", "cooldown = \"1h\"\n"));
  const std::string flapping = dispatch("exit 1");
  ended(flapping);
  ASSERT_TRUE(records(1));
  for (std::size_t i = 2; i <= 3; ++i) {
    ASSERT_EQ(luzia({"retry", flapping}).code, 0);
    ASSERT_TRUE(records(i));
  }
  const std::string other = dispatch("exit 1");
  ended(other);
  ASSERT_TRUE(records(4));
  EXPECT_THAT(lines("told"), ElementsAre(flapping, other));
  const Json listed = luzia_json({"hooks"})["hooks"][0];
  EXPECT_EQ(listed["delivered"], 2);
  EXPECT_EQ(listed["suppressed"], 2);
}

TEST_F(HooksTest, DwellSuppressesAFixedFailure) {
  configure(hook("desk", "\"job_failed\"", "echo $LUZIA_JOB_ID >> $D/told", "dwell = \"8s\"\n"));
  const std::string fixed = dispatch("[ -e good ]");
  ended(fixed);
  write_text(in_project("good"), "");
  ASSERT_EQ(luzia({"retry", fixed}).code, 0);
  const std::string bad = dispatch("exit 1");
  ASSERT_TRUE(records(2));
  EXPECT_THAT(lines("told"), ElementsAre(bad));
  EXPECT_EQ(facts("HookDelivered")[0]["data"]["outcome"], "suppressed");
}

TEST_F(HooksTest, FloodIsDeliveredInOrderOnce) {
  configure(hook("count", "\"job_queued\"", "echo $LUZIA_POSITION >> $D/told"));
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  constexpr std::size_t kJobs = 400;  // more than fit in memory
  std::string batch;
  for (std::size_t i = 0; i < kJobs; ++i) batch += "{\"project\":\"demo\",\"task\":\"true\"}\n";
  ASSERT_EQ(luzia({"dispatch", "--batch", "-"}, batch).code, 0);
  ASSERT_TRUE(records(kJobs));
  std::vector<std::uint64_t> told;
  for (const std::string& line : lines("told")) told.push_back(std::stoull(line));
  EXPECT_EQ(told.size(), kJobs);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(std::adjacent_find(told.begin(), told.end()), told.end());
  EXPECT_TRUE(wait_until([&] { return luzia_json({"hooks"})["hooks"][0]["lag"] == 0; }));
}

TEST_F(HooksTest, CleanStopRecordsTheCursorOfAnIdleHook) {
  configure(hook("desk", "\"job_lost\"", "true"));
  std::string batch;
  for (int i = 0; i < 300; ++i) batch += "{\"project\":\"demo\",\"task\":\"true\"}\n";
  const Finished dispatched = luzia({"dispatch", "--batch", "-", "--wait"}, batch);
  ASSERT_EQ(dispatched.code, 0) << dispatched.err;
  stop_daemon();
  const auto registered = facts("HookRegistered");
  ASSERT_EQ(registered.size(), 2u);
  EXPECT_GT(registered[1]["data"]["position"].get<std::uint64_t>(), 1000u);
}

TEST_F(HooksTest, WebhookRetryKeepsItsKey) {
  HttpServer server("HTTP/1.1 503 Later\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  configure("[[webhooks]]\nname = \"chat\"\non = [\"job_failed\"]\nurl = \"" + server.url("/s3cret") +
            "\"\nretries = 1\nheaders = { X-Token = \"t0ken\" }\n");
  ended(dispatch("exit 1"));
  ASSERT_TRUE(records(1));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0], requests[1]);
  EXPECT_THAT(requests[0], HasSubstr("X-Token: t0ken\r\n"));
  const Json record = facts("HookDelivered")[0];
  EXPECT_EQ(record["data"]["outcome"], "given_up");
  const std::string log = read_text(store() + "/luziad.log");
  EXPECT_THAT(log, HasSubstr("hook chat"));
  for (const char* secret : {"s3cret", "t0ken"}) {
    EXPECT_THAT(log, Not(HasSubstr(secret)));
    EXPECT_THAT(record.dump(), Not(HasSubstr(secret)));
  }
}

TEST_F(HooksTest, CallbackIsPostedWhereTheDispatchSaid) {
  HttpServer server(kOkAnswer);
  configure("[[webhooks]]\nname = \"ci\"\ncallbacks = true\nurl = \"" + server.url("/done/") +
            "\"\nheaders = { Authorization = \"Bearer t0ken\" }\n"
            "[notifications]\nquiet_hours = \"00:00-23:59\"\n");
  ended(dispatch("true"));
  const std::string id = dispatch("exit 3", {"--callback-url", server.url("/done/7?x=1"), "--retries", "0"});
  ended(id);
  ASSERT_TRUE(records(1));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U) << "the other job named no callback";
  EXPECT_THAT(requests[0], testing::StartsWith("POST /done/7?x=1 HTTP/1.1\r\n"));
  EXPECT_THAT(requests[0], HasSubstr("Authorization: Bearer t0ken\r\n"));
  EXPECT_THAT(requests[0], HasSubstr("Idempotency-Key: "));
  const Json told = Json::parse(requests[0].substr(requests[0].find("\r\n\r\n") + 4));
  EXPECT_EQ(told, events_of(id, "JobEnded")[0]);
  EXPECT_EQ(told["data"]["state"], "failed");
  EXPECT_EQ(facts("HookDelivered")[0]["data"]["hook"], "ci");
}

TEST_F(HooksTest, CallbackElsewhereIsRefusedAndQueuesNothing) {
  configure(
      "[[webhooks]]\nname = \"ci\"\ncallbacks = true\nurl = \"https://ci.example/done/\"\n"
      "projects = [\"demo\"]\n[[webhooks]]\nname = \"chat\"\non = [\"job_ended\"]\n"
      "url = \"http://127.0.0.1:1/\"\n");
  const std::pair<const char*, const char*> cases[] = {
      {"https://ci.example/other/", "callback_not_allowed"},
      {"http://ci.example/done/1", "callback_not_allowed"},
      {"https://ci.example.evil/done/1", "callback_not_allowed"},
      {"http://127.0.0.1:1/x", "callback_not_allowed"},
      {"http://169.254.169.254/latest/", "callback_not_allowed"},
      {"file:///etc/passwd", "callback_not_allowed"},
      {"https://ci.example/done/../admin", "bad_callback_url"},
      {"https://ci.example/done/%2E%2e/admin", "bad_callback_url"},
      {"https://ci.example/done/%252e%252e/admin", "bad_callback_url"},
      {"https://ci.example/done/x%C0%AE/admin", "bad_callback_url"},
      {"https://ci.example/done/x%00", "bad_callback_url"},
      {"https://ci.example/done/a b", "bad_callback_url"},
      {"https://ci.example/done/1\nX-Evil: 1", "bad_callback_url"}};
  for (const auto& [url, code] : cases) {
    const Finished ran = luzia({"dispatch", "demo", "true", "--callback-url", url, "--json"});
    EXPECT_EQ(Json::parse(ran.err)["error"]["code"], code) << url << ran.err;
  }
  const Finished other =
      luzia({"dispatch", "other", "true", "--callback-url", "https://ci.example/done/1", "--json"});
  EXPECT_EQ(Json::parse(other.err)["error"]["code"], "callback_not_allowed");
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
  const std::string good = "https://ci.example/done/1?note=a%25b";
  EXPECT_EQ(luzia({"dispatch", "demo", "true", "--callback-url", good, "--dry-run"}).code, 0);
}

TEST_F(HooksTest, TestSendsASampleAndShowsTheResult) {
  configure(hook("desk", "\"job_failed\"", "echo told $LUZIA_EVENT $LUZIA_SAMPLE; [ ! -e $D/broken ]"));
  start_daemon();
  const auto before = position();
  const Finished good = luzia({"hooks", "test", "desk"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("told job_failed 1"));
  write_text(in_project("broken"), "");
  const Finished bad = luzia({"hooks", "test", "desk"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, HasSubstr("exit code 1"));
  EXPECT_EQ(luzia({"hooks", "test", "dask"}).code, 3);
  const Finished chat = luzia({"hooks", "test", "telegram"});
  EXPECT_EQ(chat.code, 3);
  EXPECT_THAT(chat.err, HasSubstr("add [telegram] with token_file and chats to luzia.toml"));
  EXPECT_THAT(chat.err, HasSubstr("known: desk"));
  EXPECT_THAT(luzia({"__complete", "--", "hooks", "test", ""}).out, HasSubstr("desk\t"));
  EXPECT_EQ(luzia({"hooks", "tset", "desk"}).code, 2);
  EXPECT_EQ(position(), before) << "a sample is no event";
}

TEST_F(HooksTest, ReloadAddsAndRemovesHooks) {
  start_daemon();
  ended(dispatch("exit 1"));
  EXPECT_EQ(luzia_json({"hooks"})["hooks"].size(), 0u);
  configure(hook("desk", "\"job_failed\"", "echo $LUZIA_JOB_ID >> $D/told"));
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  const std::string bad = dispatch("exit 1");
  ended(bad);
  ASSERT_TRUE(gets_lines("told", 1));
  EXPECT_THAT(lines("told"), ElementsAre(bad)) << "a new hook gets no earlier events";
  configure("");
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  ended(dispatch("exit 1"));
  EXPECT_EQ(luzia_json({"hooks"})["hooks"].size(), 0u);
  EXPECT_EQ(lines("told").size(), 1u);
}

TEST_F(HooksTest, DoctorReportsAHooksMissingProgram) {
  configure("[[hooks]]\nname = \"desk\"\non = [\"warning\"]\ncommand = [\"/no/such/program\"]\n");
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("hook desk: there is no program /no/such/program"));
}

TEST_F(HooksTest, HookMistakeNamesPlaceAndNearestName) {
  configure(hook("desk", "\"job_faild\"", "true"));
  const Finished checked = luzia({"config", "check"});
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.out + checked.err, HasSubstr("hooks.desk.on has 'job_faild', which is not an event"));
  EXPECT_THAT(checked.out + checked.err, HasSubstr("did you mean job_failed?"));
}

}  // namespace
}  // namespace luzia
