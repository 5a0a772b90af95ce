// The time in which people mean to answer: lists, and what is kept of it.
#include "engine/base/time.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class AnswerTimesTest : public DaemonTest {
 protected:
  std::string asking(const Words& options = {}) const {
    const std::string id =
        dispatch_until("waiting", std::string(kLuzia) + " ask 'Go on?' --options yes,no", options);
    return id;
  }
};

TEST_F(AnswerTimesTest, UrgentJobsComeFirstAndKeptTimesAreCounted) {
  configure("[questions]\nanswer_within = \"2h\"\nurgent_within = \"1h\"\n");
  const std::string usual = asking(), urgent = asking({"--priority", "high"});
  const Json open = luzia_json({"questions"})["questions"];
  ASSERT_EQ(open.size(), 2U);
  for (const Json& question : open) {
    const bool is_urgent = question["job"] == urgent;
    EXPECT_EQ(question["priority"], is_urgent ? 8 : 5);
    EXPECT_EQ(question["answer_by_us"].get<std::int64_t>() - question["asked_us"].get<std::int64_t>(),
              (is_urgent ? 1 : 2) * kHourUs);
  }
  const std::string shown = luzia({"questions"}).out;
  EXPECT_LT(shown.find(urgent), shown.find(usual)) << shown;
  EXPECT_THAT(shown, HasSubstr("answer within "));
  EXPECT_EQ(luzia({"answer", urgent, "yes"}).code, 0);
  EXPECT_EQ(ended(urgent)["state"], "completed");
  const Json people = query_json({"stats", "--by", "person"})["answers"];
  ASSERT_EQ(people.size(), 1U) << "the other one is still open, and in time";
  EXPECT_EQ(people[0]["answered"], 1);
  EXPECT_EQ(people[0]["kept"], 1);
  EXPECT_EQ(people[0]["missed"], 0);
  const Json projects = query_json({"stats", "--by", "project"});
  EXPECT_EQ(projects["answers"][0]["key"], "demo");
  EXPECT_EQ(projects["answers"][0]["kept"], 1);
  EXPECT_EQ(projects["outcomes"][0]["key"], "demo");
  EXPECT_THAT(query({"stats", "--by", "project"}).out, HasSubstr("Questions and approvals\n"));
  EXPECT_EQ(luzia({"answer", usual, "yes"}).code, 0);
}

}  // namespace
}  // namespace luzia
