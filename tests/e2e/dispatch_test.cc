// Ways to dispatch a task, to name a job, to wait for it and to read its output.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class DispatchTest : public DaemonTest {
 protected:
  static bool is_connected(pid_t pid) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored)) {
      if (fs::read_symlink(entry, ignored).string().starts_with("socket:")) return true;
    }
    return false;
  }
  std::string id_of(const Finished& sent) const {
    EXPECT_EQ(sent.code, 0) << sent.err;
    const Words lines = lines_of(sent.out);
    EXPECT_EQ(lines.size(), 1u) << sent.out;
    return lines.empty() ? std::string() : lines.front();
  }
};

TEST_F(DispatchTest, TaskComesFromArgumentsStandardInputOrAFile) {
  const std::string words = id_of(luzia({"demo", "echo words"}));
  const std::string input = id_of(luzia({"demo", "-"}, "echo input\necho twice\n"));
  write_text(path("task.md"), "echo file\n");
  const std::string file = id_of(luzia({"dispatch", "demo", "--file", path("task.md")}));
  for (const std::string& id : {words, input, file}) EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(luzia({"logs", words}).out, "words\n");
  EXPECT_EQ(luzia({"logs", input}).out, "input\ntwice\n");
  EXPECT_EQ(luzia({"logs", file}).out, "file\n");
  EXPECT_EQ(read_text(job_dir(file) + "/prompt.txt"), "echo file\n");
}

TEST_F(DispatchTest, DryRunChangesNothing) {
  ended(dispatch("true"));
  const auto before = position();
  const Finished dry = luzia({"dispatch", "demo", ": > ran", "--dry-run"});
  EXPECT_THAT(dry.out, HasSubstr("\nsandbox     off\n"));
  EXPECT_THAT(dry.out, HasSubstr("\nmay use     what it wants: no limits\n"));
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(position(), before);
  EXPECT_EQ(luzia({"dispatch", "nope", "x", "--dry-run"}).code, 2);
  EXPECT_EQ(luzia_json({"jobs", "--all"})["jobs"].size(), 1u);
  EXPECT_NE(::access((project() + "/ran").c_str(), F_OK), 0);
}

TEST_F(DispatchTest, BatchIsAllOrNothing) {
  std::string many;
  for (int i = 0; i < 20; ++i)
    many += R"({"project":"demo","task":"echo )" + std::to_string(i) +
            R"(","tags":["night"]})"
            "\n";
  const Finished sent = luzia({"dispatch", "--batch", "-"}, many);
  EXPECT_EQ(sent.code, 0) << sent.err;
  const Words ids = lines_of(sent.out);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 20u);
  for (const std::string& id : ids) EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(luzia_json({"jobs", "--tag", "night", "--all"})["jobs"].size(), 20u);

  const auto before = position();
  const Finished refused = luzia({"dispatch", "--batch", "-"}, many + R"({"project":"nope","task":"x"})"
                                                                      "\n");
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  const Finished broken = luzia({"dispatch", "--batch", "-"}, many + "{\"project\":\n");
  EXPECT_EQ(broken.code, 2) << broken.err;
  EXPECT_THAT(broken.err, HasSubstr("21"));
  EXPECT_EQ(position(), before);
}

TEST_F(DispatchTest, RepeatedCommandIdIsOneJob) {
  const Words words = {"dispatch", "demo", "echo x >> runs", "--command-id", "nightly-1"};
  const std::string first = id_of(luzia(words));
  ended(first);
  kill_daemon();
  EXPECT_EQ(id_of(luzia(words)), first);
  EXPECT_EQ(lines_of(read_text(project() + "/runs")).size(), 1u);
  const Finished other = luzia({"dispatch", "demo", "echo other", "--command-id", "nightly-1"});
  EXPECT_EQ(other.code, 4) << other.err;
  EXPECT_EQ(error_lines(other.err), 1u) << other.err;
}

