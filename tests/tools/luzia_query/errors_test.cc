// Every way to be refused: the exit code, one line, a hint, and the same as JSON.
#include <sstream>

#include "tests/tools/luzia_query/run_query.h"
#include "tools/luzia-query/commands.h"

namespace luzia::test {
namespace {

struct Refused {
  std::vector<std::string> words;
  int code;
  std::string error;
};

TEST(Errors, HaveExitCodesAndStableNames) {
  const SmallStore store;
  const std::vector<Refused> all = {
      {{"jobs", "--projct", "web"}, 2, "bad_usage"},
      {{"queue", "extra"}, 2, "bad_usage"},
      {{"jobs", "--table", "--csv"}, 2, "bad_usage"},
      {{"jobs", "--state", "sleeping"}, 2, "bad_value"},
      {{"jobs", "--since", "whenever"}, 2, "bad_value"},
      {{"jobs", "--since", "12"}, 2, "bad_value"},
      {{"jobs", "--since", "2026-01-01T00:01:41Z"}, 2, "bad_value"},
      {{"stats", "--by", "day", "--since", "today 00:02"}, 2, "bad_value"},
      {{"jobs", "--at", "2026-01-01T00:01:41Z"}, 2, "bad_value"},
      {{"status", "--at", "today 00:02"}, 2, "bad_value"},
      {{"diff", "--from", "2026-01-01T00:01:41Z"}, 2, "bad_value"},
      {{"diff", "--from", "1", "--to", "2026-01-01T00:01:41Z"}, 2, "bad_value"},
      {{"jobs", "--project", "nothing"}, 3, "unknown_project"},
      {{"cost", "--project", "web,nothing", "--at", "5"}, 3, "unknown_project"},
      {{"sql", "SELECT 1", "--project", "nothing"}, 3, "unknown_project"},
      {{"jobs", "--limit", "-3"}, 2, "bad_value"},
      {{"jobs", "--limit", "many"}, 2, "bad_value"},
      {{"jobs", "--cursor", "%%"}, 2, "bad_cursor"},
      {{"jobs", "--color", "green"}, 2, "bad_value"},
      {{"jobs", "--at", "0"}, 2, "no_such_position"},
      {{"jobs", "--at", "18"}, 2, "no_such_position"},
      {{"jobs", "--at", "99999999999999999999"}, 2, "bad_value"},
      {{"play"}, 2, "bad_usage"},
      {{"job", "0abc"}, 2, "ambiguous_job"},
      {{"events", "--cursor", "x"}, 2, "bad_cursor"},
      {{"export", "jobs"}, 2, "bad_usage"},
      {{"export", "events", "--format", "xml"}, 2, "bad_value"},
      {{"replay", "--projection", "nothing"}, 2, "bad_usage"},
      {{"replay", "--rebuild", "--at", "3"}, 2, "bad_usage"},
      {{"replay", "--rebuild", "--since", "3"}, 2, "bad_usage"},
      {{"replay", "--since", "9", "--at", "3"}, 2, "bad_usage"},
      {{"stats", "--tag", "nightly"}, 2, "cannot_filter"},
      {{"job", "zzzz"}, 3, "no_such_job"},
      {{"why", "zzzz"}, 3, "no_such_job"},
      {{"events", "--job", "zzzz"}, 3, "no_such_job"},
  };
  for (const Refused& refused : all) {
    const Ran people = ask(store, refused.words);
    EXPECT_EQ(people.code, refused.code) << refused.words[0] << ": " << people.err;
    EXPECT_THAT(people.err, testing::StartsWith("luzia-query: "));
    EXPECT_EQ(people.out, "");
    std::vector<std::string> words = refused.words;
    words.emplace_back("--json");
    const Ran script = ask(store, words);
    EXPECT_EQ(script.code, refused.code);
    const Json error = Json::parse(script.err).at("error");
    EXPECT_EQ(error.at("code"), refused.error) << error;
    EXPECT_FALSE(error.at("message").get<std::string>().empty());
  }
}

TEST(Errors, OfTheStoreHaveTheirExitCode) {
  const Ran absent = run_query_program({"jobs", "--store", "/nonexistent/store", "--json"});
  EXPECT_EQ(absent.code, 5);
  EXPECT_EQ(Json::parse(absent.err).at("error").at("code"), "no_store");
  EXPECT_FALSE(std::filesystem::exists("/nonexistent"));
}

TEST(Errors, OfTheStoreLeaveNoPartialExport) {
  const ScratchFolder folder;
  const std::string out = folder.file("out");
  const Ran analytics =
      run_query_program({"export", "analytics", "--out", out, "--store", "/nonexistent/store"});
  EXPECT_EQ(analytics.code, 5);
  EXPECT_FALSE(std::filesystem::exists(out));
  std::filesystem::create_directory(out);
  EXPECT_EQ(run_query_program({"export", "analytics", "--out", out, "--store", "/nonexistent/store"}).code,
            5);
  EXPECT_TRUE(std::filesystem::is_empty(out)) << "an existing folder stays unchanged";
  const Ran todos = run_query_program({"export", "cross-agent-todos", "--store", "/nonexistent/store"});
  EXPECT_EQ(todos.code, 5);
  EXPECT_EQ(todos.out, "");
}

TEST(Errors, LeaveNoParentOfAnExportsFolder) {
  const SmallStore store;
  const std::string parent = store.beside("new"), out = parent + "/deeper/out/";
  const std::string too_long = parent + "/" + std::string(300, 'x');
  for (const char* what : {"analytics", "queue"}) {
    EXPECT_EQ(run_query_program({"export", what, "--out", out, "--store", "/nonexistent/store"}).code, 5);
    EXPECT_FALSE(std::filesystem::exists(parent)) << what;
    EXPECT_EQ(ask(store, {"export", what, "--out", out, "--at", "99999"}).code, 2);
    EXPECT_FALSE(std::filesystem::exists(parent)) << what;
    EXPECT_EQ(ask(store, {"export", what, "--out", too_long}).code, 5);
    EXPECT_FALSE(std::filesystem::exists(parent)) << what;
    EXPECT_EQ(ask(store, {"export", what, "--out", out}).code, 0);
    EXPECT_TRUE(std::filesystem::exists(out)) << what;
    std::filesystem::remove_all(parent);
  }
}

TEST(Errors, OfTimesListValidForms) {
  const SmallStore store;
  EXPECT_EQ(ask(store, {"jobs", "--at", "tomorrow"}).err,
            "luzia-query: --at: tomorrow is in the future (2026-01-02T00:00:00.000000Z)\n"
            "  hint: HH:MM is the last one, local time; examples: 2h, 14:05, yesterday 22:00, "
            "2026-11-21T14:05:00Z\n");
  EXPECT_EQ(
      ask(store, {"jobs", "--at", "whenever"}).err,
      "luzia-query: --at: 'whenever' is not a time\n"
      "  hint: examples: 2h (ago), 14:05 (the last), yesterday 22:00, 2026-11-21, 2026-11-21T14:05:00Z\n");
}

TEST(Errors, SuggestTheNearestName) {
  EXPECT_THAT(run_query_program({"jbos"}).err, testing::HasSubstr("did you mean jobs?"));
  EXPECT_THAT(run_query_program({"jobs", "--projcet=web"}).err,
              testing::HasSubstr("did you mean --project?"));
  EXPECT_EQ(run_query_program({}).code, 2);
}

TEST(Errors, FullDiskBehindStandardOutputIsAnError) {
  const SmallStore store;
  Circumstances full;
  full.out_file = "/dev/full";
  const Ran ran = ask(store, {"events", "--json"}, full);
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "output_failed");
}

TEST(Errors, UnwritableHelpIsAnError) {
  Circumstances full;
  full.out_file = "/dev/full";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"--version"},
                                                {"jobs", "--help"},
                                                {"help", "--man"},
                                                {"__complete", "--", ""}}) {
    const Ran ran = run_query_program(words, full);
    EXPECT_EQ(ran.code, 5) << words.front();
    EXPECT_THAT(ran.err, testing::HasSubstr("cannot write to standard output"));
  }
}

