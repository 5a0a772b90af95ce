// status, jobs, job, queue, stats: their output for a known history.
#include <gmock/gmock.h>

#include <set>

#include "tests/tools/luzia_query/full_store.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

std::vector<std::string> ids_of(const Json& list) {
  std::vector<std::string> ids;
  for (const Json& job : list.at("jobs")) ids.push_back(job.at("id"));
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Status, GroupsJobsByTheAttentionTheyNeed) {
  const SmallStore store;
  const Ran ran = ask(store, {"status", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json status = ran.json();
  EXPECT_EQ(status.at("position"), kLast);
  EXPECT_EQ(status.at("counts"),
            (Json{{"needs_input", 0}, {"working", 1}, {"queued", 1}, {"parked", 0}, {"ended", 2}}));
  EXPECT_EQ(status.at("working")[0].at("id"), kDeploy);
  EXPECT_EQ(status.at("queued")[0].at("id"), kReview);
  EXPECT_EQ(status.at("ended")[0].at("id"), kBroken) << "the one that ended last comes first";
}

TEST(Status, LimitCountsEndedJobs) {
  const SmallStore store;
  const Json one = ask(store, {"status", "--json", "--limit", "1"}).json();
  EXPECT_EQ(one.at("ended").size(), 1U);
  EXPECT_EQ(one.at("counts").at("ended"), 2) << "all existing ones";
  EXPECT_THAT(ask(store, {"status", "--limit", "1"}).out, testing::HasSubstr("Failed (1)"));
  EXPECT_EQ(ask(store, {"status", "--json", "--limit", "0"}).json().at("counts").at("ended"), 0);
}

TEST(Status, RecentShowsTheLastUpdatesOldestFirst) {
  const SmallStore store;
  const Json updates = ask(store, {"status", "--json", "--recent", "2"}).json().at("updates");
  ASSERT_EQ(updates.size(), 2U);
  EXPECT_LT(updates[0].at("position"), updates[1].at("position"));
  EXPECT_FALSE(updates[1].at("text").get<std::string>().empty());
  const std::string shown = ask(store, {"status", "--recent", "2"}).out;
  EXPECT_THAT(shown, testing::HasSubstr(updates[1].at("text").get<std::string>()));
  EXPECT_THAT(shown, testing::Not(testing::HasSubstr("Failed (1)")));
  EXPECT_EQ(ask(store, {"status", "--json", "--recent", "2", "--limit", "1"}).json().at("updates").size(),
            1u);
  EXPECT_TRUE(ask(store, {"status", "--json", "--recent", "0"}).json().at("updates").empty());
  const Json alerts = ask(store, {"status", "--json", "--alerts", "--recent", "9"}).json().at("updates");
  for (const Json& update : alerts)
    EXPECT_THAT(update.at("severity"), testing::AnyOf("warning", "error", "critical"));
  EXPECT_EQ(ask(store, {"status", "--recent", "2", "--export", "json"}).code, 2);
}

TEST(Status, ProgramsGetMoreOfALongQueue) {
  const SmallStore store;
  {
    auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    for (int number = 10; number < 22; ++number) {
      writer.write(kSecondUs, queued("0abf0000000" + std::to_string(number), "api"), by_person("alice"));
    }
  }
  EXPECT_EQ(ask(store, {"status", "--json"}).json().at("queued").size(), 13U);
  EXPECT_THAT(ask(store, {"status"}).out, testing::HasSubstr("Queued (the first 10 of 13)"));
}

TEST(Status, ForPeopleHasATitledTablePerGroup) {
  const SmallStore store;
  const Ran ran = ask(store, {"status"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, testing::HasSubstr("Working (1)"));
  EXPECT_THAT(ran.out, testing::AllOf(testing::HasSubstr("Failed (1)"), testing::HasSubstr("Ended (1)")));
  EXPECT_THAT(ran.out, testing::Not(testing::HasSubstr("Parked")));
}

TEST(Status, PastStatusShowsRunningJobs) {
  const SmallStore store;
  const Json status = ask(store, {"status", "--json", "--at", "4"}).json();
  EXPECT_EQ(status.at("position"), 4);
  EXPECT_EQ(status.at("counts").at("working"), 1);
  EXPECT_EQ(status.at("counts").at("ended"), 0);
  EXPECT_EQ(status.at("working")[0].at("progress").at("percent"), 40);
}

TEST(Status, CountsTheEndsOfADay) {
  const SmallStore store;
  const Json ends = ask(store, {"status", "--json", "--at", "17"}).json().at("last_day");
  EXPECT_EQ(ends.at("completed"), 1);
  EXPECT_EQ(ends.at("failed"), 1);
  EXPECT_EQ(ends.at("is_cut"), false);
  EXPECT_EQ(ask(store, {"status", "--json", "--at", "8"}).json().at("last_day").at("failed"), 0);
  EXPECT_FALSE(ask(store, {"status", "--json", "--limit", "0"}).json().contains("last_day"));
  EXPECT_THAT(ask(store, {"status", "--at", "17"}).out,
              testing::HasSubstr("Ended (1); in the last 24 hours: 1 completed, 1 failed\n"));
}

TEST(Status, ShowsPausesAlsoInThePast) {
  const SmallStore store;
  {
    auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    schema::QueuePausedT paused;
    paused.project = "web";
    paused.note = "deploying";
    schema::QueueEventT queue;
    queue.fact.Set(std::move(paused));
    NewEvent event;
    event.stream = "project/web";
    event.payload.Set(std::move(queue));
    writer.write(kSecondUs, std::move(event));
  }
  const std::string words = "project web paused since 00:00Z (deploying)\n";
  EXPECT_THAT(ask(store, {"status"}).out, testing::StartsWith(words));
  EXPECT_EQ(ask(store, {"status", "--json"}).json().at("paused")[0].at("project"), "web");
  EXPECT_EQ(ask(store, {"status", "--json", "--at", std::to_string(kLast)}).json().at("paused"),
            Json::array());
}

TEST(Status, ShowsABudgetOnlyOnItsDay) {
  const SmallStore store;
  {
    auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    schema::ProjectBudgetNotedT noted;
    noted.project = "web";
    noted.kind = "tokens";
    noted.reached = true;
    noted.until_us = kEpoch + kDayUs;
    schema::QueueEventT queue;
    queue.fact.Set(std::move(noted));
    NewEvent event;
    event.stream = "project/web";
    event.payload.Set(std::move(queue));
    writer.write(kSecondUs, std::move(event));
  }
  EXPECT_EQ(ask(store, {"status", "--json"}).json().at("paused")[0].at("project"), "web");
  Circumstances next_day;
  next_day.now = kEpoch + kDayUs;
  EXPECT_EQ(ask(store, {"status", "--json"}, next_day).json().at("paused"), Json::array());
}

TEST(Job, NotYetQueuedJobSaysSo) {
  const SmallStore store;
  for (const std::string at : {"1", "2026-01-01T00:00:01Z"}) {
    const Ran ran = ask(store, {"job", kBroken, "--at", at});
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_THAT(ran.err, testing::HasSubstr("there was no job '" + kBroken + "' yet at position 1\n"));
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(ask(store, {"job", kBroken, "--at", "2025-01-01"}).code, 3) << "before the log's first event";
  EXPECT_EQ(ask(store, {"why", kBroken, "--at", "1"}).code, 3);
}

TEST(SortedPlaces, NumbersAreComparedAsNumbersAndNothingComesLast) {
  Table keys({{"n"}, {"t"}, {"mixed"}});
  keys.add({{"10"}, {"b"}, {"10"}});
  keys.add({{"9"}, {"a"}, {"9"}});
  keys.add({{""}, {"c"}, {"x"}});
  keys.add({{"10"}, {"a"}, {""}});
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(sorted_places(keys, {{"n", false}}), (Places{1, 0, 3, 2}));
  EXPECT_EQ(sorted_places(keys, {{"n", true}}), (Places{0, 3, 1, 2}));
  EXPECT_EQ(sorted_places(keys, {{"n", true}, {"t", false}}), (Places{3, 0, 1, 2}));
  EXPECT_EQ(sorted_places(keys, {{"t", false}}), (Places{1, 3, 0, 2}));
  EXPECT_EQ(sorted_places(keys, {{"mixed", false}}), (Places{0, 1, 2, 3})) << "as texts";
}

TEST(Jobs, SortPutsAllRowsInOrderBeforeTheLimit) {
  const SmallStore store;
  const auto sorted = [&](const std::string& fields, const std::string& limit = "0") {
    return ask(store, {"jobs", "--all", "--sort", fields, "--limit", limit, "--json"}).json();
  };
  EXPECT_EQ(ids_of(sorted("id")), (Ids{kBuild, kDeploy, kReview, kBroken}));
  EXPECT_EQ(ids_of(sorted("-id")), (Ids{kBroken, kReview, kDeploy, kBuild}));
  EXPECT_EQ(ids_of(sorted("project,-id")), (Ids{kBroken, kDeploy, kReview, kBuild}));
  EXPECT_EQ(ids_of(sorted("id", "2")), (Ids{kBuild, kDeploy}));
  EXPECT_TRUE(sorted("id", "2").at("next").is_null()) << "a sorted list has no further page";
  for (const char* fields : {"started", "-started"}) {
    const auto ids = ids_of(sorted(fields));
    ASSERT_EQ(ids.size(), 4U) << fields;
    EXPECT_EQ(ids.back(), kReview) << "it has not started";
  }
  const Ran numbered = ask(store, {"jobs", "--all", "--sort", "-id", "--ids"});
  EXPECT_THAT(numbered.out, testing::StartsWith(kBroken + "\n"));
}

TEST(Jobs, ColumnsChooseTheFieldsThatAreShown) {
  const SmallStore store;
  const Ran csv = ask(store, {"jobs", "--all", "--sort", "id", "--columns", "state,id", "--csv"});
  EXPECT_THAT(csv.out, testing::StartsWith("state,id\r\ncompleted," + kBuild + "\r\nrunning," + kDeploy));
  const Ran table = ask(store, {"jobs", "--all", "--sort", "id", "--columns", "state,id"});
  EXPECT_THAT(table.out, testing::StartsWith("STATE      JOB\ncompleted  " + kBuild + "\n"));
}

TEST(Lists, EachTakesSortAndColumnsAndNamesTheNearestField) {
  const SmallStore store;
  for (const char* list : {"jobs", "queue", "flows", "issues", "questions", "approvals"}) {
    const Ran header = ask(store, {list, "--csv"});
    ASSERT_EQ(header.code, 0) << header.err;
    const std::string field = header.out.substr(0, header.out.find_first_of(",\r"));
    const Ran sorted = ask(store, {list, "--sort", "-" + field, "--columns", field, "--csv"});
    EXPECT_EQ(sorted.code, 0) << list << sorted.err;
    EXPECT_THAT(sorted.out, testing::StartsWith(field + "\r\n")) << list;
    const Ran wrong = ask(store, {list, "--sort", "qqqqqqqqq"});
    EXPECT_EQ(wrong.code, 2) << list;
    EXPECT_THAT(wrong.err, testing::HasSubstr("--sort: " + std::string(list) + " has no field 'qqqqqqqqq'"));
    EXPECT_THAT(wrong.err, testing::HasSubstr("the fields are " + field));
  }
  EXPECT_THAT(ask(store, {"jobs", "--columns", "stated"}).err, testing::HasSubstr("did you mean state?"));
  EXPECT_THAT(ask(store, {"jobs", "--sort", "-strated"}).err, testing::HasSubstr("did you mean started?"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"jobs", "--columns", "id", "--json"},
                                             {"jobs", "--sort", "id", "--cursor", "x"},
                                             {"issues", "--by", "day", "--sort", "job"}}) {
    EXPECT_EQ(ask(store, words).code, 2) << words[1];
  }
}

TEST(Lists, ColumnsAreNamedByShortNamesAndNumbersStandRight) {
  const SmallStore store;
  const Ran csv = ask(store, {"jobs", "--all", "--columns", "JOB,time,tokens,cost", "--csv"});
  EXPECT_THAT(csv.out, testing::StartsWith("id,elapsed_seconds,input_tokens,output_tokens,cache_read_tokens,"
                                           "cache_write_tokens,cost_usd\r\n"))
      << csv.err;
  const Ran table = ask(store, {"jobs", "--all", "--sort", "id", "--columns", "attempts,state"});
  EXPECT_THAT(table.out, testing::StartsWith("ATTEMPTS  STATE\n       1  completed\n")) << table.err;
  EXPECT_EQ(ask(store, {"jobs", "--all", "--sort", "-tokens"}).code, 0);
}

/// The titles of a table, which stand at least two blanks apart.
std::vector<std::string> titles_of(const std::string& table) {
  std::vector<std::string> titles;
  std::string line = table.substr(0, table.find('\n'));
  while (!line.empty()) {
    const std::size_t end = std::min(line.find("  "), line.size());
    titles.push_back(line.substr(0, end));
    line.erase(0, std::min(line.find_first_not_of(' ', end), line.size()));
  }
  return titles;
}

TEST(Lists, TitlesOfTheTablesNameFields) {
  const FullStore full;
  const SmallStore& store = full.store();
  // No field holds what these show; a field of another meaning is called question.
  const std::set<std::string> no_field = {"WAITS", "AGE", "NEXT", "LEFT", "WHAT", "QUESTION", "NO RESULT"};
  for (const std::vector<std::string>& list :
       std::vector<std::vector<std::string>>{{"jobs", "--all"},
                                             {"queue"},
                                             {"flows", "--all"},
                                             {"issues"},
                                             {"questions", "--all"},
                                             {"approvals", "--all"},
                                             {"stats", "--by", "project"},
                                             {"stats", "--by", "model"},
                                             {"stats", "--by", "reason"},
                                             {"tools", "--by", "agent"},
                                             {"cost", "--by", "day"}}) {
    const Ran table = ask(store, list);
    ASSERT_EQ(table.code, 0) << list.front() << table.err;
    EXPECT_FALSE(table.out.empty()) << list.front();
    for (const std::string& title : titles_of(table.out)) {
      if (no_field.contains(title)) continue;
      std::vector<std::string> words = list;
      words.insert(words.end(), {"--columns", title});
      const Ran chosen = ask(store, words);
      EXPECT_EQ(chosen.code, 0) << list.front() << " " << title << ": " << chosen.err;
      if (title == "TOKENS") continue;                              // several fields
      const std::size_t begin = chosen.out.find_first_not_of(' ');  // numbers stand on the right
      EXPECT_THAT(chosen.out.substr(std::min(begin, chosen.out.size())), testing::StartsWith(title))
          << list.front();
    }
  }
  EXPECT_THAT(ask(store, {"jobs", "--all", "--columns", "time"}).out, testing::StartsWith("TIME (s)\n"));
}

TEST(Lists, FieldsWithoutANameAreRefused) {
  const SmallStore store;
  for (const char* words : {"", ","}) {
    const Ran columns = ask(store, {"jobs", "--columns", words});
    EXPECT_EQ(columns.code, 2);
    EXPECT_THAT(columns.err, testing::HasSubstr("--columns names no field"));
    EXPECT_THAT(ask(store, {"jobs", "--sort", words}).err, testing::HasSubstr("--sort names no field"));
  }
}

TEST(Sums, TakeSortAndColumns) {
  const SmallStore store;
  const auto csv = [&](std::vector<std::string> words) {
    words.emplace_back("--csv");
    const Ran ran = ask(store, words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  };
  EXPECT_EQ(csv({"stats", "--by", "project", "--sort", "key", "--columns", "key,jobs,failed"}),
            "key,jobs,failed\r\napi,1,1\r\nweb,1,0\r\n");
  EXPECT_EQ(csv({"stats", "--by", "agent", "--sort", "-key", "--limit", "1", "--columns", "key"}),
            "key\r\nshell\r\n")
      << "the limit comes after the order";
  EXPECT_EQ(ask(store, {"stats", "--by", "project", "--sort", "key", "--columns", "key,jobs"}).out,
            "PROJECT  JOBS\napi         1\nweb         1\n");
  EXPECT_EQ(csv({"stats", "--by", "agent", "--sort", "-agent", "--limit", "1", "--columns", "AGENT"}),
            "key\r\nshell\r\n");
  const Json sorted = ask(store, {"stats", "--by", "project", "--sort", "-key", "--json"}).json();
  EXPECT_EQ(sorted.at("outcomes")[0].at("key"), "web");
  EXPECT_EQ(csv({"cost", "--columns", "key,cost"}), "key,cost_usd\r\n");
  EXPECT_THAT(csv({"tools", "--sort", "-calls"}), testing::HasSubstr("calls"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"stats", "--sort", "key"},
                                             {"stats", "--by", "reason", "--columns", "failed"},
                                             {"stats", "--by", "agent", "--columns", "project"},
                                             {"stats", "--by", "person", "--sort", "share"},
                                             {"stats", "--by", "day", "--plot", "--columns", "key"},
                                             {"cost", "--sort", "qqqq"}}) {
    const Ran ran = ask(store, wrong);
    EXPECT_EQ(ran.code, 2) << testing::PrintToString(wrong);
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Job, LastMeansTheNewestAtThatTime) {
  const SmallStore store;
  for (const auto& [at, id] : {std::pair{"8", kBuild}, {"10", kDeploy}, {"12", kReview}, {"13", kBroken}}) {
    EXPECT_EQ(ask(store, {"job", "@last", "--at", at, "--json"}).json().at("id"), id) << at;
    EXPECT_EQ(ask(store, {"job", "@last", "--at", at, "--offline", "--json"}).json().at("id"), id) << at;
  }
  const Json why = ask(store, {"why", "@last", "--at", "8", "--json"}).json();
  EXPECT_EQ(why.at("events")[0].at("stream"), "job/" + kBuild);
  EXPECT_EQ(ask(store, {"events", "--job", "@last", "--at", "8", "--json"}).json_lines().size(), 8u);
  const Ran before = ask(store, {"job", "@last", "--at", "2025-01-01"});
  EXPECT_EQ(before.code, 3);
  EXPECT_THAT(before.err, testing::HasSubstr("there was no job yet at position 0, so @last names none"));
}

TEST(Completion, OffersCommandsOptionsAndValues) {
  const SmallStore store;
  const auto offered = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"__complete", "--"});
    Circumstances circumstances;
    circumstances.environment["LUZIA_STORE"] = store.path();
    return run_query_program(words, circumstances).out;
  };
  EXPECT_THAT(offered({"st"}), testing::HasSubstr("stats\t"));
  EXPECT_THAT(offered({"jobs", "--pro"}), testing::StartsWith("--project\t"));
  EXPECT_EQ(offered({"verify", "--pro"}), "") << "it has no such option";
  EXPECT_THAT(offered({"jobs", "--state", "wa"}), testing::StartsWith("waiting\t"));
  EXPECT_EQ(offered({"jobs", "--sort", "id,-sta"}), "id,-state\t\nid,-started_at\t\nid,-started_us\t\n");
  EXPECT_EQ(offered({"jobs", "--columns", "pro"}), "project\t\n");
  EXPECT_THAT(offered({"queue", "--sort", ""}), testing::HasSubstr("priority\t"));
  EXPECT_EQ(offered({"jobs", "--store", ""}), ":directory\n");
  EXPECT_THAT(offered({"job", ""}), testing::StartsWith("@last\t"));
  EXPECT_EQ(offered({"job", "0abc", ""}), "") << "it takes one job";
  EXPECT_THAT(offered({"export", "an"}), testing::StartsWith("analytics\t"));
  EXPECT_THAT(offered({"export", "events", "--fo"}), testing::StartsWith("--format\t"));
  EXPECT_EQ(offered({"export", "analytics", "--fo"}), "") << "of another export";
}

TEST(Configuration, MistakeDoesNotBlockANamedStore) {
  const SmallStore store;
  const ScratchFolder folder;
  const std::string file = folder.file("luzia.toml");
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs("[quue]\n", out);
  std::fclose(out);
  const Ran ran = ask(store, {"jobs", "--all", "--config", file});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, testing::HasSubstr("the configuration has an error"));
  EXPECT_EQ(run_query_program({"jobs", "--config", file}).code, 2) << "where the store is, is not known";
}

