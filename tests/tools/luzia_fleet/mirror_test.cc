// The mirror, against a real server: whatever goes wrong, the database holds a prefix of the log.
#include "tools/luzia-fleet/mirror.h"

#include "projections/rows/export_table.h"
#include "tests/projections/random_history.h"
#include "tests/tools/luzia_fleet/fleet_database.h"
#include "tests/tools/luzia_fleet/log_session.h"

namespace luzia::test {
namespace {

const SiteName kHere{.site = "here", .host = "host1"};

class MirrorTest : public FleetDatabaseTest {
 protected:
  /// Steps until nothing is left to do.
  static void catch_up_with(Mirror& mirror) {
    do {
      const Status done = mirror.step(0);
      ASSERT_TRUE(done) << done.error().code << ": " << done.error().message;
    } while (mirror.is_behind());
  }
  static std::string code_of_step(Mirror& mirror) {
    const Status done = mirror.step(0);
    return done ? "" : done.error().code;
  }
  /// The first groups of the log, as a backup has them.
  void copy_beginning(EventLog& to, Position most) const {
    const auto cursor = log_.read_from(1);
    for (auto group = cursor->next(); group && *group && (*group)->last_position() <= most;
         group = cursor->next()) {
      PendingGroup pending((*group)->first_position());
      for (std::size_t i = 0; i < (*group)->events().size(); ++i) pending.add((*group)->event_bytes(i));
      ASSERT_TRUE(to.append(pending));
    }
  }
  std::string fault() const { return value("SELECT fault FROM luzia.sites WHERE site = 'here'"); }
  /// The largest position of a row in any readable table.
  std::string newest_row() const {
    std::string sql;
    for (const ExportTable& table : export_tables()) {
      sql += (sql.empty() ? "" : " UNION ALL ") +
             ("SELECT max(position) AS p FROM luzia." + pg_name(table.name));
    }
    return value("SELECT coalesce(max(p), 0) FROM (" + sql + ") AS t");
  }

  /// The rows of all readable tables, without the position as of which they were read, and without durations,
  /// which may still be running.
  std::map<std::string, std::string> all_rows() const {
    std::map<std::string, std::string> rows;
    for (const ExportTable& table : export_tables()) {
      rows[std::string(table.name)] =
          value("SELECT string_agg(j, E'\\n' ORDER BY j) FROM luzia." + pg_name(table.name) +
                " AS t, LATERAL (SELECT jsonb_object_agg(k, v)::text AS j FROM jsonb_each(to_jsonb(t)) AS "
                "e(k, v) WHERE k <> "
                "'position' AND k <> 'view_row' AND k NOT LIKE '%seconds') AS o");
    }
    return rows;
  }