TEST_F(DispatchTest, JobsAreNamedByPrefixAndLast) {
  const std::string first = dispatch("echo first");
  const std::string last = dispatch("echo last");
  ended(first);
  ended(last);
  EXPECT_EQ(luzia_json({"job", "@last"})["id"], last);
  std::size_t common = 0;
  while (first[common] == last[common]) ++common;
  EXPECT_EQ(luzia_json({"job", last.substr(0, common + 1)})["id"], last);
  const Finished ambiguous = luzia({"job", last.substr(0, common)});
  EXPECT_EQ(ambiguous.code, 2) << ambiguous.err;
  EXPECT_EQ(error_lines(ambiguous.err), 1u) << ambiguous.err;
}

TEST_F(DispatchTest, DependenciesMayUseLast) {
  const std::string first = dispatch("echo first");
  const std::string last = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  const std::string then = dispatch("true", {"--after", "@last," + first});
  EXPECT_EQ(state(then), "queued") << "it waits for " << last;
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(then)["state"], "completed");
}

TEST_F(DispatchTest, DryRunRefusesWhatTheDispatchWouldRefuse) {
  const std::string failed = dispatch("false");
  ended(failed);
  EXPECT_EQ(luzia({"dispatch", "demo", "x", "--dry-run", "--after", "0000000000000"}).code, 3);
  EXPECT_EQ(luzia({"dispatch", "demo", "x", "--dry-run", "--after", failed}).code, 4);
}

TEST_F(DispatchTest, LogsEndBeforeTheExitLine) {
  const std::string silent = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(silent, "running"));
  BesideProgram follower({kLuzia, "logs", silent, "-f"}, environment(), path("followed"));
  const std::string cut = dispatch(
      "seq 100; while [ ! -e go ]; do sleep 0.05; done; : > \"$LUZIA_JOB_DIR/output.log\"; echo short");
  ASSERT_TRUE(wait_until([&] { return lines_of(luzia({"logs", cut}).out).size() == 100; }));
  write_text(project() + "/go", "");
  EXPECT_EQ(follower.end(), 0);
  EXPECT_EQ(follower.output(), "");
  ended(cut);
  EXPECT_THAT(luzia({"logs", cut}).out, testing::Not(HasSubstr("exit:")));
}

TEST_F(DispatchTest, WaitForAPassedStateEndsAtOnce) {
  const std::string id = dispatch("exit 0");
  ended(id);
  const Finished waited = luzia({"wait", id, "--until", "queued", "--timeout", "1h"});
  EXPECT_EQ(waited.code, 1);
  EXPECT_THAT(waited.err, HasSubstr(id + " has ended and cannot reach a state of --until any more"));
  EXPECT_THAT(waited.err, testing::Not(HasSubstr("gave up")));
  EXPECT_EQ(luzia({"wait", id, "--until", "completed"}).code, 0);
}

TEST_F(DispatchTest, WaitReturnsAtTheFirstEndOrTheJobsCode) {
  const std::string slow = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  const std::string quick = dispatch("exit 0");
  const std::string failing = dispatch("exit 37");
  EXPECT_EQ(luzia({"wait", slow, quick, "--any"}).code, 0);
  EXPECT_TRUE(becomes(slow, "running")) << "its start may be slower than the other's whole life";
  EXPECT_EQ(luzia({"wait", failing}).code, 1);
  EXPECT_EQ(luzia({"wait", failing, "--exit-code"}).code, 37);
  EXPECT_EQ(luzia({"wait", slow, "--timeout", "50ms"}).code, 1);
  write_text(project() + "/go", "");
  EXPECT_EQ(luzia({"wait", slow, quick}).code, 0);
  EXPECT_EQ(luzia({"dispatch", "demo", "exit 5", "--wait", "--exit-code"}).code, 5);
  const std::string killed = dispatch("kill -9 $$");
  EXPECT_EQ(luzia({"wait", killed, "--exit-code"}).code, 137);
}

