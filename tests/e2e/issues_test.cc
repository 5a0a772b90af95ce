// Known problems in the output of real jobs: reported once and counted exactly, across kills of the daemon.
#include <algorithm>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class IssuesTest : public DaemonTest {
 protected:
  /// Writes a pattern file of the user and names it in the configuration.
  void know(const std::string& patterns) const {
    std::ofstream(path("known.json")) << R"({"patterns": [)" << patterns << "]}";
  }
  void SetUp() override { configure("[issues]\nfiles = [\"" + path("known.json") + "\"]\n"); }
  std::vector<Json> issues(const std::string& job) const {
    const Json page = luzia_json({"issues", job});
    return page["issues"].get<std::vector<Json>>();
  }
};

constexpr const char* kBoom =
    R"json({"name": "boom", "description": "It went off", "error_patterns": ["it went (?P<what>\\w+)"],
            "fix": "put {what} out", "severity": "critical"})json";

TEST_F(IssuesTest, TenThousandEqualLinesAreOneIssue) {
  know(kBoom);
  const std::string id =
      dispatch("i=0; while [ $i -lt 10000 ]; do echo it went bang; i=$((i+1)); done; exit 1");
  EXPECT_EQ(ended(id)["state"], "failed");
  const auto found = issues(id);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["pattern"], "boom");
  EXPECT_EQ(found[0]["severity"], "critical");
  EXPECT_EQ(found[0]["count"], 10'000);
  EXPECT_EQ(found[0]["first_line"], 1);
  EXPECT_EQ(found[0]["captures"]["what"], "bang");
  EXPECT_EQ(found[0]["fix"], "put bang out");
  EXPECT_EQ(found[0]["state"], "open");
  EXPECT_EQ(events_of(id, "IssueDetected").size(), 1u);
  EXPECT_LT(events_of(id, "IssueRepeated").size(), 50u);
  EXPECT_EQ(job(id)["issues"], 1);
  EXPECT_THAT(luzia({"issues", id}).out, HasSubstr("critical boom"));
  expect_verified();
}

TEST_F(IssuesTest, FailureIsTheFirstCauseInTheOutput) {
  know(kBoom);
  const std::string id = dispatch(
      "echo starting; echo 'FAILED tests/test_cart.py::test_total - assert 3 == 4'; "
      "echo 'FAILED tests/test_cart.py::test_tax - assert 1 == 2'; echo 'make: *** [test] Error 1'; exit 2");
  const Json failure = ended(id)["failure"];
  constexpr const char* kSummary = "tests/test_cart.py::test_total: assert 3 == 4 (and 1 more test)";
  EXPECT_EQ(failure["summary"], kSummary);
  EXPECT_EQ(failure["test"], "tests/test_cart.py::test_total");
  EXPECT_EQ(failure["assertion"], "assert 3 == 4");
  EXPECT_EQ(failure["first_line"], 2);
  EXPECT_EQ(failure["offset"], 9);
  EXPECT_EQ(failure["others"], 1);
  const auto found = issues(id);
  EXPECT_TRUE(
      std::ranges::any_of(found, [&](const Json& each) { return each["fingerprint"] == failure["issue"]; }));
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr(std::string("failure     ") + kSummary));
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("tests/test_cart.py::test_total"));
  EXPECT_THAT(luzia({"digest", "--json"}).out, HasSubstr(kSummary));
  EXPECT_THAT(luzia({"jobs", "--all", "--csv"}).out, HasSubstr(kSummary));
  expect_verified();
}

TEST_F(IssuesTest, FailureWithoutAKnownIssueSaysReasonAndLastLine) {
  know(kBoom);
  const Json failure = ended(dispatch("echo bye; exit 3"))["failure"];
  EXPECT_EQ(failure["summary"], "exit code 3; the last line of output: bye");
  EXPECT_TRUE(failure["offset"].is_null());
  EXPECT_TRUE(ended(dispatch("echo it went bang"))["failure"].is_null()) << "it has completed";
}

TEST_F(IssuesTest, ProjectPageShowsWhatIsKnown) {
  know(kBoom);
  ended(dispatch("echo it went bang; exit 1"));
  ended(dispatch("true"));
  ASSERT_EQ(luzia({"solution", "add", "it went bang", "call the fire brigade", "--project", "demo"}).code, 0);
  ASSERT_EQ(luzia({"fact", "add", "demo", "uses", "postgres", "--project", "demo"}).code, 0);
  const std::string asking = dispatch_until("waiting", kLuzia + " ask 'Put it out?' --options yes,no");
  ASSERT_EQ(luzia({"todo", "add", "order hoses", "--project", "demo"}).code, 0);
  const Json page = luzia_json({"project", "demo"});
  EXPECT_EQ(page["path"], project());
  EXPECT_EQ(page["outcomes"][0]["completed"], 1);
  EXPECT_EQ(page["outcomes"][0]["failed"], 1);
  EXPECT_EQ(page["issues"][0]["key"], "boom");
  EXPECT_EQ(page["fixes"]["boom"], "put bang out");
  EXPECT_EQ(page["solutions"].size(), 1u);
  EXPECT_EQ(page["facts"][0]["object"], "postgres");
  EXPECT_EQ(page["jobs"][0]["id"], asking);
  EXPECT_EQ(page["questions"][0]["question"], "Put it out?");
  ASSERT_EQ(page["todos"].size(), 1u);
  EXPECT_EQ(page["todos"][0]["text"], "order hoses");
  EXPECT_EQ(page["available_tools"], luzia_json({"tools", "--project", "demo"})["tools"]);
  EXPECT_EQ(page["durations"], luzia_json({"stats", "--project", "demo"})["durations"]);
  EXPECT_FALSE(page["durations"].empty());
  EXPECT_TRUE(luzia_json({"project", "demo", "--since", "1h"})["durations"].empty())
      << "they are of all time";
  const Finished shown = luzia({"project", "show", "demo"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("Usual problems"), HasSubstr("put bang out"), HasSubstr("postgres"),
                               HasSubstr("Put it out?"), HasSubstr("order hoses"), HasSubstr("queue_wait")));
  const Finished unknown = luzia({"project", "nowhere"});
  EXPECT_EQ(unknown.code, 3) << unknown.out;
  EXPECT_THAT(unknown.err, HasSubstr("no project 'nowhere' is configured"));
  EXPECT_EQ(unknown.out, "");
  EXPECT_TRUE(luzia_json({"project", "other"})["outcomes"].empty());
  luzia({"cancel", asking});
}

