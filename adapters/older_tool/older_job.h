// Jobs of the older tool, as its folders tell of them (contract: Dispatch): meta.json, prompt.txt and an
// output.log that ends in `exit:<code>`. What stands there is not trusted: links are not followed, nothing is
// waited for, sizes are bounded. The parsers are pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "job.fb.h"

namespace luzia {

constexpr std::size_t kMaxOlderMeta = 1 << 20;         // bytes of a meta.json
constexpr std::size_t kMaxOlderPrompt = 4 << 20;       // bytes of a prompt.txt
constexpr std::uint64_t kMaxCountedOutput = 64 << 20;  // lines of greater outputs are not counted

/// What a meta.json says. Empty and 0: nothing.
struct OlderMeta {
  std::string id, project, task, agent;
  std::string status;  // running, completed, failed, killed, unknown
  std::int64_t pid = 0;
  TimeUs queued_us = 0, started_us = 0, ended_us = 0;
  TimeUs named_us = 0;  // start, else intake, else end, as it is written (ZonelessTime::utc)
  std::optional<int> exit_code;
  bool of_luzia = false;           // Luzia writes such a file too, for its own jobs
  std::vector<std::string> notes;  // members that could not be read, and why
};

/// `bad_older_job` (usage): no JSON object. A member that cannot be read counts as missing and is noted.
/// Times: RFC 3339, Python's isoformat() (local time where it names no zone), seconds or milliseconds since
/// 1970.
Result<OlderMeta> parse_older_meta(std::string_view json);

/// What a time without zone is taken for. `local`: this process's zone, for when it was; `utc`: the same
/// number in whatever zone it is read, for what must be known again.
enum class ZonelessTime { local, utc };
/// A moment as above; nullopt: none can be read, or it lies before 1990 or after 2100.
std::optional<TimeUs> parse_older_time(std::string_view text, ZonelessTime zone = ZonelessTime::local);

/// The end of an output.log.
struct OlderEnd {
  std::optional<int> exit_code;
  std::size_t trailer = 0;  // bytes of the empty line and exit:<code>
  std::string last_line;    // before them that is not blank, <= 512 bytes, valid UTF-8
};
OlderEnd read_older_end(std::string_view tail);

/// One job that has ended.
struct OlderJob {
  OlderMeta meta;
  std::string task;
  schema::JobState state = schema::JobState::lost;
  std::optional<int> exit_code;
  std::uint64_t output_bytes = 0, output_lines = 0;
  std::string last_line;
  std::string user;  // whose files they are
  std::uint32_t uid = 0, gid = 0;
};

/// How it ended: its exit code where there is one, else the older tool's word.
schema::JobState older_state(const OlderMeta& meta, std::optional<int> exit_code);

/// Reads the folder `name` below `parent_fd`. `bad_older_job` (usage): it holds no such job, or one that
/// still runs, or what is no plain file; one line without the folder's name. What is missing in meta.json is
/// replaced by the best that the files tell, and noted. `now`: a time after it counts as unreadable.
Result<OlderJob> read_older_job(int parent_fd, const std::string& name, TimeUs now);

/// The whole file below `dir_fd`; nullopt: there is none. `bad_older_job`: no plain file, greater than `most`
/// bytes, or not readable.
Result<std::optional<std::string>> read_plain_file(int dir_fd, const std::string& name, std::size_t most);

}  // namespace luzia
