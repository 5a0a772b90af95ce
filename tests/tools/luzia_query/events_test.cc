// events, why, export: the log as lines, pages and files.
#include <fstream>

#include "tests/text_files.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

std::vector<Position> positions_of(const std::vector<Json>& events) {
  std::vector<Position> positions;
  for (const Json& event : events) positions.push_back(event.at("position"));
  return positions;
}

using Positions = std::vector<Position>;

/// Holds and releases a job again and again: more events than one page has.
void write_long_history(const SmallStore& store, int pairs) {
  auto log = store.open_log();
  LogWriter writer(*log);
  for (int i = 0; i < pairs; ++i) {
    writer.add(job_event(kReview, schema::JobHeldT{}));
    writer.add(job_event(kReview, schema::JobReleasedT{}));
    if (i % 100 == 99) writer.commit();
  }
  writer.commit();
}

TEST(Events, JsonIsOneEventPerLine) {
  const SmallStore store;
  const auto events = ask(store, {"events", "--json"}).json_lines();
  ASSERT_EQ(events.size(), kLast);
  EXPECT_EQ(events[0].at("type"), "JobQueued");
  EXPECT_EQ(events[0].at("actor").at("name"), "alice");
  EXPECT_EQ(events[0].at("data").at("spec").at("project"), "web");
  EXPECT_EQ(events[5].at("evidence").at("kind"), "inferred");
  EXPECT_EQ(events[5].at("evidence").at("log_from"), 120);
  EXPECT_EQ(events[6].at("cause"), 3);
}

TEST(Events, SinceAPositionShowsLaterOnes) {
  const SmallStore store;
  EXPECT_EQ(positions_of(ask(store, {"events", "--since", "15", "--json"}).json_lines()),
            (Positions{16, 17}));
  EXPECT_EQ(positions_of(ask(store, {"events", "--cursor", "15", "--json"}).json_lines()),
            (Positions{16, 17}));
}

TEST(Events, FiltersUseJobProjectAndTime) {
  const SmallStore store;
  EXPECT_EQ(positions_of(ask(store, {"events", "--job", kDeploy, "--json"}).json_lines()),
            (Positions{9, 10, 11}));
  EXPECT_EQ(positions_of(ask(store, {"events", "--project", "api", "--since", "12", "--json"}).json_lines()),
            (Positions{13, 14, 15, 16, 17}));
  EXPECT_EQ(positions_of(ask(store, {"events", "--since", "2026-01-01T00:00:03Z", "--until",
                                     "2026-01-01T00:00:05Z", "--json"})
                             .json_lines()),
            (Positions{3, 4}));
  EXPECT_EQ(positions_of(ask(store, {"events", "--agent", "claude", "--limit", "2", "--json"}).json_lines()),
            (Positions{1, 2}));
}

TEST(Events, EndAtTheGivenPosition) {
  const SmallStore store;
  EXPECT_EQ(positions_of(ask(store, {"events", "--at", "2", "--json"}).json_lines()), (Positions{1, 2}));
  EXPECT_EQ(positions_of(ask(store, {"events", "--at", "2026-01-01T00:00:03Z", "--json"}).json_lines()),
            (Positions{1, 2, 3}));
  EXPECT_EQ(ask(store, {"events", "--at", "2025-01-01", "--json"}).out, "") << "before the first";
}

TEST(Events, AreReadPageByPageToTheEnd) {
  const SmallStore store;
  write_long_history(store, 1500);
  const auto events = ask(store, {"events", "--json"}).json_lines();
  ASSERT_EQ(events.size(), kLast + 3000);
  for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i].at("position"), i + 1);
  const auto rows = ask(store, {"events", "--csv"}).text_lines();
  ASSERT_EQ(rows.size(), events.size() + 1) << "one header, not one a page";
  EXPECT_THAT(rows[0], testing::StartsWith("position,time"));
  EXPECT_THAT(rows[1001], testing::StartsWith("1001,"));
  EXPECT_EQ(ask(store, {"events", "--json", "--limit", "1001"}).json_lines().size(), 1001u);
}

/// The first word of each line except the header.
std::vector<std::string> first_words(const Ran& ran) {
  std::vector<std::string> words;
  for (const std::string& line : ran.text_lines()) {
    const std::size_t from = line.find_first_not_of(' ');
    words.push_back(line.substr(from, line.find(' ', from) - from));
  }
  words.erase(words.begin());
  return words;
}

TEST(Events, PeopleGetTheNewestFifty) {
  const SmallStore store;
  write_long_history(store, 50);
  const Ran ran = ask(store, {"events"});
  const auto shown = first_words(ran);
  ASSERT_EQ(shown.size(), 50u);
  EXPECT_EQ(shown.front(), std::to_string(kLast + 51));
  EXPECT_EQ(shown.back(), std::to_string(kLast + 100));
  EXPECT_THAT(ran.err, testing::HasSubstr("the newest 50; for older ones"));
}

TEST(Events, NewestFilteredOnesAreFoundAnywhere) {
  const SmallStore store;
  write_long_history(store, 2000);
  const Ran ran = ask(store, {"events", "--job", kDeploy});
  EXPECT_EQ(first_words(ran), (std::vector<std::string>{"9", "10", "11"}));
  EXPECT_EQ(ran.err, "") << "there are no older ones";
  EXPECT_EQ(first_words(ask(store, {"events", "--at", "3"})), (std::vector<std::string>{"1", "2", "3"}));
}

