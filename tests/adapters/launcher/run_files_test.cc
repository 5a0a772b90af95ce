// Claims and exit records are accepted whole or not at all.
#include "adapters/launcher/run_record.h"
#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

class RunRecords : public AttemptTest {
 protected:
  void SetUp() override {
    spec_ = shell("exit 3");
    run(spec_);
    record_path_ = exit_record_path(run_dir(), "j1", 1);
    record_ = read_text(record_path_);
    ASSERT_EQ(record_.size(), run_record::kExitRecordSize);
  }
  bool is_accepted(const std::string& bytes) {
    write_text(record_path_, bytes);
    const auto read = read_exit_record(run_dir(), "j1", 1);
    EXPECT_TRUE(read || read.error().code == "exit_record_unreadable");
    EXPECT_TRUE(!read || read->has_value());
    return read.has_value();
  }

  LaunchSpec spec_;
  std::string record_path_, record_;
};

TEST_F(RunRecords, AbsentRecordsAreNoError) {
  const auto record = read_exit_record(run_dir(), "j1", 2);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->has_value());
  const auto claim = read_claim(run_dir(), "j1", 2);
  ASSERT_TRUE(claim);
  EXPECT_FALSE(claim->has_value());
  EXPECT_FALSE(is_claim_held(run_dir(), "j1", 2));
}

TEST_F(RunRecords, EveryChangedByteOfAnExitRecordIsNoticed) {
  ASSERT_TRUE(is_accepted(record_));
  for (std::size_t i = 0; i < record_.size(); ++i) {
    std::string changed = record_;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    ASSERT_FALSE(is_accepted(changed)) << i;
  }
}

TEST_F(RunRecords, TornExitRecordIsIgnored) {
  for (std::size_t size = 0; size < record_.size(); size += 61)
    ASSERT_FALSE(is_accepted(record_.substr(0, size)));
  EXPECT_FALSE(is_accepted(record_ + "\n"));
  EXPECT_FALSE(is_accepted(std::string(record_.size(), '\0')));
  EXPECT_FALSE(is_accepted(std::string(record_.size(), ' ')));
}

TEST_F(RunRecords, ExitRecordOfAnotherAttemptIsIgnored) {
  std::filesystem::copy(record_path_, exit_record_path(run_dir(), "j1", 2));
  std::filesystem::copy(record_path_, exit_record_path(run_dir(), "j2", 1));
  EXPECT_FALSE(read_exit_record(run_dir(), "j1", 2));
  EXPECT_FALSE(read_exit_record(run_dir(), "j2", 1));
}

TEST_F(RunRecords, WholeRecordCountsWithoutItsNameOnceItsWriterIsGone) {
  const std::string unnamed = record_path_ + ".tmp";
  std::filesystem::rename(record_path_, unnamed);
  const auto left = [&] { return read_left_record(run_dir(), "j1", 1); };
  ASSERT_TRUE(left() && *left());
  EXPECT_EQ((*left())->exit_code, 3);
  EXPECT_EQ(read_exit_record(run_dir(), "j1", 1)->has_value(), false);
  for (const std::string& bytes :
       {record_.substr(0, 1000), std::string(record_.size(), ' '), std::string()}) {
    write_text(unnamed, bytes);
    ASSERT_TRUE(left());
    EXPECT_FALSE(left()->has_value()) << bytes.size();
  }
  write_text(exit_record_path(run_dir(), "j1", 2) + ".tmp", record_);  // a file given for reuse
  EXPECT_FALSE(read_left_record(run_dir(), "j1", 2)->has_value());
}

TEST_F(RunRecords, NamesIdentifyTheAttempt) {
  for (const std::string& path : {claim_path(run_dir(), "j1", 12), exit_record_path(run_dir(), "j1", 12),
                                  moved_mark_path(run_dir(), "j1", 12)}) {
    const auto attempt = attempt_of_run_file(std::filesystem::path(path).filename().string());
    ASSERT_TRUE(attempt) << path;
    EXPECT_EQ(attempt->job, "j1");
    EXPECT_EQ(attempt->attempt, 12u);
  }
  for (const char* name :
       {"", ".", "..", "j1", "j1.", "j1.0", "j1.x", "j1.1x.exit", "j1.-1", ".1", "j1. 1"}) {
    EXPECT_FALSE(attempt_of_run_file(name)) << name;
  }
}

TEST_F(RunRecords, TornOrForeignClaimIsAnError) {
  const std::string path = claim_path(run_dir(), "j1", 1);
  const std::string claim = read_text(path);
  ASSERT_EQ(claim.size(), run_record::kClaimSize);
  for (std::size_t size = 0; size < claim.size(); ++size) {
    write_text(path, claim.substr(0, size));
    const auto read = read_claim(run_dir(), "j1", 1);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, "claim_unreadable");
  }
  std::string spoiled = claim;
  spoiled.replace(spoiled.find("agent="), 6, "other=");
  for (const std::string& bytes : {claim + "\n", spoiled, std::string(claim.size(), '0')}) {
    write_text(path, bytes);
    EXPECT_FALSE(read_claim(run_dir(), "j1", 1)) << bytes;
  }
}

TEST_F(RunRecords, RemovalLeavesNothing) {
  remove_run_files(run_dir(), "j1", 1);
  EXPECT_TRUE(std::filesystem::is_empty(run_dir()));
  remove_run_files(run_dir(), "j1", 1);
}

}  // namespace
}  // namespace luzia
