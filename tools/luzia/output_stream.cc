#include "tools/luzia/output_stream.h"

#include <re2/re2.h>

#include "projections/rows/harmless.h"
#include "projections/rows/json_writer.h"

namespace luzia {
namespace {

// A line longer than this is shown in pieces.
constexpr std::size_t kMaxLineBytes = 1 << 20;

}  // namespace

struct OutputStream::State {
  OutputOptions options;
  std::function<void(std::string_view)> write;
  std::unique_ptr<RE2> pattern;
  std::string line;           // the part of a line that has come
  std::uint64_t line_at = 0;  // where it begins
  bool matched = false;

  void show(std::string_view text, bool ended) {
    if (pattern && !RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern)) {
      return;
    }
    matched = true;
    if (options.json) {
      std::string object;
      JsonWriter json(object);
      json.begin_object();
      json.key("offset");
      json.number(line_at);
      json.key("text");
      json.text(text);
      json.end_object();
      write(object + "\n");
    } else if (options.raw) {
      write(text);
      write(ended ? "\n" : "");
    } else {
      // Lines that end as in DOS.
      if (!text.empty() && text.back() == '\r') {
        text.remove_suffix(1);
      }
      const std::string words = without_terminal_marks(text);
      // A line of nothing but marks was never one for a reader.
      if (!words.empty() || text.empty()) {
        write(make_harmless(words, {.unicode = options.unicode}) + "\n");
      }
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
                  "--grep: '" + options.pattern + "' is no regular expression: " + state->pattern->error(),
                  "RE2 syntax: github.com/google/re2/wiki/Syntax");
    }
  }
  state->options = std::move(options);
  state->write = std::move(write);
  return OutputStream(std::move(state));
}

void OutputStream::add(std::uint64_t offset, std::string_view bytes) {
  State& state = *state_;
  if (state.options.raw && !state.pattern && !state.options.json) {
    state.write(bytes);
    state.matched = true;
    return;
  }
  if (state.line.empty()) {
    state.line_at = offset;
  }
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) {
      state.line += bytes;
      if (state.line.size() > kMaxLineBytes) {
        state.show(state.line, false);
        state.line_at += state.line.size();
        state.line.clear();
      }
      return;
    }
    std::uint64_t length = newline + 1;
    if (state.line.empty()) {
      state.show(bytes.substr(0, newline), true);
    } else {
      state.line += bytes.substr(0, newline);
      length = state.line.size() + 1;
      state.show(state.line, true);
      state.line.clear();
    }
    state.line_at += length;
    bytes.remove_prefix(newline + 1);
  }
}

void OutputStream::finish() {
  if (!state_->line.empty()) {
    state_->show(state_->line, false);
    state_->line.clear();
  }
}

bool OutputStream::matched() const {
  return state_->matched;
}

}  // namespace luzia
