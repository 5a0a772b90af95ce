#include "bench/harness/scratch_database.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/harness/driving.h"

namespace luzia::bench {
std::string first_line_of(const std::string& command) {
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) give_up("cannot run " + command);
  std::array<char, 4 << 10> line{};
  const bool got = std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr;
  if (pclose(output) != 0 || !got) give_up("failed: " + command);
  const std::string text(line.data());
  return text.substr(0, text.find('\n'));
}

ScratchDatabase::ScratchDatabase(std::string folder) : folder_(std::move(folder)) {
  url_ = first_line_of(std::string(LUZIA_SCRATCH_POSTGRES) + " start '" + folder_ + "'");
}

ScratchDatabase::~ScratchDatabase() {
  run_program({LUZIA_SCRATCH_POSTGRES, "stop", folder_}, 0);
}

Postgres ScratchDatabase::connect() const {
  auto database = Postgres::connect({.url = url_, .application_name = "luzia-bench"});
  if (!database) give_up(database.error().message);
  return std::move(*database);
}

void ScratchDatabase::psql(const std::vector<std::string>& commands) const {
  std::vector<std::string> words = {"/usr/bin/psql",   "--no-psqlrc", "-q", "-v",
                                    "ON_ERROR_STOP=1", "-d",          url_};
  for (const std::string& command : commands) {
    words.emplace_back("-c");
    words.push_back(command);
  }
  run_program(words, 0);
}

RunningMirror::RunningMirror(const Subject& subject, const ScratchDatabase& database) {
  const std::string program = subject.program("luzia-fleet"), config = RunningMirror::config(subject);
  {
    std::ofstream to(config);
    to << std::ifstream(subject.config()).rdbuf() << "[fleet]\nurl = \"" << database.url()
       << "\"\nsite = \"bench\"\norders = [\"dispatch\"]\n";
  }
  const std::string log = subject.home() + "/fleet.log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const char* arguments[] = {program.c_str(), "run", "--config", config.c_str(), nullptr};
  const int failed =
      posix_spawn(&pid_, program.c_str(), &actions, nullptr, const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) give_up("cannot start " + program);
}

RunningMirror::~RunningMirror() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

Mirrored mirrored_to(Postgres& database) {
  const auto found = database.run("SELECT position, rows_position FROM luzia.sites WHERE site = 'bench'");
  if (!found) give_up(found.error().message);
  if (found->rows.empty()) return {};
  const PostgresRow& row = found->rows.front();
  return {std::strtoull(row[0].value_or("0").c_str(), nullptr, 10),
          std::strtoull(row[1].value_or("0").c_str(), nullptr, 10)};
}

double number_of(Postgres& database, const std::string& sql) {
  const auto found = database.run(sql);
  if (!found) give_up(found.error().message);
  if (found->rows.size() != 1) give_up("no single row: " + sql);
  return std::strtod(found->rows.front().front().value_or("0").c_str(), nullptr);
}

std::uint64_t tip_of(Client& client) {
  wire::ReadGroupsT read;
  read.most_bytes = 1;
  const auto answer = client.ask(request_of(std::move(read)));
  if (!answer) give_up(answer.error().message);
  const auto* groups = (*answer)->reply.AsGroups();
  if (groups == nullptr) give_up("the daemon does not hand out its log");
  return groups->tip;
}

}  // namespace luzia::bench
