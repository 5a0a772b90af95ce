// Reuse of a finished attempt's run files for another attempt.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "adapters/launcher/run_record.h"
#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

ino_t inode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

class SpentRunFiles : public AttemptTest {
 protected:
  SpentRunFiles() {
    LaunchSpec first = shell("exit 3");
    run(first);
    claim_ = inode_of(claim_path(run_dir(), "j1", 1));
    record_ = inode_of(exit_record_path(run_dir(), "j1", 1));
  }
  LaunchSpec second(const std::string& script) {
    LaunchSpec spec = shell(script);
    spec.job = "j2";
    return spec;
  }
  void reuse() { reuse_run_files(run_dir(), {"j1", 1}, "j2", 1); }
  std::string left_claim() const { return claim_path(run_dir(), "j2", 1) + run_record::kSpentClaimSuffix; }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(run_dir());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  ino_t claim_ = 0, record_ = 0;
};

TEST_F(SpentRunFiles, AreReusedByTheNextAttempt) {
  reuse();
  const LaunchSpec spec = second("while [ ! -e $S/go ]; do sleep 0.01; done; exit 5");
  const Claim launched = start(spec);
  const Claim read = claim_of(spec);
  EXPECT_EQ(read.runner.pid, launched.runner.pid);
  EXPECT_EQ(read.agent.start, launched.agent.start);
  EXPECT_TRUE(is_claim_held(run_dir(), "j2", 1));
  const auto record = read_exit_record(run_dir(), "j2", 1);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->has_value()) << "the earlier attempt's record is not this one's";
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).exit_code, 5);
  EXPECT_EQ(inode_of(claim_path(run_dir(), "j2", 1)), claim_);
  EXPECT_EQ(inode_of(exit_record_path(run_dir(), "j2", 1)), record_);
  EXPECT_EQ(files(), 2u);
}

TEST_F(SpentRunFiles, ReusedFilesStillRunAnAttemptOnce) {
  reuse();
  const LaunchSpec spec = second("echo ran >>$S/runs");
  const Claim first = start(spec);
  EXPECT_EQ(start(spec).agent.pid, first.agent.pid);
  end_of(spec);
  EXPECT_EQ(start(spec).agent.pid, first.agent.pid);
  EXPECT_EQ(read_text(path("runs")), "ran\n");
}

TEST_F(SpentRunFiles, ClaimHeldByAnotherIsNotWaitedFor) {
  reuse();
  const int held = ::open(left_claim().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  const LaunchSpec spec = second("exit 4");
  EXPECT_EQ(run(spec).exit_code, 4);
  ::close(held);
  EXPECT_NE(inode_of(claim_path(run_dir(), "j2", 1)), claim_);
  remove_run_files(run_dir(), "j2", 1);
  EXPECT_EQ(files(), 0u);
}

TEST_F(SpentRunFiles, ConcurrentLaunchesReuseThemOnce) {
  constexpr std::uint32_t kRounds = 10;
  reuse();
  LaunchSpec spec = second("echo ran >>$S/runs");
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_TRUE(launcher_.launch(spec)); });
    }
    end_of(spec);
    reuse_run_files(run_dir(), {"j2", round}, "j2", round + 1);
    spec.attempt = round + 1;
  }
  std::string once_each;
  for (std::uint32_t round = 1; round <= kRounds; ++round) once_each += "ran\n";
  EXPECT_EQ(read_text(path("runs")), once_each);
}

TEST_F(SpentRunFiles, IncompleteFilesAreRemoved) {
  std::filesystem::resize_file(exit_record_path(run_dir(), "j1", 1), 100);
  reuse();
  EXPECT_EQ(run(second("exit 6")).exit_code, 6);
  EXPECT_EQ(files(), 2u);
}

TEST_F(SpentRunFiles, ClaimOfAnotherSizeOrNameIsLeftAlone) {
  reuse();
  write_text(left_claim(), "torn");
  EXPECT_EQ(run(second("exit 7")).exit_code, 7);
  EXPECT_EQ(read_text(left_claim()), "torn");
}

// A luzia-run started earlier may already have reserved its exit record.
TEST_F(SpentRunFiles, NeverReplaceAnExistingFile) {
  const std::string reserved = exit_record_path(run_dir(), "j2", 1) + ".tmp";
  write_text(reserved, "at work");
  reuse();
  EXPECT_EQ(read_text(reserved), "at work");
  EXPECT_FALSE(exists(claim_path(run_dir(), "j1", 1)));
  EXPECT_FALSE(exists(exit_record_path(run_dir(), "j1", 1)));
}

TEST_F(SpentRunFiles, LongerReservedFileBecomesARecord) {
  reuse();
  const std::string reserved = exit_record_path(run_dir(), "j2", 1) + ".tmp";
  write_text(reserved, std::string(run_record::kExitRecordSize + 500, 'x'));
  EXPECT_EQ(run(second("exit 8")).exit_code, 8);
}

}  // namespace
}  // namespace luzia