TEST(Errors, ClosedStandardErrorKeepsTheExitCode) {
  const SmallStore store;
  Circumstances full;
  full.err_file = "/dev/full";
  EXPECT_EQ(run_query_program({"jbos"}, full).code, 2);
  EXPECT_EQ(run_query_program({"jbos", "--json"}, full).code, 2);
  EXPECT_EQ(ask(store, {"job", "0zzzzzzzzzzzz"}, full).code, 3);
  EXPECT_EQ(ask(store, {"export", "events"}, full).code, 0) << "the option that sets the number";
}

TEST(Errors, BrokenConfigurationIsNamedWhenNeeded) {
  const ScratchFolder folder;
  const std::string file = folder.file("luzia.toml");
  FILE* config = fopen(file.c_str(), "w");
  fputs("[store]\npth = 3\n", config);
  fclose(config);
  const Ran ran = run_query_program({"jobs", "--config", file, "--json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "config_unknown_key");
}

/// The visible commands and their subcommands.
std::vector<const Command*> shown_commands() {
  std::vector<const Command*> all;
  for (const Command* command : kLuziaQuery.commands) {
    if (command->group.empty()) continue;
    all.push_back(command);
    for (const Command& part : command->parts) all.push_back(&part);
  }
  return all;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream split{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; split >> std::quoted(word);) words.push_back(word);
  return words;
}

TEST(Help, EveryCommandShowsUsageOptionsAndExamples) {
  const std::string overview = run_query_program({"--help"}).out;
  for (const Command* command : shown_commands()) {
    const std::string name(command->name);
    std::vector<std::string> words = words_of(name);
    if (words.size() == 1) {
      EXPECT_THAT(overview, testing::HasSubstr("\n  " + name + " "));
    }
    words.emplace_back("--help");
    const Ran help = run_query_program(words);
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, testing::HasSubstr("usage: luzia-query " + name));
    EXPECT_THAT(help.out, testing::HasSubstr("--json"));
    EXPECT_THAT(help.out, testing::HasSubstr("Examples\n  luzia-query " + name));
    words.pop_back();
    words.insert(words.begin(), "help");
    EXPECT_EQ(run_query_program(words).out, help.out);
    EXPECT_EQ(help.err, "");
    // Examples must stay copyable, so they are not wrapped.
    for (const std::string& line : Ran{0, help.out.substr(0, help.out.find("\nExamples")), ""}.text_lines()) {
      if (!line.starts_with("usage: ")) {
        EXPECT_LE(line.size(), 80U) << line;
      }
    }
  }
  EXPECT_EQ(run_query_program({"--version"}).out, "luzia-query " LUZIA_VERSION "\n");
}

TEST(Help, ExamplesAreAccepted) {
  constexpr TimeUs kLater = 1'800'054'000 * kSecondUs;  // 23:00 on a day after all times in the examples
  for (const Command* command : shown_commands()) {
    for (std::string_view line : pieces_of(command->examples, '\n')) {
      line = line.substr(0, line.find(" | "));
      std::vector<std::string> words = words_of(line);
      ASSERT_GT(words.size(), 1u);
      ASSERT_EQ(words[0], "luzia");
      words.erase(words.begin());
      const std::size_t at = command_index(kLuziaQuery, words);
      const Command* named = find_command(kLuziaQuery, words.at(at));
      ASSERT_NE(named, nullptr) << line;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
      const auto meant = narrowed(kLuziaQuery, {named, words});
      ASSERT_TRUE(meant) << line;
      const auto args = Arguments::parse(kLuziaQuery, *meant->command, meant->words, kLater);
      EXPECT_TRUE(args) << line << ": " << args.error().message;
    }
  }
}

TEST(Help, EachExportHasItsOwnOptions) {
  for (const Command& one : find_command(kLuziaQuery, "export")->parts) {
    const std::string name = words_of(one.name).at(1);
    const std::string help = run_query_program({"export", name, "--help"}).out;
    EXPECT_EQ(help.find("--format") != std::string::npos, name == "events");
    EXPECT_THAT(run_query_program({"export", "--help"}).out, testing::HasSubstr(name));
  }
  const std::string events = run_query_program({"export", "events", "--help"}).out;
  EXPECT_THAT(events, testing::HasSubstr("at most N (default: all)"));
  EXPECT_EQ(events.find("50"), std::string::npos);
  EXPECT_EQ(run_query_program({"export", "analytics", "--help"}).out.find("--job"), std::string::npos);
  EXPECT_EQ(run_query_program({"export", "prometheus", "--limit", "3"}).code, 2);
}

TEST(CommandLines, AcceptOptionsBeforeAndAfterTheCommand) {
  const SmallStore store;
  const Ran before = run_query_program({"--store", store.path(), "--json", "job", kBuild});
  EXPECT_EQ(before.code, 0) << before.err;
  EXPECT_EQ(before.json().at("id"), kBuild);
  EXPECT_EQ(run_query_program({"--store=" + store.path(), "job", "--json", kBuild}).out, before.out);
}

TEST(CommandLines, FindTheStoreInTheEnvironment) {
  const SmallStore store;
  Circumstances by_store, by_socket;
  by_store.environment["LUZIA_STORE"] = store.path();
  by_socket.environment["LUZIA_SOCKET"] = store.path() + "/socket";
  EXPECT_EQ(run_query_program({"job", kBuild}, by_store).code, 0);
  EXPECT_EQ(run_query_program({"job", kBuild}, by_socket).code, 0) << "its folder is the store";
  Circumstances elsewhere;
  elsewhere.environment["LUZIA_SOCKET"] = store.beside("other.sock");
  const Ran ran = run_query_program({"job", kBuild}, elsewhere);
  EXPECT_EQ(ran.code, 5) << "another store is never asked instead";
}

}  // namespace
}  // namespace luzia::test
