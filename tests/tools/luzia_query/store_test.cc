// Queries without a daemon on rows that are ahead, behind, missing or foreign; replay, verify, backup.
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "engine/view/scratch_views.h"
#include "projections/jobs.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

const std::vector<std::vector<std::string>> kReads = {{"status", "--json"},
                                                      {"jobs", "--all", "--json"},
                                                      {"job", kBuild, "--json"},
                                                      {"queue", "--json"},
                                                      {"events", "--json"},
                                                      {"stats", "--json"},
                                                      {"why", kBuild, "--json"},
                                                      {"jobs", "--all", "--at", "9", "--json"},
                                                      {"job", kBuild, "--at", "5", "--json"}};

TEST(Tail, MissingRowsAreFoldedInMemory) {
  const SmallStore current(kLast), behind(6);
  for (const auto& words : kReads) {
    const Ran expected = ask(current, words), ran = ask(behind, words);
    EXPECT_EQ(expected.code, 0) << words[0] << expected.err;
    EXPECT_EQ(ran.out, expected.out) << words[0];
    EXPECT_EQ(ran.err, "") << "a short tail needs no note";
  }
}

TEST(Tail, PeopleLearnThatNoDaemonRuns) {
  const SmallStore store;
  Circumstances person;
  person.err_stream.terminal = true;
  constexpr const char* kNote = "no daemon is running: reading the store";
  const Ran ran = ask(store, {"jobs"}, person);
  EXPECT_THAT(ran.err, testing::HasSubstr(kNote));
  EXPECT_EQ(ran.err.find(kNote), ran.err.rfind(kNote)) << "once";
  EXPECT_THAT(ask(store, {"jobs", "--json"}, person).err, testing::Not(testing::HasSubstr(kNote)));
  EXPECT_THAT(ask(store, {"jobs", "--offline"}, person).err, testing::Not(testing::HasSubstr(kNote)))
      << "the user asked for this position";
  EXPECT_THAT(ask(store, {"jobs"}).err, testing::Not(testing::HasSubstr(kNote)))
      << "output for programs needs no note";
}

