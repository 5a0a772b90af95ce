// A running daemon rebuilds its rows from the log while it works.

#include <filesystem>
#include <memory>

#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/totals.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class RebuildTest : public DaemonTest {
 protected:
  std::unique_ptr<BesideProgram> rebuild_beside() const {
    return std::make_unique<BesideProgram>(Words{kLuziaQuery, "replay", "--rebuild"}, environment(),
                                           path("rebuild"));
  }
  /// Makes the summary rows those of an older version, with wrong content, as an upgrade would find them.
  void make_sums_older() const {
    auto opened = open_rocks_view_store(store() + "/views", OpenMode::read_write);
    ASSERT_TRUE(opened) << opened.error().message;
    ViewStore& views = *opened->store;
    const auto rows = views.snapshot();
    std::string versions = rows->get(kViewsKey).value_or("");
    for (std::size_t i = 0; i + 1 < versions.size(); i += 2) {
      if (static_cast<std::uint8_t>(versions[i]) == kTotalsView.id) --versions[i + 1];
    }
    ASSERT_NE(rows->get(kViewsKey), versions);
    RowBatch batch;
    batch.add(kViewsKey, versions);
    rows->scan(row_key(kTotalsView, ""), row_end(kTotalsView), [&](std::string_view key, std::string_view) {
      batch.add(key, std::nullopt);
      return true;
    });
    ASSERT_TRUE(views.write(batch, rows->cursor()));
  }
  bool rows_are_whole() const { return query({"verify"}).code == 0; }
  bool half_changed_over() const {
    return fs::exists(store() + "/views.new") || fs::exists(store() + "/views.old");
  }
};

TEST_F(RebuildTest, RowsServeAndJobsRunMeanwhile) {
  const std::string failed = dispatch("exit 3");
  ended(failed);
  const std::string running = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(running, "running"));
  const pid_t daemon = daemon_pid();
  const Json before = job(running);
  const auto rebuild = rebuild_beside();
  // Clients keep connecting; each would start a daemon if it could.
  constexpr int kMostLooks = 10'000;
  for (int i = 0; i < kMostLooks && is_running(rebuild->pid()); ++i) {
    EXPECT_EQ(job(failed)["exit_code"], 3);
    EXPECT_EQ(job(running)["pid"], before["pid"]);
  }
  EXPECT_EQ(rebuild->end(), 0) << rebuild->output();
  EXPECT_EQ(daemon_pid(), daemon);
  EXPECT_FALSE(half_changed_over());
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(running)["state"], "completed");
  EXPECT_EQ(job(running)["attempts"], 1);
  expect_verified();
}

TEST_F(RebuildTest, OnlyOneRebuildRuns) {
  for (int i = 0; i < 20; ++i) dispatch("true");
  const auto first = rebuild_beside();
  const Finished second = query({"replay", "--rebuild"});
  EXPECT_TRUE(second.code == 0 || error_lines(second.err) == 1) << second.err;
  EXPECT_LE(first->end(), 5) << first->output();
  expect_verified();
}

TEST_F(RebuildTest, KillDuringTheSwapLeavesTheStoreIntact) {
  const std::string id = dispatch("exit 3");
  ended(id);
  for (const char* point : {"views.made", "views.aside", "views.taken"}) {
    stop_daemon();
    const auto [started, failing] = start_daemon_that_ends_at(std::string(point) + "@1");
    ASSERT_EQ(started.code, 0) << started.err;
    EXPECT_EQ(query({"replay", "--rebuild"}).code, 5) << point;
    EXPECT_TRUE(wait_until([pid = failing] { return !is_running(pid); })) << point << " was not reached";
    EXPECT_TRUE(half_changed_over()) << point;
    EXPECT_EQ(job(id)["exit_code"], 3);
    EXPECT_FALSE(half_changed_over()) << point;
    expect_verified();
  }
}

TEST_F(RebuildTest, OlderRowsServeUntilRebuilt) {
  const std::string failed = dispatch("exit 3");
  ended(failed);
  const std::string running = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(running, "running"));
  const Json before = query_json({"stats", "--json"});
  stop_daemon();
  make_sums_older();
  start_daemon();
  EXPECT_EQ(job(failed)["exit_code"], 3);
  EXPECT_EQ(state(running), "running");
  // The sums are either reported as being rebuilt, or complete.
  const Finished asked = query({"stats", "--json"});
  EXPECT_TRUE(asked.code == 0 || asked.err.find("being rebuilt") != std::string::npos ||
              asked.err.find("closed the connection") != std::string::npos)
      << asked.err;
  // The new rows serve before the old ones are removed.
  ASSERT_TRUE(wait_until([&] { return rows_are_whole() && !half_changed_over(); }));
  const Json sums = query_json({"stats", "--json"})["projects"];
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums[0]["failed"], 1);
  EXPECT_EQ(sums[0]["dispatched"], before["projects"][0]["dispatched"]);
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(running)["state"], "completed");
  expect_verified();
}

TEST_F(RebuildTest, KillDuringTheRebuildRestartsIt) {
  const std::string id = dispatch("exit 3");
  ended(id);
  stop_daemon();
  make_sums_older();
  for (const char* point : {"views.made", "views.aside", "views.taken"}) {
    const auto [started, failing] = start_daemon_that_ends_at(std::string(point) + "@1");
    EXPECT_TRUE(wait_until([pid = failing] { return pid == 0 || !is_running(pid); })) << point;
    EXPECT_EQ(job(id)["exit_code"], 3) << point;
    ASSERT_TRUE(wait_until([&] { return rows_are_whole() && !half_changed_over(); })) << point;
    stop_daemon();
    make_sums_older();
  }
  start_daemon();
  EXPECT_TRUE(wait_until([&] { return rows_are_whole(); }));
}

}  // namespace
}  // namespace luzia
