#include "tools/luzia-query/console.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <chrono>

#include "engine/base/counted.h"
#include "engine/base/time.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr std::int64_t kProgressEveryMs = 100;
constexpr std::string_view kClearLine = "\r\x1b[K";

std::string_view value_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value != nullptr ? std::string_view(value) : std::string_view{};
}

bool wants_colour(ColourChoice choice, const Environment& environment, bool terminal) {
  switch (choice) {
    case ColourChoice::always:
      return true;
    case ColourChoice::never:
      return false;
    case ColourChoice::automatic:
      break;
  }
  if (!value_of(environment, "NO_COLOR").empty()) return false;
  const std::string_view forced = value_of(environment, "CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return terminal && value_of(environment, "TERM") != "dumb";
}

/// The first of these that is set decides, as for the C library.
bool utf8_locale(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = value_of(environment, name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string_view::npos || value.find("utf8") != std::string_view::npos ||
           value.find("utf-8") != std::string_view::npos;
  }
  return false;
}

std::size_t columns_for(const Environment& environment, const StreamTraits& stream) {
  const std::string_view asked = value_of(environment, "COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), columns);
  if (error == std::errc{} && end == asked.data() + asked.size() && columns > 0) return columns;
  return stream.terminal ? stream.columns : 0;
}

std::int64_t monotonic_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

TableStyle style_for(ColourChoice choice, const Environment& environment, const StreamTraits& stream) {
  TableStyle style;
  style.width = columns_for(environment, stream);
  style.colour = wants_colour(choice, environment, stream.terminal);
  style.unicode = stream.terminal && value_of(environment, "TERM") != "dumb" && utf8_locale(environment);
  return style;
}

Status Console::output_failed(int errno_value) const {
  return fail_errno(errno_value, "output_failed", "cannot write to standard output",
                    "check the disk or the program that reads it");
}

Status Console::write(std::string_view text) {
  clear_progress();
  const std::string spelled = terminal_ ? spell_out(text, colours_) : std::string();
  const std::string_view shown = terminal_ ? std::string_view(spelled) : text;
  if (fwrite(shown.data(), 1, shown.size(), out_) == shown.size()) return {};
  return output_failed(errno);
}

Status Console::write_line(std::string_view text) {
  if (auto written = write(text); !written) return written;
  return write("\n");
}

Status Console::flush() {
  return fflush(out_) == 0 ? Status() : output_failed(errno);
}

Status Console::finish() {
  clear_progress();
  if (fflush(out_) == 0 && ferror(out_) == 0) return {};
  return output_failed(errno);
}

void Console::say(std::string_view line) {
  clear_progress();
  fflush(out_);  // so that both appear in the order in which they were written
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
    line += fmt::format(" {} % ({} of {})", done * 100 / total, grouped(done), grouped(total));
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

}  // namespace luzia