  MemoryEventLog log_;
  RandomHistory history_{log_, 7};
  LogSession session_{log_};
  Mirror mirror_{session_, connect(), kHere};
};

TEST_F(MirrorTest, GroupsAndRowsArrive) {
  history_.write(2'000);
  catch_up_with(mirror_);
  EXPECT_EQ(difference(log_, "here"), "");
  EXPECT_EQ(value("SELECT position FROM luzia.sites"), std::to_string(log_.tip().position));
  EXPECT_EQ(value("SELECT rows_position FROM luzia.sites"), std::to_string(log_.tip().position));
  EXPECT_EQ(mirror_.state().position, mirror_.state().tip);
  EXPECT_EQ(value("SELECT host FROM luzia.sites"), "host1");
  EXPECT_GT(std::stoul(value("SELECT count(*) FROM luzia.jobs WHERE site = 'here'")), 20u);
  history_.write(50);
  catch_up_with(mirror_);
  EXPECT_EQ(difference(log_, "here"), "");
}

TEST_F(MirrorTest, EventsOfTheLargestSizeArrive) {
  LogWriter writer(log_);
  writer.add(warning("k", std::string(200'000, 'x')));
  writer.commit();
  catch_up_with(mirror_);
  EXPECT_EQ(difference(log_, "here"), "");
}

// At random moments the connection is cut, the daemon does not answer, or luzia-fleet itself is killed.
TEST_F(MirrorTest, WhateverEndsAPrefixIsThere) {
  std::mt19937 random(11);
  Postgres admin = connected();
  history_.write(300);
  std::optional<Mirror> mirror;
  for (int life = 0; life < 25; ++life) {
    mirror.emplace(session_, connect(), kHere);
    int answers_left = static_cast<int>(random() % 12);
    const bool is_database = random() % 2 == 0;
    session_.before_answer = [&]() -> Status {
      if (answers_left-- != 0) return {};
      if (!is_database) return fail(ErrorKind::trouble, "connection_lost", "the daemon has gone");
      const auto ended = admin.run(
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'mirror' "
          "AND "
          "pid <> pg_backend_pid()");
      EXPECT_TRUE(ended);
      return {};
    };
    history_.write(40);
    for (int step = 0; step < 4; ++step) (void)mirror->step(0);
    ASSERT_EQ(difference(log_, "here"), "") << life;
    ASSERT_LE(std::stoul(newest_row()), std::stoul(value("SELECT position FROM luzia.sites"))) << life;
  }
  session_.before_answer = {};
  catch_up_with(*mirror);
  EXPECT_EQ(value("SELECT rows_position FROM luzia.sites"), std::to_string(log_.tip().position));
  EXPECT_EQ(difference(log_, "here"), "");
  const auto rows = all_rows();
  mirror->rebuild();
  catch_up_with(*mirror);
  for (const auto& [table, now] : all_rows()) EXPECT_EQ(rows.at(table), now) << table;
}

TEST_F(MirrorTest, NoRowShowsMoreThanTheGroups) {
  history_.write(200);
  int writes_left = 30;
  session_.before_answer = [&]() -> Status {
    if (writes_left-- > 0) history_.write(20);
    return {};
  };
  do {
    ASSERT_TRUE(mirror_.step(0));
    ASSERT_LE(std::stoul(newest_row()), std::stoul(value("SELECT position FROM luzia.sites")));
  } while (mirror_.is_behind());
  EXPECT_LE(writes_left, 0);
  EXPECT_EQ(difference(log_, "here"), "");
}

TEST_F(MirrorTest, KilledServerLosesNothing) {
  history_.write(200);
  catch_up_with(mirror_);
  server_->kill();
  history_.write(200);
  EXPECT_EQ(code_of_step(mirror_), "database_unreachable");
  EXPECT_FALSE(mirror_.state().connected);
  EXPECT_EQ(code_of_step(mirror_), "database_unreachable");
  server_->restart();
  catch_up_with(mirror_);
  EXPECT_EQ(difference(log_, "here"), "");
}

TEST_F(MirrorTest, StatementThatTakesTooLongIsTriedAgain) {
  options_.statement_patience = std::chrono::milliseconds(500);
  Mirror hasty(session_, connect(), kHere);
  history_.write(100);
  catch_up_with(hasty);
  Postgres other = connected();
  ASSERT_TRUE(other.script("BEGIN; SELECT * FROM luzia.sites FOR UPDATE"));
  history_.write(100);
  // The server says so, or is too slow for that, too.
  EXPECT_THAT(code_of_step(hasty), testing::AnyOf("database_error", "database_unreachable"));
  EXPECT_EQ(difference(log_, "here").substr(0, 10), "");
  ASSERT_TRUE(other.script("ROLLBACK"));
  catch_up_with(hasty);
  EXPECT_EQ(difference(log_, "here"), "");
}

TEST_F(MirrorTest, LessIsSentAtOnceAfterErrors) {
  history_.write(100);
  catch_up_with(mirror_);
  EXPECT_EQ(session_.wanted_bytes, 0u);
  const auto fail_times = [this](int times) {
    session_.before_answer = []() -> Status { return fail(ErrorKind::trouble, "connection_lost", "gone"); };
    for (int i = 0; i < times; ++i) EXPECT_EQ(code_of_step(mirror_), "connection_lost");
    session_.before_answer = {};
  };
  fail_times(3);
  for (const std::uint32_t wanted : {512u << 10, 1u << 20, 2u << 20, 0u}) {
    history_.write(10);
    ASSERT_EQ(code_of_step(mirror_), "");
    EXPECT_EQ(session_.wanted_bytes, wanted);
  }
  fail_times(20);
  ASSERT_EQ(code_of_step(mirror_), "");
  EXPECT_EQ(session_.wanted_bytes, 64u << 10);
  EXPECT_EQ(difference(log_, "here"), "");
}

TEST_F(MirrorTest, FullDatabaseIsTriedAgain) {
  history_.write(100);
  catch_up_with(mirror_);
  Postgres database = connected();
  ASSERT_TRUE(
      database.script("CREATE FUNCTION public.no_room() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE "
                      "disk_full; END'; CREATE TRIGGER no_room AFTER INSERT ON luzia.jobs FOR EACH STATEMENT "
                      "EXECUTE FUNCTION public.no_room()"));
  history_.write(200);
  const Status full = mirror_.step(0);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message, HasSubstr("53100"));
  EXPECT_TRUE(mirror_.state().connected);
  EXPECT_LT(std::stoul(value("SELECT position FROM luzia.sites")), log_.tip().position)
      << "all of it is rolled back";
  ASSERT_TRUE(database.script("DROP TRIGGER no_room ON luzia.jobs"));
  catch_up_with(mirror_);
  EXPECT_EQ(difference(log_, "here"), "");
  EXPECT_EQ(fault(), "(null)");
}

TEST_F(MirrorTest, SecondLogOfTheSameNameIsRefused) {
  history_.write(200);
  catch_up_with(mirror_);
  MemoryEventLog log;
  RandomHistory(log, 8).write(600);
  LogSession session(log);
  Mirror other(session, connect(), {.site = "here", .host = "host2"});
  EXPECT_EQ(code_of_step(other), "site_taken");
  EXPECT_THAT(fault(), StartsWith("LZ002: "));
  EXPECT_EQ(code_of_step(other), "site_taken");
  history_.write(200);
  catch_up_with(mirror_);
  EXPECT_EQ(difference(log_, "here"), "") << "the first is not disturbed";
}

TEST_F(MirrorTest, RestoredLogIsRefusedUntilItIsReplaced) {
  history_.write(400);
  catch_up_with(mirror_);
  MemoryEventLog restored;
  copy_beginning(restored, 200);
  LogSession session(restored);
  Mirror mirror(session, connect(), kHere);
  EXPECT_EQ(code_of_step(mirror), "site_went_back");
  EXPECT_THAT(fault(), StartsWith("LZ003: "));
  LogWriter writer(restored);
  while (restored.tip().position < log_.tip().position + 10) writer.write(1, warning("k", "another history"));
  EXPECT_EQ(code_of_step(mirror), "site_went_back") << "it is longer now, and another one";
  EXPECT_EQ(difference(log_, "here"), "");
  Postgres database = connected();
  ASSERT_TRUE(database.script("SELECT luzia.forget_site('here')"));
  catch_up_with(mirror);
  EXPECT_EQ(difference(restored, "here"), "");
}

// A standby that was promoted lacks the last commits.
TEST_F(MirrorTest, DatabaseThatWentBackIsFilledAgain) {
  history_.write(300);
  catch_up_with(mirror_);
  Postgres database = connected();
  ASSERT_TRUE(
      database.script("DELETE FROM luzia.site_groups WHERE first_position > 150; UPDATE luzia.sites SET "
                      "(position, chain) = (SELECT "
                      "last_position, chain FROM luzia.site_groups ORDER BY first_position DESC LIMIT 1), "
                      "rows_position = 0;"));
  ASSERT_EQ(difference(log_, "here"), "");
  history_.write(50);
  EXPECT_EQ(code_of_step(mirror_), "position_moved");
  catch_up_with(mirror_);
  EXPECT_EQ(difference(log_, "here"), "");
  EXPECT_EQ(fault(), "(null)");
}

TEST_F(MirrorTest, ArchivedBeginningIsLeftOut) {
  history_.write(300);
  const auto cursor = log_.read_from(150);
  session_.archived = (*cursor->next())->last_position();
  catch_up_with(mirror_);
  EXPECT_EQ(value("SELECT begins_at FROM luzia.sites"), std::to_string(session_.archived + 1));
  EXPECT_EQ(value("SELECT position FROM luzia.sites"), std::to_string(log_.tip().position));
  EXPECT_GT(std::stoul(value("SELECT count(*) FROM luzia.jobs")), 0u);
  history_.write(300);
  session_.archived = log_.tip().position;
  Mirror later(session_, connect(), kHere);
  EXPECT_EQ(code_of_step(later), "groups_archived");
  EXPECT_THAT(fault(), StartsWith("LZ001: "));
}

TEST_F(MirrorTest, RebuildReplacesAllRows) {
  history_.write(300);
  catch_up_with(mirror_);
  const std::string jobs = value("SELECT count(*) FROM luzia.jobs");
  Postgres database = connected();
  ASSERT_TRUE(database.script("DELETE FROM luzia.jobs"));
  mirror_.rebuild();
  EXPECT_TRUE(mirror_.is_behind());
  catch_up_with(mirror_);
  EXPECT_FALSE(mirror_.rebuilds());
  EXPECT_EQ(value("SELECT count(*) FROM luzia.jobs"), jobs);
}

TEST_F(MirrorTest, MachinesRoleIsEnough) {
  init({machine_role("here"), machine_role("there")});
  history_.write(300);
  Mirror mirror(session_, connect_as("luzia-here"), kHere);
  catch_up_with(mirror);
  EXPECT_EQ(difference(log_, "here"), "");
  Mirror other(session_, connect_as("luzia-there"), kHere);
  history_.write(10);
  EXPECT_EQ(code_of_step(other), "database_refused");
}

TEST_F(MirrorTest, DatabaseWithoutSchemaIsNamed) {
  Postgres database = connected();
  ASSERT_TRUE(database.script("DROP SCHEMA luzia CASCADE"));
  EXPECT_EQ(code_of_step(mirror_), "no_fleet_schema");
}

}  // namespace
}  // namespace luzia::test
