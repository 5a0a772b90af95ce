// questions, approvals and audit, now and as they were; what the overview and the sums tell of them.
#include <gmock/gmock.h>

#include "tests/projections/input_events.h"
#include "tests/tools/luzia_query/run_query.h"
#include "tests/tools/luzia_query/small_store.h"

namespace luzia::test {
namespace {

using schema::Decision;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kAsking = "0abf000000005", kPublishing = "0abf000000006";
constexpr Position kAskedAt = kLast + 5;

/// The small store, and two jobs that ask in it, an event a second.
class InputStore {
 public:
  InputStore() {
    const auto log = store_.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    const auto write = [&](NewEvent event, const std::string& who = "alice") {
      writer.write(kSecondUs, std::move(event), by_person(who));
    };
    write(queued(kAsking, "api"));                                                                   // 18
    write(starting(kAsking));                                                                        // 19
    write(started(kAsking));                                                                         // 20
    write(queued(kPublishing, "web"));                                                               // 21
    write(asked(kAsking, "q-1", "where to?", {"production", "staging"}, "staging", time_at(1000)));  // 22
    write(waiting(kAsking, 1));                                                                      // 23
    write(answered(kAsking, "q-1", "production"), "bob");                                            // 24
    write(continued(kAsking));                                                                       // 25
    write(requested(kAsking, "a-1", "deploy", "to production"));                                     // 26
    write(decided(kAsking, "a-1", Decision::approved, "always"));                                    // 27
    write(requested(kAsking, "a-2", "migrate", "the database"));                                     // 28
    write(waiting(kAsking, 1));                                                                      // 29
    write(asked(kAsking, "q-2", "sure?\x1b[31m"));                                                   // 30
    write(waiting(kAsking, 2));                                                                      // 31
    write(decided(kAsking, "a-2", Decision::denied, "", "not today"), "carol");                      // 32
    write(continued(kAsking, 1));                                                                    // 33
    write(requested(kPublishing, "a-3", "publish", "the site"));                                     // 34
  }
  Ran ask(std::vector<std::string> words) const { return test::ask(store_, std::move(words)); }
  std::vector<std::string> ids(std::vector<std::string> words, const char* plural) const {
    words.emplace_back("--json");
    const Ran ran = ask(std::move(words));
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::vector<std::string> ids;
    const Json answer = ran.json();
    for (const Json& row : answer.at(plural)) ids.push_back(row.at("id"));
    return ids;
  }

