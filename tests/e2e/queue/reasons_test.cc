// Why queued jobs do not start: each command that lists them says so. With a real daemon.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class ReasonsTest : public DaemonTest {
 protected:
  std::string asking_job() const {
    const std::string id = dispatch_until("waiting", std::string(kLuzia) + " ask 'Go on?' --options yes,no");
    return id;
  }
  static std::string line_of(const std::string& text, const std::string& id) {
    for (const std::string& line : lines_of(text)) {
      if (line.find(id) != std::string::npos) return line;
    }
    return "";
  }
  static Json row_of(const Json& rows, const std::string& key, const std::string& id) {
    for (const Json& row : rows) {
      if (row.value(key, "") == id) return row;
    }
    return Json::object();
  }
};

constexpr const char* kByPeople =
    "2 of 2 slots are taken, all by jobs that wait for a person (luzia inbox; "
    "[queue] waiting_holds_slot = false lets others start meanwhile)";

constexpr const char* kTaken = "2 of 2 slots are taken, all by jobs that wait for a person";

TEST_F(ReasonsTest, EveryListNamesSlotsWaitingForPeople) {
  configure("[queue]\nmax_running = 2\n");
  asking_job();
  asking_job();
  const std::string queued = dispatch("true");
  const Words listings[] = {{"status"}, {"jobs"}, {"job", queued}, {"why", queued}};
  // Cells of tables are cut at 120 columns; job and why show all of it.
  for (const Words& listing : listings) {
    const bool whole = listing.size() > 1;
    EXPECT_THAT(luzia(listing).out, HasSubstr(whole ? kByPeople : kTaken)) << listing.front();
  }
  for (const Words& listing : {Words{"status"}, Words{"jobs"}, Words{"queue"}})
    EXPECT_THAT(query(listing).out, HasSubstr(kTaken)) << listing.front();
  EXPECT_THAT(luzia({"status", "--export", "markdown", "--out", "-"}).out,
              HasSubstr("2 of 2 slots are taken"));
  const Json listed = row_of(luzia_json({"jobs"})["jobs"], "id", queued);
  EXPECT_EQ(listed["blocked_by"], "turn");
  EXPECT_THAT(listed["blocked_why"].get<std::string>(), HasSubstr(kByPeople));
  const Json one = job(queued);
  EXPECT_EQ(one["queue_position"], 1);
  EXPECT_EQ(one["queue_ahead"], Json::array());
  EXPECT_EQ(one["blocked_by"], "turn");
  EXPECT_EQ(row_of(luzia_json({"status"})["queued"], "id", queued)["blocked_by"], "turn");
  EXPECT_EQ(row_of(query_json({"queue"})["queue"], "job", queued)["blocked_by"], "turn");
}

TEST_F(ReasonsTest, EveryListSaysWhoIsAheadAndHowLong) {
  configure("[queue]\nmax_running = 1\n");
  const std::string runs = dispatch("until [ -e go ]; do sleep 0.05; done", {"--estimate", "1h"});
  ASSERT_TRUE(becomes(runs, "running"));
  const std::string first = dispatch("true", {"--estimate", "30m"}), second = dispatch("true");
  const auto expect_place = [&](const Json& row) {
    EXPECT_EQ(row["queue_position"], 2) << row;
    EXPECT_EQ(row["queue_ahead"], Json::array({first}));
    EXPECT_GT(row["estimated_wait_seconds"], 85 * 60);
    EXPECT_LE(row["estimated_wait_seconds"], 90 * 60);
  };
  expect_place(job(second));
  expect_place(luzia_json({"why", second}));
  expect_place(row_of(luzia_json({"queue"})["queue"], "job", second));
  expect_place(row_of(query_json({"queue"})["queue"], "job", second));
  expect_place(row_of(luzia_json({"jobs"})["jobs"], "id", second));
  EXPECT_THAT(line_of(luzia({"queue"}).out, second), HasSubstr("~1h"));
  EXPECT_EQ(luzia_json({"why", runs})["queue_position"], nullptr) << "it runs";
  script("go", "");
}

TEST_F(ReasonsTest, WaitSaysWhyAJobIsQueuedAndWhenThatChanges) {
  configure("[queue]\nmax_running = 1\n");
  asking_job();
  const std::string queued = dispatch("true");
  BesideProgram waits({kLuzia, "wait", queued}, environment(), path("waits"));
  const auto says = [&](const std::string& text) {
    return wait_until([&] { return waits.output().find(text) != std::string::npos; });
  };
  const std::string full = "1 of 1 slots are taken";
  EXPECT_TRUE(says(queued + " waits")) << waits.output();
  EXPECT_THAT(waits.output(), HasSubstr(full));
  EXPECT_EQ(luzia({"hold", queued}).code, 0);
  EXPECT_TRUE(says("waits to be resumed: it is held")) << waits.output();
  EXPECT_EQ(waits.output().find(full), waits.output().rfind(full)) << "said once: " << waits.output();
  EXPECT_EQ(luzia({"cancel", queued}).code, 0);
  EXPECT_EQ(waits.end(), 1);
}

