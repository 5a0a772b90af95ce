#include "tests/matchers.h"
#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

using testing::Field;

/// The findings' messages for one file with one include line.
std::string finding(const std::string& path, const std::string& include) {
  const Findings findings = check_includes(make_source(path, "// A file.\n#include " + include + "\n"));
  return findings.empty() ? "" : findings.front().message;
}

TEST(IncludeRule, GeneratedSchemaIsVisibleEverywhere) {
  for (const char* path :
       {"engine/job/a.cc", "projections/a.cc", "adapters/agents/a.cc", "tools/luzia/a.cc", "tests/a.cc"}) {
    EXPECT_EQ(finding(path, "\"job.fb.h\""), "") << path;
  }
  EXPECT_THAT(finding("engine/job/a.cc", "<job.fb.h>"), HasSubstr("in quotes"));
}

TEST(IncludeRule, EngineIncludesOnlyItself) {
  EXPECT_EQ(finding("engine/job/a.cc", "\"engine/event/event.h\""), "");
  for (const char* other :
       {"\"projections/jobs.h\"", "\"projections/rows/json.h\"", "\"adapters/memory/memory_event_log.h\"",
        "\"tools/luziad/daemon.h\"", "\"bench/a.h\"", "\"tests/a.h\""}) {
    EXPECT_NE(finding("engine/job/a.cc", other), "") << other;
  }
}

TEST(IncludeRule, ProjectionsIncludeTheEngineAndThemselves) {
  EXPECT_EQ(finding("projections/a.cc", "\"engine/view/projection.h\""), "");
  EXPECT_EQ(finding("projections/a.cc", "\"projections/rows/json.h\""), "");
  EXPECT_THAT(finding("projections/a.cc", "\"adapters/socket/frame.h\""),
              HasSubstr("engine/ and the schema only"));
}

TEST(IncludeRule, AdaptersIncludeNoSibling) {
  EXPECT_EQ(finding("adapters/socket/a.cc", "\"adapters/socket/frame.h\""), "");
  EXPECT_EQ(finding("adapters/socket/a.cc", "\"engine/base/result.h\""), "");
  EXPECT_EQ(finding("adapters/socket/a.cc", "\"projections/rows/json.h\""), "");
  EXPECT_THAT(finding("adapters/socket/a.cc", "\"adapters/config/config.h\""), HasSubstr("no sibling"));
  EXPECT_THAT(finding("adapters/socket/a.cc", "\"adapters/socket_extra/a.h\""), HasSubstr("no sibling"));
  EXPECT_THAT(finding("adapters/socket/a.cc", "\"projections/jobs.h\""), HasSubstr("projections/rows only"));
}

TEST(IncludeRule, OnlyToolsBenchAndTestsIncludeThemselves) {
  EXPECT_EQ(finding("tools/luzia/a.cc", "\"tools/cli/command.h\""), "");
  EXPECT_EQ(finding("tests/tools/a.cc", "\"tools/cli/command.h\""), "");
  EXPECT_EQ(finding("bench/a.cc", "\"adapters/socket/client.h\""), "");
  EXPECT_THAT(finding("tools/luzia/a.cc", "\"tests/tools/a.h\""), HasSubstr("nobody includes tests/"));
  EXPECT_THAT(finding("adapters/socket/a.cc", "\"tools/cli/command.h\""),
              HasSubstr("nobody includes tools/"));
}

TEST(IncludeRule, ProgramsIncludeNoOtherProgram) {
  EXPECT_EQ(finding("tools/luzia/look/a.cc", "\"tools/luzia/asking.h\""), "");
  EXPECT_EQ(finding("tools/luzia-query/a.cc", "\"tools/read/session.h\""), "");
  EXPECT_EQ(finding("tools/read/a.cc", "\"tools/cli/command.h\""), "");
  for (const auto& [path, other] : {std::pair{"tools/luzia-query/a.cc", "\"tools/luzia/asking.h\""},
                                    {"tools/read/a.cc", "\"tools/luzia/asking.h\""},
                                    {"tools/cli/a.cc", "\"tools/read/session.h\""},
                                    {"tools/luziad/a.cc", "\"tools/luzia-query/commands.h\""}}) {
    EXPECT_THAT(finding(path, other), HasSubstr("a program includes no other")) << path;
  }
}

