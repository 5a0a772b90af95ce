// luzia track: real processes and real log files that Luzia did not start.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class TrackTest : public DaemonTest {
 protected:
  void SetUp() override {
    configure("[issues]\nfiles = [\"" + path("known.json") + "\"]\n");
    std::ofstream(path("known.json")) << R"json({"patterns": [{"name": "boom", "description": "It went off",
      "error_patterns": ["it went (?P<what>\\w+)"], "fix": "put {what} out", "severity": "critical"}]})json";
  }
  std::string track(Words words) const {
    words.insert(words.begin(), "track");
    words.insert(words.end(), {"--project", "demo"});
    const Finished done = luzia(words);
    EXPECT_EQ(done.code, 0) << done.err;
    const Words lines = lines_of(done.out);
    return lines.empty() ? std::string() : lines.front();
  }
  std::string log() const { return path("app.log"); }
  void append(const std::string& text) const { std::ofstream(log(), std::ios::app) << text; }
  /// The messages of the workflow commands that were found, in order, once there are `count`.
  Words messages(const std::string& id, std::size_t count) const {
    std::vector<Json> found;
    EXPECT_TRUE(wait_until([&] { return (found = events_of(id, "AnnotationFound")).size() >= count; }));
    Words messages;
    for (const Json& event : found) messages.push_back(event["data"]["message"].get<std::string>());
    return messages;
  }
  bool shows_line(const std::string& id, const std::string& line) const {
    return wait_until([&] { return job(id)["last_line"] == line; });
  }
};

TEST_F(TrackTest, ProcessIsShownLikeAJobAndItsEndIsNoticed) {
  BesideProgram process({"/bin/sleep", "600"}, environment(), path("out"));
  const std::string pid = std::to_string(process.pid());
  ASSERT_TRUE(wait_until([&] { return read_text("/proc/" + pid + "/cmdline").starts_with("/bin/sleep"); }));
  const std::string id = track({pid});
  const Json row = job(id);
  EXPECT_EQ(row["state"], "running");
  EXPECT_EQ(row["tracked"], true);
  EXPECT_EQ(row["pid"], process.pid());
  EXPECT_EQ(row["task"], "/bin/sleep 600") << "its command line is its title";
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("watches process " + pid + ": Luzia did not start it"));
  EXPECT_THAT(luzia({"status"}).out, HasSubstr(id));
  expect_refused({"track", pid, "--project", "demo"}, 4, "is tracked already, as job " + id);
  expect_refused({"pause", id}, 4, "Luzia did not start it");
  process.signal(SIGKILL);
  process.end();
  const Json end = ended_as(id, "lost", "process_gone");
  EXPECT_EQ(end["reason_text"], "its process is gone, its exit status unknown");
  EXPECT_TRUE(end["exit_code"].is_null()) << "it was nobody's child here";
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("concluded (process-gone)"));
  EXPECT_EQ(luzia({"wait", id}).code, 1);
  expect_verified();
}

TEST_F(TrackTest, EndWhileNoDaemonRanIsNoticedAtTheStart) {
  BesideProgram gone({"/bin/sleep", "600"}, environment(), path("out"));
  BesideProgram lives({"/bin/sleep", "600"}, environment(), path("out"));
  const std::string of_gone = track({std::to_string(gone.pid()), "--title", "first"});
  const std::string of_living = track({std::to_string(lives.pid()), "--title", "second"});
  EXPECT_EQ(job(of_gone)["task"], "first");
  kill_daemon();
  gone.signal(SIGKILL);
  gone.end();
  start_daemon();
  ended_as(of_gone, "lost", "process_gone");
  EXPECT_EQ(state(of_living), "running");
  lives.signal(SIGKILL);
  lives.end();
  ended_as(of_living, "lost", "process_gone");
  expect_verified();
}

TEST_F(TrackTest, UntrackAndCancelStopNothingButTheWatching) {
  BesideProgram process({"/bin/sleep", "600"}, environment(), path("out"));
  for (const char* verb : {"untrack", "cancel"}) {
    const std::string id = track({std::to_string(process.pid())});
    EXPECT_EQ(luzia({verb, id, "--note", "enough"}).code, 0);
    EXPECT_EQ(ended_as(id, "cancelled", "untracked")["reason_text"],
              "no longer watched, and nothing was stopped: enough");
  }
  EXPECT_TRUE(is_running(process.pid()));
  EXPECT_EQ(luzia_json({"stats"})["projects"][0]["dispatched"], 2) << "counted like every job";
  const Json by_agent = luzia_json({"stats", "--by", "agent"})["outcomes"];
  ASSERT_EQ(by_agent.size(), 1U);
  EXPECT_EQ(by_agent[0]["key"], "no agent");
  EXPECT_EQ(by_agent[0]["cancelled"], 2);
  EXPECT_TRUE(by_agent[0]["success_rate"].is_null()) << "nobody knows how it ended";
  EXPECT_THAT(luzia({"stats", "--by", "agent"}).out, HasSubstr("NO RESULT"));
  const std::string dispatched = dispatch_until("running", "sleep 600");
  expect_refused({"untrack", dispatched}, 4, "Luzia started it");
  EXPECT_EQ(state(dispatched), "running");
}