TEST_F(ReasonsTest, WaitSaysWhyTheQueueStandsStill) {
  EXPECT_EQ(luzia({"pause", "--project", "other"}).code, 0);
  const std::string one = lines_of(luzia({"other", "true"}).out).at(0);
  const std::string two = lines_of(luzia({"other", "true"}).out).at(0);
  BesideProgram waits({kLuzia, "wait", one}, environment(), path("waits"));
  BesideProgram waits_for_both({kLuzia, "wait", one, two}, environment(), path("waits_for_both"));
  const auto says = [](BesideProgram& program, const std::string& text) {
    return wait_until([&] { return program.output().find(text) != std::string::npos; });
  };
  EXPECT_TRUE(says(waits, one + " waits because the queue of other is paused")) << waits.output();
  EXPECT_TRUE(says(waits_for_both, "2 jobs wait because the queue of other is paused"));
  EXPECT_THAT(waits.output(), HasSubstr("luzia resume --project other"));
  EXPECT_EQ(luzia({"resume", "--project", "other"}).code, 0);
  EXPECT_EQ(waits.end(), 0);
  EXPECT_EQ(waits_for_both.end(), 0);
}

TEST_F(ReasonsTest, EachQueuedJobHasItsReason) {
  configure("[queue]\nmax_running = 8\ntags = { gpu = 1 }\n");
  const std::string holds = dispatch("until [ -e go ]; do sleep 0.05; done", {"--tag", "gpu"});
  ASSERT_TRUE(becomes(holds, "running"));
  const std::string tagged = dispatch("true", {"--tag", "gpu"}), after = dispatch("true", {"--after", holds}),
                    later = dispatch("true", {"--not-before", "2h"}),
                    held = dispatch("true", {"--not-before", "3h"});
  EXPECT_EQ(luzia({"hold", held}).code, 0);
  EXPECT_EQ(luzia({"pause", "--project", "other"}).code, 0);
  const std::string paused = lines_of(luzia({"other", "true"}).out).at(0);
  const std::map<std::string, std::pair<std::string, std::string>> expected = {
      {tagged, {"tag_limit", "1 of 1 slots for tag gpu are taken"}},
      {after, {"dependencies", "for " + holds + " to complete"}},
      {later, {"time", "in 1h59m"}},
      {held, {"release", "luzia resume"}},
      {paused, {"project_resume", "luzia resume --project other"}}};
  const std::string status = luzia({"status"}).out, queue = query({"queue"}).out;
  const Json rows = query_json({"queue"})["queue"];
  for (const auto& [id, reason] : expected) {
    EXPECT_THAT(line_of(status, id), HasSubstr(reason.second));
    EXPECT_THAT(line_of(queue, id), HasSubstr(reason.second));
    EXPECT_EQ(row_of(rows, "job", id)["blocked_by"], reason.first);
  }
  // The same for the past and without a daemon, from the log.
  const std::string at = std::to_string(position());
  const Json then = query_json({"queue", "--at", at})["queue"];
  stop_daemon();
  const Json offline = query_json({"queue", "--offline"})["queue"];
  for (const Json* told : {&then, &offline}) {
    for (const auto& [id, reason] : expected)
      EXPECT_EQ(row_of(*told, "job", id)["blocked_by"], id == tagged ? "turn" : reason.first);
    EXPECT_THAT(row_of(*told, "job", tagged)["blocked_why"].get<std::string>(), HasSubstr("not in the log"));
  }
}

TEST_F(ReasonsTest, AskingJobFreesItsSlotIfConfigured) {
  configure("[queue]\nmax_running = 1\nwaiting_holds_slot = false\n");
  const std::string asks = asking_job();
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
  const std::string next = dispatch("until [ -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(next, "running"));
  const std::string third = dispatch("true");
  EXPECT_EQ(luzia({"answer", asks, "yes"}).code, 0);
  EXPECT_EQ(ended(asks)["state"], "completed") << "an answered job continues at once, even over the limit";
  EXPECT_EQ(state(third), "queued");
  EXPECT_THAT(luzia({"status"}).out,
              AllOf(HasSubstr("1 of 1 slots are taken"), Not(HasSubstr("wait for a person"))));
  script("go", "");
  EXPECT_EQ(ended(third)["state"], "completed");
  expect_verified();
}

}  // namespace
}  // namespace luzia
