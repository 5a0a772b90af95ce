// Error messages for people at the command line: each mistake is reported once, with a way on.
#include <algorithm>

#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

TEST_F(ProgramTest, UnknownProjectIsRefused) {
  configure("[projects.web]\npath = \"/srv/web\"\n");
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    const auto* query = frame.request.AsQuery();
    const bool has_jobs = query != nullptr && query->filter && query->filter->projects.front() == "gone";
    return std::vector{
        job_rows(has_jobs ? std::vector{job("a", schema::JobState::completed)} : std::vector<view::JobT>())};
  });
  for (const std::vector<std::string>& words : {std::vector<std::string>{"jobs"},
                                                {"status"},
                                                {"issues"},
                                                {"questions"},
                                                {"approvals"},
                                                {"flow", "list"},
                                                {"flow", "statistics"},
                                                {"tools"},
                                                {"gc"},
                                                {"rm"},
                                                {"follow"},
                                                {"watch"},
                                                {"cancel", "--yes"}}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--project", "wbe"});
    const Ran ran = run(asked);
    EXPECT_EQ(ran.code, 3) << words.front();
    EXPECT_EQ(ran.err,
              "luzia: no project 'wbe' is configured, and none of that name has ever had a job\n"
              "  hint: did you mean web?\n");
    EXPECT_EQ(ran.out, "");
  }
  for (const auto& frame : daemon.requests()) {
    const auto view = frame->request.AsQuery()->view;
    EXPECT_TRUE(view == wire::View::totals || view == wire::View::flows) << "nothing else was asked";
  }
  EXPECT_EQ(run({"jobs", "--project", "web"}).code, 0) << "configured, and without jobs so far";
  EXPECT_EQ(run({"jobs", "--project", "gone"}).code, 0) << "not configured any more";
}

TEST_F(ProgramTest, SubcommandSaysWhyAFilterDoesNotApply) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"flow", "history", "f-1"},
                                                {"flow", "statistics"},
                                                {"todo", "take", "t-1"},
                                                {"fact", "search", "x"},
                                                {"learn", "solution", "show", "s-1"}}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--since", "1h"});
    const Ran ran = run(asked);
    EXPECT_EQ(ran.code, 2) << words[1];
    EXPECT_THAT(ran.err, HasSubstr(" cannot filter by --since: ")) << words[1];
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
  EXPECT_THAT(run({"learn", "--state", "failed"}).err, HasSubstr("learn cannot filter by --state"));
  EXPECT_THAT(run({"flow", "add", "f-1", "x", "--agent", "a,b"}).err, HasSubstr("a step has one agent"));
}

TEST_F(ProgramTest, MissingNamedStoreIsNotCreated) {
  const std::string absent = store_ + "/nope";
  const auto expect_told = [&](const Ran& ran, const std::string& named_by) {
    EXPECT_EQ(ran.code, 5);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "luzia: there is no store at " + absent + "\n  hint: name another store (" + named_by +
                           "), or create it: luzia --store " + absent + " daemon start\n");
    EXPECT_FALSE(std::filesystem::exists(absent));
  };
  for (const std::vector<std::string>& words : {std::vector<std::string>{"status"},
                                                {"jobs"},
                                                {"job", "@last"},
                                                {"why", "@last"},
                                                {"logs", "@last"},
                                                {"wait", "@last"},
                                                {"watch", "@last"},
                                                {"follow", "--once"},
                                                {"questions"},
                                                {"approvals"},
                                                {"issues"},
                                                {"tools"},
                                                {"flow", "list"},
                                                {"fact", "list"},
                                                {"fact", "forget", "a", "b", "c", "--everywhere"},
                                                {"solution", "list"},
                                                {"solution", "helped", "s-1"},
                                                {"solution", "prune", "s-1"},
                                                {"gc"},
                                                {"gc", "--yes"},
                                                {"gc", "--jobs", "--older-than", "90d"},
                                                {"rm", "@last"},
                                                {"rm", "--state", "failed", "--yes"},
                                                {"restore", "@last"},
                                                {"terminal", "capture", "@last"},
                                                {"terminal", "send", "@last", "q"},
                                                {"cancel", "@last"},
                                                {"cancel", "--all", "--yes"},
                                                {"retry", "@last"},
                                                {"pause", "@last"},
                                                {"resume", "@last"},
                                                {"resume", "--all"},
                                                {"hold", "@last"},
                                                {"release", "@last"},
                                                {"edit", "@last", "--priority", "3"},
                                                {"answer", "@last", "yes"},
                                                {"question", "cancel", "@last"},
                                                {"approve", "@last"},
                                                {"deny", "@last"},
                                                {"ask", "Which?", "--job", "@last"},
                                                {"gate", "deploy", "--job", "@last"},
                                                {"publish", "progress", "@last", "--progress-percent", "5"},
                                                {"flow", "complete", "f-1", "build"},
                                                {"flow", "rm", "f-1"},
                                                {"daemon", "drain", "--off"}}) {
    SCOPED_TRACE(::testing::PrintToString(words));
    std::vector<std::string> asked = words;
    asked.insert(asked.begin(), {"--store", absent});
    expect_told(run_as_typed(asked), "--store");
  }
  ::setenv("LUZIA_STORE", absent.c_str(), 1);
  expect_told(run_as_typed({"jobs"}), "$LUZIA_STORE");
  ::unsetenv("LUZIA_STORE");
  configure("[store]\npath = \"" + absent + "\"\n");
  expect_told(run_as_typed({"jobs"}), "[store] path");
}

