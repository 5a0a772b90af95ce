// Keeps a program running while it is configured, and copies its output to the daemon's log: luzia-telegram
// serve, luzia-web, luzia-fleet. Standard input of the program is a pipe that the daemon holds open, so that
// it can end with the daemon. If it exits by itself, it is restarted after a pause that grows from a second
// to a minute. Loop thread; a separate thread waits for the program, and a worker for that thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// How to run it.
struct KeptProgram {
  std::string name;                  // in the daemon's log
  std::vector<std::string> command;  // an absolute path and its words
  std::vector<std::string> environment;
  std::string input = {};                  // written to it first; must fit a pipe's buffer
  int stop_signal = 0;                     // sent to end it, beside closing its standard input; 0: none
  std::vector<std::string> settings = {};  // that it reads itself: it starts over when they change
  bool operator==(const KeptProgram&) const = default;
};

class ProgramKeeper final : public Follower {
 public:
  /// Returns the configured program; nullopt: none.
  using Plan = std::function<std::optional<KeptProgram>()>;
  ProgramKeeper(Workers& workers, Plan read_plan) : workers_(workers), read_plan_(std::move(read_plan)) {}
  ~ProgramKeeper() { close(); }
  ProgramKeeper(const ProgramKeeper&) = delete;
  ProgramKeeper& operator=(const ProgramKeeper&) = delete;

  /// Starts, stops or restarts the program to match the configuration, without waiting. A restart begins once
  /// the previous program has ended. Also call it at the daemon's start.
  void config_changed() override { configure(read_plan_()); }
  /// Stops it permanently and waits for its end.
  void close() override;

 private:
  void configure(std::optional<KeptProgram> plan);
  void begin();

  Workers& workers_;
  Plan read_plan_;
  std::optional<KeptProgram> plan_;
  std::jthread keeper_;
  bool ending_ = false;  // a worker waits for the previous program
};

}  // namespace luzia
