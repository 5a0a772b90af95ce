// The older tool's files: either a job, a queue entry, limits or settings within bounds, or refused in one
// line. A queue entry that was read and written again reads the same.
#include "adapters/older_tool/older_job.h"
#include "adapters/older_tool/older_queue.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using luzia::require;

void require_one_line(const luzia::Error& error) {
  require(!error.code.empty() && !error.message.empty(), "a refusal says why");
}

void check_meta(std::string_view input) {
  const auto meta = luzia::parse_older_meta(input);
  if (!meta) return require_one_line(meta.error());
  for (const luzia::TimeUs time : {meta->queued_us, meta->started_us, meta->ended_us}) {
    require(time >= 0 && time < 4'200'000'000LL * luzia::kSecondUs, "a time is within bounds");
  }
}

void check_end(std::string_view input) {
  const luzia::OlderEnd end = luzia::read_older_end(input);
  require(end.trailer <= input.size(), "the trailer is part of the output");
  require(end.last_line.size() <= 512, "the last line is bounded");
  require(end.last_line.find('\n') == std::string::npos, "and one line");
}

void check_entry(std::string_view input) {
  const auto entry = luzia::parse_older_entry(input);
  if (!entry) return require_one_line(entry.error());
  require(!entry->project.empty() && !entry->prompt.empty(), "an entry has a project and a prompt");
  const std::string name = luzia::older_entry_name(1, *entry);
  require(name.find('/') == std::string::npos && name.size() < 256, "its name stays in its folder");
  const auto again = luzia::parse_older_entry(luzia::older_entry_json(*entry));
  require(again.has_value(), "what is written is read");
  require(again->prompt == entry->prompt && again->project == entry->project && again->id == entry->id &&
              again->enqueued_us == entry->enqueued_us,
          "and means the same");
}

}  // namespace

void luzia::fuzz(std::string_view input) {
  check_meta(input);
  check_end(input);
  check_entry(input);
  if (const auto capacity = parse_older_capacity(input); !capacity) require_one_line(capacity.error());
  if (const auto toml = older_config_as_toml(input); !toml) require_one_line(toml.error());
  (void)parse_older_time(input);
}
