#include "tools/cli/arguments.h"

#include <algorithm>
#include <set>

#include "tests/matchers.h"
#include "tools/luzia/families.h"
#include "tools/read/commands.h"
#include "tools/read/options.h"

namespace luzia {
namespace {

constexpr TimeUs kNow = 1'800'000'000 * kSecondUs;

Arguments parsed(const Command& command, const std::vector<std::string>& words) {
  auto arguments = Arguments::parse(kLuzia, command, words, kNow);
  EXPECT_TRUE(arguments.has_value()) << arguments.error().message;
  return arguments ? std::move(*arguments) : Arguments();
}

Error refused(const Command& command, const std::vector<std::string>& words) {
  const auto arguments = Arguments::parse(kLuzia, command, words, kNow);
  EXPECT_FALSE(arguments.has_value());
  return arguments ? Error() : arguments.error();
}

TEST(Arguments, OptionsMayStandAnywhere) {
  const Arguments args =
      parsed(kDispatchCommand, {"--timeout=10m", "web", "-p", "high", "fix it", "-ta", "--tag", "b,c"});
  EXPECT_THAT(args.positionals(), ElementsAre("web", "fix it"));
  EXPECT_EQ(args.duration_ms("timeout"), 600'000u);
  EXPECT_EQ(args.priority("priority"), 8);
  EXPECT_THAT(args.texts("tag"), ElementsAre("a", "b,c"));
  EXPECT_FALSE(args.has("fg"));
}

TEST(Arguments, ReadingCommandsTakeEachFilterOrSayWhyNot) {
  const std::set<std::string_view> others = {"flow", "todo",    "solution", "fact", "tools",
                                             "diff", "project", "hooks",    "alert"};
  for (const Command* command : kLuzia.commands) {
    const bool reads = command->group == "Look" || command->group == "Add up" || command->group == "Learn";
    if (!reads && !others.contains(command->name)) continue;
    for (const char* filter : {"job", "project", "agent", "tag", "state", "since", "until", "limit"}) {
      const bool taken = std::ranges::any_of(
          command->options, [&](const Option& option) { return long_name(option) == filter; });
      if (taken) continue;
      const Error why = refused(*command, {std::string("--") + filter, "x"});
      EXPECT_EQ(why.code, "cannot_filter") << command->name << " --" << filter << ": " << why.message;
      EXPECT_THAT(why.message, HasSubstr(std::string(" cannot filter by --") + filter + ": "));
    }
  }
  EXPECT_EQ(refused(kJobCommand, {"1q", "--limit=3"}).hint, "the command jobs lists jobs by these filters");
  EXPECT_THAT(refused(kSuggestionsCommand, {"f-1", "--project=web"}).message,
              HasSubstr(" cannot filter by --project: it is about the one flow that is named"));
  EXPECT_EQ(refused(kCancelCommand, {"1q", "--limit", "3"}).code, "bad_usage") << "it reads nothing";
}

TEST(Arguments, TaskIsTakenLiterally) {
  for (const char* task : {"[a, b]", "- do this", "-", "a\nb", "", "x=y", "{\"a\":1}", "%d \\n"}) {
    EXPECT_THAT(parsed(kDispatchCommand, {"web", task}).positionals(), ElementsAre("web", task));
  }
  EXPECT_THAT(parsed(kDispatchCommand, {"web", "--", "--fg"}).positionals(), ElementsAre("web", "--fg"));
  EXPECT_THAT(parsed(kDispatchCommand, {"--wait", "--", "web", "-n"}).positionals(),
              ElementsAre("web", "-n"));
}

TEST(Arguments, RowsOfTheLastListAreJobsOnlyWhereJobsAreNamed) {
  const auto job_of = [](std::string_view word) -> Result<std::string> {
    if (word == "%9") return fail(ErrorKind::usage, "no_such_row", "%9: too far");
    return "job-" + std::string(word.substr(1));
  };
  const auto named = [&](const Command& command, const std::vector<std::string>& words) {
    Arguments args = parsed(command, words);
    EXPECT_TRUE(args.name_rows(command, job_of));
    return args;
  };
  EXPECT_THAT(named(kCancelCommand, {"%1", "0kx8", "%2"}).positionals(),
              ElementsAre("job-1", "0kx8", "job-2"));
  EXPECT_THAT(named(kLogsCommand, {"%12"}).positionals(), ElementsAre("job-12"));
  EXPECT_THAT(named(kAnswerCommand, {"%1", "%2"}).positionals(), ElementsAre("job-1", "%2"));
  EXPECT_THAT(named(kTerminalCommand, {"send", "%1", "%2"}).positionals(),
              ElementsAre("send", "job-1", "%2"));
  EXPECT_THAT(named(kFlowCommand, {"complete", "%1", "%2"}).positionals(),
              ElementsAre("complete", "job-1", "%2"));
  EXPECT_THAT(named(kFlowCardCommand, {"%3"}).positionals(), ElementsAre("job-3"));
  EXPECT_THAT(named(kDispatchCommand, {"web", "%1"}).positionals(), ElementsAre("web", "%1"));
  EXPECT_THAT(named(kDispatchCommand, {"web", "t", "--after", "0kx8,%3", "--tag", "%4"}).list("after"),
              ElementsAre("0kx8", "job-3"));
  EXPECT_THAT(named(kJobsCommand, {"--job", "%3"}).list("job"), ElementsAre("job-3"));
  for (const char* word : {"%", "%0", "%x", "%1x", "1%", "%1234567"}) {
    EXPECT_THAT(named(kLogsCommand, {word}).positionals(), ElementsAre(word));
  }
  Arguments args = parsed(kWhyCommand, {"%9"});
  const Status refused = args.name_rows(kWhyCommand, job_of);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "no_such_row");
}

TEST(Arguments, OptionTakesOneValueAndLeavesTheNextWord) {
  const Arguments args = parsed(kDispatchCommand, {"--after", "a", "web", "task", "--env", "[x]=[y]"});
  EXPECT_THAT(args.positionals(), ElementsAre("web", "task"));
  EXPECT_THAT(args.texts("env"), ElementsAre("[x]=[y]"));
}

TEST(Arguments, UnknownOptionNamesTheNearest) {
  const Error error = refused(kJobsCommand, {"--lmit", "3"});
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_EQ(error.hint, "did you mean --limit?");
  EXPECT_EQ(refused(kPublishCommand, {"progress", "--percent", "5"}).hint,
            "did you mean --progress-percent?");
  EXPECT_EQ(refused(kPublishCommand, {"progress", "--percent=5"}).hint, "did you mean --progress-percent?");
  EXPECT_EQ(refused(kDispatchCommand, {"web", "x", "--prio", "3"}).hint, "did you mean --priority?");
  EXPECT_EQ(refused(kPublishCommand, {"warning", "--seconds", "5"}).hint,
            refused(kPublishCommand, {"warning", "--frobnicate", "5"}).hint)
      << "three options end so";
  EXPECT_THAT(refused(kDispatchCommand, {"demo", "--title", "x"}).hint, Not(HasSubstr("--file")));
  EXPECT_THAT(refused(kJobsCommand, {"-Z"}).message, HasSubstr("no option -Z"));
}

TEST(Arguments, ArgumentGivenAsAnOptionIsExplained) {
  EXPECT_EQ(refused(kDispatchCommand, {"--project", "p", "x"}).hint,
            "project is an argument, not an option: luzia dispatch PROJECT \"TASK\"");
  EXPECT_EQ(refused(kDispatchCommand, {"p", "--task=x"}).hint,
            "task is an argument, not an option: luzia dispatch PROJECT \"TASK\"");
  EXPECT_EQ(refused(kRestoreCommand, {"--job", "x"}).hint,
            "job is an argument, not an option: luzia restore JOB [PATH...]");
  EXPECT_EQ(refused(kWaitCommand, {"--job", "x"}).hint,
            "job is an argument, not an option: luzia wait [JOB...]");
  EXPECT_THAT(refused(kDispatchCommand, {"p", "x", "--options"}).hint, Not(HasSubstr("argument")));
}

TEST(Arguments, ProvedAndRefutedStandBesideTheStates) {
  wire::FilterT filter;
  take_states(parsed(kJobsCommand, {"--state", "proved,failed"}), filter);
  EXPECT_THAT(filter.states, ElementsAre(schema::JobState::failed));
  EXPECT_TRUE(filter.proved);
  EXPECT_FALSE(filter.refuted);
  take_states(parsed(kRetryCommand, {"--state", "refuted"}), filter);
  EXPECT_TRUE(filter.states.empty());
  EXPECT_FALSE(filter.proved);
  EXPECT_TRUE(filter.refuted);
}

TEST(Arguments, ValuesAreCheckedByTheirKind) {
  const std::vector<std::pair<const Command*, std::vector<std::string>>> wrong = {
      {&kJobsCommand, {"--limit", "x"}},
      {&kJobsCommand, {"--limit", "-1"}},
      {&kJobsCommand, {"--limit", "1.5"}},
      {&kJobsCommand, {"--limit", ""}},
      {&kJobsCommand, {"--state", "runing"}},
      {&kJobsCommand, {"--state", "failed,unproved"}},
      {&kFollowCommand, {"--state", "proved"}},
      {&kJobsCommand, {"--since", "someday"}},
      {&kJobsCommand, {"--color", "maybe"}},
      {&kDispatchCommand, {"p", "t", "--timeout", "soon"}},
      {&kDispatchCommand, {"p", "t", "--priority", "10"}},
      {&kDispatchCommand, {"p", "t", "--budget-cost", "-2"}}};
  for (const auto& [command, words] : wrong) {
    EXPECT_EQ(refused(*command, words).code, "bad_value") << words.back();
  }
}

TEST(Arguments, MissingOrRepeatedValueIsRefused) {
  EXPECT_EQ(refused(kJobsCommand, {"--limit"}).code, "bad_usage");
  EXPECT_THAT(refused(kJobsCommand, {"--limit", "1", "--limit", "2"}).message, HasSubstr("2 times"));
}

TEST(Arguments, PlaceIsAPositionOrAPastTime) {
  EXPECT_EQ(parsed(kJobsCommand, {"--at", "5"}).place("at")->position, 5u);
  EXPECT_EQ(parsed(kJobsCommand, {"--at", "2h"}).place("at")->time_us, kNow - 2 * kHourUs);
  EXPECT_EQ(parsed(kEventsCommand, {"--since", "0"}).place("since")->position, 0u);
  EXPECT_EQ(refused(kJobsCommand, {"--at", "0"}).code, "no_such_position");
  EXPECT_EQ(refused(kJobsCommand, {"--at", "99999999999999999999"}).code, "bad_value");
  EXPECT_THAT(refused(kJobsCommand, {"--at", "tomorrow"}).message, HasSubstr("is in the future"));
}

TEST(Arguments, ErrorsNameOptionsAsTyped) {
  EXPECT_THAT(refused(kLogsCommand, {"x", "-n", "many"}).message, HasSubstr("-n: 'many' is not"));
  EXPECT_THAT(refused(kLogsCommand, {"x", "-nmany"}).message, HasSubstr("-n: 'many' is not"));
  EXPECT_THAT(refused(kLogsCommand, {"x", "--lines", "many"}).message, HasSubstr("--lines: 'many' is not"));
  EXPECT_THAT(refused(kLogsCommand, {"x", "-n", "1", "-n", "2"}).message, HasSubstr("-n is given 2 times"));
}

TEST(Arguments, MissingArgumentsAreNamed) {
  EXPECT_THAT(refused(kAttachCommand, {}).message, HasSubstr("attach needs JOB; usage"));
  EXPECT_THAT(refused(kGateCommand, {}).message, HasSubstr("gate needs NAME; usage"));
  EXPECT_EQ(refused(kConfigCommand, {}).message, "config needs one of check, show, path, reload");
  EXPECT_THAT(refused(kTerminalCommand, {}).message, HasSubstr("terminal needs send or capture or wait"));
  EXPECT_EQ(missing_words("FILE.toml [--project P] [--dry-run] [--wait]", 0), "FILE.toml");
  EXPECT_EQ(missing_words("SUBJECT RELATION OBJECT [--context TEXT]", 2), "OBJECT");
}

TEST(Arguments, MissingValueIsShownByExample) {
  EXPECT_EQ(refused(kJobsCommand, {"--limit"}).message, "--limit needs a value, such as 10");
  EXPECT_EQ(refused(kLogsCommand, {"x", "-n"}).message, "-n needs a value, such as 10");
  EXPECT_EQ(refused(kWaitCommand, {"x", "--timeout"}).message, "--timeout needs a value, such as 30m");
  EXPECT_EQ(refused(kWaitCommand, {"--timeout", "--json"}).message, "--timeout needs a value, such as 30m");
  EXPECT_EQ(refused(kLogsCommand, {"--lines=", "x"}).message, "--lines needs a value, such as 10");
  EXPECT_EQ(refused(kJobsCommand, {"--project", "--all"}).message, "--project needs a value: NAME");
  EXPECT_EQ(refused(kJobsCommand, {"--color"}).message, "--color needs a value, such as auto");
  EXPECT_EQ(refused(kJobsCommand, {"--all=yes"}).message, "--all takes no value");
  EXPECT_EQ(refused(kJobsCommand, {"--limit"}).hint, "luzia jobs --help");
  EXPECT_EQ(parsed(kDispatchCommand, {"web", "--tag=--all", "x"}).text("tag"), "--all");
  EXPECT_EQ(parsed(kDispatchCommand, {"web", "--", "--limit"}).positionals().back(), "--limit");
}

TEST(Arguments, WordsAreCounted) {
  EXPECT_THAT(refused(kAttachCommand, {}).message, HasSubstr("usage: luzia attach JOB"));
  EXPECT_THAT(refused(kDispatchCommand, {"web", "fix", "it"}).message, HasSubstr("unexpected word 'it'"));
  EXPECT_THAT(refused(kDispatchCommand, {"web", "fix", "it"}).hint, HasSubstr("quote"));
}

TEST(Arguments, HelpNeedsNothingElse) {
  EXPECT_TRUE(parsed(kJobCommand, {"--help"}).has("help"));
}

TEST(Arguments, TimesMayBeRelative) {
  EXPECT_EQ(parsed(kJobsCommand, {"--since", "2h"}).moment("since"), kNow - 2 * kHourUs);
}

TEST(Arguments, ListsAreSplitAtCommas) {
  EXPECT_THAT(split_list("a,b,,c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_list(""), IsEmpty());
}

TEST(Arguments, EveryCommandsTableIsValid) {
  for (const Command* command : kLuzia.commands) {
    SCOPED_TRACE(std::string(command->name));
    EXPECT_NE(command->run, nullptr);
    EXPECT_FALSE(command->summary.empty());
    EXPECT_TRUE(command->group.empty() || !command->examples.empty());
    std::set<std::string_view> names;
    for (const auto& options : {command->options, kLuzia.common}) {
      for (const Option& option : options) {
        EXPECT_TRUE(names.insert(long_name(option)).second) << long_name(option) << " is there twice";
        EXPECT_EQ(option.kind == ValueKind::flag, option.value.empty()) << long_name(option);
        EXPECT_EQ(option.kind == ValueKind::choice, !option.choices.empty()) << long_name(option);
      }
    }
    // Builds the parser, because CLI11 refuses invalid names.
    EXPECT_TRUE(Arguments::parse(kLuzia, *command, {"--help"}, kNow).has_value());
  }
}

}  // namespace
}  // namespace luzia
