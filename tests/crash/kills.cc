#include "tests/crash/kills.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "engine/log/verify_chain.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/registry.h"
#include "tests/crash/faulty_life.h"
#include "tests/crash/known_history.h"

namespace luzia::test {
namespace {

/// The command ids of the log in the order of their events, or the log's error.
Result<std::vector<std::string>> commands_in(const EventLog& log) {
  std::vector<std::string> commands;
  const auto cursor = log.read_from(1);
  for (;;) {
    auto group = cursor->next();
    if (!group) return tl::unexpected(group.error());
    if (!*group) return commands;
    for (const auto* event : (*group)->events())
      commands.push_back(event->command_id() != nullptr ? event->command_id()->str() : "");
  }
}

struct Child {
  pid_t pid = 0;
  int answers = -1;
};

Child start(const std::vector<std::string>& words, const std::string& failpoint) {
  int pipes[2];
  if (pipe(pipes) != 0) return {};
  (void)fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
  std::vector<std::string> all = words;
  all.push_back(std::to_string(pipes[1]));
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string points = "LUZIA_FAILPOINTS=" + failpoint;
  std::vector<char*> environment = {points.data()};
  for (char** word = environ; *word != nullptr; ++word) environment.push_back(*word);  // a sanitizer's too
  environment.push_back(nullptr);
  Child child;
  if (posix_spawn(&child.pid, all[0].c_str(), nullptr, nullptr, arguments.data(), environment.data()) != 0)
    child.pid = 0;
  close(pipes[1]);
  child.answers = pipes[0];
  return child;
}

}  // namespace

Kills::Counts& Kills::Counts::operator+=(const Counts& other) {
  kills += other.kills;
  at_operations += other.at_operations;
  at_failpoints += other.at_failpoints;
  from_outside += other.from_outside;
  acknowledged += other.acknowledged;
  unheard += other.unheard;
  return *this;
}

Kills::Kills(std::uint64_t seed, std::string program, const std::string& store)
    : dice_(seed), program_(std::move(program)), store_(store) {
  std::filesystem::remove_all(store_);
  std::filesystem::create_directories(store_);
}

std::string Kills::run(int kills) {
  for (int i = 0; i < kills && broken_.empty(); ++i) {
    const Manner manner = choose();
    serve_and_kill(manner);
    if (broken_.empty()) check();
  }
  return broken_;
}

Kills::Manner Kills::choose() {
  Manner manner;
  const std::uint64_t which = dice_.below(3);
  if (which == 0) {
    manner.operation = 1 + dice_.below(dice_.one_in(2) ? 60 : 250);
    manner.words = "during disk operation " + std::to_string(manner.operation);
    ++counts_.at_operations;
  } else if (which == 1) {
    const std::string name(kFailpoints[dice_.below(kFailpoints.size())]);
    const std::uint64_t passing = name.starts_with("open.") ? 1 : 1 + dice_.below(25);
    manner.failpoint = name + "@" + std::to_string(passing);
    manner.words = "at " + manner.failpoint;
    ++counts_.at_failpoints;
  } else {
    manner.after_answers = static_cast<int>(dice_.below(30));
    manner.words = "from outside after " + std::to_string(manner.after_answers) + " answers";
    ++counts_.from_outside;
  }
  return manner;
}

/// Also repeats the last few commands that were acknowledged.
void Kills::serve_and_kill(const Manner& manner) {
  const int first = std::max(0, acknowledged_ - static_cast<int>(dice_.below(4)));
  const Child child =
      start({program_, store_, std::to_string(first), std::to_string(manner.operation)}, manner.failpoint);
  if (child.pid == 0) {
    broken_ = "the server cannot be started: " + program_;
    return;
  }
  int answers = 0;
  for (int number = 0;;) {
    if (manner.after_answers >= 0 && answers == manner.after_answers) (void)kill(child.pid, SIGKILL);
    if (read(child.answers, &number, sizeof number) != static_cast<ssize_t>(sizeof number)) break;
    ++answers;
    acknowledged_ = std::max(acknowledged_, number + 1);
  }
  close(child.answers);
  int status = 0;
  (void)waitpid(child.pid, &status, 0);
  ++counts_.kills;
  counts_.acknowledged += static_cast<std::uint64_t>(answers);
  story_.push_back("killed " + manner.words + ", " + std::to_string(acknowledged_) + " acknowledged");
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
    broken_ = "the server ended by itself, code " + std::to_string(WEXITSTATUS(status));
}

/// Checks the log and rows: every acknowledged command is there, once, in order and without a gap, followed
/// by at most one more. The chain is intact; rows equal a replay.
void Kills::check() {
  auto log = open_rocks_event_log(store_, {});
  if (!log) {
    broken_ = "the store is refused: " + log.error().message;
    return;
  }
  if (auto chain = verify_chain(**log); !chain) {
    broken_ = "the chain does not hold: " + chain.error().message;
    return;
  }
  const auto commands = commands_in(**log);
  if (!commands) {
    broken_ = "the log cannot be read: " + commands.error().message;
    return;
  }
  for (std::size_t i = 0; i < commands->size() && broken_.empty(); ++i) {
    if ((*commands)[i] != FaultyLife::command_id(static_cast<int>(i)))
      broken_ = "event " + std::to_string(i + 1) + " is of " + (*commands)[i];
  }
  const auto acknowledged = static_cast<std::size_t>(acknowledged_);
  if (commands->size() < acknowledged || commands->size() > acknowledged + 1)
    broken_ = std::to_string(acknowledged) + " commands were acknowledged, the log has " +
              std::to_string(commands->size());
  if (commands->size() < known_) broken_ = "what was in the log before is gone";
  known_ = commands->size();
  counts_.unheard += commands->size() > acknowledged ? 1 : 0;
  auto views = open_rocks_view_store(store_ + "/views", OpenMode::read_write);
  if (views && catch_up(**log, all_projections(), *views->store)) {
    const auto differences =
        differences_from_replay(**log, (*log)->tip().position, *views->store->snapshot());
    if (!differences.empty()) broken_ = "rows differ from their replay: " + differences;
  } else {
    broken_ = "the views cannot be opened";
  }
}

}  // namespace luzia::test