TEST(Jobs, HideEndedOnesByDefault) {
  const SmallStore store;
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json"}).json()), (Ids{kReview, kDeploy}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--all"}).json()), (Ids{kBroken, kReview, kDeploy, kBuild}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--state", "failed,completed"}).json()),
            (Ids{kBroken, kBuild}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--since", "2026-01-01T00:00:13Z"}).json()), (Ids{kBroken}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--until", "2026-01-01T00:00:09Z"}).json()), (Ids{kBuild}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--job", kBuild}).json()), (Ids{kBuild}));
}

TEST(Jobs, TimesOfEndsChooseEndedOnesLastEndFirst) {
  const SmallStore store;
  const auto all = ask(store, {"jobs", "--json", "--ended-since", "2026-01-01"}).json();
  EXPECT_THAT(ids_of(all), testing::UnorderedElementsAre(kBroken, kBuild));
  const std::string last = all.at("jobs")[0].at("ended_at"), first = all.at("jobs")[1].at("ended_at");
  EXPECT_LT(first, last);
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--ended-before", last}).json()),
            (Ids{all.at("jobs")[1].at("id")}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--ended-since", last}).json()),
            (Ids{all.at("jobs")[0].at("id")}));
  EXPECT_EQ(ask(store, {"jobs", "--ended-since", "whenever"}).code, 2);
}

