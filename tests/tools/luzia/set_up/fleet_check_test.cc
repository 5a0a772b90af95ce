// What luzia doctor says about the mirror of the fleet.
#include "tools/luzia/set_up/fleet_check.h"

#include "tests/matchers.h"
#include "tests/scratch_folder.h"

namespace luzia {
namespace {

using testing::HasSubstr;

const TimeUs kNoon = parse_time("2026-11-27T12:00:00Z", 0).value();
constexpr const char* kFleetProgram = "/usr/libexec/luzia/luzia-fleet";

class FleetCheckTest : public testing::Test {
 protected:
  FleetFinding found(Position tip = 40) const {
    return fleet_finding(folder_.path(), tip, kNoon, kFleetProgram);
  }
  void says(const std::string& more) const {
    folder_.write("fleet.status", R"({"site":"web1","url_shown":"postgresql://db/fleet","position":40,)"
                                  R"("at":"2026-11-27T11:59:59Z",)" +
                                      more + "}");
  }
  ScratchFolder folder_;
};

TEST_F(FleetCheckTest, MirrorThatWorksIsGood) {
  says(R"("connected":true,"error":null)");
  EXPECT_EQ(found().fix, "");
  EXPECT_EQ(found().what,
            "fleet: the log is mirrored as site web1 to postgresql://db/fleet, up to position 40");
  EXPECT_THAT(found(1'041).what, HasSubstr("up to position 40, 1,001 events behind"));
}

TEST_F(FleetCheckTest, ErrorIsBadAndSaysWhatToDo) {
  says(R"("connected":true,"error":{"code":"site_taken","message":"another log has that name",)"
       R"("hint":"luzia-fleet rejoin"})");
  EXPECT_TRUE(found().bad);
  EXPECT_EQ(found().what, "fleet: the log is not mirrored as site web1: another log has that name");
  EXPECT_EQ(found().fix, "luzia-fleet rejoin");
  says(R"("error":{"message":"odd","hint":""})");
  EXPECT_TRUE(found().bad);
  EXPECT_FALSE(found().fix.empty()) << "else it would pass for good";
}

TEST_F(FleetCheckTest, ConnectionThatIsSoughtIsAWarning) {
  says(R"("connected":false,"error":null)");
  EXPECT_FALSE(found().bad);
  EXPECT_THAT(found().what, HasSubstr("not connected with postgresql://db/fleet"));
  EXPECT_FALSE(found().fix.empty());
}

TEST_F(FleetCheckTest, SilentOrMissingProgramIsNamed) {
  EXPECT_FALSE(found().bad);
  EXPECT_THAT(found().what, HasSubstr("has not said anything yet"));
  const FleetFinding missing = fleet_finding(folder_.path(), 40, kNoon, "");
  EXPECT_TRUE(missing.bad);
  EXPECT_THAT(missing.what, HasSubstr("luzia-fleet is not installed"));
}

TEST_F(FleetCheckTest, OrdersThatWereRefusedAreNamedWithWhatToDo) {
  says(R"("connected":true,"error":null)");
  EXPECT_TRUE(order_findings(folder_.path(), kNoon).empty()) << "it takes none";
  says(
      R"json("orders":{"kinds":["dispatch"],"labels":[],"people":["ana (demo)"],"refused":[{"id":"cli-1",)json"
      R"json("kind":"dispatch","project":"demo","person":"ana","at":"2026-11-27T11:00:00Z",)json"
      R"json("message":"no user","hint":"set user"},{"id":"cli-2","hint":""}],"error":"no database"})json");
  const auto findings = order_findings(folder_.path(), kNoon);
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0].fix, "");
  EXPECT_THAT(findings[0].what, HasSubstr("takes orders to dispatch, as web1 or any, from ana (demo)"));
  EXPECT_THAT(findings[1].what, HasSubstr("takes no orders at present: no database"));
  EXPECT_EQ(findings[2].what,
            "fleet: order cli-1 of ana, to dispatch in demo, was refused 1h00m ago: no user");
  EXPECT_EQ(findings[2].fix, "set user");
  EXPECT_FALSE(findings[3].fix.empty()) << "else it would pass for good";
}

}  // namespace
}  // namespace luzia
