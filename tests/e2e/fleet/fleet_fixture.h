// Tests of a fleet with real daemons, luzia-fleet and PostgreSQL. Each test has a database of its own.
#pragma once

#include <unistd.h>

#include "tests/e2e/fleet/fleet_machine.h"
#include "tests/postgres_server.h"

namespace luzia {

/// Prepares a database as people do. Returns what luzia-fleet says.
inline Finished init_fleet_database(const std::string& url, const Words& more) {
  Words words = {fleet_program_path(), "init", "--url", url};
  words.insert(words.end(), more.begin(), more.end());
  return run_to_end(words, {"HOME=/nonexistent", "PATH=/usr/bin:/bin", "LANG=C.UTF-8"});
}

inline Postgres connected_database(const std::string& url) {
  auto database = Postgres::connect({.url = url});
  EXPECT_TRUE(database) << database.error().message;
  return std::move(*database);
}

/// A daemon of root takes orders only for projects that name a user.
inline std::string demo_user_toml() {
  return ::geteuid() == 0 ? "[projects.demo]\nuser = \"nobody\"\n" : "";
}

class FleetTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = PostgresServer::start(); }
  static void TearDownTestSuite() { server_.reset(); }
  FleetTest() : name_("fleet" + std::to_string(++count_)) {
    init({"--machine", "a"});
    init({"--machine", "b"});
  }

  void init(const Words& words) const {
    const Finished made = init_fleet_database(server_->url(name_), words);
    EXPECT_EQ(made.code, 0) << made.err;
  }
  /// Makes a role that may place orders in project demo, as which people at a machine with this [fleet] do.
  std::string operator_toml(const std::string& orders, const std::string& labels = "") const {
    init({"--operator", "ana-" + name_, "--projects", "demo"});
    return "people_url = \"" + url_of("ana-" + name_) + "\"\norders = [" + orders + "]\nlabels = [" + labels +
           "]\n" + demo_user_toml();
  }
  /// What a role uses, without a network between.
  std::string url_of(const std::string& role) const { return server_->url_of(role, name_); }
  Postgres connected_as(const std::string& role) const { return connected_database(url_of(role)); }
  /// The one value that the query yields; the error instead.
  static std::string value(Postgres& database, const std::string& sql) {
    const auto found = database.run(sql);
    if (!found) return found.error().code + ": " + found.error().message;
    return found->rows.empty() ? "(no row)" : found->rows.front().front().value_or("(null)");
  }
  std::string value(const std::string& sql) const {
    Postgres database = connected_as("postgres");
    return value(database, sql);
  }
  /// All jobs ran exactly once, and the database has what the log has.
  void expect_mirrored(const FleetMachine& machine) const {
    EXPECT_EQ(machine.broken_job(), "");
    Postgres database = connected_as("postgres");
    EXPECT_EQ(mirror_difference(machine, database), "");
  }

  static std::unique_ptr<PostgresServer> server_;
  static int count_;
  std::string name_;
};

inline std::unique_ptr<PostgresServer> FleetTest::server_;
inline int FleetTest::count_ = 0;

}  // namespace luzia