 private:
  SmallStore store_;
};

TEST(Inputs, OpenOnesAreListedAndAllOnRequest) {
  const InputStore store;
  EXPECT_THAT(store.ids({"questions"}, "questions"), ElementsAre("q-2"));
  EXPECT_THAT(store.ids({"questions", "--all"}, "questions"), ElementsAre("q-2", "q-1"));
  EXPECT_THAT(store.ids({"approvals"}, "approvals"), ElementsAre("a-3"));
  EXPECT_THAT(store.ids({"approvals", "--job", kAsking}, "approvals"), ElementsAre("a-2", "a-1"));
  EXPECT_THAT(store.ids({"approvals", "--all", "--project", "web"}, "approvals"), ElementsAre("a-3"));
  EXPECT_THAT(store.ids({"approvals", "--since", "2026-01-01T00:00:28Z"}, "approvals"),
              ElementsAre("a-3", "a-2"));
}

TEST(Inputs, AreHarmlessAsTextAndWholeAsCsv) {
  const InputStore store;
  const Ran table = store.ask({"questions"});
  EXPECT_THAT(table.out, HasSubstr("sure?"));
  EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(store.ask({"questions", "--all", "--csv"}).out,
              HasSubstr("q-1,0abf000000005,api,shell,choice,where to?,production|staging,staging,"));
}

TEST(Inputs, OfThePastAreAsTheyWere) {
  const InputStore store;
  const std::string at = std::to_string(kAskedAt);
  EXPECT_THAT(store.ids({"questions", "--at", at}, "questions"), ElementsAre("q-1"));
  EXPECT_THAT(store.ids({"questions", "--at", at, "--job", kAsking}, "questions"), ElementsAre("q-1"));
  EXPECT_THAT(store.ids({"approvals", "--all", "--at", at}, "approvals"), ElementsAre());
  EXPECT_THAT(store.ids({"audit", "--at", "25"}, "audit"), ElementsAre("q-1"));
}

TEST(Audit, IsEveryDecisionTheNewestFirst) {
  const InputStore store;
  EXPECT_THAT(store.ids({"audit"}, "audit"), ElementsAre("a-2", "a-1", "q-1"));
  const Json denied = store.ask({"audit", "--limit", "1", "--json"}).json().at("audit").at(0);
  EXPECT_EQ(denied.at("by"), "carol");
  EXPECT_EQ(denied.at("note"), "not today");
  EXPECT_EQ(denied.at("decision"), "denied");
  const std::string table = store.ask({"audit"}).out;
  EXPECT_THAT(table, HasSubstr("policy: always"));
  EXPECT_THAT(table, HasSubstr("production"));
}

TEST(Audit, TimesAreThoseOfTheDecisions) {
  const InputStore store;
  // Asked before, decided since.
  EXPECT_THAT(store.ids({"audit", "--since", "2026-01-01T00:00:29Z"}, "audit"), ElementsAre("a-2"));
  EXPECT_THAT(store.ids({"audit", "--until", "2026-01-01T00:00:27Z"}, "audit"), ElementsAre("q-1"));
  EXPECT_THAT(store.ids({"audit", "--project", "web"}, "audit"), ElementsAre());
}

TEST(Audit, PagesFollowOneAnotherWithoutGapsOrRepeats) {
  const InputStore store;
  std::vector<std::string> all;
  std::string cursor;
  for (int page = 0; page < 3; ++page) {
    std::vector<std::string> words = {"audit", "--limit", "1", "--json"};
    if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
    const Json answer = store.ask(words).json();
    ASSERT_EQ(answer.at("audit").size(), 1U);
    all.push_back(answer.at("audit").at(0).at("id"));
    if (answer.at("next").is_null()) break;
    cursor = answer.at("next");
  }
  EXPECT_THAT(all, ElementsAre("a-2", "a-1", "q-1"));
  for (const char* wrong : {"x", "1", "1-", "1-x", "-"}) {
    const Ran ran = store.ask({"audit", "--cursor", wrong});
    EXPECT_EQ(ran.code, 2) << wrong;
    EXPECT_THAT(ran.err, HasSubstr("no cursor")) << wrong;
  }
}

TEST(Inputs, StandOnTopOfTheOverview) {
  const InputStore store;
  const std::string now = store.ask({"status"}).out;
  EXPECT_THAT(now, StartsWith("Needs input (2)\n"));
  EXPECT_THAT(now, HasSubstr("sure?"));
  EXPECT_THAT(now, HasSubstr("any text"));
  const std::string then = store.ask({"status", "--at", "20"}).out;
  EXPECT_THAT(then, Not(HasSubstr("sure?")));
  EXPECT_THAT(store.ask({"status", "--at", "23"}).out, HasSubstr("1 production, 2 staging (default)"));
  EXPECT_EQ(store.ask({"status", "--json"}).json().at("questions").at(0).at("id"), "q-2");
}

TEST(Inputs, TheTimeThatPeopleTookIsInTheSums) {
  const InputStore store;
  const Json sums = store.ask({"stats", "--json"}).json().at("durations");
  std::vector<Json> waits;
  for (const Json& row : sums) {
    if (row.at("measure") == "human_wait") waits.push_back(row);
  }
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].at("project"), "api");
  EXPECT_EQ(waits[0].at("count"), 1);
  EXPECT_EQ(waits[0].at("sum_ms"), 2000);
}

}  // namespace
}  // namespace luzia::test
