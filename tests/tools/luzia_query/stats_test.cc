// stats --by: outcomes of jobs, in every format and as bars.
#include "tests/matchers.h"
#include "tests/tools/luzia_query/run_query.h"
#include "tests/tools/luzia_query/small_store.h"

namespace luzia::test {
namespace {

using Words = std::vector<std::string>;

TEST(Stats, OutcomesHaveEveryFormat) {
  const SmallStore store;
  const Json by_project = ask(store, {"stats", "--by", "project", "--json"}).json();
  ASSERT_EQ(by_project.at("outcomes").size(), 2u);
  EXPECT_EQ(by_project.at("position"), kLast);
  EXPECT_TRUE(by_project.at("next").is_null());
  const Json& api = by_project.at("outcomes")[0];
  EXPECT_EQ(api.at("key"), "api");
  EXPECT_EQ(api.at("failed"), 1);
  EXPECT_EQ(api.at("success_rate"), 0);
  EXPECT_TRUE(api.at("run").at("p95_ms").is_number());
  EXPECT_THAT(ask(store, {"stats", "--by", "day", "--csv"}).out, StartsWith("key,jobs,completed,failed"));
  EXPECT_THAT(ask(store, {"stats", "--by", "agent"}).out, StartsWith("AGENT"));
  const Json reasons = ask(store, {"stats", "--by", "reason", "--json"}).json().at("reasons");
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[1].at("key"), "exit_code");
}

TEST(Stats, PastOutcomesAreShownAsTheyWere) {
  const SmallStore store;
  const Json then = ask(store, {"stats", "--by", "day", "--at", "8", "--json"}).json().at("outcomes");
  ASSERT_EQ(then.size(), 1u);
  EXPECT_EQ(then[0].at("jobs"), 1);
  EXPECT_EQ(ask(store, {"stats", "--by", "day", "--at", "7", "--json"}).json().at("outcomes"), Json::array());
  Circumstances later;
  later.now = kEpoch + 30 * kDayUs;
  EXPECT_THAT(ask(store, {"stats", "--by", "day", "--since", "2026-01-02"}, later).err,
              HasSubstr("no job has ended"));
}

TEST(Stats, BarsInAFileUseAscii) {
  const SmallStore store;
  const Ran drawn = ask(store, {"stats", "--by", "project", "--plot"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr("\nweb  ####"));
  EXPECT_THAT(drawn.out, HasSubstr("How long they ran"));
  EXPECT_THAT(ask(store, {"stats", "--by", "reason", "--plot"}).out, HasSubstr("50 %"));
}

TEST(Stats, SuccessRateExcludesKilledJobs) {
  const SmallStore store;
  constexpr const char* kNote = "it leaves out 1 killed job\n";
  EXPECT_THAT(ask(store, {"stats"}).err, testing::Not(HasSubstr("killed"))) << "none was";
  {
    auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(90);
    writer.write(kSecondUs, ended(kDeploy, schema::JobState::killed));
  }
  for (const auto& words : {Words{"stats"}, {"stats", "--by", "project"}, {"stats", "--by", "agent"}}) {
    EXPECT_THAT(ask(store, words).err, HasSubstr(kNote));
  }
  EXPECT_EQ(ask(store, {"stats", "--by", "day", "--plot"}).err, "") << "bars are of all jobs";
  EXPECT_EQ(ask(store, {"stats", "--json"}).err, "");
  EXPECT_THAT(run_query_program({"stats", "--help"}).out,
              HasSubstr("Killed jobs and those without a result (skipped,\ncancelled, no longer watched)"));
}

TEST(Stats, SuccessLeavesOutJobsThatNeverRan) {
  const SmallStore store;
  const std::string before = ask(store, {"stats", "--json"}).out;
  {
    auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(90);
    writer.write(kSecondUs,
                 ended(kReview, schema::JobState::failed, schema::EndReason::dependency_failed, 0));
  }
  const auto web = [](const std::string& stats) {
    const Json parsed = Json::parse(stats);
    for (const auto& project : parsed.at("projects")) {
      if (project["project"] == "web") return project;
    }
    return Json();
  };
  const auto after = web(ask(store, {"stats", "--json"}).out);
  EXPECT_EQ(after["skipped"], 1);
  EXPECT_EQ(after["failed"], web(before)["failed"]);
  EXPECT_EQ(after["success_rate"], web(before)["success_rate"]);
  EXPECT_THAT(ask(store, {"stats"}).err, HasSubstr("it leaves out 1 job without a result\n"));
  EXPECT_THAT(ask(store, {"jobs", "--state", "skipped", "--ids"}).out, HasSubstr(kReview));
  EXPECT_THAT(ask(store, {"jobs", "--state", "failed", "--ids"}).out, HasSubstr(kReview)) << "as before";
  EXPECT_THAT(ask(store, {"jobs", "--state", "killed", "--ids"}).out, testing::Not(HasSubstr(kReview)));
}

TEST(Stats, AllTimeTotalsAcceptNoTimes) {
  const SmallStore store;
  const Ran refused = ask(store, {"stats", "--since", "1h"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--by"));
}

}  // namespace
}  // namespace luzia::test
