// Tests with a fleet's database on a real server, one database each.
#pragma once

#include "engine/log/event_log.h"
#include "tests/matchers.h"
#include "tests/postgres_server.h"
#include "tools/luzia-fleet/init.h"
#include "tools/luzia-fleet/postgres_mirror_store.h"

namespace luzia::test {

class FleetDatabaseTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = PostgresServer::start(); }
  static void TearDownTestSuite() { server_.reset(); }
  FleetDatabaseTest() : name_("fleet" + std::to_string(++count_)) {
    options_.url = server_->url(name_);
    init({});
  }

  /// For each role its password; empty: it was there before.
  std::vector<std::string> init(const std::vector<FleetRole>& roles) {
    Postgres database = connected();
    const auto made = init_database(database, roles, "");
    EXPECT_TRUE(made) << made.error().message << made.error().hint;
    std::vector<std::string> passwords;
    for (const MadeRole& each : made ? *made : std::vector<MadeRole>()) passwords.push_back(each.password);
    return passwords;
  }
  Postgres connected() const {
    auto database = Postgres::connect(options_);
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  Postgres connected_as(const std::string& role) const {
    auto database = Postgres::connect({.url = server_->url_of(role, name_)});
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  Mirror::Connect connect_as(const std::string& role) const {
    return PostgresMirrorStore::by(
        [url = server_->url_of(role, name_)] { return Postgres::connect({.url = url}); });
  }
  Mirror::Connect connect() const {
    return PostgresMirrorStore::by([options = options_] { return Postgres::connect(options); });
  }

  /// The one value that the query yields, as the superuser.
  std::string value(const std::string& sql) const {
    Postgres database = connected();
    const auto found = database.run(sql);
    EXPECT_TRUE(found) << sql << ": " << found.error().message;
    if (!found || found->rows.size() != 1) return "(no row)";
    return found->rows[0][0].value_or("(null)");
  }

  /// How the site's groups differ from those of the log; empty: they are its beginning, up to sites.position.
  std::string difference(const EventLog& log, const std::string& site) const {
    Postgres database = connected();
    const auto rows = database.run(
        "SELECT first_position, last_position, chain, frames FROM luzia.site_groups WHERE site = " +
        pg_text(site) + " ORDER BY first_position");
    if (!rows) return rows.error().message;
    const auto cursor = log.read_from(1);
    Position end = 0;
    for (const PostgresRow& row : rows->rows) {
      const auto group = cursor->next();
      if (!group || !*group) return "more groups than the log has";
      const PostgresRow wanted = {std::to_string((*group)->first_position()),
                                  std::to_string((*group)->last_position()),
                                  "\\x" + to_hex((*group)->chain()), "\\x" + to_hex((*group)->frames())};
      if (row != wanted) return "another group at position " + row[0].value_or("");
      end = (*group)->last_position();
    }
    const std::string held =
        value("SELECT coalesce(max(position), 0) FROM luzia.sites WHERE site = " + pg_text(site));
    return held == std::to_string(end) ? ""
                                       : "groups end at " + std::to_string(end) + ", position is " + held;
  }

  static std::unique_ptr<PostgresServer> server_;
  static int count_;
  std::string name_;
  PostgresOptions options_{.url = {}, .application_name = "mirror"};
};

inline std::unique_ptr<PostgresServer> FleetDatabaseTest::server_;
inline int FleetDatabaseTest::count_ = 0;

}  // namespace luzia::test
