// Where a command writes, and how: values to `out`, talk for people to `err`, in the style that suits what is
// behind them. One thread. The streams are the caller's.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "projections/rows/table.h"

namespace luzia {

class Console {
 public:
  /// `progress`: whether `err` may show a line that rewrites itself; `terminal`: whether somebody looks at
  /// `out`; `person`: whether somebody looks at `err`, and asked for no JSON.
  /// `quiet`: say() says nothing. `colours`: what is written to a terminal may hold our own; else it is for
  /// programs.
  Console(FILE* out, FILE* err, TableStyle style, bool progress, bool terminal = false, bool person = false,
          bool colours = true, bool quiet = false)
      : out_(out),
        err_(err),
        style_(style),
        progress_(progress),
        terminal_(terminal),
        person_(person),
        colours_(colours),
        quiet_(quiet) {}

  bool is_terminal() const { return terminal_; }

  const TableStyle& style() const { return style_; }

  /// To `out`, as it is; on a terminal nothing but colours does anything to it (spell_out()). `output_failed`
  /// (trouble) when it takes no more, for instance a full disk.
  Status write(std::string_view text);
  /// To `out`, with a line break behind it.
  Status write_line(std::string_view text);
  /// What was written is seen now.
  Status flush();
  /// Everything written has left. Call it last.
  Status finish();

  /// One line for people on `err`, unless they asked for quiet.
  void say(std::string_view line);
  /// The same where somebody looks at it; in a script's log it would be noise.
  void say_to_person(std::string_view line);
  /// Whether somebody looks at `err`.
  bool has_person() const { return person_; }
  /// A line on a terminal, nothing elsewhere: "replaying 45 % (450,000 of 1,000,000)", and after a second
  /// also how fast that goes and how long it still takes. At most ten times a second.
  void show_progress(std::string_view what, std::uint64_t done, std::uint64_t total);

 private:
  void clear_progress();
  std::string pace_text(std::string_view what, std::uint64_t done, std::uint64_t total, std::int64_t now);

  FILE* out_;
  FILE* err_;
  TableStyle style_;
  bool progress_;
  bool terminal_;
  bool person_;
  bool colours_;
  bool quiet_;
  bool progress_shown_ = false;
  std::int64_t progress_ms_ = 0;  // monotonic, of the last time it was drawn
  std::string task_;              // that progress is shown of; when and where it was first
  std::int64_t task_ms_ = 0;
  std::uint64_t task_done_ = 0;
};

/// On stdout. Nothing in it but colours does anything to a terminal there (spell_out()); what moves its
/// cursor, and what a person wants raw, goes by print_raw().
void print(std::string_view text);
void print_raw(std::string_view text);
void print_line(std::string_view text);

/// Standard output takes no more: `output_failed` (trouble).
Error output_failed(int errno_value);

/// The error on `err`, as a line with its hint or as JSON; returns its exit code. What `out` was given leaves
/// first. `err` may take nothing, of which nobody can be told.
int print_error(std::string_view program, const Error& error, bool as_json, FILE* out = stdout,
                FILE* err = stderr, bool shows = false);

}  // namespace luzia