TEST_F(DispatchTest, CtrlCEndsOnlyTheWait) {
  const std::string waits_with_others = dispatch("sleep 600");
  for (const int signal : {SIGINT, SIGTERM}) {
    BesideProgram sent({kLuzia, "dispatch", "demo", "sleep 600", "--wait"}, environment(), path("sent"));
    ASSERT_TRUE(wait_until([&] {
      return looks_at(sent.pid(), signal) && sent.output().find('\n') != std::string::npos;
    })) << sent.output();
    const std::string id = lines_of(sent.output()).front();
    sent.signal(signal);
    EXPECT_EQ(sent.end(), 128 + signal);
    EXPECT_TRUE(sent.signalled());
    EXPECT_THAT(sent.output(), testing::EndsWith("job " + id + " continues; luzia wait " + id +
                                                 " waits again, luzia cancel " + id + " ends it\n"));
    EXPECT_TRUE(becomes(id, "running"));
    BesideProgram waits({kLuzia, "wait", id, waits_with_others}, environment(), path("waits"));
    ASSERT_TRUE(wait_until([&] { return looks_at(waits.pid(), signal); })) << waits.output();
    waits.signal(signal);
    EXPECT_EQ(waits.end(), 128 + signal);
    EXPECT_TRUE(waits.signalled());
    const std::string both = id + " " + waits_with_others;
    EXPECT_EQ(waits.output(), "jobs that have not ended continue; luzia wait " + both +
                                  " waits again, luzia cancel " + both + " ends them\n");
    BesideProgram watches({kLuzia, "watch", id}, environment(), path("watches"));
    ASSERT_TRUE(wait_until([&] { return looks_at(watches.pid(), signal); })) << watches.output();
    watches.signal(signal);
    EXPECT_EQ(watches.end(), 128 + signal) << "the interrupted wait did not see the job's end";
    EXPECT_EQ(state(id), "running");
    luzia({"cancel", id});
  }
  luzia({"cancel", waits_with_others});
}

TEST_F(DispatchTest, StoppedWaitSaysHowToResume) {
  const std::string one = dispatch("sleep 600"), other = dispatch("sleep 600");
  BesideProgram waits({kLuzia, "wait", one, other, "--any", "--until", "completed,lost", "--exit-code",
                       "--timeout", "1h", "--store", store()},
                      environment(), path("waits"));
  ASSERT_TRUE(wait_until([&] { return looks_at(waits.pid(), SIGINT); })) << waits.output();
  waits.signal(SIGINT);
  EXPECT_EQ(waits.end(), 128 + SIGINT);
  const std::string both = one + " " + other, place = " --store " + store();
  EXPECT_EQ(waits.output(), "jobs that have not ended continue; luzia wait " + both +
                                " --any --until completed,lost --exit-code" + place +
                                " waits again, luzia cancel " + both + place + " ends them\n");
  luzia({"cancel", one, other});
}

TEST_F(DispatchTest, WaitKeepsIgnoringIgnoredSignals) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  BesideProgram waits({kLuzia, "wait", id}, environment(), path("waits"), [] { ::signal(SIGHUP, SIG_IGN); });
  ASSERT_TRUE(wait_until([&] { return looks_at(waits.pid(), SIGINT); })) << waits.output();
  waits.signal(SIGHUP);
  write_text(project() + "/go", "");
  EXPECT_EQ(waits.end(), 0);
  EXPECT_EQ(waits.output(), id + " completed (exit code 0)\n");
}

TEST_F(DispatchTest, ForegroundShowsTheOutputAndEndsWithTheJobsCode) {
  const Finished shown = luzia({"dispatch", "demo", "echo one; echo two >&2; exit 6", "--fg"});
  EXPECT_EQ(shown.code, 6);
  EXPECT_THAT(shown.out, HasSubstr("one\ntwo\n"));
}