TEST(IncludeRule, OnlyLogAndViewStoreIncludeRocksDb) {
  for (const char* path : {"engine/log/rocks_open.cc", "engine/view/rocks_view_store.cc",
                           "tests/engine/log/a_test.cc", "bench/a.cc"}) {
    EXPECT_EQ(finding(path, "<rocksdb/db.h>"), "") << path;
  }
  for (const char* path : {"engine/log/group.cc", "engine/commit/a.cc", "projections/a.cc",
                           "adapters/memory/a.cc", "tools/luziad/a.cc", "tools/luzia/a.cc"}) {
    EXPECT_THAT(finding(path, "<rocksdb/db.h>"), HasSubstr("go through EventLog")) << path;
    EXPECT_NE(finding(path, "\"rocksdb/db.h\""), "") << path;
  }
}

TEST(IncludeRule, OnlyAdaptersAndProgramsWithALoopIncludeLibuv) {
  EXPECT_EQ(finding("adapters/socket/a.cc", "<uv.h>"), "");
  EXPECT_EQ(finding("tools/luziad/a.cc", "<uv.h>"), "");
  EXPECT_EQ(finding("tools/luzia-proxy/a.cc", "<uv.h>"), "");
  EXPECT_EQ(finding("tools/luzia-web/a.cc", "<uv.h>"), "");
  for (const char* path :
       {"engine/core/a.cc", "projections/a.cc", "tools/luzia/a.cc", "tools/luzia-query/a.cc"}) {
    EXPECT_THAT(finding(path, "<uv.h>"),
                HasSubstr("adapters/, tools/luziad, tools/luzia-proxy and tools/luzia-web only"))
        << path;
  }
}

TEST(IncludeRule, OwnFilesAreIncludedFromTheRoot) {
  EXPECT_THAT(finding("engine/job/a.cc", "\"job.h\""), HasSubstr("named from the root"));
  EXPECT_THAT(finding("engine/job/a.cc", "\"../base/result.h\""), HasSubstr("named from the root"));
  EXPECT_THAT(finding("engine/job/a.cc", "<engine/base/result.h>"), HasSubstr("in quotes"));
}

TEST(IncludeRule, IncludesInStringsAndCommentsAreIgnored) {
  const SourceFile file = make_source("engine/job/a.cc",
                                      "// #include \"tools/a.h\"\n/*\n#include <uv.h>\n*/\n"
                                      "auto s = R\"(\n#include <uv.h>\n)\";\n#  include <uv.h>\n");
  EXPECT_THAT(check_includes(file), ElementsAre(Field(&Finding::line, 8u)));
}

TEST(CycleRule, CyclesAreFound) {
  const std::vector<SourceFile> files = {make_source("engine/a/x.h", "#include \"engine/b/x.h\"\n"),
                                         make_source("engine/b/x.h", "\n#include \"engine/c/x.h\"\n"),
                                         make_source("engine/c/x.cc", "#include \"engine/a/x.h\"\n")};
  EXPECT_THAT(to_text(check_cycles(files)), HasSubstr("engine/a -> engine/b -> engine/c -> engine/a"));
}

TEST(CycleRule, DiamondIsNoCycle) {
  const std::vector<SourceFile> files = {
      make_source("engine/a/x.h",
                  "#include \"engine/b/x.h\"\n#include \"engine/c/x.h\"\n#include \"engine/a/y.h\"\n"),
      make_source("engine/b/x.h", "#include \"engine/d/x.h\"\n"),
      make_source("engine/c/x.h", "#include \"engine/d/x.h\"\n#include <rocksdb/db.h>\n")};
  EXPECT_THAT(check_cycles(files), IsEmpty());
}

}  // namespace
}  // namespace luzia::tidy
