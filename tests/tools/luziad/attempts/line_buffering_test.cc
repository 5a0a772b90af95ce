// The environment that makes programs write line by line keeps what is already there.
#include "tools/luziad/attempts/line_buffering.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(LineBuffering, ProgramsWriteByLine) {
  std::vector<std::string> environment = {"PATH=/bin"};
  buffer_by_line(environment);
  EXPECT_THAT(environment, Contains("PYTHONUNBUFFERED=1"));
  EXPECT_THAT(environment, Contains(EndsWith("/libstdbuf.so"))) << "coreutils has stdbuf";
  EXPECT_THAT(environment, Contains("_STDBUF_O=L"));
  EXPECT_THAT(environment, Contains("ASAN_OPTIONS=verify_asan_link_order=0"));
}

TEST(LineBuffering, ValuesOfTheJobStay) {
  std::vector<std::string> environment = {"LD_PRELOAD=/lib/mine.so", "_STDBUF_O=0",
                                          "PYTHONUNBUFFERED=", "ASAN_OPTIONS=detect_leaks=0"};
  buffer_by_line(environment);
  EXPECT_THAT(environment, Contains(StartsWith("LD_PRELOAD=/lib/mine.so:/")));
  EXPECT_THAT(environment, Contains("_STDBUF_O=0"));
  EXPECT_THAT(environment, Not(Contains("_STDBUF_O=L")));
  EXPECT_THAT(environment, Not(Contains("PYTHONUNBUFFERED=1")));
  EXPECT_THAT(environment, Contains("ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0"));
}

}  // namespace
}  // namespace luzia
