// Text in configuration and on the command line: command templates, times, durations, sizes, quiet hours.
// Templates neither lose nor add an argument. A printed time or size reads back. Quiet hours have a begin and
// an end. Refusals give a reason. Input lines: a template's arguments.
#include <string>
#include <vector>

#include "adapters/config/byte_size.h"
#include "adapters/job_dir/job_dir.h"
#include "engine/base/shell_quote.h"
#include "engine/base/time.h"
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
  const auto quiet = parse_quiet_hours(text);
  if (!quiet) return;
  require(quiet->contains(quiet->begin) && !quiet->contains(quiet->end), "quiet hours begin and end");
  require(quiet->begin >= 0 && quiet->begin < 24 * 60 && quiet->end >= 0 && quiet->end < 24 * 60,
          "within a day");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const std::vector<std::string> words = lines_in(input);
  check_template(words);
  for (const std::string& word : words) {
    check_time(word);
    check_size_and_hours(word);
    const std::string quoted = shell_quote(word);
    require(quoted.find_first_of(" ;&|<>$`\"*?\t\n") == std::string::npos || quoted.front() == '\'',
            "a shell sees one word");
  }
}
