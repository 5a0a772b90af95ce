// Rows that the disk has damaged: no answer uses them, and the daemon rebuilds them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class DamagedRowsTest : public DaemonTest {
 protected:
  /// Damages every row that is not in the daemon's memory: in place, as a bad disk does.
  void spoil_rows() const {
    std::size_t spoiled = 0;
    for (const auto& entry : fs::directory_iterator(store() + "/views")) {
      if (entry.path().extension() != ".sst") continue;
      std::error_code merged;  // a running daemon may merge the file into others, which removes it
      // Rows come before filter and index in the file.
      const auto rows = static_cast<std::streamoff>(fs::file_size(entry.path(), merged) / 4 * 3);
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      if (merged || !file) continue;
      for (std::streamoff at = 0; at < rows; at += 64) {
        file.seekg(at);
        const char flipped = static_cast<char>(file.get() ^ 1);
        file.seekp(at);
        file.put(flipped);
      }
      ++spoiled;
    }
    EXPECT_GT(spoiled, 0u) << "the rows are in no table file";
  }
  /// Starts a daemon as a child of the test, so that the test can see its exit.
  void start_child_daemon() {
    daemon_.emplace(Words{kLuziad, "--store", store()}, environment(), path("luziad.out"));
    ASSERT_TRUE(wait_until([&] { return luzia({"daemon", "status"}).code == 0; })) << daemon_->output();
  }
  /// The daemon must not die. It starts over in the same process. If a client starts another daemon meanwhile
  /// and that one takes the store, the first one exits.
  void expect_no_crash() {
    constexpr int kRefused = 4;
    if (is_running(daemon_->pid())) return;
    EXPECT_EQ(daemon_->end(), kRefused) << read_text(store() + "/luziad.log");
  }
  /// Dispatches many jobs, so that a start does not read all rows.
  std::string dispatch_many(const Words& options) const {
    std::string first = dispatch("echo first", options);
    std::string lines;
    for (int i = 0; i < 200; ++i) lines += R"({"project":"demo","task":"echo )" + std::to_string(i) + "\"}\n";
    const Finished batch = luzia({"dispatch", "--batch", "-"}, lines);
    EXPECT_EQ(batch.code, 0) << batch.err;
    for (const std::string& id : lines_of(batch.out)) ended(id);
    ended(first);
    return first;
  }
  /// The command's answer after the daemon has repaired itself; checks that earlier answers are proper
  /// errors.
  Finished once_fixed(const Words& words) const {
    Finished finished;
    EXPECT_TRUE(wait_until([&] {
      finished = luzia(words);
      return finished.err.find("views") == std::string::npos &&
             finished.err.find("starts over") == std::string::npos &&
             finished.err.find("no daemon") == std::string::npos &&
             finished.err.find("it closed the connection") == std::string::npos;
    }));
    return finished;
  }

 private:
  std::optional<BesideProgram> daemon_;
};

TEST_F(DamagedRowsTest, UnreadableRowIsRebuilt) {
  const std::string first = dispatch_many({});
  const Json before = job(first);
  stop_daemon();
  start_child_daemon();
  spoil_rows();
  // Asks for all jobs: a few rows are still in the daemon's memory, undamaged.
  const Finished shown = once_fixed({"jobs", "--all", "--limit", "1000", "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(Json::parse(shown.out, nullptr, false)["jobs"].size(), 201u);
  EXPECT_EQ(job(first), before);
  expect_no_crash();
  expect_verified();
}

TEST_F(DamagedRowsTest, RepeatedCommandTakesEffectOnce) {
  const Words options = {"--command-id", "the-one"};
  const std::string first = dispatch_many(options);
  stop_daemon();
  start_child_daemon();
  spoil_rows();
  const Finished repeated = once_fixed({"dispatch", "demo", "echo first", "--command-id", "the-one"});
  EXPECT_EQ(repeated.code, 0) << repeated.err;
  EXPECT_EQ(lines_of(repeated.out), Words{first});
  expect_no_crash();
}

TEST_F(DamagedRowsTest, DaemonStartsOnDamagedRows) {
  const std::string first = dispatch_many({});
  stop_daemon();
  spoil_rows();
  const Finished shown = once_fixed({"job", first, "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  expect_verified();
}

}  // namespace
}  // namespace luzia