TEST(Tail, WithoutADaemonDurationsEndWithTheLastEvent) {
  const SmallStore store;
  Circumstances later;
  later.now = time_at(5'000);
  EXPECT_EQ(ask(store, {"job", kDeploy, "--json"}, later).json().at("elapsed_seconds"), 6.0)
      << "it started at 11 s and was last seen at 17 s";
  EXPECT_EQ(ask(store, {"status", "--json"}, later).json().at("time_us"), time_at(kLast));
  EXPECT_EQ(ask(store, {"jobs", "--json"}, later).out, ask(store, {"jobs", "--json"}).out);
  later.err_stream.terminal = true;
  EXPECT_THAT(ask(store, {"jobs"}, later).err,
              testing::HasSubstr("as of the last event, 2026-01-01T00:00:17"));
}

TEST(Tail, RowsStayUnchanged) {
  const SmallStore store(6);
  ask(store, {"status"});
  EXPECT_EQ(store.open_views()->snapshot()->cursor().position, 6u);
}

TEST(Rows, MissingRowsAreFoldedInMemory) {
  const SmallStore with(kLast), without(0);
  for (const auto& words : kReads) {
    const Ran ran = ask(without, words);
    EXPECT_EQ(ran.out, ask(with, words).out) << words[0];
    if (words[0] == "events") {
      EXPECT_EQ(ran.err, "") << "these are read from the log alone";
      continue;
    }
    EXPECT_THAT(ran.err, testing::HasSubstr("replaying the whole log in memory"));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  }
  EXPECT_FALSE(std::filesystem::exists(without.path() + "/views"));
}

TEST(Rows, OfAnotherLogAreNotUsed) {
  const SmallStore store(0), other(kLast);
  {
    auto log = other.open_log();
    LogWriter writer(*log);
    writer.write(kSecondUs, ended(kDeploy, schema::JobState::failed));
    other.fold(*log, kLast + 1);
  }
  std::filesystem::copy(other.path() + "/views", store.path() + "/views",
                        std::filesystem::copy_options::recursive);
  const Ran ran = ask(store, {"job", kDeploy, "--json"});
  EXPECT_EQ(ran.json().at("state"), "running");
  EXPECT_THAT(ran.err, testing::HasSubstr("belong to another log"));
}

TEST(Rows, OfOtherViewsAreNotUsed) {
  const SmallStore store(0);
  {
    auto log = store.open_log();
    auto views = store.open_views();
    ASSERT_TRUE(catch_up(*log, core_projections(), *views));
  }
  const Ran ran = ask(store, {"job", kDeploy, "--json"});
  EXPECT_EQ(ran.json().at("state"), "running");
  EXPECT_THAT(ran.err, testing::HasSubstr("another version"));
  const Ran verified = ask(store, {"verify"});
  EXPECT_EQ(verified.code, 0) << "the store is not damaged";
  EXPECT_THAT(verified.out, testing::HasSubstr("another version and not compared"));
}

TEST(Times, RepeatedTimeMeansTheLaterOne) {
  std::set<std::string> events;
  for (const Position folded : {Position{0}, Position{6}, kLast}) {
    const SmallStore store(folded);
    {
      const auto log = store.open_log();
      LogWriter writer(*log);  // uses the times from kEpoch on again
      writer.write(kSecondUs, warning(kDeploy, "w"));
    }
    for (const char* command : {"jobs", "replay"}) {
      const Ran ran = ask(store, {command, "--at", "2026-01-01T00:00:03Z", "--json"});
      EXPECT_EQ(ran.json().at("position"), kLast + 1) << command << folded;
    }
    events.insert(ask(store, {"events", "--since", "2026-01-01T00:00:16Z", "--json"}).out);
  }
  EXPECT_EQ(events.size(), 1U);
  EXPECT_THAT(*events.begin(), testing::HasSubstr("AttemptEnded"));
}

TEST(Store, IsReadBesideItsWriter) {
  const SmallStore store(6);
  const auto log = store.open_log();
  EXPECT_EQ(ask(store, {"jobs", "--json", "--offline"}).json().at("position"), kLast);
}

TEST(Verify, IntactStoreReportsWhatHolds) {
  const SmallStore store;
  const Ran ran = ask(store, {"verify"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("chain of 17 events in 17 groups holds up to position 17"));
  EXPECT_THAT(ran.out, testing::HasSubstr("rows equal their replay byte for byte"));
  EXPECT_EQ(ask(store, {"verify", "--json"}).json().at("ok"), true);
  EXPECT_EQ(ask(SmallStore(0), {"verify"}).code, 0) << "missing rows are no damage";
}

TEST(Verify, NamesAChangedRow) {
  const SmallStore store;
  {
    auto views = store.open_views();
    const auto rows = views->snapshot();
    const std::string key = row_key(kJobsView, kBuild);
    std::string value = *rows->get(key);
    value.back() ^= 1;
    ASSERT_TRUE(views->write({{key, value}}, rows->cursor()));
  }
  const Ran ran = ask(store, {"verify", "--json"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.json().at("ok"), false);
  EXPECT_EQ(ran.json().at("code"), "views_differ");
  EXPECT_THAT(ran.json().at("message").get<std::string>(), testing::HasSubstr(kBuild));
  EXPECT_THAT(ask(store, {"verify"}).out, testing::StartsWith("FAULTY: "));
  EXPECT_EQ(ask(store, {"replay", "--rebuild"}).code, 0);
  EXPECT_EQ(ask(store, {"verify"}).code, 0) << "a rebuild fixes it";
}

TEST(Verify, FindsATruncatedLog) {
  const SmallStore store;
  std::filesystem::copy(store.path() + "/log", store.beside("old"), std::filesystem::copy_options::recursive);
  {
    auto log = store.open_log();
    LogWriter writer(*log);
    writer.write(kSecondUs, ended(kDeploy, schema::JobState::failed));
  }
  std::filesystem::remove_all(store.path() + "/log");
  std::filesystem::rename(store.beside("old"), store.path() + "/log");
  const Ran ran = ask(store, {"verify", "--json"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.json().at("code"), "log_shorter_than_watermark");
  EXPECT_EQ(ask(store, {"jobs"}).code, 5) << "no answer is given from it";
}

TEST(Replay, MeasuresAndCountsRows) {
  const SmallStore store;
  const Json report = ask(store, {"replay", "--json"}).json();
  EXPECT_EQ(report.at("events"), kLast);
  EXPECT_EQ(report.at("position"), kLast);
  EXPECT_GT(report.at("events_per_second"), 0);
  std::map<std::string, int> rows;
  for (const Json& view : report.at("views")) rows[view.at("name")] = view.at("rows");
  EXPECT_EQ(rows["jobs"], 4);
  EXPECT_EQ(rows["streams"], 4);
  EXPECT_THAT(ask(store, {"replay"}).out, testing::HasSubstr("17 events up to position 17"));
}

TEST(Replay, ReplaysOneViewUpToATime) {
  const SmallStore store;
  const Json report = ask(store, {"replay", "--projection", "streams", "--at", "10", "--json"}).json();
  EXPECT_EQ(report.at("position"), 10);
  ASSERT_EQ(report.at("views").size(), 1u);
  EXPECT_EQ(report.at("views")[0].at("name"), "streams");
  EXPECT_EQ(report.at("views")[0].at("rows"), 2);
  EXPECT_EQ(ask(store, {"replay", "--at", "2026-01-01T00:00:12Z", "--json"}).json().at("position"), 12);
}

TEST(Replay, SinceATimeMeasuresOnlyLaterEvents) {
  const SmallStore store;
  const std::string folder = store.beside("since");
  const Json report = ask(store, {"replay", "--since", "12", "--into", folder, "--json"}).json();
  EXPECT_EQ(report.at("events"), 5);
  EXPECT_EQ(report.at("position"), kLast);
  {
    auto kept = open_rocks_view_store(folder, OpenMode::read_only);
    ASSERT_TRUE(kept);
    EXPECT_TRUE(compare_rows(*kept->store->snapshot(), *store.open_views()->snapshot()).empty());
  }
  const Json timed = ask(store, {"replay", "--since", "2026-01-01T00:00:12Z", "--at", "14", "--json"}).json();
  EXPECT_EQ(timed.at("events"), 3) << "12, 13 and 14";
  const Json one = ask(store, {"replay", "--projection", "streams", "--since", "16", "--json"}).json();
  EXPECT_EQ(one.at("views")[0].at("rows"), 4);
}

TEST(Replay, FolderKeepsTheRows) {
  const SmallStore store;
  const std::string folder = store.beside("rows");
  ASSERT_EQ(ask(store, {"replay", "--into", folder}).code, 0);
  {
    auto kept = open_rocks_view_store(folder, OpenMode::read_only);
    ASSERT_TRUE(kept);
    EXPECT_TRUE(compare_rows(*kept->store->snapshot(), *store.open_views()->snapshot()).empty());
  }
  const Ran again = ask(store, {"replay", "--into", folder, "--json"});
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(Json::parse(again.err).at("error").at("code"), "target_not_empty");
}

TEST(Replay, RebuildReplacesTheRows) {
  const SmallStore store(0);
  const Ran ran = ask(store, {"replay", "--rebuild", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.json().at("message").get<std::string>(), testing::HasSubstr("up to position 17"));
  EXPECT_EQ(store.open_views()->snapshot()->cursor().position, kLast);
}

TEST(Replay, RebuildIsRefusedWhileAnotherHoldsTheStore) {
  const SmallStore store;
  const auto log = store.open_log();
  const Ran ran = ask(store, {"replay", "--rebuild", "--json"});
  EXPECT_EQ(ran.code, 5);
  const Json error = Json::parse(ran.err).at("error");
  EXPECT_EQ(error.at("code"), "store_locked");
  EXPECT_THAT(error.at("message").get<std::string>(),
              testing::HasSubstr("process " + std::to_string(getpid())));
  EXPECT_THAT(error.at("hint").get<std::string>(),
              testing::AllOf(testing::HasSubstr("luziad"), testing::HasSubstr("luzia-query")));
  EXPECT_EQ(store.open_views()->snapshot()->cursor().position, kLast) << "the rows are untouched";
}

TEST(Backup, IsAnIndependentStore) {
  const SmallStore store;
  const std::string target = store.beside("backup");
  const Ran ran = ask(store, {"backup", target});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("17 events up to position 17"));
  EXPECT_THAT(ran.err, testing::HasSubstr("--store " + target));
  EXPECT_EQ(run_query_program({"events", "--json", "--store", target}).out,
            ask(store, {"events", "--json"}).out);
  EXPECT_EQ(run_query_program({"job", kBuild, "--json", "--store", target}).json().at("task"),
            "build the site");
}

TEST(Backup, HasTheKeyByWhichPushServicesKnowTheStore) {
  const SmallStore store;
  std::ofstream(store.path() + "/push.key") << "a key\n";
  const std::string target = store.beside("backup");
  ASSERT_EQ(ask(store, {"backup", target}).code, 0);
  std::ifstream copied(target + "/push.key");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(copied), {}), "a key\n");
  EXPECT_EQ(std::filesystem::status(target + "/push.key").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Backup, KeyThatIsNoFileIsRefusedByName) {
  const SmallStore store;
  std::filesystem::create_symlink("/etc/hostname", store.path() + "/push.key");
  const Ran ran = ask(store, {"backup", store.beside("backup")});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, testing::HasSubstr("push.key is a symbolic link, not a file of the store"));
}

TEST(Backup, NeverOverwritesAnything) {
  const SmallStore store;
  std::filesystem::create_directory(store.beside("full"));
  std::ofstream(store.beside("full/file")) << "mine";
  const Ran ran = ask(store, {"backup", store.beside("full"), "--json"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "target_not_empty");
  EXPECT_EQ(ask(store, {"backup", store.beside("copy")}).code, 0);
  const Ran again = ask(store, {"backup", store.beside("copy")});
  EXPECT_EQ(again.code, 4) << "refused: it is the folder, not the store, that is in the way";
  EXPECT_EQ(again.err, "luzia-query: cannot copy the log to " + store.beside("copy") +
                           ": it is not empty\n  hint: name a folder that does not exist yet\n");
}

TEST(ScratchRows, LongLogsScratchRowsAreTemporaryFiles) {
  const ScratchFolder folder;
  std::string path;
  {
    auto scratch = ScratchViews::open(folder.file(""), ScratchViews::kEventsInMemory + 1);
    ASSERT_TRUE(scratch) << scratch.error().message;
    EXPECT_TRUE(scratch->on_disk());
    ASSERT_TRUE(scratch->rows().write({{"\x01key", "value"}}, {}));
    EXPECT_FALSE(std::filesystem::is_empty(folder.file("")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("")));
  auto small = ScratchViews::open(folder.file(""), 10);
  ASSERT_TRUE(small);
  EXPECT_FALSE(small->on_disk());
}

TEST(ScratchRows, KilledProgramsScratchRowsAreRemoved) {
  const ScratchFolder folder;
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  waitpid(ended, nullptr, 0);
  const std::string left = folder.file("scratch." + std::to_string(ended) + ".abcdef");
  const std::string of_former_life = folder.file("scratch." + std::to_string(getpid()) + ".abcdef");
  const std::string used = folder.file("scratch." + std::to_string(getppid()) + ".abcdef");
  const std::string foreign = folder.file("scratch.mine");
  for (const std::string& path : {left, of_former_life, used, foreign}) {
    std::filesystem::create_directories(path + "/below");
  }
  remove_left_scratch(folder.file(""));
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_FALSE(std::filesystem::exists(of_former_life));
  EXPECT_TRUE(std::filesystem::exists(used));
  EXPECT_TRUE(std::filesystem::exists(foreign));
}

}  // namespace
}  // namespace luzia::test
