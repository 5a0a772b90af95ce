#include "adapters/agents/progress_line.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/characters.h"
#include "engine/base/escape_sequences.h"

namespace luzia {
namespace {

constexpr char kEscape = '\x1b';
constexpr int kRedrawsLookedAt = 4;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Loops instead of find_first_not_of, which calls memchr for each byte; nearly every line has few blanks or
// none.

std::string_view without_blanks_before(std::string_view text) {
  std::size_t blanks = 0;
  while (blanks < text.size() && is_blank(text[blanks])) ++blanks;
  return text.substr(blanks);
}

std::string_view without_blanks_around(std::string_view text) {
  text = without_blanks_before(text);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// ---- the visible state ----

struct State {
  std::size_t from = 0, to = 0;
};

/// The last redraw that is not blank. One check shows that nearly every line is a single state.
std::optional<State> last_state(std::string_view line) {
  for (int i = 0; i < kRedrawsLookedAt && !line.empty(); ++i) {
    const std::size_t window = line.size() > kMaxProgressLine ? line.size() - kMaxProgressLine - 1 : 0;
    const void* found = memrchr(line.data() + window, '\r', line.size() - window);
    if (found == nullptr && window > 0) return std::nullopt;
    const std::size_t from =
        found == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(found) - line.data()) + 1;
    if (!without_blanks_before(line.substr(from)).empty()) return State{from, line.size()};
    line = line.substr(0, from == 0 ? 0 : from - 1);
  }
  return std::nullopt;
}

// ---- reading a shape from left to right ----

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }

  bool take(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Skips blanks and returns their number.
  std::size_t blanks() {
    const std::size_t before = rest_.size();
    rest_ = without_blanks_before(rest_);
    return before - rest_.size();
  }
  std::size_t run_of(std::string_view characters) {
    const std::size_t count = std::min(rest_.find_first_not_of(characters), rest_.size());
    rest_.remove_prefix(count);
    return count;
  }
  /// Digits, at most nine.
  std::optional<unsigned> number() {
    const std::string_view text = rest_.substr(0, 10);
    unsigned value = 0;
    std::size_t length = 0;
    for (; length < text.size() && is_digit(text[length]); ++length) {
      value = value * 10 + static_cast<unsigned>(text[length] - '0');
    }
    if (length == 0 || length > 9) return std::nullopt;
    rest_.remove_prefix(length);
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<ProgressLine> of_percent(double percent, std::string_view step = {}) {
  if (!(percent >= 0 && percent <= 100)) return std::nullopt;
  return ProgressLine{percent, 0, 0, std::string(step)};
}

struct Count {
  unsigned done, all;
};

/// Whether the integer percent grew with this step. A step is worth 100 / all percent, so it grew if done *
/// 100 mod all is less than 100. That is also true at 0, the beginning.
bool is_news(Count count) {
  return count.all >= 2 && count.done <= count.all && std::uint64_t{count.done} * 100 % count.all < 100;
}

std::optional<ProgressLine> of_steps(Count count, std::string_view step) {
  if (!is_news(count)) return std::nullopt;
  return ProgressLine{100.0 * count.done / count.all, count.done, count.all, std::string(step)};
}

/// k/n, with blanks before k as tools align it.
std::optional<Count> take_count(Reader& reader) {
  reader.blanks();
  const auto done = reader.number();
  if (!done || !reader.take('/')) return std::nullopt;
  const auto all = reader.number();
  if (!all) return std::nullopt;
  return Count{*done, *all};
}

// ---- the shapes; each receives the state without surrounding blanks ----

using Shape = std::optional<ProgressLine>;

Shape bracketed_count(std::string_view text) {
  Reader reader(text);
  if (!reader.take('[')) return std::nullopt;
  const auto count = take_count(reader);
  if (!count || !reader.take(']') || (reader.blanks() == 0 && !reader.at_end())) return std::nullopt;
  return of_steps(*count, reader.rest());
}

Shape docker_step(std::string_view text) {
  Reader reader(text);
  const bool classic = reader.take("Step ");
  if (!classic) {
    if (!reader.take('#') || !reader.number() || !reader.take(" [")) return std::nullopt;
    if (const std::size_t name = reader.rest().find(' '); name < reader.rest().find(']')) {
      reader = Reader(reader.rest().substr(name));
    }
  }
  const auto count = take_count(reader);
  if (!count || count->done == 0 || !reader.take(classic ? " : " : "] ")) return std::nullopt;
  auto progress = of_steps(*count, reader.rest());
  if (progress) progress->percent = 100.0 * (count->done - 1) / count->all;
  return progress;
}

Shape ctest_test(std::string_view text) {
  Reader reader(text);
  const auto count = take_count(reader);
  if (!count || !reader.take(" Test ")) return std::nullopt;
  reader.blanks();
  if (!reader.take('#') || !reader.number() || !reader.take(": ")) return std::nullopt;
  const std::string_view name = reader.rest().substr(0, reader.rest().find(" ."));
  return of_steps(*count, name);
}

Shape make_target(std::string_view text) {
  Reader reader(text);
  if (!reader.take('[')) return std::nullopt;
  reader.blanks();
  const auto percent = reader.number();
  if (!percent || !reader.take("%] ")) return std::nullopt;
  const std::string_view step = reader.rest();
  if (!step.starts_with("Built target ") && !step.starts_with("Linking ")) return std::nullopt;
  return of_percent(*percent, step);
}

Shape git_phase(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kPhases = {
      "Receiving objects",   "Resolving deltas",   "Counting objects",
      "Compressing objects", "Writing objects",    "Updating files",
      "Unpacking objects",   "Checking out files", "Filtering content"};
  Reader reader(text);
  if (reader.take("remote:")) reader.blanks();
  const auto phase = std::find_if(kPhases.begin(), kPhases.end(),
                                  [&reader](std::string_view phase) { return reader.take(phase); });
  if (phase == kPhases.end() || !reader.take(':')) return std::nullopt;
  reader.blanks();
  const auto percent = reader.number();
  if (!percent || !reader.take("% (") || !take_count(reader) || !reader.take(')')) return std::nullopt;
  return of_percent(*percent, *phase);
}

Shape tqdm_bar(std::string_view text) {
  const std::size_t bar = text.find("%|");
  if (bar == std::string_view::npos) return std::nullopt;
  std::size_t digits = bar;
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  const std::string_view title = text.substr(0, std::min(digits, text.rfind(": ", digits)));
  if (digits != 0 && !text.substr(title.size(), digits - title.size()).starts_with(": ")) return std::nullopt;
  const auto percent = Reader(text.substr(digits)).number();
  const std::size_t close = text.find('|', bar + 2);
  if (!percent || close == std::string_view::npos) return std::nullopt;
  Reader after(text.substr(close + 1));
  after.blanks();
  if (!after.number()) return std::nullopt;
  return of_percent(*percent, title);
}

Shape cargo_bar(std::string_view text) {
  Reader reader(text);
  if (!reader.take("Building") && !reader.take("Checking") && !reader.take("Documenting"))
    return std::nullopt;
  if (!reader.take(" [")) return std::nullopt;
  reader.run_of("=");
  reader.take('>');
  reader.blanks();
  if (!reader.take(']')) return std::nullopt;
  const auto count = take_count(reader);
  if (!count || count->all == 0) return std::nullopt;
  const std::string_view step = reader.take(": ") ? reader.rest() : std::string_view();
  return of_percent(100.0 * count->done / count->all, step);
}

Shape apt_progress(std::string_view text) {
  Reader reader(text);
  if (!reader.take("Progress: [")) return std::nullopt;
  reader.blanks();
  const auto percent = reader.number();
  return percent && reader.take("%]") ? of_percent(*percent) : std::nullopt;
}

/// tests/test_a.py ..F.  [ 42%]
Shape pytest_file(std::string_view text) {
  const std::size_t name = text.find(".py ");
  if (name == std::string_view::npos || text.find(' ') < name) return std::nullopt;
  Reader reader(text.substr(name + 4));
  if (reader.run_of(".FEsxXpP") == 0 || reader.blanks() == 0 || !reader.take('[')) return std::nullopt;
  reader.blanks();
  const auto percent = reader.number();
  if (!percent || !reader.take("%]") || !reader.at_end()) return std::nullopt;
  return of_percent(*percent, text.substr(0, name + 3));
}

// ---- choosing the shape ----

Shape first_of(std::string_view text, std::initializer_list<Shape (*)(std::string_view)> shapes) {
  for (const auto shape : shapes) {
    if (auto progress = shape(text)) return progress;
  }
  return std::nullopt;
}

/// Chosen by the first byte, else by a percent sign; ordinary lines match neither.
Shape any_shape(std::string_view text) {
  const char first = text.front();
  if (first == '[') return first_of(text, {bracketed_count, make_target});
  if (first == '#') return docker_step(text);
  Shape progress;
  if (first == 'S') progress = docker_step(text);
  if (first >= 'B' && first <= 'D') progress = cargo_bar(text);
  if (is_digit(first)) progress = ctest_test(text);
  if (progress || text.find('%') == std::string_view::npos) return progress;
  return first_of(text, {git_phase, apt_progress, tqdm_bar, pytest_file});
}

/// Bytes with which a shape begins, including colors; the other shapes contain a percent sign.
constexpr std::array<bool, 256> first_bytes() {
  std::array<bool, 256> first{};
  for (const char c : std::string_view("0123456789SBCD[#\x1b")) first[static_cast<unsigned char>(c)] = true;
  return first;
}

/// "[" followed by neither a percent nor a count that is news cannot be any shape. Nearly every line of a
/// build or test run stops here; only a memchr scans all of it.
bool is_idle_bracket(std::string_view text) {
  Reader reader(text);
  if (!reader.take('[')) return false;
  if (const auto count = take_count(reader)) return reader.take(']') && !is_news(*count);
  const std::string_view next = reader.rest();
  return !next.starts_with('%') && !next.starts_with(kEscape);  // a color may hide the rest
}

}  // namespace

bool may_be_progress(std::string_view line) {
  static constexpr std::array<bool, 256> kFirst = first_bytes();
  const std::string_view text = without_blanks_before(line);
  const bool begins_as_one = !text.empty() && kFirst[static_cast<unsigned char>(text.front())];
  const bool idle = begins_as_one ? is_idle_bracket(text) : text.find('%') == std::string_view::npos;
  return !idle || line.find('\r') != std::string_view::npos;
}

std::optional<ProgressLine> progress_line(std::string_view line) {
  const auto state = last_state(line);
  if (!state) return std::nullopt;
  std::string_view text = line.substr(state->from, state->to - state->from);
  std::string plain;
  if (text.find(kEscape) != std::string_view::npos) {
    append_without_escapes(text, plain);
    text = plain;
  }
  text = without_blanks_around(text);
  if (text.empty()) return std::nullopt;
  Shape progress = any_shape(text);
  if (progress) progress->from = state->from, progress->to = state->to;
  return progress;
}

}  // namespace luzia