TEST_F(DispatchTest, LogsShowTheTailAndFollowToTheEnd) {
  const std::string id =
      dispatch("for i in 1 2 3 4 5; do echo $i; done; while [ ! -e go ]; do sleep 0.05; done; echo 6");
  ASSERT_TRUE(wait_until([&] { return luzia({"logs", id}).out == "1\n2\n3\n4\n5\n"; }));
  EXPECT_EQ(luzia({"logs", id, "-n", "2"}).out, "4\n5\n");
  EXPECT_EQ(luzia({"logs", id, "--grep", "[13]"}).out, "1\n3\n");
  EXPECT_EQ(luzia({"logs", id, "--grep", "none"}).code, 1);
  BesideProgram follower({kLuzia, "logs", id, "-f", "-n", "1"}, environment(), path("followed"));
  ASSERT_TRUE(wait_until([&] { return follower.output() == "5\n"; }));
  write_text(project() + "/go", "");
  EXPECT_EQ(follower.end(), 0);
  EXPECT_EQ(follower.output(), "5\n6\n");
}

TEST_F(DispatchTest, LogsOfAQueuedJobFollowItsNextAttempt) {
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string id = dispatch("echo attempt $LUZIA_ATTEMPT; sleep 0.2; echo end; [ $LUZIA_ATTEMPT = 2 ]");
  const auto follow_the_next = [&](const char* file) {
    ASSERT_EQ(state(id), "queued");
    BesideProgram follower({kLuzia, "logs", id, "-f"}, environment(), path(file));
    ASSERT_TRUE(wait_until([&] { return is_connected(follower.pid()); }));
    EXPECT_EQ(luzia({"resume", "--all"}).code, 0);
    EXPECT_EQ(follower.end(), 0);
  };
  follow_the_next("first");
  EXPECT_EQ(read_text(path("first")), "attempt 1\nend\n");
  EXPECT_EQ(ended(id)["state"], "failed");

  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  EXPECT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(luzia({"logs", id}).out, "attempt 1\nend\n") << "without -f only the existing output is shown";
  follow_the_next("second");
  EXPECT_EQ(read_text(path("second")), "attempt 2\nend\n");
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(DispatchTest, ZeroLastLinesShowNothing) {
  for (const char* output : {"printf one", "echo one", "echo one; echo two"}) {
    const std::string id = dispatch(output);
    ended(id);
    EXPECT_EQ(luzia({"logs", id, "-n", "0"}).out, "") << output;
    EXPECT_NE(luzia({"logs", id, "-n", "1"}).out, "") << output;
  }
}

TEST_F(DispatchTest, LogsOfAQueuedJobEndWithItsCancel) {
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string id = dispatch("echo never");
  BesideProgram follower({kLuzia, "logs", id, "-f"}, environment(), path("followed"));
  ASSERT_TRUE(wait_until([&] { return is_connected(follower.pid()); }));
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  EXPECT_EQ(follower.end(), 0);
  EXPECT_EQ(follower.output(), "");
}

TEST_F(DispatchTest, LogsOfAnAttemptEndBeforeTheRetry) {
  configure(
      "[retry]\nbackoff = \"1h\"\n[agents.again]\ncommand = [\"/bin/sh\", \"-c\", \"{task}\"]\n"
      "exit_codes = { 1 = \"retriable\" }\n");
  const std::string id =
      dispatch("echo attempt $LUZIA_ATTEMPT; while [ ! -e go ]; do sleep 0.05; done; exit 1",
               {"--agent", "again", "--retries", "1"});
  BesideProgram follower({kLuzia, "logs", id, "-f"}, environment(), path("followed"));
  ASSERT_TRUE(wait_until([&] { return follower.output() == "attempt 1\n"; }));
  write_text(project() + "/go", "");
  EXPECT_EQ(follower.end(), 0);
  EXPECT_EQ(follower.output(), "attempt 1\n");
  EXPECT_EQ(state(id), "queued");
}

TEST_F(DispatchTest, RequestedRetriesCoverExitCodeOneOfAShell) {
  configure("[retry]\nbackoff = \"0s\"\n");
  const Json job = ended(dispatch("exit 1", {"--retries", "1"}));
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["attempts"], 2);
  EXPECT_EQ(ended(dispatch("exit 2", {"--retries", "1"}))["attempts"], 1);
  EXPECT_EQ(ended(dispatch("exit 1"))["attempts"], 1);
}