TEST(Jobs, FiltersCombine) {
  const SmallStore store;
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--all", "--project", "web"}).json()),
            (Ids{kReview, kBuild}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--all", "--project", "web", "--project", "api", "--agent",
                               "claude"})
                       .json()),
            (Ids{kBuild}));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--json", "--all", "--tag", "nightly"}).json()), Ids{});
}

TEST(Jobs, PagesAreContinuous) {
  const SmallStore store;
  const Json first = ask(store, {"jobs", "--all", "--limit", "3", "--json"}).json();
  EXPECT_EQ(ids_of(first), (Ids{kBroken, kReview, kDeploy}));
  const Json second =
      ask(store, {"jobs", "--all", "--limit", "3", "--json", "--cursor", first.at("next")}).json();
  EXPECT_EQ(ids_of(second), Ids{kBuild});
  EXPECT_TRUE(second.at("next").is_null());
  const Ran people = ask(store, {"jobs", "--all", "--limit", "3"});
  EXPECT_THAT(people.err, testing::HasSubstr("more: --cursor " + kDeploy));
  EXPECT_EQ(ids_of(ask(store, {"jobs", "--all", "--limit", "0", "--json"}).json()).size(), 4u);
}

TEST(Jobs, CsvHasAHeaderAndARowPerJob) {
  const SmallStore store;
  const auto lines = ask(store, {"jobs", "--all", "--csv"}).text_lines();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[0], testing::StartsWith("id,project,agent"));
  EXPECT_THAT(lines[3], testing::HasSubstr("\"deploy \"\"all\"\", now\"")) << "quoted as RFC 4180 says";
}

