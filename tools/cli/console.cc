#include "tools/cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "engine/base/counted.h"
#include "engine/base/percent.h"
#include "engine/base/time.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"

namespace luzia {
namespace {

constexpr std::int64_t kProgressEveryMs = 100;
constexpr std::string_view kClearLine = "\r\x1b[K";

std::int64_t monotonic_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Error output_failed(int errno_value) {
  return fail_errno(errno_value, "output_failed", "cannot write to standard output",
                    "check the disk or the program that reads it")
      .value();
}

Status Console::write(std::string_view text) {
  clear_progress();
  const std::string spelled = terminal_ ? spell_out(text, colours_) : std::string();
  const std::string_view shown = terminal_ ? std::string_view(spelled) : text;
  if (fwrite(shown.data(), 1, shown.size(), out_) == shown.size()) return {};
  return tl::unexpected(output_failed(errno));
}

Status Console::write_line(std::string_view text) {
  LUZIA_TRY(write(text));
  return write("\n");
}

Status Console::flush() {
  return fflush(out_) == 0 ? Status() : tl::unexpected(output_failed(errno));
}

Status Console::finish() {
  clear_progress();
  if (fflush(out_) == 0 && ferror(out_) == 0) return {};
  return tl::unexpected(output_failed(errno));
}

void Console::say(std::string_view line) {
  if (quiet_) return;
  clear_progress();
  fflush(out_);  // keep the order of both streams
  const std::string harmless = make_harmless(line, {.keep_newlines = true, .unicode = style_.unicode});
  fputs((harmless + "\n").c_str(), err_);
}

void Console::say_to_person(std::string_view line) {
  if (person_) say(line);
}

void Console::show_progress(std::string_view what, std::uint64_t done, std::uint64_t total) {
  if (!progress_) return;
  const std::int64_t now = monotonic_ms();
  if (progress_shown_ && now - progress_ms_ < kProgressEveryMs) return;
  progress_ms_ = now;
  progress_shown_ = true;
  std::string line = std::string(kClearLine).append(what);
  if (total > 0) {
    line +=
        fmt::format(" {} ({} of {})", whole_percent(static_cast<double>(done) / static_cast<double>(total)),
                    grouped(done), grouped(total));
  } else if (done > 0) {
    line += fmt::format(" {}", grouped(done));
  }
  line += pace_text(what, done, total, now);
  fputs(line.c_str(), err_);
  fflush(err_);
}

std::string Console::pace_text(std::string_view what, std::uint64_t done, std::uint64_t total,
                               std::int64_t now) {
  constexpr std::int64_t kTellingMs = 1000;
  if (task_ != what || done < task_done_) {
    task_ = what;
    task_ms_ = now;
    task_done_ = done;
  }
  if (now - task_ms_ < kTellingMs || done == task_done_) return {};
  const double a_second = static_cast<double>(done - task_done_) * 1000 / static_cast<double>(now - task_ms_);
  std::string text = fmt::format(", {}/s", grouped(static_cast<std::uint64_t>(a_second)));
  if (total <= done) return text;
  const double left = static_cast<double>(total - done) / a_second;
  return text + ", " + format_duration(static_cast<TimeUs>(left * kSecondUs)) + " left";
}

void Console::clear_progress() {
  if (!progress_shown_) return;
  fwrite(kClearLine.data(), 1, kClearLine.size(), err_);
  fflush(err_);
  progress_shown_ = false;
}

void print_raw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(std::string_view text) {
  static const bool shows = ::isatty(STDOUT_FILENO) == 1;
  if (shows) return print_raw(spell_out(text, true));
  print_raw(text);
}

void print_line(std::string_view text) {
  print(text);
  std::fputc('\n', stdout);
}

int print_error(std::string_view program, const Error& error, bool as_json, FILE* out, FILE* err,
                bool shows) {
  std::fflush(out);
  std::string text;
  if (as_json) {
    const std::string json = error_json(error);
    text = (shows ? spell_out(json, false) : json) + "\n";
  } else {
    const HarmlessOptions lines{.keep_newlines = true};
    text = std::string(program) + ": " + make_harmless(error.message, lines) + "\n";
    if (!error.hint.empty()) text += "  hint: " + make_harmless(error.hint, lines) + "\n";
  }
  std::fputs(text.c_str(), err);
  return static_cast<int>(error.kind);
}

}  // namespace luzia