TEST_F(DispatchTest, FollowContinuesFromAPosition) {
  ended(dispatch("echo one"));
  const auto middle = position();
  BesideProgram follower({kLuzia, "follow", "--since", std::to_string(middle)}, environment(),
                         path("followed"));
  ended(dispatch("echo two"));
  const auto last = position();
  std::string followed;
  ASSERT_TRUE(wait_until([&] {
    followed = follower.output();
    return followed.ends_with('\n') && lines_of(followed).size() >= last - middle;
  }));
  auto expected = middle;
  for (const std::string& line : lines_of(followed)) {
    const Json event = Json::parse(line, nullptr, false);
    ASSERT_FALSE(event.is_discarded()) << line;
    EXPECT_EQ(event["position"], ++expected);
  }
  EXPECT_EQ(expected, last);
  const Finished all = luzia({"follow", "--once"});
  EXPECT_EQ(lines_of(all.out).size(), last);
}

TEST_F(DispatchTest, FollowTakesEveryFilter) {
  const std::string tagged = dispatch("exit 3", {"--tag", "night"});
  ended(tagged);
  ended(dispatch("true"));
  const auto streams = [&](Words more) {
    Words words = {"follow", "--once"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished ran = luzia(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::vector<std::string> streams;
    for (const std::string& line : lines_of(ran.out)) streams.push_back(Json::parse(line)["stream"]);
    return streams;
  };
  for (const Words& more : {Words{"--tag", "night"}, Words{"--state", "failed"}}) {
    const auto found = streams(more);
    EXPECT_FALSE(found.empty());
    EXPECT_THAT(found, testing::Each("job/" + tagged));
  }
  EXPECT_TRUE(streams({"--agent", "claude"}).empty());
  EXPECT_EQ(streams({"--limit", "2"}).size(), 2U);
  const Finished refused = luzia({"watch", "--all", "--limit", "2"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, testing::HasSubstr("watch cannot filter by --limit"));
}

TEST_F(DispatchTest, WatchShowsTheOutputOfEachAttempt) {
  const std::string id = dispatch(
      "printf '\\033[31mred\\033[0m \\033]0;title\\007\\n'; test -e go && exit 0; touch go; echo first; exit "
      "1",
      {"--retries", "1"});
  const Finished watched = luzia({"watch", id});
  EXPECT_EQ(watched.code, 0) << watched.err;
  EXPECT_THAT(watched.out, testing::ContainsRegex("(^|\n)red \n"));
  EXPECT_THAT(watched.out, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(luzia({"watch", id}).out, HasSubstr("\nred \n")) << "the last attempt's";
  const std::string other = dispatch("echo other");
  const std::string both = luzia({"watch", id, other}).out;
  EXPECT_THAT(both, HasSubstr(id + " | red"));
  EXPECT_THAT(both, HasSubstr(other + " | other\n"));
  EXPECT_THAT(luzia({"watch", other, "--quiet-output"}).out, testing::Not(HasSubstr("other\n")));
}

TEST_F(DispatchTest, WatchShowsOutputWhileTheJobRuns) {
  const std::string id = dispatch("echo before; while [ ! -e go ]; do sleep 0.05; done; echo after; exit 3");
  BesideProgram watch({kLuzia, "watch", id}, environment(), path("watched"));
  EXPECT_TRUE(wait_until([&] { return watch.output().find("before\n") != std::string::npos; }));
  write_text(project() + "/go", "");
  EXPECT_EQ(watch.end(), 1);
  EXPECT_THAT(watch.output(), HasSubstr("after\n"));
}

}  // namespace
}  // namespace luzia
