// Groups that are sent are verified before anything is done with them.
#include "tools/luzia-fleet/session.h"

#include "adapters/memory/memory_event_log.h"
#include "tests/matchers.h"
#include "tests/projections/log_writer.h"
#include "tools/luzia-fleet/fleet_status.h"

namespace luzia::test {
namespace {

class VerifiedGroupsTest : public testing::Test {
 protected:
  VerifiedGroupsTest() {
    LogWriter writer(log_);
    for (const char* text : {"one", "two", "three"}) writer.write(1, warning("k", text));
    const auto cursor = log_.read_from(1);
    for (auto group = cursor->next(); group && *group; group = cursor->next()) {
      values_.push_back(Group::encode_header(1, (*group)->chain()).append(as_text((*group)->frames())));
    }
  }
  Result<GroupsRead> read(Position after, const Hash& previous, const std::vector<std::size_t>& which) const {
    std::vector<SentGroup> sent;
    for (const std::size_t i : which) sent.push_back({i + 1, as_bytes(values_[i])});
    return verified_groups(after, previous, sent, 3);
  }
  static std::string code_of(const Result<GroupsRead>& read) { return read ? "" : read.error().code; }

  MemoryEventLog log_;
  std::vector<std::string> values_;
};

TEST_F(VerifiedGroupsTest, WholeChainIsRead) {
  const auto all = read(0, {}, {0, 1, 2});
  ASSERT_TRUE(all);
  ASSERT_THAT(all->groups, SizeIs(3));
  EXPECT_EQ(all->groups.back().chain(), log_.tip().chain);
  EXPECT_EQ(code_of(read(1, all->groups[0].chain(), {1})), "");
  EXPECT_EQ(code_of(read(3, all->groups[2].chain(), {})), "");
}

TEST_F(VerifiedGroupsTest, BrokenChainIsRefused) {
  EXPECT_EQ(code_of(read(0, {}, {0, 2})), "log_corrupt") << "a gap";
  EXPECT_EQ(code_of(read(0, {}, {1})), "log_corrupt") << "not the next one";
  EXPECT_EQ(code_of(read(0, Hash{1}, {0})), "log_corrupt") << "another hash before it";
  EXPECT_EQ(code_of(verified_groups(0, Bytes(), {}, 3)), "log_corrupt");
  values_[1][values_[1].find("two")] = 'T';
  EXPECT_EQ(code_of(read(0, {}, {0, 1, 2})), "log_corrupt") << "a changed text";
  values_[0].resize(values_[0].size() - 8);
  EXPECT_EQ(code_of(read(0, {}, {0})), "log_corrupt") << "cut off";
}

TEST(FleetStatusTest, IsOneJsonObject) {
  FleetStatus status{.site = "a", .url_shown = "postgresql://db/x", .mirror = {}};
  status.mirror = {.position = 5, .rows_position = 4, .tip = 9, .connected = true};
  const std::string sound = fleet_status_json(status);
  EXPECT_THAT(sound, AllOf(HasSubstr("\"behind_events\":4"), HasSubstr("\"connected\":true"),
                           HasSubstr("\"orders\":{\"kinds\":[],"), EndsWith("\"error\":null}")));
  status.error = Error{ErrorKind::trouble, "database_unreachable", "no database", "start it"};
  EXPECT_THAT(fleet_status_json(status), EndsWith("\"error\":{\"code\":\"database_unreachable\",\"message\":"
                                                  "\"no database\",\"hint\":\"start it\"}}"));
}

}  // namespace
}  // namespace luzia::test
