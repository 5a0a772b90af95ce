#include "tools/luzia/look/output_stream.h"

#include <re2/re2.h>

#include <utility>

#include "adapters/agents/readable_line.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"

namespace luzia {
namespace {

// Longer lines are shown in pieces. Longer JSON lines of agents, which only make sense as a whole, are
// replaced by a note.
constexpr std::size_t kMaxLineBytes = 1 << 20, kMaxJsonBytes = 16 << 20;

/// The last state of a line that a program overwrites with carriage returns, such as a progress bar.
std::string_view last_overwritten(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::size_t back = line.rfind('\r');
  return back == std::string_view::npos ? line : line.substr(back + 1);
}

/// Whether `lines` are the end of a run with a final answer that only repeats what the agent said last,
/// perhaps shortened (adapters/agents/readable_line.h).
bool says_again(const std::vector<std::string>& lines, const std::vector<std::string>& said) {
  if (lines.size() < 2 || !lines.front().starts_with("* ") || lines.size() > said.size() + 1) return false;
  const bool shortened = lines.size() > 2 && lines.back().starts_with("  ... ");
  const std::size_t shown = lines.size() - 1 - (shortened ? 1 : 0);
  for (std::size_t i = 0; i < shown; ++i) {
    if (lines[i + 1] != "  " + said[i]) return false;
  }
  return shortened || shown == said.size();
}

}  // namespace

struct OutputStream::State {
  OutputOptions options;
  std::function<void(std::string_view)> write;
  std::unique_ptr<RE2> pattern;
  std::string line;               // the received part of the current line
  std::uint64_t line_at = 0;      // where it begins
  bool readable = false;          // convert an agent's JSON to text
  std::vector<std::string> said;  // text of the last JSON line shown
  bool matched = false;
  bool left_out = false;      // do not show the rest of this line
  bool rest = false;          // the line began before the input
  std::uint64_t dropped = 0;  // received bytes of the line that are not shown
  std::uint64_t lines = 0, passed_over = 0;

  /// How many bytes to keep while the line's end is missing.
  std::size_t room() const { return readable && line.starts_with('{') ? kMaxJsonBytes : kMaxLineBytes; }

  void show(std::string_view text, bool ended) {
    if (readable) {
      if (auto lines = readable_lines(text)) {
        if (says_again(*lines, said)) lines->resize(1);
        for (const std::string& each : *lines) show_line(each, true);
        if (!lines->empty()) said = std::move(*lines);
        return;
      }
    }
    show_line(options.raw || options.json ? text : last_overwritten(text), ended);
  }

  void show_line(std::string_view text, bool ended) {
    if (pattern && !RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern)) return;
    matched = true;
    const bool as_it_is = options.raw || options.json;
    const std::string words = as_it_is ? std::string() : without_terminal_marks(text);
    // A line that contains only terminal marks is not for people.
    const bool only_marks = !as_it_is && words.empty() && !text.empty();
    if (only_marks || ++lines <= passed_over) return;
    if (options.json) {
      JsonObject object;
      object.number("offset", line_at);
      object.text("text", text);
      write(object.take() + "\n");
    } else if (options.raw) {
      write(text);
      write(ended ? "\n" : "");
    } else {
      const HarmlessOptions how{.unicode = options.unicode};
      write(mark() + (options.colours ? make_harmless_but_colours(text, how) : make_harmless(words, how)) +
            "\n");
    }
  }

  /// The note before a line whose beginning is left out.
  std::string mark() const {
    if (dropped == 0) return rest ? "(... more before) " : "";
    return "(... " + std::string(rest ? "more than " : "") + std::to_string(dropped >> 10) + " KiB before) ";
  }

  /// Drops the beginning of a line that keeps growing.
  void keep_end() {
    std::size_t gone = line.size() - kMaxLineBytes / 2;
    while (gone < line.size() && (line[gone] & '\xc0') == '\x80') ++gone;  // within a character
    line.erase(0, gone);
    line_at += gone;
    dropped += gone;
  }

  void end_line() {
    line.clear();
    dropped = 0;
    rest = false;
  }

  /// Shows a piece of a line that is too long to wait for its end.
  void show_piece() {
    if (room() == kMaxJsonBytes) {
      show_line("(a line of more than 16 MiB: --raw prints it)", true);
      left_out = true;
    } else {
      show(line, false);
    }
    line_at += line.size();
    line.clear();
  }

  /// Drops overwritten states of a progress bar that stays in one line.
  void forget_overwritten() {
    constexpr std::size_t kLong = 4096;
    if (options.raw || options.json || line.size() < kLong || line.starts_with('{')) return;
    const std::size_t kept = last_overwritten(line).size();
    const std::size_t end = line.find_last_not_of('\r');
    if (end != std::string::npos && end + 1 > kept) {
      const std::size_t gone = end + 1 - kept;
      line.erase(0, gone);
      line_at += gone;
    }
  }
};

OutputStream::OutputStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputStream::OutputStream(OutputStream&&) noexcept = default;
OutputStream::~OutputStream() = default;

Result<OutputStream> OutputStream::make(OutputOptions options, std::function<void(std::string_view)> write) {
  auto state = std::make_unique<State>();
  if (!options.pattern.empty()) {
    RE2::Options quiet;
    quiet.set_log_errors(false);
    state->pattern = std::make_unique<RE2>(options.pattern, quiet);
    if (!state->pattern->ok()) {
      return fail(ErrorKind::usage, "bad_pattern",
                  "--grep: '" + options.pattern + "' is not a regular expression: " + state->pattern->error(),
                  "RE2 syntax: github.com/google/re2/wiki/Syntax");
    }
  }
  state->options = std::move(options);
  state->write = std::move(write);
  return OutputStream(std::move(state));
}

void OutputStream::make_readable() {
  state_->readable = true;
}

void OutputStream::begin_within_line() {
  state_->left_out = true;
}

void OutputStream::begin_with_rest() {
  state_->rest = true;
}

void OutputStream::pass_over(std::uint64_t lines) {
  state_->passed_over = lines;
}

void OutputStream::add(std::uint64_t offset, std::string_view bytes) {
  State& state = *state_;
  if (state.options.raw && !state.pattern && !state.options.json) {
    state.write(bytes);
    state.matched = true;
    return;
  }
  if (state.line.empty()) state.line_at = offset;
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) {
      if (state.left_out) return;
      state.line += bytes;
      state.forget_overwritten();
      const bool too_long = state.line.size() > state.room();
      if (too_long && state.options.ends && state.room() == kMaxLineBytes) {
        state.keep_end();
      } else if (too_long) {
        state.show_piece();
      }
      return;
    }
    std::uint64_t length = newline + 1;
    if (state.left_out) {
      state.left_out = false;
    } else if (state.line.empty()) {
      state.show(bytes.substr(0, newline), true);
    } else {
      state.line += bytes.substr(0, newline);
      length = state.line.size() + 1;
      state.show(state.line, true);
    }
    state.end_line();
    state.line_at += length;
    bytes.remove_prefix(newline + 1);
  }
}

void OutputStream::finish() {
  if (!state_->line.empty()) {
    state_->show(state_->line, false);
    state_->end_line();
  }
}

void OutputStream::begin_anew() {
  finish();
  state_->left_out = false;
  state_->said.clear();
}

bool OutputStream::matched() const {
  return state_->matched;
}

std::uint64_t OutputStream::lines() const {
  return state_->lines;
}

}  // namespace luzia
