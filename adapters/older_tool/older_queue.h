// The older tool's queue (contract: Queue): queue/pending/{high,normal}/{priority}_{timestamp}_{project}_
// {task_id}.json, one job each, and capacity.json. Read without trust; written in the same shape. The parsers
// are pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"

namespace luzia {

constexpr std::size_t kMaxOlderEntry = 8 << 20;  // bytes of a file

/// One file of the queue.
struct OlderEntry {
  std::string id, project, prompt, enqueued_by, status;
  std::string priority;  // as it is written: a word or a number
  std::string skill_match;
  TimeUs enqueued_us = 0;          // 0: it does not say
  TimeUs named_us = 0;             // the same as it is written (ZonelessTime::utc)
  std::vector<std::string> notes;  // members that could not be read, and why
};

/// `bad_older_entry` (usage): no JSON object, no project or prompt that can be read, or one that is not
/// waiting any more. Any other member that cannot be read counts as missing and is noted.
Result<OlderEntry> parse_older_entry(std::string_view json);

/// The file's content: one object, in the order of the contract, ended by a newline.
std::string older_entry_json(const OlderEntry& entry);
/// "2_20261122T110501123456_web_1qfar2zr00c6x.json": what is no letter, digit, dot or dash in a project's
/// name becomes '-'. `rank`: smaller ones come first.
std::string older_entry_name(int rank, const OlderEntry& entry);

/// A file that is to be a job, or why it is none.
struct OlderPending {
  std::string path;  // below the folder that was searched
  bool high = false;
  Result<OlderEntry> entry;
};
/// Files of `dir`/queue/pending, in the order in which they are to be queued; none where there is no such
/// folder.
std::vector<OlderPending> read_older_queue(const std::string& dir);

/// What `capacity.json` limits, as keys of [queue] (max_running, max_per_project, min_free_memory_percent);
/// `left`: names of members that have no counterpart. `bad_older_capacity`: no JSON object, or a limit that
/// is no number.
struct OlderCapacity {
  std::map<std::string, std::int64_t> limits;
  std::vector<std::string> left;
};
Result<OlderCapacity> parse_older_capacity(std::string_view json);

/// The projects of a config.json ({"projects":{NAME:{path,tools,knowledge}}}) as text for luzia.toml; what
/// has no counterpart is named in comments. `bad_older_config` (usage).
Result<std::string> older_config_as_toml(std::string_view json);

}  // namespace luzia
