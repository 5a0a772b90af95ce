// questions, approvals and audit, at present and in the past, and how overview and sums show them.
#include "tests/matchers.h"
#include "tests/projections/input_events.h"
#include "tests/tools/luzia_query/run_query.h"
#include "tests/tools/luzia_query/small_store.h"

namespace luzia::test {
namespace {

using schema::Decision;

const std::string kAsking = "0abf000000005", kPublishing = "0abf000000006";
constexpr Position kAskedAt = kLast + 5;

/// The small store plus two jobs that ask questions, one event a second.
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

/// A flow of three steps at gates, one event a second, between a decided and an open approval of a job.
class GatedFlowStore {
 public:
  /// `again`: the denied step reaches its gate once more, and the flow ends while another step waits.
  explicit GatedFlowStore(bool again = false) {
    const auto log = store_.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    const auto write = [&](NewEvent event, const std::string& who = "alice") {
      writer.write(kSecondUs, std::move(event), by_person(who));
    };
    write(queued(kAsking, "api"));                                                // 18
    write(starting(kAsking));                                                     // 19
    write(started(kAsking));                                                      // 20
    write(flow_event(created()));                                                 // 21
    write(flow_event(reached("ship")));                                           // 22
    write(requested(kAsking, "a-1", "deploy", "to production"));                  // 23
    write(flow_event(reached("tell")));                                           // 24
    write(flow_event(reached("tidy")));                                           // 25
    write(decided(kAsking, "a-1", Decision::approved), "bob");                    // 26
    write(flow_event(decided_gate("ship", Decision::approved, "go")), "carol");   // 27
    write(flow_event(decided_gate("tell", Decision::denied, "no mail")), "bob");  // 28
    write(requested(kAsking, "a-2", "publish", "the site"));                      // 29
    if (!again) return;
    schema::StepResetT reset;
    reset.step = "tell";
    write(flow_event(std::move(reset)));                                         // 30
    write(flow_event(reached("tell")));                                          // 31
    write(flow_event(decided_gate("tell", Decision::approved, "now")), "dave");  // 32
    schema::FlowEndedT ended;
    ended.state = schema::StepState::skipped;
    write(flow_event(std::move(ended)));  // 33
  }
  Ran ask(std::vector<std::string> words) const { return test::ask(store_, std::move(words)); }
  /// Id and state (or decision) of each.
  std::vector<std::string> told(std::vector<std::string> words, const char* plural, const char* what) const {
    words.emplace_back("--json");
    const Ran ran = ask(std::move(words));
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::vector<std::string> all;
    const Json answer = ran.json();
    for (const Json& row : answer.at(plural)) {
      all.push_back(row.at("id").get<std::string>() + " " + row.at(what).get<std::string>());
    }
    return all;
  }

