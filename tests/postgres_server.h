// A PostgreSQL server of a test: a cluster in a scratch folder, reached by a socket there. Only its own
// process is signalled. PostgreSQL refuses to run as root: then it runs as the account `postgres`.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "tests/scratch_folder.h"

namespace luzia {

class PostgresServer {
 public:
  /// Makes a cluster, as a copy of one that is made once in the build folder, and starts it. Without one (no
  /// postgresql installed), the test fails and what is returned answers nothing. `address`: of the network
  /// namespace of this thread, where it listens, too.
  static std::unique_ptr<PostgresServer> start(const std::string& address = {});
  /// Copies the primary and follows it. From then on the primary acknowledges a commit only when this standby
  /// has it too. It answers reads alone until promote(). One for each primary.
  static std::unique_ptr<PostgresServer> standby_of(PostgresServer& primary, const std::string& address = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;

  /// For libpq, as the superuser; makes the database if there is none of that name.
  std::string url(const std::string& database);
  /// The same for another role and an existing database.
  std::string url_of(const std::string& role, const std::string& database) const;
  /// Ends it in order, so that no connection is left.
  void stop();
  /// As a power loss: kill -9 of all its processes.
  void kill();
  /// Starts it again on the same files; returns when it answers.
  void restart();
  /// Makes a standby a primary of its own, which waits for no standby. Returns when it accepts writes.
  void promote();
  /// The folder of the cluster's files.
  std::string data() const { return folder_.file("data"); }
  std::string folder() const { return folder_.path(); }

 private:
  PostgresServer() = default;
  static std::string made_once();
  bool give_to_account() const;
  void configure(const std::string& settings) const;
  bool run(const std::string& words) const;

  ScratchFolder folder_;
  std::string address_;  // empty: the socket alone
};

}  // namespace luzia
