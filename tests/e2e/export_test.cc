// Real exports that are killed and resumed: the result equals that of a single run.
#include <csignal>
#include <filesystem>
#include <map>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr int kKilled = 128 + SIGKILL;

class ExportTest : public DaemonTest {
 protected:
  /// Writes some pages of events, with jobs that ended in several ways; then stops the daemon, so that
  /// nothing is added.
  void write_history() const {
    ended(dispatch("exit 3"));
    ended(dispatch("echo '::warning file=a.cc,line=3::odd'"));
    ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
    constexpr int kJobs = 2'400;
    std::string lines;
    for (int i = 0; i < kJobs; ++i) {
      lines += R"({"project":"demo","task":"echo )" + std::to_string(i) + "\"}\n";
    }
    const Finished batch = luzia({"dispatch", "--batch", "-"}, lines);
    ASSERT_EQ(batch.code, 0) << batch.err;
    ASSERT_EQ(lines_of(batch.out).size(), static_cast<std::size_t>(kJobs));
    stop_daemon();
  }
  Words export_words(const std::string& what, const std::string& out, const Words& options) const {
    Words words = {kLuziaQuery, "export", what, "--out", out};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }
  /// Runs a command that exits at the failpoint, as by kill -9.
  void expect_killed_at(const std::string& point, const Words& words) const {
    EXPECT_EQ(run_to_end(words, environment({"LUZIA_FAILPOINTS=" + point})).code, kKilled) << point;
  }
  /// Kills the command with kill -9 once `so_far` holds, unless it has exited before.
  void kill_when(const Words& words, const std::function<bool()>& so_far) const {
    BesideProgram program(words, environment(), path("killed"));
    EXPECT_TRUE(wait_until([&] { return !is_running(program.pid()) || so_far(); }));
    program.signal(SIGKILL);
    program.end();
  }
  /// Every file of the folder; of a database, its rows.
  std::map<std::string, std::string> files_of(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      const bool database = name.ends_with(".sqlite");
      files[name] = database ? run_to_end({"/usr/bin/sqlite3", entry.path(), ".dump"}, environment()).out
                             : read_text(entry.path());
    }
    return files;
  }
};

TEST_F(ExportTest, EventsAreCompleteAcrossKills) {
  write_history();
  const std::string whole = path("whole.jsonl"), killed = path("killed.jsonl");
  const Finished once = run_to_end(export_words("events", whole, {}), environment());
  ASSERT_EQ(once.code, 0) << once.err;
  const Words words = export_words("events", killed, {"--resume"});
  for (const char* point : {"export.events@1", "export.events@2", "export.events@1"}) {
    expect_killed_at(point, words);
    EXPECT_FALSE(fs::exists(killed)) << "a partial file is there: " << point;
  }
  for (const std::uintmax_t bytes : {1U, 100'000U, 400'000U}) {
    kill_when(words, [&] {
      std::error_code none;
      const auto size = fs::file_size(killed + ".part", none);
      return !none && size >= bytes;
    });
  }
  const Finished resumed = run_to_end(words, environment());
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(read_text(killed), read_text(whole));
  EXPECT_FALSE(fs::exists(killed + ".part"));
}

TEST_F(ExportTest, AnalyticsAreCompleteAcrossKills) {
  write_history();
  // Durations of running jobs then count up to that event and not to the time of each run.
  const Words at = {"--at", "1000"};
  const Words resumed_at = {"--at", "1000", "--resume"};
  ASSERT_EQ(run_to_end(export_words("analytics", path("whole"), at), environment()).code, 0);
  const auto whole = files_of(path("whole"));
  EXPECT_GT(whole.size(), 10U);
  for (const char* point : {"export.view@1", "export.view@2", "export.view@6", "export.move@1",
                            "export.move@2", "export.move@9", "export.moved@1"}) {
    const std::string folder = path(std::string("killed-") + point);
    const Words words = export_words("analytics", folder, resumed_at);
    expect_killed_at(point, words);
    const Finished resumed = run_to_end(words, environment());
    EXPECT_EQ(resumed.code, 0) << point << ": " << resumed.err;
    EXPECT_EQ(files_of(folder), whole) << point;
  }
  const std::string folder = path("killed-often");
  const Words words = export_words("analytics", folder, resumed_at);
  for (const std::ptrdiff_t files : {1, 4, 9, 14}) {
    kill_when(words, [&] {
      std::error_code none;
      const auto begun = fs::directory_iterator(folder + "/.luzia-export", none);
      return !none && std::distance(fs::begin(begun), fs::end(begun)) >= files;
    });
  }
  EXPECT_EQ(run_to_end(words, environment()).code, 0);
  EXPECT_EQ(files_of(folder), whole);
}

}  // namespace
}  // namespace luzia
