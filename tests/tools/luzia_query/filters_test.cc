// The filters of the reading commands: each applies or is refused, none is ignored.
#include <algorithm>

#include "tests/matchers.h"
#include "tests/tools/luzia_query/full_store.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

using Words = std::vector<std::string>;

class Filters : public testing::Test {
 protected:
  Ran ask(Words words) const { return test::ask(full_.store(), std::move(words)); }
  void expect_refused(Words words, const std::string& option) const {
    words.insert(words.end(), {"--json", option});
    if (option == "--limit") words.emplace_back("3");
    if (option == "--since" || option == "--until") words.emplace_back("2026-01-01");
    if (option == "--state") words.emplace_back("failed");
    if (option == "--job") words.push_back(kTricky);
    if (option == "--tag") words.emplace_back("night");
    if (option == "--agent") words.emplace_back("claude");
    const Ran ran = ask(words);
    EXPECT_EQ(ran.code, 2) << words[0] << " " << option;
    EXPECT_EQ(ran.out, "") << words[0] << " " << option;
    const Json error = Json::parse(ran.err).at("error");
    EXPECT_EQ(error.at("code"), "cannot_filter") << ran.err;
    EXPECT_THAT(std::string(error.at("message")), HasSubstr(option)) << words[0];
  }

 private:
  FullStore full_;
};

TEST_F(Filters, SumsOfDaysRefuseThoseThatSelectJobs) {
  for (const Words& words : {Words{"stats"}, Words{"stats", "--by", "day"}, Words{"stats", "--by", "project"},
                             Words{"stats", "--by", "person"}, Words{"cost"}, Words{"tools"}}) {
    for (const char* option : {"--job", "--tag", "--state"}) expect_refused(words, option);
  }
  for (const char* option : {"--job", "--tag", "--state", "--agent"}) {
    expect_refused({"report", "--out", "-"}, option);
  }
}

TEST_F(Filters, ThoseWithoutMeaningAreRefused) {
  for (const char* option : {"--job", "--tag", "--state", "--since", "--until", "--limit"}) {
    expect_refused({"sql", "SELECT 1"}, option);
    expect_refused({"export", "prometheus"}, option);
  }
  expect_refused({"export", "prometheus"}, "--agent");
  expect_refused({"export", "queue"}, "--state");
  for (const char* option : {"--job", "--state"}) expect_refused({"learning"}, option);
  for (const char* option : {"--job", "--tag", "--state", "--agent", "--since", "--until", "--limit"}) {
    for (const Words& words : {Words{"job", kTricky}, Words{"why", kTricky}, Words{"play", kTricky},
                               Words{"flow", "@last"}, Words{"verify"}, Words{"backup", "/nonexistent/b"}})
      expect_refused(words, option);
  }
  for (const char* option : {"--since", "--until"}) expect_refused({"diff", "--from", "1"}, option);
}

TEST_F(Filters, EachCommandTakesThemOrSaysWhyNot) {
  const auto check = [](const Command& command) {
    if (!command.parts.empty() || command.group.empty() || command.name == "help") return;
    for (const char* filter : {"job", "project", "agent", "tag", "state", "since", "until", "limit"}) {
      const bool taken = std::ranges::any_of(
          command.options, [&](const Option& option) { return long_name(option) == filter; });
      EXPECT_TRUE(taken || !command.unfiltered.empty()) << command.name << " --" << filter;
    }
  };
  for (const Command* command : kLuziaQuery.commands) {
    check(*command);
    for (const Command& part : command->parts) check(part);
  }
}

TEST_F(Filters, RefusedOnesAreNotInTheHelp) {
  EXPECT_THAT(ask({"cost", "--help"}).out, Not(HasSubstr("--state")));
}

TEST_F(Filters, FilteredQueueIsNotCalledEmpty) {
  EXPECT_THAT(ask({"queue", "--tag", "nowhere"}).err, HasSubstr("no such jobs in the queue"));
}

TEST_F(Filters, SumsKeepTheFirstRows) {
  ASSERT_GE(ask({"stats", "--by", "project", "--json"}).json().at("outcomes").size(), 2u);
  EXPECT_EQ(ask({"stats", "--by", "project", "--json", "--limit", "1"}).json().at("outcomes").size(), 1u);
  EXPECT_GE(ask({"stats", "--by", "project", "--json", "--limit", "0"}).json().at("outcomes").size(), 2u);
  EXPECT_EQ(ask({"stats", "--json", "--limit", "1"}).json().at("projects").size(), 1u);
}

TEST_F(Filters, ChangesAreThoseOfTheChosenJobs) {
  const auto jobs = [&](Words more) {
    Words words = {"diff", "--from", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = ask(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.json().at("jobs").size();
  };
  ASSERT_GE(jobs({}), 3u);
  EXPECT_EQ(jobs({"--job", kTricky}), 1u);
  EXPECT_EQ(jobs({"--state", "queued"}), 1u);
  EXPECT_EQ(jobs({"--limit", "2"}), 2u);
}

TEST_F(Filters, TodosAreThoseOfTheChosenJobs) {
  const Json todos = ask({"export", "cross-agent-todos", "--limit", "1"}).json();
  EXPECT_EQ(todos.at("completed_archive").size(), 1u);
  EXPECT_EQ(todos.at("current_tasks").size(), 1u);
}

}  // namespace
}  // namespace luzia::test
