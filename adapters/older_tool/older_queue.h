// Reads the older tool's queue (contract: Queue) and writes entries in the same format. Files: capacity.json,
// and one per job, queue/pending/{high,normal}/{priority}_{timestamp}_{project}_{task_id}.json. The content
// is not trusted. The parsers are pure; any thread.
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
  std::string priority;  // a word or a number, as written
  std::string skill_match;
  TimeUs enqueued_us = 0;          // 0: absent
  TimeUs named_us = 0;             // the same, a zoneless time as UTC (ZonelessTime::utc)
  std::vector<std::string> notes;  // members that could not be read, and why
};

/// `bad_older_entry` (usage): not a JSON object, no readable project or prompt, or a job that no longer
/// waits. Any other unreadable member counts as missing and is noted.
Result<OlderEntry> parse_older_entry(std::string_view json);

/// The file's content: one object with members in the contract's order, then a newline.
std::string older_entry_json(const OlderEntry& entry);
/// "2_20261122T110501123456_web_1qfar2zr00c6x.json". In the project's name, any character but letters,
/// digits, dots and dashes becomes '-'. `rank`: lower ones come first.
std::string older_entry_name(int rank, const OlderEntry& entry);

/// A file to import as a job, or the reason why not.
struct OlderPending {
  std::string path;  // relative to the folder that was searched
  bool high = false;
  Result<OlderEntry> entry;
};
/// The files of the queue in `dir` in the order in which to queue them; empty if there is none. `dir` is the
/// queue's folder, which has `pending` in it, or the folder around it.
std::vector<OlderPending> read_older_queue(const std::string& dir);

/// The priority of an entry, 0 to 9, 9 first: what it says, if that agrees with its folder (high: 6 to 9,
/// normal: 0 to 7), else 8 in high and 5 in normal. Words: high 8, normal 5, low 2.
std::uint8_t older_priority(std::string_view written, bool high);

/// The limits in `capacity.json` as keys of [queue]: max_running, max_per_project, max_load,
/// min_free_memory_percent.
/// `left`: names of members without a counterpart. `bad_older_capacity`: not a JSON object, or a limit that
/// is not a number.
struct OlderCapacity {
  std::map<std::string, std::string> limits;  // as written in TOML
  std::vector<std::string> left;
};
Result<OlderCapacity> parse_older_capacity(std::string_view json);

/// Converts the projects of a config.json ({"projects":{NAME:{path,tools,knowledge}}}) to text for
/// luzia.toml; comments list members without a counterpart. `bad_older_config` (usage).
Result<std::string> older_config_as_toml(std::string_view json);

}  // namespace luzia
