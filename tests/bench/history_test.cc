#include "bench/harness/history.h"

#include <filesystem>
#include <map>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_history.h"
#include "bench/harness/hasty_disk.h"
#include "bench/harness/options.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/verify_chain.h"
#include "engine/view/rocks_view_store.h"
#include "tests/scratch.h"

namespace luzia::bench {
namespace {

HistoryShape shape_of(std::uint64_t events, std::uint64_t seed = 1) {
  HistoryShape shape;
  shape.events = events;
  shape.seed = seed;
  return shape;
}

HistoryCount generated(EventLog& log, const HistoryShape& shape) {
  auto count = generate_history(log, shape);
  EXPECT_TRUE(count) << count.error().message;
  return count.value_or(HistoryCount{});
}

std::map<std::string, int> types_of(const EventLog& log) {
  std::map<std::string, int> types;
  const auto cursor = log.read_from(1);
  for (auto group = cursor->next(); group && *group; group = cursor->next()) {
    for (const schema::Event* event : (*group)->events()) ++types[std::string(event_type(*event))];
  }
  return types;
}

TEST(History, TheSameSeedGivesTheSameBytes) {
  MemoryEventLog one, other, third;
  generated(one, shape_of(3'000, 7));
  generated(other, shape_of(3'000, 7));
  generated(third, shape_of(3'000, 8));
  EXPECT_EQ(one.tip(), other.tip());  // the chain covers every byte
  EXPECT_NE(one.tip().chain, third.tip().chain);
}

TEST(History, TheChainHoldsAndNoEventIsMissing) {
  MemoryEventLog log;
  const HistoryCount count = generated(log, shape_of(3'000));
  const auto report = verify_chain(log);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->events, count.events);
  EXPECT_GE(count.events, 3'000u);
  EXPECT_EQ(log.tip().position, count.events);
}

TEST(History, HasEveryKindOfWork) {
  MemoryEventLog log;
  generated(log, shape_of(20'000));
  const auto types = types_of(log);
  for (const char* type : {"StoreCreated", "JobQueued", "AttemptStarting", "AttemptStarted", "OutputAppended",
                           "ProgressReported", "WarningReported", "AttemptEnded", "JobEnded", "JobRetried"}) {
    EXPECT_TRUE(types.contains(type)) << type;
  }
}

TEST(History, EveryJobEnds) {
  MemoryEventLog log;
  const HistoryCount count = generated(log, shape_of(2'000));
  const auto jobs = MemoryHistory(log).all_jobs();
  EXPECT_EQ(jobs.size(), count.jobs);
  for (const auto& [id, job] : jobs) EXPECT_TRUE(is_terminal(job.state)) << id;
  EXPECT_TRUE(jobs.contains(count.last_job));
}

TEST(History, TerseJobsHaveNoOutput) {
  MemoryEventLog log;
  HistoryShape shape;
  shape.jobs = 100;
  shape.terse = true;
  EXPECT_EQ(generated(log, shape).jobs, 100u);
  EXPECT_FALSE(types_of(log).contains("OutputAppended"));
}

std::uintmax_t write_ahead_bytes(const std::string& store) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(store + "/log")) {
    if (entry.path().extension() == ".log") bytes += entry.file_size();
  }
  return bytes;
}

TEST(History, StoreHasTheSameBytesWithoutFsync) {
  const ScratchFolder scratch;
  const std::string& folder = scratch.path();
  const std::string store = folder + "/store";
  const auto count = generate_store(store, shape_of(3'000, 7), true);
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(write_ahead_bytes(store), 0u) << "the first query would replay it";
  MemoryEventLog memory;
  generated(memory, shape_of(3'000, 7));
  {
    const auto log = open_rocks_event_log(store, {});
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ((*log)->tip(), memory.tip());
    EXPECT_TRUE(verify_chain(**log));
    const auto views = open_rocks_view_store(store + "/views", OpenMode::read_write);
    ASSERT_TRUE(views);
    EXPECT_FALSE(views->cleared);
    EXPECT_EQ(views->store->snapshot()->cursor(), memory.tip());
  }
  const HastyDisk disk;
  {
    const auto log = open_rocks_event_log(folder + "/other", {.env = disk.env()});
    ASSERT_TRUE(log) << log.error().message;
    const std::uint64_t before = disk.left_out();
    EXPECT_GE(generated(**log, shape_of(3'000, 7)).events / 128, 20u);
    EXPECT_GE(disk.left_out(), before + 20) << "each group requests one sync";
  }
  EXPECT_TRUE(HastyDisk::sync_all(folder));
}

TEST(History, IsNotAppendedToAnotherLog) {
  MemoryEventLog log;
  generated(log, shape_of(10));
  const auto again = generate_history(log, shape_of(10));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, "log_not_empty");
}

TEST(History, AFailedWriteIsAnError) {
  MemoryEventLog log;
  log.fail_next_append({ErrorKind::trouble, "disk_full", "no space", ""});
  const auto count = generate_history(log, shape_of(5'000));
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code, "disk_full");
}

TEST(Options, CountsMayHaveSuffixes) {
  EXPECT_EQ(parse_count("100k").value_or(0), 100'000u);
  EXPECT_EQ(parse_count("10M").value_or(0), 10'000'000u);
  EXPECT_EQ(parse_count("7").value_or(0), 7u);
  for (const char* text : {"", "0", "-1", "1g", "1kk", "M", "1.5", "99999999999999999999"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
}

TEST(Options, ScratchFolderIsCreatedInTheGivenOne) {
  std::string words[] = {"luzia-bench", "open", "--scratch", "/srv/data"};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data()};
  const auto options = parse_options(4, argv);
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->setting.scratch.starts_with("/srv/data/luzia-bench.")) << "existing files stay";
}

Result<Options> parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "luzia-bench");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, PartOfWebIsOneThatExists) {
  EXPECT_EQ(parsed({"web"})->setting.only, "");
  for (const std::string& part : web_parts()) EXPECT_EQ(parsed({"web", "--only", part})->setting.only, part);
  for (const char* part : {"", "nowhere", "Now", "now,jobs"}) {
    const auto refused = parsed({"web", "--only", part});
    ASSERT_FALSE(refused) << part;
    EXPECT_EQ(refused.error().code, "bad_option");
    EXPECT_THAT(refused.error().message,
                testing::HasSubstr("live, now, jobs, output, read, readers, attacks"));
  }
}

TEST(Options, StoresOfWebAreSmallerUnlessSizesAreGiven) {
  EXPECT_THAT(parsed({"web"})->setting.web_sizes, testing::ElementsAre(100'000));
  EXPECT_THAT(parsed({"web", "--sizes", "1k,1M"})->setting.web_sizes, testing::ElementsAre(1'000, 1'000'000));
}

TEST(Options, SizesAreInBytes) {
  EXPECT_EQ(parse_bytes("1G").value_or(0), 1u << 30);
  EXPECT_EQ(parse_bytes("256M").value_or(0), 256u << 20);
  EXPECT_EQ(parse_bytes("512K").value_or(0), 512u << 10);
  EXPECT_EQ(parse_bytes("7").value_or(0), 7u);
  for (const char* text : {"", "0", "-1", "1g", "1MM", "M", "1.5", "99999999999999999999"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

}  // namespace
}  // namespace luzia::bench
