// Reads the older tool's jobs from their folders (contract: Dispatch): meta.json, prompt.txt and an
// output.log that ends in `exit:<code>`. The content is not trusted: links are not followed, nothing blocks,
// sizes are bounded. The parsers are pure; any thread.
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
constexpr std::uint64_t kMaxCountedOutput = 64 << 20;  // lines of larger outputs are not counted

/// The content of a meta.json. Empty and 0 mean absent.
struct OlderMeta {
  std::string id, project, task, agent;
  std::string status;  // running, completed, failed, killed, unknown
  std::int64_t pid = 0;
  TimeUs queued_us = 0, started_us = 0, ended_us = 0;
  TimeUs named_us = 0;  // start, else intake, else end; zoneless times as UTC (ZonelessTime::utc)
  std::optional<int> exit_code;
  bool of_luzia = false;           // written by Luzia for one of its own jobs
  std::vector<std::string> notes;  // members that could not be read, and why
};

/// `bad_older_job` (usage): not a JSON object. An unreadable member counts as missing and is noted. Times may
/// be RFC 3339, Python's isoformat() (local time if it names no zone), or seconds or milliseconds since 1970.
Result<OlderMeta> parse_older_meta(std::string_view json);

/// How to read a time without a zone. `local`: in this process's zone, to know the real time. `utc`: as UTC,
/// which gives the same number in any zone, to recognize the job again.
enum class ZonelessTime { local, utc };
/// Parses a time as above; nullopt: unreadable, or before 1990 or after 2100.
std::optional<TimeUs> parse_older_time(std::string_view text, ZonelessTime zone = ZonelessTime::local);

/// A job's task: `task` of meta.json, which prompt.txt may hold inside a template. The older tool shortened
/// long tasks there; then it is the prompt's text from the task on. Without `task`, the whole prompt.
std::string older_task(std::string_view task, std::string_view prompt);

/// The end of an output.log.
struct OlderEnd {
  std::optional<int> exit_code;
  std::size_t trailer = 0;  // bytes of the empty line and exit:<code>
  std::string last_line;    // the last nonblank line before them, <= 512 bytes, valid UTF-8
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
  std::string user;  // owner of the files
  std::uint32_t uid = 0, gid = 0;
};

/// The final state: from the exit code if there is one (negative: a signal), else from the older tool's word.
schema::JobState older_state(const OlderMeta& meta, std::optional<int> exit_code);

/// Reads the folder `name` below `parent_fd`. `bad_older_job` (usage): it holds no such job, a job that still
/// runs, or an entry that is not a plain file. The message is one line without the folder's name. Values
/// missing in meta.json are filled from the other files if possible, and noted. `now`: a later time counts as
/// unreadable.
Result<OlderJob> read_older_job(int parent_fd, const std::string& name, TimeUs now);

/// Reads a whole file below `dir_fd`; nullopt: it does not exist. `bad_older_job`: not a plain file, larger
/// than `most` bytes, or unreadable.
Result<std::optional<std::string>> read_plain_file(int dir_fd, const std::string& name, std::size_t most);

}  // namespace luzia
