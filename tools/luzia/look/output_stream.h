// Prepares a job's output for people: splits it into lines, filters it and makes it harmless. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

struct OutputOptions {
  bool raw = false;          // print bytes unchanged
  bool json = false;         // print {"offset":N,"text":"..."} per line
  bool unicode = false;      // show control characters as glyphs
  std::string pattern = {};  // RE2; empty: every line
  bool colours = false;      // keep the text's colors
  bool ends = false;         // show only the end of a line longer than 1 MiB; false: show it in pieces
};

class OutputStream {
 public:
  /// `bad_pattern` (usage): RE2 refuses the pattern. `write` receives text ready for stdout.
  static Result<OutputStream> make(OutputOptions options, std::function<void(std::string_view)> write);
  OutputStream(OutputStream&&) noexcept;
  ~OutputStream();

  /// From now on an agent's JSON lines are shown as readable text (adapters/agents/readable_line.h).
  void make_readable();
  /// The input begins within a line: that line is not shown.
  void begin_within_line();
  /// The input begins within a line: its end is shown, with a note that more came before.
  void begin_with_rest();
  /// Skips the first `lines` lines that would be shown.
  void pass_over(std::uint64_t lines);
  /// Adds bytes of output.log at `offset`; pieces must follow each other.
  void add(std::uint64_t offset, std::string_view bytes);
  /// Ends the input: shows a last line without newline, too.
  void finish();
  /// The following input is from a new file: ends the current line.
  void begin_anew();
  bool matched() const;
  /// The number of lines shown or skipped; 0 if bytes are passed through unchanged.
  std::uint64_t lines() const;

 private:
  struct State;
  explicit OutputStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace luzia
