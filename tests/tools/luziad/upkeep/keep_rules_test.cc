// Which ended jobs are due by [keep], and what of each.
#include "tools/luziad/upkeep/keep_rules.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/registry.h"
#include "tests/projections/log_writer.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

using test::kEpoch;

constexpr std::uint64_t kDayMs = 86'400'000;

/// Jobs whose directories are real: each ends a day after the one before.
class KeepRules : public ScratchTest {
 protected:
  std::string dir(const std::string& job) const { return scratch_ + "/jobs/" + job; }

  std::string add(const std::string& job, const std::vector<std::string>& tags = {}, bool ends = true) {
    NewEvent queued = test::queued(job, "web", "shell", "task of " + job);
    schema::JobSpecT& spec = *queued.payload.AsJobEvent()->fact.AsJobQueued()->spec;
    spec.job_dir = dir(job);
    spec.tags = tags;
    spec.uid = geteuid();
    std::filesystem::create_directories(dir(job));
    std::ofstream(dir(job) + "/output.log") << std::string(100'000, 'x');
    writer_.write(kDayUs / 2, std::move(queued));
    writer_.write(1, test::starting(job));
    writer_.write(1, test::started(job));
    if (!ends) return job;
    writer_.write(kDayUs / 2, test::attempt_ended(job, 0, writer_.now + kDayUs / 2));
    writer_.write(1, test::ended(job, schema::JobState::completed));
    return job;
  }
  void expired(const std::string& job, schema::KeptFiles files) {
    schema::FilesExpiredT fact;
    fact.files = files;
    writer_.write(1, job_event(job, std::move(fact)));
  }
  KeepLook look(const KeepConfig& keep, const std::string& from = {}, std::size_t most = 100,
                const KeptUntil& until = {}, const std::set<std::string>& tried = {}) {
    MemoryViewStore views;
    EXPECT_TRUE(catch_up(log_, all_projections(), views));
    const auto rows = views.snapshot();
    auto found = keep.size != 0 ? look_over_size(*rows, log_, keep, most, tried, {})
                                : look_for_expired(*rows, log_, keep, writer_.now, until, from, most, {});
    EXPECT_TRUE(found) << found.error().message;
    return found ? std::move(*found) : KeepLook();
  }
  static std::vector<std::string> jobs(const KeepLook& found) {
    std::vector<std::string> ids;
    for (const Expiring& each : found.due) ids.push_back(each.job);
    return ids;
  }

  MemoryEventLog log_;
  test::LogWriter writer_{log_};
};

TEST_F(KeepRules, OnlyOldEndedJobsWithoutTheTagAreDue) {
  const std::string old = add("0abc000000001");
  add("0abc000000002", {"keep"});
  add("0abc000000003", {}, /*ends=*/false);
  add("0abc000000004");
  const KeepLook found = look({.outputs_ms = kDayMs});
  EXPECT_THAT(jobs(found), ElementsAre(old));
  EXPECT_EQ(found.due[0].bytes, 100'000U);
  EXPECT_FALSE(found.due[0].recorded);
  EXPECT_THAT(look({}).due, IsEmpty());
}

TEST_F(KeepRules, TheStrongestRuleCounts) {
  add("0abc000000001");
  add("0abc000000002");
  add("0abc000000003");
  const KeepLook found = look({.outputs_ms = 1, .job_dirs_ms = kDayMs / 2, .texts_ms = 3 * kDayMs / 2});
  ASSERT_THAT(jobs(found), ElementsAre("0abc000000001", "0abc000000002"));
  EXPECT_EQ(found.due[0].rule, KeepRule::texts);
  EXPECT_EQ(found.due[0].texts.size(), 1U);
  EXPECT_EQ(found.due[1].rule, KeepRule::job_dirs);
}

TEST_F(KeepRules, WhatIsRecordedIsNotRecordedAgain) {
  const std::string job = add("0abc000000001");
  add("0abc000000002");
  expired(job, schema::KeptFiles::output);
  EXPECT_TRUE(look({.outputs_ms = kDayMs}).due.at(0).recorded);
  EXPECT_FALSE(look({.job_dirs_ms = kDayMs}).due.at(0).recorded);
  expired(job, schema::KeptFiles::directory);
  EXPECT_TRUE(look({.job_dirs_ms = kDayMs}).due.at(0).recorded);
  std::filesystem::rename(dir(job), scratch_ + "/jobs/.removing-" + job);
  EXPECT_TRUE(look({.job_dirs_ms = kDayMs}).due.at(0).recorded) << "its removal was interrupted";
  std::filesystem::remove_all(scratch_ + "/jobs/.removing-" + job);
  EXPECT_THAT(look({.job_dirs_ms = kDayMs}).due, IsEmpty());
}

TEST_F(KeepRules, ALookGoesOnWhereTheLastOneEnded) {
  for (const char* job : {"0abc000000001", "0abc000000002", "0abc000000003", "0abc000000004"}) add(job);
  const KeepConfig keep{.jobs_ms = 1};
  const KeepLook first = look(keep, "", 2);
  EXPECT_THAT(jobs(first), ElementsAre("0abc000000001", "0abc000000002"));
  const KeepLook second = look(keep, first.next, 2);
  EXPECT_THAT(jobs(second), ElementsAre("0abc000000003"));
  EXPECT_EQ(second.next, "");
  KeptUntil until{};
  until[static_cast<std::size_t>(KeepRule::jobs)] = due_until(keep, KeepRule::jobs, writer_.now);
  EXPECT_THAT(look(keep, "", 2, until).due, IsEmpty());
}

TEST_F(KeepRules, OverTheSizeTheOldestAreDue) {
  for (const char* job : {"0abc000000003", "0abc000000002", "0abc000000001"}) add(job);
  EXPECT_THAT(look({.size = 1 << 20}).due, IsEmpty());
  EXPECT_THAT(jobs(look({.size = 250'000})), ElementsAre("0abc000000003"));
  EXPECT_THAT(jobs(look({.size = 1})), ElementsAre("0abc000000003", "0abc000000002", "0abc000000001"));
}

TEST_F(KeepRules, ForOneThatStaysOthersGo) {
  for (const char* job : {"0abc000000001", "0abc000000002", "0abc000000003"}) add(job);
  const KeepConfig keep{.size = 250'000};
  EXPECT_THAT(jobs(look(keep)), ElementsAre("0abc000000001"));
  EXPECT_THAT(jobs(look(keep, "", 100, {}, {"0abc000000001"})), ElementsAre("0abc000000002"));
}

TEST_F(KeepRules, AllFilesOfADirectoryCount) {
  const std::string job = add("0abc000000001");
  constexpr int kFiles = 12'000;
  for (int i = 0; i < kFiles; ++i)
    std::ofstream(dir(job) + "/" + std::to_string(i)) << std::string(4'096, 'x');
  EXPECT_THAT(jobs(look({.size = std::uint64_t{45} << 20})), ElementsAre(job));
}

TEST_F(KeepRules, WhatLuziaDidNotRunStays) {
  const std::string job = "0abc000000001";
  schema::JobImportedT imported;
  imported.job = job;
  imported.spec = std::make_unique<schema::JobSpecT>();
  imported.spec->project = "web";
  imported.spec->job_dir = dir(job);
  imported.state = schema::JobState::completed;
  imported.queued_us = imported.started_us = imported.ended_us = kEpoch;
  writer_.write(2 * kDayUs, job_event(job, std::move(imported)));
  for (const KeepConfig& keep : {KeepConfig{.jobs_ms = kDayMs}, KeepConfig{.texts_ms = kDayMs}})
    EXPECT_THAT(look(keep).due, IsEmpty());
}

TEST_F(KeepRules, AWorktreeKeepsTheDirectory) {
  const std::string job = add("0abc000000001");
  add("0abc000000002");
  schema::WorktreeMadeT made;
  made.path = dir(job) + "/worktree";
  std::filesystem::create_directory(made.path);
  writer_.write(1, job_event(job, std::move(made)));
  const KeepLook found = look({.job_dirs_ms = kDayMs});
  EXPECT_THAT(found.due, IsEmpty());
  EXPECT_TRUE(found.left);
  EXPECT_THAT(jobs(look({.outputs_ms = kDayMs})), ElementsAre(job));
}

TEST(KeepRuleWords, NameTheRuleAndItsAge) {
  const KeepConfig keep{.outputs_ms = 30 * kDayMs, .size = std::uint64_t{50} << 30};
  EXPECT_EQ(rule_words(keep, KeepRule::outputs), "outputs = 30d");
  EXPECT_EQ(rule_words(keep, KeepRule::size), "size = 50GiB");
  EXPECT_EQ(rule_words(keep, KeepRule::jobs), "");
  EXPECT_EQ(due_until(keep, KeepRule::jobs, kEpoch), 0);
  EXPECT_EQ(due_until({.jobs_ms = ~std::uint64_t{0}}, KeepRule::jobs, kEpoch), 0);
}

}  // namespace
}  // namespace luzia
