// A program on a pseudo terminal; the test types its input and reads its screen. One thread.
#pragma once

#include <string>

#include "tests/e2e/program.h"

namespace luzia {

class TerminalProgram {
 public:
  TerminalProgram(const Words& words, const Words& environment, unsigned short columns = 80,
                  unsigned short rows = 24);
  /// Kills the program if it still runs.
  ~TerminalProgram();
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& keys) const;
  void resize(unsigned short columns, unsigned short rows) const;
  /// Reads until the output contains `text` that many times. False if the program ends first or time runs
  /// out.
  bool shows(const std::string& text, int times = 1);
  const std::string& output() const { return output_; }
  /// Whether the terminal is in raw mode: each key is passed on as it is typed.
  bool is_raw() const;
  bool becomes_raw() const;
  /// Reads to the end and returns the exit code, or 128 + signal if it was killed.
  int end();

 private:
  bool read_some(int patience_ms);

  int master_ = -1, slave_ = -1;  // slave_ stays open so that the terminal's modes can be read until the end
  pid_t pid_ = -1;
  bool over_ = false;
  int code_ = -1;
  std::string output_;
};

}  // namespace luzia
