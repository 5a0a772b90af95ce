// A PostgreSQL server in a scratch folder of this run, with a fleet's schema, and the luzia-fleet that
// mirrors a subject into it. If they answer wrongly, the harness gives up.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/postgres/postgres.h"
#include "bench/harness/subject.h"

namespace luzia::bench {

/// As PostgreSQL's packages configure it: each commit is on disk. Started and stopped by tools/dev/postgres.
class ScratchDatabase {
 public:
  explicit ScratchDatabase(std::string folder);
  ~ScratchDatabase();
  ScratchDatabase(const ScratchDatabase&) = delete;

  const std::string& url() const { return url_; }
  Postgres connect() const;
  /// Runs these commands by psql, one after the other.
  void psql(const std::vector<std::string>& commands) const;

 private:
  std::string folder_, url_;
};

/// luzia-fleet of the subject, whose site is called `bench` and takes orders, from now until the object ends.
class RunningMirror {
 public:
  RunningMirror(const Subject& subject, const ScratchDatabase& database);
  ~RunningMirror();
  RunningMirror(const RunningMirror&) = delete;
  /// The configuration with the fleet.
  static std::string config(const Subject& subject) { return subject.home() + "/fleet.toml"; }

 private:
  pid_t pid_ = 0;
};

/// The first line that the command of a shell prints.
std::string first_line_of(const std::string& command);

/// How far the site is in the database; 0: it is not there yet.
struct Mirrored {
  std::uint64_t position = 0, rows_position = 0;
};
Mirrored mirrored_to(Postgres& database);
/// The one number that the query yields.
double number_of(Postgres& database, const std::string& sql);
/// The position of the last durable event.
std::uint64_t tip_of(Client& client);

}  // namespace luzia::bench