TEST_F(ProgramTest, OptionBeforeTheCommandNeedsItsValue) {
  EXPECT_EQ(run_as_typed({"--store"}).err, "luzia: --store needs a value\n  hint: luzia help\n");
  EXPECT_THAT(run_as_typed({"--store", "/x"}).err, HasSubstr("no command in: luzia --store"));
}

TEST_F(ProgramTest, BatchNamesIncompatibleOptions) {
  const Ran project = run({"demo", "--batch", "-"});
  EXPECT_EQ(project.code, 2);
  EXPECT_THAT(project.err, HasSubstr("'demo' cannot be given too"));
  EXPECT_THAT(project.err, Not(HasSubstr("--fg")));
  EXPECT_THAT(run({"dispatch", "--batch", "-", "--fg"}).err, HasSubstr("--fg runs one in the foreground"));
}

TEST_F(ProgramTest, DaemonsRefusalIsReportedOnce) {
  const char* home = std::getenv("XDG_STATE_HOME");
  const std::string before = home == nullptr ? "" : home;
  ::setenv("XDG_STATE_HOME", store_.c_str(), 1);
  configure("[quue]\n");
  const std::string own_store = store_ + "/luzia/store";
  std::filesystem::create_directories(own_store);
  RecordingDaemon daemon(own_store, [](const wire::ClientFrameT& frame) {
    if (frame.request.AsControl() != nullptr) {
      return std::vector{refused("config_unknown_key", ErrorKind::usage)};
    }
    return std::vector{job_rows({job("a", schema::JobState::running)})};
  });
  const Ran reloaded = run_as_typed({"config", "reload"});
  EXPECT_EQ(reloaded.code, 2);
  EXPECT_THAT(reloaded.err, StartsWith("luzia: the daemon says no; nothing has changed"));
  const Ran listed = run_as_typed({"jobs"});
  home == nullptr ? ::unsetenv("XDG_STATE_HOME") : ::setenv("XDG_STATE_HOME", before.c_str(), 1);
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.err, StartsWith("luzia: the configuration has an error")) << "nobody else tells it";
}

TEST_F(ProgramTest, EmptyNamesOfADeviceAreRefused) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({})}; });
  for (const char* option : {"--name", "--person", "--project"}) {
    const Ran ran = run({"web", "pair", option, " "});
    EXPECT_EQ(ran.code, 2) << option;
    EXPECT_THAT(ran.err, StartsWith("luzia: " + std::string(option) + " is empty\n  hint: leave it out ("))
        << option;
  }
  EXPECT_TRUE(daemon.requests().empty());
}

TEST_F(ProgramTest, MessagesNameTheProgramOnce) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({})}; });
  for (const std::vector<std::string>& words : {std::vector<std::string>{"cancel", "a", "--frobnicate"},
                                                {"job", "a", "b"},
                                                {"config", "frobnicate"},
                                                {"daemon", "frobnicate"},
                                                {"daemon", "start", "--off"},
                                                {"flow", "frobnicate"},
                                                {"flow", "end"},
                                                {"flow", "list", "--wait"},
                                                {"question", "frobnicate"},
                                                {"terminal", "frobnicate"},
                                                {"hooks", "frobnicate"},
                                                {"work", "frobnicate"},
                                                {"top"},
                                                {"top", "--json"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words.front();
    EXPECT_THAT(ran.err, Not(StartsWith("luzia: luzia"))) << words.front();
    EXPECT_THAT(ran.err, Not(HasSubstr("\"message\":\"luzia"))) << words.front();
  }
}

TEST_F(ProgramTest, QuietDaemonStartPrintsNothing) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT&) {
    wire::WelcomeT welcome;
    welcome.version = LUZIA_VERSION;
    return std::vector{reply_of(std::move(welcome))};
  });
  const Ran quiet = run({"daemon", "start", "-q"});
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_THAT(run({"daemon", "start", "-q", "--json"}).out, StartsWith("{\"running\":true"));
  EXPECT_THAT(run({"daemon", "start"}).out, StartsWith("running, pid"));
  EXPECT_THAT(run({"daemon", "status", "-q"}).out, StartsWith("running, pid")) << "the user asked for it";
}

}  // namespace
}  // namespace luzia
