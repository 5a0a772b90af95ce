// A job's output on its way to the person: cut into lines, filtered, made harmless. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

struct OutputOptions {
  bool raw = false;          // bytes as they are
  bool json = false;         // {"offset":N,"text":"..."} a line
  bool unicode = false;      // glyphs for control characters
  std::string pattern = {};  // RE2; empty: every line
  bool ends = false;         // of a line of more than 1 MiB its end; else it is shown in pieces
};

class OutputStream {
 public:
  /// `bad_pattern` (usage) for what RE2 refuses. `write` gets text ready for stdout.
  static Result<OutputStream> make(OutputOptions options, std::function<void(std::string_view)> write);
  OutputStream(OutputStream&&) noexcept;
  ~OutputStream();

  /// From now on lines of an agent's JSON are shown as people read them (adapters/agents/readable_line.h).
  void make_readable();
  /// What comes first belongs to a line that began before: nothing of that line is shown.
  void begin_within_line();
  /// The same, but the end of that line is shown, and how much was before as far as that has come by.
  void begin_with_rest();
  /// The first `lines` that would be shown are not.
  void pass_over(std::uint64_t lines);
  /// Bytes of output.log from `offset` on, one piece after the other.
  void add(std::uint64_t offset, std::string_view bytes);
  /// The end: a last line without newline is shown too.
  void finish();
  /// What comes now is of a file that begins anew: nothing of it belongs to the line that was begun.
  void begin_anew();
  bool matched() const;
  /// How many lines have been shown or passed over; of bytes that go through as they are, none.
  std::uint64_t lines() const;

 private:
  struct State;
  explicit OutputStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace luzia