TEST(Events, LimitGivesPagesFromTheStart) {
  const SmallStore store;
  write_long_history(store, 50);
  const Ran ran = ask(store, {"events", "--limit", "50"});
  EXPECT_EQ(ran.text_lines().size(), 51u);
  EXPECT_THAT(ran.err, testing::HasSubstr("more: --cursor 50"));
  EXPECT_EQ(ask(store, {"events", "--limit", "0"}).text_lines().size(), kLast + 100 + 1);
  const Ran none = ask(store, {"events", "--since", "100000"});
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, testing::HasSubstr("no such events"));
}

TEST(Why, ShowsCauseActorAndEvidence) {
  const SmallStore store;
  const Ran ran = ask(store, {"why", kBuild});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, testing::HasSubstr("2026-01-01 00:00:07.000Z"));
  EXPECT_THAT(ran.out, testing::HasSubstr("attempt 1 ended: exit code 0"));
  EXPECT_THAT(ran.out, testing::HasSubstr("because of #7"));
  EXPECT_THAT(ran.out, testing::HasSubstr("asserted by alice"));
  EXPECT_THAT(ran.out, testing::HasSubstr("bytes 120-180 (github_command)"));
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
}

TEST(Why, JsonIsTheListOfEvents) {
  const SmallStore store;
  const Json why = ask(store, {"why", kBroken, "--json"}).json();
  EXPECT_EQ(positions_of(why.at("events").get<std::vector<Json>>()), (Positions{13, 14, 15, 16, 17}));
  EXPECT_EQ(why.at("position"), kLast);
  EXPECT_EQ(ask(store, {"why", kBroken, "--json", "--at", "14"}).json().at("events").size(), 2u);
  EXPECT_THAT(ask(store, {"why", kBroken, "--csv"}).out, testing::HasSubstr("\r\n17,"));
}

TEST(Export, FileIsCompleteAndNamed) {
  const SmallStore store;
  const std::string file = store.beside("events.jsonl");
  const Ran ran = ask(store, {"export", "events", "--out", file});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, file + "\n");
  EXPECT_THAT(ran.err, testing::HasSubstr("exported 17 events"));
  EXPECT_EQ(whole_text(file), ask(store, {"events", "--json"}).out);
  EXPECT_EQ(ask(store, {"export", "events", "--out", file, "--json"}).json().at("file"), file);
}

TEST(Export, WithoutAFileGoesToStandardOutput) {
  const SmallStore store;
  EXPECT_EQ(ask(store, {"export", "events"}).out, ask(store, {"events", "--json"}).out);
}

TEST(Export, CloudEventsHaveRequiredAttributes) {
  const SmallStore store;
  const auto events = ask(store, {"export", "events", "--format", "cloudevents"}).json_lines();
  ASSERT_EQ(events.size(), kLast);
  const Json& end = events[6];
  EXPECT_EQ(end.at("specversion"), "1.0");
  EXPECT_EQ(end.at("id"), "here:7");
  EXPECT_EQ(end.at("source"), "luzia/here");
  EXPECT_EQ(end.at("type"), "luzia.AttemptEnded");
  EXPECT_EQ(end.at("time"), "2026-01-01T00:00:07.000000Z");
  EXPECT_EQ(end.at("subject"), "job/" + kBuild);
  EXPECT_EQ(end.at("datacontenttype"), "application/json");
  EXPECT_EQ(end.at("data").at("exit_code"), 0);
  EXPECT_EQ(end.at("cause"), "here:3");
  EXPECT_EQ(events[5].at("evidencelog"), "attempt=1 generation=0 bytes=120-180");
  for (const Json& event : events) {
    for (const auto& [name, value] : event.items()) {
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos) << name;
      EXPECT_TRUE(name == "data" || (value.is_string() && !value.get<std::string>().empty())) << name;
    }
  }
}

TEST(Export, FailureKeepsTheOldFile) {
  const SmallStore store;
  std::filesystem::create_directory(store.beside("out"));
  const std::string file = store.beside("out/events.jsonl");
  std::ofstream(file) << "old";
  const Ran ran = ask(store, {"export", "events", "--out", file, "--job", "zzz"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(whole_text(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(store.beside("out")), {}), 1);
}

TEST(Export, LinkTargetIsReplaced) {
  const SmallStore store;
  const std::string file = store.beside("real"), link = store.beside("link");
  std::ofstream(file) << "old";
  std::filesystem::create_symlink(file, link);
  EXPECT_EQ(ask(store, {"export", "events", "--out", link}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_THAT(whole_text(file), testing::StartsWith("{\"position\":1,"));
}

TEST(Export, UnwritablePathIsAnError) {
  const SmallStore store;
  const Ran ran = ask(store, {"export", "events", "--out", store.beside("no/such/folder/file"), "--json"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "output_failed");
  const Ran full = ask(store, {"export", "events", "--out", "/dev/full"});
  EXPECT_EQ(full.code, 5);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "a device is never replaced";
}

}  // namespace
}  // namespace luzia::test
