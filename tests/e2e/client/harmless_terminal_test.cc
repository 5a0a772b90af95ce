// Text from agents, files and people cannot control the terminal. Tries each reading command in each format.
#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/terminal/terminal_program.h"

namespace luzia {
namespace {

// ESC [ 2 J, ESC ] 0, a one-character CSI, a carriage return, a bell, direction overrides and isolates.
constexpr const char* kHostile =
    "mark\x1b[2J\x1b]0;title\x07\xc2\x9b"
    "2J\r\xe2\x80\xae"
    "evil\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c"
    "end";

/// The screen's text without luzia's own sequences: colors, and those that rewrite its lines.
std::string without_own_marks(std::string screen) {
  for (const char* mark : {"\r\x1b[K", "\x1b[J", "\x1b[?25l", "\x1b[?25h", "\r\n"}) {
    for (std::size_t at = 0; (at = screen.find(mark)) != std::string::npos;) {
      screen.replace(at, std::string(mark).size(), std::string(mark) == "\r\n" ? "\n" : "");
    }
  }
  for (std::size_t at = 0; (at = screen.find("\x1b[", at)) != std::string::npos;) {
    const std::size_t end = screen.find_first_not_of("0123456789;", at + 2);
    const bool own = end != std::string::npos && (screen[end] == 'm' || screen[end] == 'A');
    own ? (void)screen.erase(at, end + 1 - at) : (void)++at;
  }
  return screen;
}

class HarmlessTerminalTest : public DaemonTest {
 protected:
  void expect_harmless(const Words& words) const {
    TerminalProgram program(words, environment({"TERM=xterm", "LANG=C.UTF-8", "PAGER=cat"}), 200, 50);
    program.end();
    const std::string shown = without_own_marks(program.output());
    for (const char* raw :
         {"\x1b", "\x07", "\r", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f", "\xd8\x9c"}) {
      EXPECT_EQ(shown.find(raw), std::string::npos) << testing::PrintToString(words) << "\n" << shown;
    }
  }
  /// A job that has sent hostile text in every possible way.
  std::string hostile_job() const {
    write_text(project() + "/hostile", kHostile);
    const std::string say =
        kLuzia + " publish warning --message \"$(cat hostile)\" --recommendation \"$(cat hostile)\"; " +
        kLuzia + " publish progress --progress-percent 5 --current-step-name \"$(cat hostile)\"; " + kLuzia +
        " publish task_failed --error \"$(cat hostile)\"; " +
        "cat hostile; echo; cat hostile; echo \"::error::$(cat hostile)\"; : > \"$(cat hostile)\"; " +
        kLuzia + " ask \"$(cat hostile)?\" --options \"$(cat hostile)1,$(cat hostile)2\"";
    const Finished sent = luzia({"demo", say + " # " + kHostile, "--tag", kHostile});
    const std::string id =
        sent.code == 0 ? sent.out.substr(0, sent.out.find('\n')) : dispatch(say + " # " + kHostile);
    EXPECT_TRUE(becomes(id, "waiting"));
    return id;
  }
};

TEST_F(HarmlessTerminalTest, EveryReadingCommandIsSanitizedInEveryFormat) {
  const std::string id = hostile_job();
  TerminalProgram listed({kLuzia, "jobs", "--json"}, environment({"TERM=xterm"}));
  listed.end();
  EXPECT_THAT(listed.output(), HasSubstr("evil")) << "the output contains nothing to sanitize";
  for (const Words& words : std::vector<Words>{{"status"},
                                               {"status", id},
                                               {"jobs"},
                                               {"jobs", id, "--timing"},
                                               {"job", id},
                                               {"why", id},
                                               {"questions"},
                                               {"question", id},
                                               {"approvals"},
                                               {"issues"},
                                               {"logs", id},
                                               {"logs", id, "-n", "2"},
                                               {"prompt", "demo", kHostile},
                                               {"demo", kHostile, "--dry-run"},
                                               {"diff", id},
                                               {"flow", "list"},
                                               {"solution", "search", kHostile},
                                               {"tools", "usage"},
                                               {"hooks"},
                                               {"doctor"},
                                               {"config", "show"},
                                               {"daemon", "status"}}) {
    for (const char* format : {"", "--json"}) {
      Words all = {kLuzia};
      all.insert(all.end(), words.begin(), words.end());
      if (*format != '\0') all.push_back(format);
      expect_harmless(all);
    }
  }
  for (const Words& words : std::vector<Words>{{"status"},
                                               {"jobs"},
                                               {"job", id},
                                               {"why", id},
                                               {"issues"},
                                               {"questions"},
                                               {"approvals"},
                                               {"events"},
                                               {"queue"},
                                               {"flows"},
                                               {"tools"},
                                               {"cost"},
                                               {"stats"},
                                               {"report"},
                                               {"export", "queue"},
                                               {"export", "events"},
                                               {"sql", "select * from jobs"},
                                               {"play", id, "--speed", "1000x"}}) {
    for (const char* format : {"--table", "--json", "--csv"}) {
      Words all = {kLuziaQuery};
      all.insert(all.end(), words.begin(), words.end());
      all.push_back(format);
      expect_harmless(all);
    }
  }
}

TEST_F(HarmlessTerminalTest, StreamsAreSanitized) {
  const std::string id = hostile_job();
  for (const Words& words :
       std::vector<Words>{{"follow", "--since", "0"}, {"watch", id, "--json"}, {"logs", id, "-f"}}) {
    Words all = {kLuzia};
    all.insert(all.end(), words.begin(), words.end());
    TerminalProgram program(all, environment({"TERM=xterm", "LANG=C.UTF-8"}), 200, 50);
    EXPECT_TRUE(program.shows("end")) << testing::PrintToString(words);
    ::kill(program.pid(), SIGINT);
    program.end();
    const std::string shown = without_own_marks(program.output());
    for (const char* raw : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6"}) {
      EXPECT_EQ(shown.find(raw), std::string::npos) << testing::PrintToString(words) << "\n" << shown;
    }
  }
}

TEST_F(HarmlessTerminalTest, ErrorsSanitizeTypedText) {
  start_daemon();
  for (const Words& words : std::vector<Words>{{kLuzia, kHostile},
                                               {kLuzia, "job", kHostile},
                                               {kLuzia, "jobs", "--state", kHostile},
                                               {kLuzia, kHostile, "task"},
                                               {kLuzia, "jobs", std::string("--") + kHostile},
                                               {kLuzia, "daemon", kHostile},
                                               {kLuziaQuery, kHostile},
                                               {kLuziaQuery, "job", kHostile},
                                               {kLuziaQuery, "jobs", "--at", kHostile},
                                               {kLuziaQuery, "jobs", std::string("--") + kHostile}}) {
    expect_harmless(words);
    Words json = words;
    json.push_back("--json");
    expect_harmless(json);
  }
}

TEST_F(HarmlessTerminalTest, PipesGetTheOriginalBytes) {
  const std::string id = hostile_job();
  EXPECT_THAT(query({"jobs", "--csv"}).out, HasSubstr(kHostile));
  EXPECT_EQ(query_json({"job", id})["task"].get<std::string>().find(kHostile) != std::string::npos, true);
  EXPECT_THAT(luzia({"jobs", "--json"}).out, HasSubstr("\xe2\x80\xae"));
  TerminalProgram raw({kLuzia, "logs", id, "--raw"}, environment({"TERM=xterm"}));
  raw.end();
  EXPECT_THAT(raw.output(), HasSubstr("\x1b[2J")) << "--raw gives the original bytes";
}

}  // namespace
}  // namespace luzia
