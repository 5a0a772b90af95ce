// Where a command writes, and how: values to `out`, talk for people to `err`, in the style that suits what is
// behind them. One thread. The streams are the caller's.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "projections/rows/table.h"

namespace luzia {

enum class ColourChoice { automatic, always, never };

/// Value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// What is known of one stream.
struct StreamTraits {
  bool terminal = false;
  std::size_t columns = 0;  // 0: unknown
};

/// --color wins, then NO_COLOR, CLICOLOR_FORCE, then: a terminal that is not TERM=dumb. Symbols beyond ASCII
/// only on a terminal in a UTF-8 locale. The width is COLUMNS, else the terminal's; what is no terminal has
/// none, unless COLUMNS says otherwise: lines on their way to a file are as long as they are.
TableStyle style_for(ColourChoice choice, const Environment& environment, const StreamTraits& stream);

class Console {
 public:
  /// `progress`: whether `err` may show a line that rewrites itself; `terminal`: whether somebody looks at
  /// `out`; `person`: whether somebody looks at `err`, and asked for no JSON.
  /// `colours`: what is written to a terminal may hold our own; else it is for programs.
  Console(FILE* out, FILE* err, TableStyle style, bool progress, bool terminal = false, bool person = false,
          bool colours = true)
      : out_(out),
        err_(err),
        style_(style),
        progress_(progress),
        terminal_(terminal),
        person_(person),
        colours_(colours) {}

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

  /// One line for people on `err`.
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
  Status output_failed(int errno_value) const;

  FILE* out_;
  FILE* err_;
  TableStyle style_;
  bool progress_;
  bool terminal_;
  bool person_;
  bool colours_;
  bool progress_shown_ = false;
  std::int64_t progress_ms_ = 0;  // monotonic, of the last time it was drawn
  std::string task_;              // that progress is shown of; when and where it was first
  std::int64_t task_ms_ = 0;
  std::uint64_t task_done_ = 0;
};

}  // namespace luzia
