// Rows that the disk has spoiled: nothing is answered from them, and the daemon makes them anew.
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
  /// Spoils every row that is not in the daemon's memory: in place, as a bad disk does.
  void spoil_rows() const {
    std::size_t spoiled = 0;
    for (const auto& entry : fs::directory_iterator(store() + "/views")) {
      if (entry.path().extension() != ".sst") continue;
      std::error_code merged;  // with others, by a daemon that runs: then it is gone
      // The rows stand before filter and index.
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
    EXPECT_GT(spoiled, 0u) << "the rows lie in no file";
  }
  /// As a child of the test, so that its end can be seen.
  void start_child_daemon() {
    daemon_.emplace(Words{kLuziad, "--store", store()}, environment(), path("luziad.out"));
    ASSERT_TRUE(wait_until([&] { return luzia({"daemon", "status"}).code == 0; })) << daemon_->output();
  }
  /// It starts over in its own place; where one that a client has started takes the store meanwhile, it
  /// leaves it to that one. It does not die.
  void expect_no_crash() {
    constexpr int kRefused = 4;
    if (is_running(daemon_->pid())) return;
    EXPECT_EQ(daemon_->end(), kRefused) << read_text(store() + "/luziad.log");
  }
  /// Many jobs, so that a start does not read all rows.
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
  /// What the command answers once the daemon has fixed itself; until then only what it should say.
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

TEST_F(DamagedRowsTest, RowThatCannotBeReadIsNoAnswerAndComesBack) {
  const std::string first = dispatch_many({});
  const Json before = job(first);
  stop_daemon();
  start_child_daemon();
  spoil_rows();
  // All of them: a few are still in the daemon's memory, and good.
  const Finished shown = once_fixed({"jobs", "--all", "--limit", "1000", "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(Json::parse(shown.out, nullptr, false)["jobs"].size(), 201u);
  EXPECT_EQ(job(first), before);
  expect_no_crash();
  expect_verified();
}

TEST_F(DamagedRowsTest, RepeatedCommandIsNotCarriedOutTwice) {
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

TEST_F(DamagedRowsTest, DaemonStartsOnRowsThatWereSpoiledMeanwhile) {
  const std::string first = dispatch_many({});
  stop_daemon();
  spoil_rows();
  const Finished shown = once_fixed({"job", first, "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  expect_verified();
}

}  // namespace
}  // namespace luzia
