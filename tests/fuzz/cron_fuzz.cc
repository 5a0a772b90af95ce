// Rules of schedules and files of time zones. A rule that is accepted has a next time after any moment, later
// than it; a refusal gives a reason. Input: a rule, a line break, a zone (a file of tzdata or a POSIX text).
#include <algorithm>
#include <string_view>

#include "engine/schedule/cron.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view rest = input.substr(std::min(end + 1, input.size()));
  auto zone = parse_zone_file(rest);
  if (!zone) zone = parse_zone_rule(rest);
  const auto cron = parse_cron(input.substr(0, end));
  if (!cron) {
    require(cron.error().code == "bad_cron" && !cron.error().message.empty(), "a refusal gives a reason");
    return;
  }
  TimeUs time = 1'774'700'000 * kSecondUs;  // a day before Europe changes its clocks
  for (int i = 0; i < 8; ++i) {
    const auto next = next_time(*cron, zone.value_or(TimeZone()), time);
    require(next.has_value(), "an accepted rule is due again");
    require(*next > time, "and later");
    time = *next;
  }
}