 private:
  static schema::FlowCreatedT created() {
    schema::FlowCreatedT fact;
    fact.flow = "f-1";
    fact.project = "web";
    for (const char* name : {"ship", "tell", "tidy"}) {
      fact.steps.push_back(std::make_unique<schema::FlowStepT>());
      fact.steps.back()->name = name;
      fact.steps.back()->gate = std::string("may ") + name;
    }
    return fact;
  }
  static schema::StepGateReachedT reached(const std::string& step) {
    schema::StepGateReachedT fact;
    fact.step = step;
    fact.gate = "may " + step;
    return fact;
  }
  static schema::StepGateDecidedT decided_gate(const std::string& step, Decision decision,
                                               const std::string& note) {
    schema::StepGateDecidedT fact;
    fact.step = step;
    fact.gate = "may " + step;
    fact.decision = decision;
    fact.note = note;
    return fact;
  }
  SmallStore store_;
};

TEST(Inputs, DecidedFlowGatesAreListedAmongApprovals) {
  const GatedFlowStore store;
  EXPECT_THAT(store.told({"approvals"}, "approvals", "state"), ElementsAre("f-1/tidy open", "a-2 open"));
  EXPECT_THAT(
      store.told({"approvals", "--all"}, "approvals", "state"),
      ElementsAre("f-1/tidy open", "a-2 open", "f-1/tell answered", "a-1 answered", "f-1/ship answered"));
  const Json tell = store.ask({"approvals", "--all", "--json"}).json().at("approvals").at(2);
  EXPECT_EQ(tell.at("decision"), "denied");
  EXPECT_EQ(tell.at("decided_by"), "bob");
  EXPECT_EQ(tell.at("decided_at"), "2026-01-01T00:00:28.000000Z");
  EXPECT_EQ(tell.at("asked_at"), "2026-01-01T00:00:24.000000Z");
  EXPECT_EQ(tell.at("note"), "no mail");
  EXPECT_EQ(tell.at("gate"), "may tell");
  EXPECT_EQ(tell.at("flow"), "f-1");
  EXPECT_EQ(tell.at("step"), "tell");
  EXPECT_THAT(store.told({"approvals", "--all", "--project", "api"}, "approvals", "state"),
              ElementsAre("a-2 open", "a-1 answered"));
  EXPECT_THAT(store.told({"approvals", "--all", "--job", kAsking}, "approvals", "state"),
              ElementsAre("a-2 open", "a-1 answered"));
}

TEST(Inputs, GateReachedAgainIsDecidedAgain) {
  const GatedFlowStore store(true);
  EXPECT_THAT(store.told({"approvals", "--all"}, "approvals", "state"),
              ElementsAre("a-2 open", "f-1/tell answered", "f-1/tidy cancelled", "f-1/tell answered",
                          "a-1 answered", "f-1/ship answered"));
  EXPECT_THAT(store.told({"audit"}, "audit", "decision"),
              ElementsAre("f-1/tell approved", "f-1/tell denied", "f-1/ship approved", "a-1 approved"));
  EXPECT_EQ(
      store
          .ask({"sql", "SELECT id, state, note FROM approvals WHERE job = '' OR job IS NULL ORDER BY id",
                "--csv"})
          .out,
      "id,state,note\r\nf-1/ship@22,approved,go\r\nf-1/tell@24,denied,no mail\r\n"
      "f-1/tell@31,approved,now\r\nf-1/tidy@25,cancelled,\r\n");
}

TEST(Inputs, PastFlowGatesAreShownAsTheyWere) {
  const GatedFlowStore store;
  EXPECT_THAT(store.told({"approvals", "--all", "--at", "27"}, "approvals", "state"),
              ElementsAre("f-1/tell open", "f-1/tidy open", "a-1 answered", "f-1/ship answered"));
  const Json then = store.ask({"approvals", "--at", "22", "--json"}).json().at("approvals").at(0);
  EXPECT_EQ(then.at("id"), "f-1/ship");
  EXPECT_EQ(then.at("asked_at"), "2026-01-01T00:00:22.000000Z");
}

TEST(Inputs, PagesWithFlowGatesHaveNoGapsOrRepeats) {
  const GatedFlowStore store;
  std::vector<std::string> all;
  std::string cursor;
  for (int page = 0; page < 6; ++page) {
    std::vector<std::string> words = {"approvals", "--all", "--limit", "1", "--json"};
    if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
    const Json answer = store.ask(words).json();
    for (const Json& row : answer.at("approvals")) all.push_back(row.at("id"));
    if (answer.at("next").is_null()) break;
    cursor = answer.at("next");
  }
  // Waiting flow gates are on the first page, whatever the limit.
  EXPECT_THAT(all, ElementsAre("f-1/tidy", "a-2", "f-1/tell", "a-1", "f-1/ship"));
}

TEST(Audit, IncludesFlowGates) {
  const GatedFlowStore store;
  EXPECT_THAT(store.told({"audit"}, "audit", "decision"),
              ElementsAre("f-1/tell denied", "f-1/ship approved", "a-1 approved"));
  const Json ship = store.ask({"audit", "--json"}).json().at("audit").at(1);
  EXPECT_EQ(ship.at("by"), "carol");
  EXPECT_EQ(ship.at("note"), "go");
  EXPECT_EQ(ship.at("flow"), "f-1");
  EXPECT_EQ(ship.at("step"), "ship");
  EXPECT_EQ(ship.at("waited_seconds"), 5.0);
  EXPECT_THAT(store.ask({"audit"}).out, HasSubstr("f-1 "));
}

TEST(Inputs, OpenOnesAreListedByDefault) {
  const InputStore store;
  EXPECT_THAT(store.ids({"questions"}, "questions"), ElementsAre("q-2"));
  EXPECT_THAT(store.ids({"questions", "--all"}, "questions"), ElementsAre("q-2", "q-1"));
  EXPECT_THAT(store.ids({"approvals"}, "approvals"), ElementsAre("a-3"));
  EXPECT_THAT(store.ids({"approvals", "--job", kAsking}, "approvals"), ElementsAre("a-2", "a-1"));
  EXPECT_THAT(store.ids({"approvals", "--all", "--project", "web"}, "approvals"), ElementsAre("a-3"));
  EXPECT_THAT(store.ids({"approvals", "--since", "2026-01-01T00:00:28Z"}, "approvals"),
              ElementsAre("a-3", "a-2"));
}

TEST(Inputs, OfflineTimeLeftCountsFromTheLastEvent) {
  const SmallStore store;
  {
    const auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    writer.write(kSecondUs, queued(kAsking, "api"), by_person("alice"));
    writer.write(kSecondUs, starting(kAsking), by_person("alice"));
    writer.write(kSecondUs, started(kAsking), by_person("alice"));
    writer.write(kSecondUs, asked(kAsking, "q-1", "where to?", {}, "here", time_at(1000)),
                 by_person("alice"));
  }
  Circumstances later;
  later.now = time_at(5'000);
  const std::string table = test::ask(store, {"questions"}).out;
  EXPECT_THAT(table, HasSubstr("where to?"));
  EXPECT_THAT(table, HasSubstr(" left"));
  EXPECT_EQ(test::ask(store, {"questions"}, later).out, table);
}

TEST(Inputs, AreSanitizedAsTextAndCompleteAsCsv) {
  const InputStore store;
  const Ran table = store.ask({"questions"});
  EXPECT_THAT(table.out, HasSubstr("sure?"));
  EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(store.ask({"questions", "--all", "--csv"}).out,
              HasSubstr("q-1,0abf000000005,api,shell,1,choice,where to?,\"production,staging\",0,staging,"));
}

TEST(Inputs, PastPromptsAreShownAsTheyWere) {
  const InputStore store;
  const std::string at = std::to_string(kAskedAt);
  EXPECT_THAT(store.ids({"questions", "--at", at}, "questions"), ElementsAre("q-1"));
  EXPECT_THAT(store.ids({"questions", "--at", at, "--job", kAsking}, "questions"), ElementsAre("q-1"));
  EXPECT_THAT(store.ids({"approvals", "--all", "--at", at}, "approvals"), ElementsAre());
  EXPECT_THAT(store.ids({"audit", "--at", "25"}, "audit"), ElementsAre("q-1"));
}

TEST(Audit, ListsDecisionsNewestFirst) {
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
  // Asked before that time, decided after it.
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
    EXPECT_THAT(ran.err, HasSubstr("is not a cursor")) << wrong;
  }
}

TEST(Inputs, HeadTheOverview) {
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

TEST(Inputs, SumsIncludePeoplesResponseTimes) {
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
