#include "tests/matchers.h"
#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

std::string finding(const std::string& path, const std::string& code) {
  return to_text(check_banned(make_source(path, code)));
}

TEST(BannedRule, DecidersAndProjectionsAreIsolated) {
  for (const char* code :
       {"auto now = std::chrono::system_clock::now();", "auto now = std::chrono::steady_clock::now();",
        "x = time(nullptr);", "x = ::time(nullptr);", "x = std::time(nullptr);", "return time(nullptr);",
        "gettimeofday(&tv, nullptr);", "clock_gettime(CLOCK_REALTIME, &ts);", "x = rand();",
        "std::random_device seed;", "x = getenv(\"HOME\");", "x = std::getenv(\"HOME\");",
        "x = ::open(path);", "spdlog::info(\"x\");", "std::cout << x;", "printf(\"x\");",
        "x = std::printf(\"x\");"}) {
    for (const char* path :
         {"engine/job/a.cc", "engine/queue/a.h", "projections/a.cc", "projections/rows/a.cc"}) {
      EXPECT_THAT(finding(path, code), HasSubstr("instead: ")) << path << ": " << code;
    }
  }
}

TEST(BannedRule, OtherCodeMayUseTheOutside) {
  EXPECT_EQ(finding("tools/luziad/a.cc", "auto now = std::chrono::system_clock::now();"), "");
  EXPECT_EQ(finding("adapters/launcher/a.cc", "x = getenv(\"HOME\");"), "");
  EXPECT_EQ(finding("tools/luzia/a.cc", "std::printf(\"x\");"), "");
}

TEST(BannedRule, SimilarNamesAreAllowed) {
  for (const char* code :
       {"x = event.time();", "x = event->time();", "start_time(x);", "std::string time(TimeUs at);",
        "x = Event::time(x);", "int runtime(int x);", "// printf(x)", "x = \"getenv\";", "snprintf(a, b, c);",
        "bool open(const Question& question);", "open(x);", "Log::open(x);",
        "using namespace std::chrono_literals;", "operand(x);", "const T& time(int x);"}) {
    EXPECT_EQ(finding("engine/job/a.cc", code), "") << code;
  }
}

TEST(BannedRule, FunctionsWithBetterReplacementsAreBanned) {
  for (const char* path :
       {"adapters/agents/a.cc", "tools/luzia/a.cc", "tests/a_test.cc", "engine/log/a.cc"}) {
    EXPECT_THAT(finding(path, "sprintf(buffer, x);"), HasSubstr("snprintf"));
    EXPECT_THAT(finding(path, "char* x = strtok(text, b);"), HasSubstr("string_view"));
  }
}

TEST(BannedRule, ClocksThatCountSleepAreBanned) {
  for (const char* path : {"tools/luzia-run/a.cc", "tools/luziad/a.cc", "adapters/launcher/a.cc"}) {
    EXPECT_THAT(finding(path, "begin_us = clock_us(CLOCK_BOOTTIME);"), HasSubstr("CLOCK_MONOTONIC"));
    EXPECT_EQ(finding(path, "begin_us = clock_us(CLOCK_MONOTONIC);"), "");
  }
}

TEST(BannedRule, ProgramsStartNoShell) {
  EXPECT_THAT(finding("tools/luzia/a.cc", "x = system(command);"), HasSubstr("posix_spawn"));
  EXPECT_THAT(finding("adapters/launcher/a.cc", "x = popen(command, mode);"), HasSubstr("posix_spawn"));
  EXPECT_EQ(finding("tests/a_test.cc", "x = system(command);"), "");
}

TEST(BannedRule, ProgramsReadNumbersWithTheirErrors) {
  EXPECT_THAT(finding("tools/luzia/a.cc", "x = atoi(text);"), HasSubstr("from_chars"));
  EXPECT_EQ(finding("bench/harness/a.cc", "x = atoi(text);"), "");
}

TEST(BannedRule, ProgramsPrintWithoutExceptions) {
  EXPECT_THAT(finding("tools/luzia-query/a.cc", "fmt::print(err, text);"), HasSubstr("fputs"));
  EXPECT_EQ(finding("bench/harness/a.cc", "fmt::print(err, text);"), "");
}

TEST(BannedRule, ProgramsUseTheFastRegularExpressions) {
  EXPECT_THAT(finding("adapters/agents/a.cc", "std::regex pattern;"), HasSubstr("RE2"));
  EXPECT_EQ(finding("tests/a_test.cc", "std::regex pattern;"), "");
}

TEST(BannedRule, TestsWaitForConditions) {
  EXPECT_THAT(finding("tests/a_test.cc", "std::this_thread::sleep_for(1s);"), HasSubstr("condition"));
  EXPECT_THAT(finding("tests/a_test.cc", "usleep(1000);"), HasSubstr("condition"));
  EXPECT_EQ(finding("tests/e2e/fixture.cc", "while (!done()) std::this_thread::sleep_for(1ms);"), "");
  EXPECT_THAT(finding("tests/a_test.cc", "GTEST_SKIP() << x;"), HasSubstr("no test"));
  EXPECT_EQ(finding("tools/luzia/a.cc", "std::this_thread::sleep_for(1s);"), "");
}

TEST(BannedRule, FindingsNameTheLine) {
  EXPECT_THAT(finding("engine/job/a.cc", "int x;\n\nint y = rand();\n"),
              HasSubstr("engine/job/a.cc:3: rand("));
}

}  // namespace
}  // namespace luzia::tidy