TEST(Jobs, EmptyListSaysSoOnStandardError) {
  const SmallStore store;
  const Ran ran = ask(store, {"jobs", "--agent", "nothing"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, testing::HasSubstr("--all"));
}

TEST(Job, JsonIsTheJobItself) {
  const SmallStore store;
  const Json job = ask(store, {"job", kBuild, "--json"}).json();
  EXPECT_EQ(job.at("id"), kBuild);
  EXPECT_EQ(job.at("task"), "build the site");
  EXPECT_EQ(job.at("state"), "completed");
  EXPECT_EQ(job.at("exit_code"), 0);
  EXPECT_EQ(job.at("warnings"), 2);
  EXPECT_EQ(job.at("queued_at"), "2026-01-01T00:00:01.000000Z");
  EXPECT_EQ(job.at("queued_us"), time_at(1));
}

TEST(Job, IsNamedByPrefixOrLast) {
  const SmallStore store;
  EXPECT_EQ(ask(store, {"job", "0abd", "--json"}).json().at("id"), kReview);
  EXPECT_EQ(ask(store, {"job", "@last", "--json"}).json().at("id"), kBroken);
  EXPECT_EQ(ask(store, {"job", "0ABE", "--json"}).json().at("id"), kBroken);
}

TEST(Job, PeopleGetOneFactPerLine) {
  const SmallStore store;
  const Ran ran = ask(store, {"job", kBroken});
  EXPECT_THAT(ran.out, testing::HasSubstr("failed (exit code 2)"));
  EXPECT_THAT(ran.out, testing::HasSubstr("break"));
}

TEST(Job, AtAPositionShowsThePastJob) {
  const SmallStore store;
  const Json running = ask(store, {"job", kBuild, "--at", "4", "--json"}).json();
  EXPECT_EQ(running.at("state"), "running");
  EXPECT_EQ(running.at("progress").at("percent"), 40);
  EXPECT_EQ(running.at("warnings"), 0);
  EXPECT_TRUE(running.at("exit_code").is_null());
  EXPECT_EQ(running.at("elapsed_seconds"), 1.0) << "counted up to the given time, not up to now";
  EXPECT_EQ(ask(store, {"job", kBuild, "--at", "1", "--json"}).json().at("state"), "queued");
  EXPECT_EQ(ask(store, {"job", kBuild, "--at", "8", "--json"}).json().at("state"), "completed");
}

TEST(Job, AtATimeUsesTheLastEarlierEvent) {
  const SmallStore store;
  const Json job = ask(store, {"job", kBuild, "--at", "2026-01-01T00:00:05.5Z", "--json"}).json();
  EXPECT_EQ(job.at("state"), "running");
  EXPECT_EQ(job.at("warnings"), 1);
  EXPECT_EQ(job.at("elapsed_seconds"), 2.5);
  const Ran people = ask(store, {"job", kBuild, "--at", "2026-01-01T00:00:05.5Z"});
  EXPECT_THAT(people.err, testing::HasSubstr("as of position 5"));
  EXPECT_THAT(ask(store, {"jobs", "--at", "2025-01-01T00:00:00Z"}).err,
              testing::HasSubstr("the log had no event then"));
}

TEST(Job, BeforeItWasQueuedIsUnknown) {
  const SmallStore store;
  const Ran ran = ask(store, {"job", kBroken, "--at", "12", "--json"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "no_such_job");
}

TEST(Job, AgentControlCharactersAreSanitized) {
  const SmallStore store;
  Circumstances terminal;
  terminal.out_stream = {.terminal = true, .columns = 200};
  terminal.environment = {{"LANG", "C.UTF-8"}, {"TERM", "xterm"}, {"LUZIA_CONFIG", "/dev/null"}};
  const Ran ran = ask(store, {"job", kBuild, "--color", "never"}, terminal);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(ask(store, {"job", kBuild, "--json"}).out, testing::Not(testing::HasSubstr("\x1b")));
}

TEST(Jobs, RunningJobsWithoutADaemonGetANote) {
  const SmallStore store;
  const std::string told =
      "luzia-query: no luziad runs on this store: as of position 17, 2026-01-01T00:00:17.000000Z; jobs shown "
      "as running may have ended\n";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"status"},
                                                {"jobs"},
                                                {"jobs", "--csv"},
                                                {"job", kDeploy},
                                                {"jobs", "--offline"}}) {
    EXPECT_THAT(ask(store, words).err, testing::HasSubstr(told)) << words[0];
  }
  const std::vector<std::vector<std::string>> others = {
      {"job", kBuild}, {"jobs", "--json"}, {"jobs", "--at", "12"}, {"jobs", "--state", "completed"}};
  for (const std::vector<std::string>& words : others) {
    EXPECT_THAT(ask(store, words).err, testing::Not(testing::HasSubstr("no luziad"))) << words[0];
  }
}