TEST_F(IssuesTest, SumsRefuseWhatTheyCannotFilterBy) {
  for (const char* option : {"--job", "--agent", "--tag"}) {
    const Finished refused = luzia({"issues", "--by", "pattern", option, "x"});
    EXPECT_EQ(refused.code, 2) << option;
    EXPECT_THAT(refused.err, HasSubstr(std::string("issues cannot filter by ") + option));
  }
}

TEST_F(IssuesTest, OnlyTheFirstOfManyProblemsAreReported) {
  know(kBoom);
  const std::string id = dispatch(
      "for a in h g f e d c b a; do for b in a b c d e f g h; do echo it went q$a$b; done; done; exit 1");
  EXPECT_EQ(ended(id)["state"], "failed");
  EXPECT_EQ(job(id)["issues"], 64);
  const auto first = luzia({"issues", id});
  EXPECT_THAT(first.out, HasSubstr("line 1: it went qha\n"));
  EXPECT_THAT(first.out, HasSubstr("line 50: it went qbb\n"));
  EXPECT_THAT(first.out, Not(HasSubstr("line 51: ")));
  EXPECT_LT(first.out.find("it went qha"), first.out.find("it went qbb"));
  EXPECT_THAT(first.err, HasSubstr("14 more came later: --limit 64"));
  const auto few = luzia({"issues", id, "-n", "2"});
  EXPECT_THAT(few.out, AllOf(HasSubstr("it went qha\n"), HasSubstr("it went qhb\n")));
  EXPECT_THAT(few.out, Not(HasSubstr("it went qhc")));
  EXPECT_THAT(luzia({"issues", id, "-n", "64"}).out, HasSubstr("line 64: it went qah\n"));
}

TEST_F(IssuesTest, OccurrencesAreCountedOnceAcrossKills) {
  know(kBoom);
  const std::string id = dispatch(
      "i=0; while [ $i -lt 300 ]; do echo it went bang; echo fine $i; i=$((i+1)); [ $((i % 3)) = 0 ] && "
      "sleep "
      "0.01; done");
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t before = position();
    ASSERT_TRUE(wait_until([&] { return position() > before || state(id) == "completed"; }));
    kill_and_start_daemon();
  }
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto found = issues(id);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["count"], 300);
  EXPECT_EQ(job(id)["issues"], 1);
  expect_verified();
}

TEST_F(IssuesTest, ProblemsInToolOutputAreFound) {
  know(kBoom);
  configure("[issues]\nfiles = [\"" + path("known.json") +
            "\"]\n[agents.recorded]\noutput = \"claude-stream-json\"\n"
            "command = [\"sh\", \"-c\", \"cat lines.jsonl\"]\n");
  std::ofstream(project() + "/lines.jsonl")
      << R"({"type":"assistant","message":{"content":[{"type":"text","text":"it went quietly"}]},"session_id":"s"})"
      << "\n"
      << R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","is_error":true,)"
      << R"("content":"Exit code 1\nit\u0020went bang"}]},"session_id":"s"})"
      << "\n";
  const std::string id = dispatch("look", {"--agent", "recorded"});
  ended(id);
  const auto found = issues(id);
  ASSERT_EQ(found.size(), 1u) << luzia({"logs", id}).out;
  EXPECT_EQ(found[0]["captures"]["what"], "bang");
  EXPECT_EQ(found[0]["first_line"], 2);
}

TEST_F(IssuesTest, NewPatternAppliesAfterAReload) {
  know(R"json({"name": "behind", "error_patterns": ["(?<=it )went"]})json");
  const std::string before = dispatch("echo it went bang");
  EXPECT_EQ(ended(before)["state"], "completed");
  EXPECT_TRUE(issues(before).empty());
  EXPECT_TRUE(wait_until([&] {
    const std::string log = read_text(store() + "/luziad.log");
    return log.find("pattern behind: error_patterns[0] at 0: a lookbehind") != std::string::npos;
  }));
  know(kBoom);
  ASSERT_EQ(luzia({"config", "reload"}).code, 0);
  ASSERT_TRUE(wait_until([&] {
    const std::string after = dispatch("echo it went bang");
    ended(after);
    return !issues(after).empty();
  }));
}

TEST_F(IssuesTest, StatisticsCountIssuesFixedByALaterAttempt) {
  know(kBoom);
  const std::string id = dispatch("[ -e fixed ] || { echo it went bang; exit 1; }");
  EXPECT_EQ(ended(id)["state"], "failed");
  script("fixed", "");
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  ASSERT_TRUE(becomes(id, "completed"));
  const auto found = issues(id);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["state"], "fixed");
  const Json counted = query_json({"issues", "--by", "pattern"})["issue_statistics"];
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0]["key"], "boom");
  EXPECT_EQ(counted[0]["fix_rate"], 1.0);
  EXPECT_EQ(luzia({"issues", id, "--open"}).out, "");
  expect_verified();
}

}  // namespace
}  // namespace luzia
