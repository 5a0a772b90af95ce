// Output for programs: with --json there is one object on standard output, even if there was nothing to do.
// Also how to get the rest of a list.
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "adapters/git/snapshot.h"
#include "tests/matchers.h"
#include "tests/text_files.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

constexpr const char* kAnswered = "0kx8aaaaaaaaa";

class Answers : public ProgramTest {
 protected:
  /// The only object on standard output.
  Json object(std::vector<std::string> words, int code = 0) const {
    words.emplace_back("--json");
    const Ran ran = run(std::move(words));
    EXPECT_EQ(ran.code, code) << ran.err;
    Json read = Json::parse(ran.out, nullptr, false);
    EXPECT_TRUE(read.is_object()) << ran.out;
    return read.is_object() ? read : Json::object();
  }
};

TEST_F(Answers, BulkCancelListsItsJobs) {
  RecordingDaemon daemon(
      store_, [](const auto&) { return std::vector{job_rows({job("a", schema::JobState::running)})}; });
  const Json meant = object({"cancel", "--all"}, 4);
  ASSERT_EQ(meant["jobs"].size(), 1u);
  EXPECT_EQ(meant["jobs"][0]["id"], "a");
  EXPECT_EQ(meant["position"], 9);
}

TEST_F(Answers, NothingToCancelIsAnEmptyList) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{job_rows({})}; });
  const Json none = Json::parse(R"({"ids":[],"position":9,"repeated":false})");
  EXPECT_EQ(object({"cancel", "--all", "--yes"}), none);
  EXPECT_EQ(object({"cancel", "--all"}), none);
  EXPECT_EQ(run({"cancel", "--all"}).err, "nothing to cancel\n");
}

TEST_F(Answers, PruneListsItsSolutions) {
  view::SolutionT solution;
  solution.id = "s-1";
  solution.confidence = 0.1;
  solution.failed = 3;
  RecordingDaemon daemon(store_, [&](const auto&) {
    return std::vector{rows_of(std::vector{solution}, wire::RowType::solution)};
  });
  const Json meant = object({"solution", "prune", "--below", "0.2"}, 4);
  ASSERT_EQ(meant["solutions"].size(), 1u);
  EXPECT_EQ(meant["solutions"][0]["id"], "s-1");
  EXPECT_EQ(object({"solution", "prune", "--below", "0.05"}),
            Json::parse(R"({"ids":[],"position":9,"repeated":false,"known":false})"));
  EXPECT_THAT(run({"solution", "prune", "--below", "0.05"}).out, IsEmpty());
}

TEST_F(Answers, FlowDryRunListsItsSteps) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({})}; });
  const std::string name = write("release.toml",
                                 "project = \"web\"\n[[steps]]\nname = \"build\"\nprompt = \"make\"\n"
                                 "[[steps]]\nname = \"ship\"\nneeds = [\"build\"]\ngate = \"deploy\"\n");
  const Json flow = object({"flow", "run", name, "--dry-run"});
  EXPECT_EQ(flow["dry_run"], true);
  EXPECT_EQ(flow["checked"], true);
  EXPECT_EQ(flow["project"], "web");
  ASSERT_EQ(flow["steps"].size(), 2u);
  EXPECT_EQ(flow["steps"][0]["prompt"], "make");
  EXPECT_EQ(flow["steps"][1]["needs"], Json::array({"build"}));
  EXPECT_EQ(flow["steps"][1]["prompt"], nullptr);
  EXPECT_THAT(run({"flow", "run", name, "--dry-run"}).out, HasSubstr("build -> ship"));
}

TEST_F(Answers, QuestionWithoutWaitingIsNamed) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({"q-1"})}; });
  EXPECT_EQ(object({"ask", "Which?", "--job", kAnswered, "--no-wait"}),
            Json::parse(R"({"id":"q-1","job":"0kx8aaaaaaaaa"})"));
  EXPECT_EQ(run({"ask", "Which?", "--job", kAnswered, "--no-wait"}).out, "q-1\n");
}

TEST_F(Answers, RestoreListsDifferences) {
  ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
  const std::string folder = store_ + "/web";
  ASSERT_EQ(std::system(("git init -q '" + folder + "'").c_str()), 0);
  write("web/kept", "1\n");
  const auto taken =
      take_snapshot(folder, kSnapshotMaxFile, snapshot_ref(kAnswered, "1"), "files before attempt 1",
                    std::chrono::steady_clock::now() + std::chrono::minutes(1));
  ASSERT_TRUE(taken) << taken.error().message;
  view::JobT row = job(kAnswered, schema::JobState::completed);
  row.attempt = 1;
  row.working_dir = folder;
  row.user = "root";
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    return std::vector{frame.request.AsQuery() != nullptr ? job_rows({row}) : accepted({})};
  });
  Json expected = {{"job", kAnswered}, {"snapshot", taken->commit}, {"backup", nullptr}, {"files", 0}};
  expected["changes"] = Json::array();
  EXPECT_EQ(object({"restore", kAnswered}), expected);
  EXPECT_EQ(object({"restore", kAnswered, "--yes"}), expected);
  write("web/kept", "2\n");
  expected["files"] = 1;
  expected["changes"].push_back({{"path", "kept"}, {"change", "changed"}});
  EXPECT_EQ(object({"restore", kAnswered}, 4), expected);
  EXPECT_TRUE(object({"restore", kAnswered, "--yes"})["backup"].is_string());
}

TEST_F(Answers, FurtherIssuesHaveACursor) {
  view::IssueT issue;
  issue.pattern = "disk-full";
  issue.project = "web";
  issue.job = kAnswered;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    const bool first = frame.request.AsQuery()->cursor.empty();
    return std::vector{rows_of(std::vector{issue}, wire::RowType::issue, first ? "abcd" : "")};
  });
  EXPECT_THAT(run({"issues", "--limit", "1"}).err, HasSubstr("more: --cursor abcd\n"));
  const Ran rest = run({"issues", "--cursor", "abcd"});
  EXPECT_EQ(rest.code, 0);
  EXPECT_THAT(rest.out, HasSubstr("disk-full"));
  EXPECT_THAT(rest.err, Not(HasSubstr("more:")));
  EXPECT_EQ(daemon.requests().back()->request.AsQuery()->cursor, "abcd");
  EXPECT_EQ(object({"issues", "--limit", "1"})["next"], "abcd");
  EXPECT_EQ(object({"issues", kAnswered, "--cursor", "abcd"})["next"], nullptr);
}

TEST_F(Answers, UnwritableReportKeepsTheOldOne) {
  RecordingDaemon daemon(
      store_, [](const auto&) { return std::vector{job_rows({job("a", schema::JobState::running)})}; });
  const std::string name = write("report.json", "the old one");
  const auto text = [&] { return whole_text(name); };
  const auto exported = [&] { return run({"status", "--export", "json", "--out", name}).code; };
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 16;
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  std::fflush(nullptr);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const int code = exported();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(code, 5);
  EXPECT_EQ(text(), "the old one");
  EXPECT_EQ(exported(), 0);
  EXPECT_THAT(text(), HasSubstr("\"counts\""));
}

}  // namespace
}  // namespace luzia
