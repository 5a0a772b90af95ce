// Where and how a command writes: values to `out`, messages for people to `err`, styled for what they are
// connected to. One thread. The caller owns the streams.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "projections/rows/table.h"

namespace luzia {

class Console {
 public:
  /// - `progress`: `err` may show a line that rewrites itself.
  /// - `terminal`: `out` is a terminal.
  /// - `person`: a person reads `err` and did not ask for JSON.
  /// - `colours`: output to a terminal may contain our color sequences; false for JSON and CSV.
  /// - `quiet`: say() prints nothing.
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

  /// Writes to `out`. Unchanged, except on a terminal: there spell_out() makes all control sequences but
  /// colors visible. `output_failed` (trouble): the stream accepts no more, for instance on a full disk.
  Status write(std::string_view text);
  /// As write(), followed by a line break.
  Status write_line(std::string_view text);
  /// Flushes `out`, so that a person sees what was written.
  Status flush();
  /// Flushes `out` and reports write errors. Call it last.
  Status finish();

  /// Writes one line for people to `err`, unless quiet.
  void say(std::string_view line);
  /// As say(), but only if a person reads `err`; in a script's log the line would be noise.
  void say_to_person(std::string_view line);
  /// Whether a person reads `err`.
  bool has_person() const { return person_; }
  /// Shows a progress line on a terminal, nothing elsewhere: "replaying 45 % (450,000 of 1,000,000)"; after a
  /// second with speed and remaining time. Redraws at most ten times a second.
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
  std::int64_t progress_ms_ = 0;  // monotonic time of the last drawing
  std::string task_;              // the task being shown; below: time and progress when it was first shown
  std::int64_t task_ms_ = 0;
  std::uint64_t task_done_ = 0;
};

/// Writes to stdout. On a terminal spell_out() makes all control sequences but colors visible. Use
/// print_raw() for cursor movements and for output that a person wants raw.
void print(std::string_view text);
void print_raw(std::string_view text);
void print_line(std::string_view text);

/// Standard output accepts no more: `output_failed` (trouble).
Error output_failed(int errno_value);

/// Flushes `out`, then prints the error on `err`: as a line with its hint, or as JSON. Returns the error's
/// exit code. `shows`: `err` is a terminal. A failure to write to `err` is ignored: it cannot be reported.
int print_error(std::string_view program, const Error& error, bool as_json, FILE* out = stdout,
                FILE* err = stderr, bool shows = false);

}  // namespace luzia
