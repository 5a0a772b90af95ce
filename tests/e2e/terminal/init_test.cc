// luzia init at a terminal: three questions, then what they mean is written.
#include <sys/stat.h>

#include <filesystem>

#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class InitTest : public TerminalTest {
 protected:
  /// luzia init in a new folder, `shop`, with agents on its path.
  TerminalProgram init(unsigned short columns = 100) const {
    fs::create_directories(path("shop"));
    fs::create_directories(path("bin"));
    for (const char* agent : {"claude", "codex"}) {
      write_text(path("bin/") + agent, "#!/bin/sh\n");
      ::chmod((path("bin/") + agent).c_str(), 0755);
    }
    return TerminalProgram({"/bin/sh", "-c", "cd \"$1\" && exec \"$0\" init", kLuzia, path("shop")},
                           environment({"TERM=xterm", "PATH=" + path("bin")}), columns, 50);
  }
  std::string configuration() const { return read_text(home() + "/.config/luzia/luzia.toml"); }
};

TEST_F(InitTest, AnswersAreShownAndWritten) {
  TerminalProgram program = init();
  ASSERT_TRUE(program.shows("numbers [1,2]: ")) << program.output();
  program.type("2\n");
  ASSERT_TRUE(program.shows("nobody answers?")) << program.output();
  program.type("2\n");
  ASSERT_TRUE(program.shows("Who is notified")) << program.output();
  program.type("2\n");
  ASSERT_TRUE(program.shows("address (")) << program.output();
  program.type("https://ntfy.sh/mine\n");
  ASSERT_TRUE(program.shows("Write this? [yes]: ")) << program.output();
  EXPECT_THAT(program.output(), HasSubstr("+agent = \"codex\""));
  EXPECT_THAT(configuration(), Not(HasSubstr("shop"))) << "nothing is written before it is agreed to";
  program.type("\n");
  EXPECT_EQ(program.end(), 0) << program.output();
  EXPECT_THAT(configuration(), AllOf(HasSubstr("[projects.shop]"), HasSubstr("default_timeout = \"30m\""),
                                     HasSubstr("url = \"https://ntfy.sh/mine\"")));
  EXPECT_THAT(read_text(path("shop/.codex/config.toml")), HasSubstr("[mcp_servers.luzia]"));
  EXPECT_FALSE(fs::exists(path("shop/.mcp.json"))) << "an agent that was not chosen";
  EXPECT_EQ(luzia({"-q", "config", "check"}).code, 0);
}

TEST_F(InitTest, LinesAreWrappedBetweenWords) {
  TerminalProgram program = init(50);
  ASSERT_TRUE(program.shows("numbers [1,2]: ")) << program.output();
  program.type("\n");
  ASSERT_TRUE(program.shows("number [1]: ")) << program.output();
  EXPECT_THAT(program.output(),
              HasSubstr("  2  after 30 minutes its default answer counts;\r\n     without one the"));
  EXPECT_THAT(program.output(), HasSubstr("\r\n  number [1]: "));
  for (const std::string& line : lines_of(program.output())) {
    const bool is_path = line.find('/') != std::string::npos;
    EXPECT_TRUE(is_path || line.size() <= 50 + 1) << line;
  }
}

TEST_F(InitTest, InterruptNoAndTheEndOfInputChangeNothing) {
  const std::string before = configuration();
  for (const char* keys : {"\x03", "\x04", "\n\n\nno\n"}) {
    TerminalProgram program = init();
    ASSERT_TRUE(program.shows("numbers [1,2]: ")) << program.output();
    program.type(keys);
    EXPECT_NE(program.end(), 0) << program.output();
    EXPECT_EQ(configuration(), before);
    EXPECT_TRUE(fs::is_empty(path("shop")));
  }
}

}  // namespace
}  // namespace luzia