TEST(Queue, IsInTheOrderOfStart) {
  const SmallStore store;
  const Json queue = ask(store, {"queue", "--json"}).json();
  ASSERT_EQ(queue.at("queue").size(), 1u);
  EXPECT_EQ(queue.at("queue")[0].at("job"), kReview);
  EXPECT_EQ(queue.at("queue")[0].at("position"), 1);
  EXPECT_EQ(ask(store, {"queue", "--json", "--at", "9"}).json().at("queue")[0].at("job"), kDeploy);
  EXPECT_THAT(ask(store, {"queue", "--project", "api"}).err, testing::HasSubstr("no such jobs in the queue"));
}

TEST(Stats, CountPerProjectAndMeasurePerAgent) {
  const SmallStore store;
  const Json stats = ask(store, {"stats", "--json"}).json();
  ASSERT_EQ(stats.at("projects").size(), 2u);
  const Json& api = stats.at("projects")[0];
  EXPECT_EQ(api.at("project"), "api");
  EXPECT_EQ(api.at("failed"), 1);
  EXPECT_EQ(api.at("running"), 1);
  EXPECT_EQ(api.at("success_rate"), 0.0);
  EXPECT_EQ(stats.at("projects")[1].at("success_rate"), 1.0);
  bool found = false;
  for (const Json& row : stats.at("durations")) {
    if (row.at("measure") != "run" || row.at("agent") != "claude") continue;
    found = true;
    EXPECT_EQ(row.at("count"), 1);
    EXPECT_EQ(row.at("mean_ms"), 4000.0);
    EXPECT_EQ(row.at("max_ms"), 4000);
  }
  EXPECT_TRUE(found);
}

TEST(Stats, WithoutEndedJobsHaveNoSuccessRate) {
  const SmallStore store;
  const Json stats = ask(store, {"stats", "--json", "--at", "4"}).json();
  ASSERT_EQ(stats.at("projects").size(), 1u);
  EXPECT_TRUE(stats.at("projects")[0].at("success_rate").is_null());
}

TEST(Stats, CsvHasOneNumberPerLine) {
  const SmallStore store;
  const Ran ran = ask(store, {"stats", "--csv"});
  EXPECT_THAT(ran.out, testing::StartsWith("project,agent,measure,value\r\n"));
  EXPECT_THAT(ran.out, testing::HasSubstr("web,claude,run_mean_ms,4000\r\n"));
  EXPECT_THAT(ran.out, testing::HasSubstr("api,,failed,1\r\n"));
}

TEST(Stats, AgentFilterExplainsMissingTotals) {
  const SmallStore store;
  const Ran ran = ask(store, {"stats", "--json", "--agent", "claude"});
  EXPECT_EQ(ran.json().at("projects").size(), 0u);
  EXPECT_EQ(ran.json().at("durations").size(), 2u);
  EXPECT_THAT(ran.err, testing::HasSubstr("per project"));
}

}  // namespace
}  // namespace luzia::test