TEST_F(TrackTest, LogIsReadFromItsPresentEnd) {
  append("::error::of yesterday\nold\n");
  const std::string id = track({"--log", log()}), whole = track({"--log", log(), "--from-start"});
  append("::error file=a.cc,line=3::of today\nit went bang\nnew\n");
  EXPECT_THAT(messages(id, 1), ElementsAre("of today"));
  EXPECT_THAT(messages(whole, 2), ElementsAre("of yesterday", "of today"));
  EXPECT_TRUE(shows_line(id, "new"));
  EXPECT_EQ(job(id)["log"], log());
  EXPECT_TRUE(wait_until([&] { return luzia_json({"issues", id})["issues"].size() == 1; }));
  EXPECT_EQ(luzia_json({"issues", id})["issues"][0]["fix"], "put bang out");
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("seen in " + log() + " at bytes "));
  EXPECT_EQ(lines_of(luzia({"logs", "--raw", id}).out).back(), "new");
  EXPECT_THAT(luzia({"logs", "--raw", id}).out, testing::Not(HasSubstr("old")));
  EXPECT_THAT(luzia({"logs", "--raw", whole}).out, HasSubstr("old"));
  EXPECT_EQ(luzia({"logs", "-n", "1", "--raw", id}).out, "new\n");
  EXPECT_EQ(luzia({"publish", "task_completed", id}).code, 0) << "its end is published";
  EXPECT_EQ(ended_as(id, "completed", "published")["last_line"], "new");
  append("of somebody else\n");
  EXPECT_EQ(lines_of(luzia({"logs", "--raw", id}).out).back(), "new");
  expect_verified();
}

TEST_F(TrackTest, WhatStandsInTheLogBeforeUntrackIsRead) {
  append("");
  const std::string id = track({"--log", log()});
  append("one\ntwo\n::warning::three\nfour\n");
  EXPECT_EQ(luzia({"untrack", id}).code, 0);
  const Json end = ended_as(id, "cancelled", "untracked");
  EXPECT_EQ(end["output"]["lines"], 4);
  EXPECT_EQ(end["output"]["bytes"], 30);
  EXPECT_EQ(end["warnings"], 1);
  EXPECT_EQ(end["last_line"], "four");
}

TEST_F(TrackTest, ReadingGoesOnThroughRotationTruncationAndKills) {
  append("before\n");
  const std::string id = track({"--log", log()});
  append("::warning::one\n");
  EXPECT_THAT(messages(id, 1), ElementsAre("one"));
  kill_daemon();
  append("::warning::two\n");
  std::filesystem::rename(log(), log() + ".1");
  std::ofstream(log() + ".1", std::ios::app) << "::warning::three\n";
  append("::warning::four\n");
  start_daemon();
  EXPECT_THAT(messages(id, 4), ElementsAre("one", "two", "three", "four")) << "the renamed file comes first";
  std::ofstream(log(), std::ios::trunc) << "::error::five\n";
  EXPECT_THAT(messages(id, 5), ElementsAre("one", "two", "three", "four", "five"));
  std::filesystem::remove(log());
  kill_daemon();
  append("::error::six\n");
  start_daemon();
  EXPECT_THAT(messages(id, 6), ElementsAre("one", "two", "three", "four", "five", "six"));
  EXPECT_EQ(job(id)["warnings"], 4);
  EXPECT_EQ(state(id), "running");
  expect_verified();
}

TEST_F(TrackTest, ProcessAndLogEndTogether) {
  append("");
  script("import", "while [ ! -e go ]; do sleep 0.05; done; printf '::error::late\\nlast words' >> " + log());
  BesideProgram process({"/bin/sh", "-c", "cd " + project() + " && exec ./import"}, environment(),
                        path("out"));
  const std::string id = track({std::to_string(process.pid()), "--log", log()});
  write_text(project() + "/go", "");
  process.end();
  const Json end = ended_as(id, "lost", "process_gone");
  EXPECT_EQ(end["errors"], 1) << "the log was read to its end first";
  EXPECT_EQ(end["last_line"], "last words");
}

TEST_F(TrackTest, ProjectOfTheFolderIsTheDefault) {
  const Finished done = run_to_end(
      {"/bin/sh", "-c", "cd " + project() + " && " + kLuzia + " track $$; exit $?"}, environment());
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(job(lines_of(done.out).front())["project"], "demo");
}

TEST_F(TrackTest, MistakesTrackNothing) {
  start_daemon();
  expect_refused({"track", "--project", "demo"}, 2, "neither a process nor a log file is named");
  expect_refused({"track", "4711x", "--project", "demo"}, 2, "'4711x' is not a process id");
  expect_refused({"track", "4000000000", "--project", "demo"}, 3, "there is no process 4000000000");
  expect_refused({"track", std::to_string(::getpid())}, 2, "no project is named");
  expect_refused({"track", std::to_string(::getpid()), "--project", "nowhere"}, 2, "no project 'nowhere'");
  expect_refused({"track", "--log", path("missing"), "--project", "demo"}, 3, "there is no log file");
  expect_refused({"track", "--log", project(), "--project", "demo"}, 4, "it is not a regular file");
  expect_refused({"track", std::to_string(::getpid()), "--from-start", "--project", "demo"}, 2,
                 "--from-start");
}

TEST_F(TrackTest, AccountTracksABoundedNumberAtATime) {
  append("");
  std::string last;
  for (int count = 0; count < 200; ++count) last = track({"--log", log(), "-q"});
  expect_refused({"track", "--log", log(), "--project", "demo"}, 4, "tracks 200 processes and logs already");
  EXPECT_EQ(luzia({"untrack", last}).code, 0);
  EXPECT_NE(track({"--log", log()}), "");
}

TEST_F(TrackTest, RepeatedCommandTracksOnce) {
  append("");
  const Words words = {"--log", log(), "--command-id", "this-log"};
  const std::string id = track(words);
  EXPECT_EQ(track(words), id);
}

}  // namespace
}  // namespace luzia
