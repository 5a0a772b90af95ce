// What luzia-fleet wrote into STORE/fleet.status, and what of that is worth a line to people.
#include "tools/read/mirror_report.h"

#include <sys/stat.h>

#include "tests/matchers.h"
#include "tests/scratch_folder.h"

namespace luzia {
namespace {

using testing::HasSubstr;

const TimeUs kNow = parse_time("2026-11-27T12:00:00Z", 0).value();

constexpr const char* kGood =
    R"({"site":"web1","url_shown":"postgresql://db/fleet","position":40,"chain":"00","behind_events":2,)"
    R"("at":"2026-11-27T11:59:58.5Z","connected":true,"error":null,"rows_position":40})";
constexpr const char* kRefused =
    R"({"site":"web1","url_shown":"postgresql://db/fleet","position":40,"at":"2026-11-27T11:59:00Z",)"
    R"("connected":false,"error":{"code":"database_refused","message":"password authentication failed",)"
    R"("hint":"correct the password file"}})";

class MirrorReportTest : public testing::Test {
 protected:
  std::optional<MirrorReport> read(const std::string& text) const {
    folder_.write("fleet.status", text);
    return read_mirror_report(folder_.path());
  }
  ScratchFolder folder_;
};

TEST_F(MirrorReportTest, SaysHowFarTheMirrorIs) {
  const auto status = read(kGood);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->site, "web1");
  EXPECT_EQ(status->database, "postgresql://db/fleet");
  EXPECT_EQ(status->position, 40U);
  EXPECT_EQ(kNow - status->at, 1'500'000);
  EXPECT_TRUE(status->connected);
  EXPECT_FALSE(status->fault);
  EXPECT_FALSE(mirror_fault(*status, 42, kNow)) << "it is about to copy the rest";
}

TEST_F(MirrorReportTest, ItsErrorIsTheFault) {
  const auto status = read(kRefused);
  ASSERT_TRUE(status);
  const auto fault = mirror_fault(*status, 40, kNow);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what, "the log is not mirrored as site web1: password authentication failed");
  EXPECT_EQ(fault->fix, "correct the password file");
}

TEST_F(MirrorReportTest, SilenceIsAFaultOnlyWhileEventsWait) {
  const auto status = read(kGood);
  ASSERT_TRUE(status);
  EXPECT_FALSE(mirror_fault(*status, 40, kNow + kDayUs)) << "nothing has happened here";
  const auto fault = mirror_fault(*status, 1'042, kNow + kHourUs);
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->what, HasSubstr("1,002 events wait, and luzia-fleet has copied none for 1h00m"));
}

TEST_F(MirrorReportTest, WhatIsNoStatusSaysNothing) {
  EXPECT_FALSE(read_mirror_report(folder_.path())) << "there is none";
  for (const char* text : {"", "{", "[]", "3", "{\"site\":\"\xff\"}"}) EXPECT_FALSE(read(text)) << text;
  const auto odd = read(R"({"site":7,"position":-1,"at":"soon","connected":"yes","error":"x","more":[]})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->position, 0U);
  EXPECT_EQ(odd->at, 0);
  EXPECT_FALSE(odd->connected || odd->fault);
}

TEST_F(MirrorReportTest, LineBreaksOfAnErrorDoNotBreakTheLine) {
  const auto status = read(R"({"site":"a\nb","error":{"message":"no\r\nroute\u001b[2J","hint":""}})");
  ASSERT_TRUE(status && status->fault);
  EXPECT_EQ(status->site, "a b");
  EXPECT_EQ(status->fault->message, "no  route [2J");
}

TEST_F(MirrorReportTest, LinksAndPipesAreNotRead) {
  const std::string path = folder_.file("fleet.status");
  folder_.write("elsewhere", kGood);
  ASSERT_EQ(::symlink("elsewhere", path.c_str()), 0);
  EXPECT_FALSE(read_mirror_report(folder_.path()));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(read_mirror_report(folder_.path()));
}

}  // namespace
}  // namespace luzia
