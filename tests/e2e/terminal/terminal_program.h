// A program on a pseudo terminal, with the test at its keyboard and before its screen. One thread.
#pragma once

#include <string>

#include "tests/e2e/program.h"

namespace luzia {

class TerminalProgram {
 public:
  TerminalProgram(const Words& words, const Words& environment, unsigned short columns = 80,
                  unsigned short rows = 24);
  /// Killed when it still runs.
  ~TerminalProgram();
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& keys) const;
  void resize(unsigned short columns, unsigned short rows) const;
  /// Reads on until the output has `text` that often; false: too late, or the program has ended without.
  bool shows(const std::string& text, int times = 1);
  const std::string& output() const { return output_; }
  /// Whether the terminal hands on each key as it is typed.
  bool is_raw() const;
  bool becomes_raw() const;
  /// Reads on to the end: the exit code, 128 + signal for a killed one.
  int end();

 private:
  bool read_some(int patience_ms);

  int master_ = -1, slave_ = -1;  // the slave is kept open: the terminal's modes can be looked at to the end
  pid_t pid_ = -1;
  bool over_ = false;
  int code_ = -1;
  std::string output_;
};

}  // namespace luzia
