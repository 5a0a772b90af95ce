// Jobs that never ran, because of another one or of a person, and their retry.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class DependentsTest : public DaemonTest {
 protected:
  /// Fails while the project's folder has no file `good`.
  std::string job_that_needs_good() const {
    return dispatch("while [ ! -e go ]; do sleep 0.05; done; test -e good");
  }
};

TEST_F(DependentsTest, JobsThatNeverRanHaveStatesOfTheirOwnEverywhere) {
  const std::string failed = job_that_needs_good();
  const std::string skipped = dispatch("true", {"--after", failed});
  const std::string later = dispatch("true", {"--not-before", "2h"});
  EXPECT_EQ(luzia({"cancel", later}).code, 0);
  write_text(project() + "/go", "");
  EXPECT_EQ(luzia({"wait", skipped}).code, 1);
  EXPECT_THAT(luzia({"wait", skipped}).out, HasSubstr(skipped + " skipped (job " + failed));
  EXPECT_EQ(luzia({"wait", skipped, "--until", "failed"}).code, 0) << "as before it had a state of its own";
  ended_as(skipped, "skipped", "dependency_failed");
  ended_as(later, "cancelled", "cancelled_before_start");
  EXPECT_EQ(luzia({"jobs", "--state", "skipped", "--ids"}).out, skipped + "\n");
  EXPECT_EQ(luzia({"jobs", "--state", "cancelled", "--ids"}).out, later + "\n");
  EXPECT_EQ(luzia({"jobs", "--state", "failed", "--ids"}).out, skipped + "\n" + failed + "\n");
  EXPECT_EQ(luzia({"jobs", "--state", "killed", "--ids"}).out, later + "\n");
  const Json total = query_json({"stats", "--json"})["projects"][0];
  EXPECT_EQ(total["failed"], 1) << total;
  EXPECT_EQ(total["skipped"], 1) << total;
  EXPECT_EQ(total["cancelled"], 1) << total;
  EXPECT_EQ(total["killed"], 0) << total;
  EXPECT_THAT(query({"sql", "SELECT id FROM jobs WHERE state = 'skipped'"}).out, HasSubstr(skipped));
  EXPECT_THAT(query({"export", "prometheus"}).out, HasSubstr("state=\"skipped\"} 1"));
  expect_verified();
}

TEST_F(DependentsTest, RetryTakesSkippedJobsAlongIfAsked) {
  const std::string first = job_that_needs_good();
  const std::string second = dispatch("echo second", {"--after", first});
  const std::string third = dispatch("echo third", {"--after", second});
  write_text(project() + "/go", "");
  for (const std::string& id : {second, third}) ended_as(id, "skipped", "dependency_failed");
  const Finished alone = luzia({"retry", first});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(alone.err, HasSubstr("2 jobs were skipped because of it; luzia retry " + second + " " + third));
  ended_as(first, "failed", "exit_code");
  write_text(project() + "/good", "");
  const Words words = {"retry", first, "--with-dependents", "--command-id", "all-of-it", "--json"};
  const Json told = luzia_json(words);
  EXPECT_EQ(told["ids"], Json({first, second, third}));
  for (const std::string& id : {first, second, third}) EXPECT_EQ(ended(id)["state"], "completed") << id;
  EXPECT_EQ(job(third)["attempts"], 1);
  const Json again = luzia_json(words);
  EXPECT_EQ(again["repeated"], true) << again;
  EXPECT_EQ(job(first)["attempt"], 3);
  EXPECT_EQ(events_of(second, "JobRetried").size(), 1u);
  expect_verified();
}

TEST_F(DependentsTest, RetryByProjectRunsAWholeChain) {
  const std::string first = job_that_needs_good();
  const std::string second = dispatch("true", {"--after", first});
  write_text(project() + "/go", "");
  ended_as(second, "skipped", "dependency_failed");
  write_text(project() + "/good", "");
  const Finished retried = luzia({"retry", "--project", "demo", "--yes"});
  EXPECT_EQ(retried.code, 0) << retried.err;
  for (const std::string& id : {first, second}) EXPECT_EQ(ended(id)["state"], "completed") << id;
}

}  // namespace
}  // namespace luzia
