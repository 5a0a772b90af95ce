// Text in configuration and on the command line: command templates, times, durations, sizes, quiet hours,
// addresses to listen at. Templates neither lose nor add an argument. A printed time or size reads back.
// Quiet hours have a begin and an end. An address is read as itself, and one beyond this machine is never
// taken for one of it. Refusals give a reason. Input lines: a template's arguments.
#include <string>
#include <vector>

#include "adapters/config/byte_size.h"
#include "adapters/job_dir/job_dir.h"
#include "engine/base/local_time.h"
#include "engine/base/shell_quote.h"
#include "engine/base/time.h"
#include "engine/device/listening.h"
#include "engine/hook/daily_time.h"
#include "engine/hook/quiet_hours.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

constexpr TimeUs kNow = 1'795'000'000 * kSecondUs;

void check_template(const std::vector<std::string>& words) {
  // The values look like placeholders themselves but must not be filled in again.
  const std::vector<std::pair<std::string, std::string>> values = {{"task", "{job_id}"}, {"job_id", "{{"}};
  const auto filled = fill_placeholders(words, values);
  if (!filled) {
    require(filled.error().code == "unknown_placeholder", "the code of a bad template");
    return;
  }
  require(filled->size() == words.size(), "no argument is lost or added");
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].find('{') == std::string::npos) require((*filled)[i] == words[i], "plain words stay");
  }
}

void check_time(const std::string& text) {
  const auto duration = parse_duration_ms(text);
  if (duration) require(text.find('-') == std::string::npos, "durations are not negative");
  const auto time = parse_time(text, kNow);
  if (!time) return;
  // Years have four digits; times outside are printed as the nearest time inside.
  const std::string printed = format_rfc3339(*time);
  const auto read_again = parse_time(printed, 0);
  require(read_again.has_value(), "a printed time can be read");
  require(read_again == time || printed.starts_with("0000-01-01") || printed.starts_with("9999-12-31"),
          "and is the same");
  require(!format_duration(*time).empty(), "each duration has a text");
}

void check_size_and_hours(const std::string& text) {
  if (const auto bytes = parse_bytes(text))
    require(parse_bytes(bytes_text(*bytes)) == bytes, "a printed size is the same");
  const auto percent = parse_percent(text);
  require(!percent || *percent <= 1'000'000, "a percentage is bounded");
  const auto daily = parse_daily_time(text);
  require(!daily || (daily->minute >= 0 && daily->minute < 24 * 60 && daily->first_day >= 1 &&
                     daily->first_day <= daily->last_day && daily->last_day <= 7),
          "a daily time is of a day of the week");
  const auto quiet = parse_quiet_hours(text);
  if (!quiet) return;
  require(quiet->contains(quiet->begin) && !quiet->contains(quiet->end), "quiet hours begin and end");
  require(quiet->begin >= 0 && quiet->begin < 24 * 60 && quiet->end >= 0 && quiet->end < 24 * 60,
          "within a day");
}

void check_local_time(const std::string& text) {
  if (const auto time = parse_local_time(text, kNow)) {
    const std::string printed = format_local(*time);
    require(parse_time(printed, 0) == time || printed.starts_with("0000-01-01") ||
                printed.starts_with("9999-12-31"),
            "a local time is printed with its zone");
  }
  const auto to_come = parse_local_time_to_come(text, kNow);
  require(!to_come || !local_moment(*to_come, kNow).empty(), "a moment has a text");
}

void check_listen(const std::string& text) {
  const auto at = parse_listen(text);
  if (!at) return require(at.error().code == "bad_listen", "the code of a bad address");
  const bool is_six = at->address.find(':') != std::string::npos;
  const std::string again =
      (is_six ? "[" + at->address + "]:" : at->address + ":") + std::to_string(at->port);
  const auto read = parse_listen(again);
  require(read && *read == *at, "an address is read as itself");
  WebListening web;
  web.listen = text;
  const bool is_safe = check_listening(web).has_value();
  require(is_safe == is_loopback(at->address), "without TLS, only this machine is listened to");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const std::vector<std::string> words = lines_in(input);
  check_template(words);
  for (const std::string& word : words) {
    check_time(word);
    check_size_and_hours(word);
    check_local_time(word);
    check_listen(word);
    const std::string quoted = shell_quote(word);
    require(quoted.find_first_of(" ;&|<>$`\"*?\t\n") == std::string::npos || quoted.front() == '\'',
            "a shell sees one word");
  }
}
