#include "adapters/older_tool/older_job.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "engine/base/account.h"
#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/ids.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

using St = schema::JobState;

constexpr std::size_t kTailBytes = 64 * 1024;
constexpr std::size_t kLastLineBytes = 512;
constexpr std::size_t kMaxProjectBytes = 100;

tl::unexpected<Error> bad(std::string why) {
  return fail(ErrorKind::usage, "bad_older_job", std::move(why));
}

struct Output {
  OlderEnd end;
  std::uint64_t bytes = 0, lines = 0;
  TimeUs written_us = 0;
  std::uint32_t uid = 0, gid = 0;
  bool exists = false;
};

TimeUs time_of(const timespec& time) {
  return static_cast<TimeUs>(time.tv_sec) * kSecondUs + time.tv_nsec / 1'000;
}

std::uint64_t count_lines(int fd, std::uint64_t bytes) {
  std::string block(256 * 1024, '\0');
  std::uint64_t lines = 0, at = 0;
  while (at < bytes) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), bytes - at));
    const ssize_t got = pread(fd, block.data(), wanted, static_cast<off_t>(at));
    if (got <= 0) break;
    lines += static_cast<std::uint64_t>(std::count(block.begin(), block.begin() + got, '\n'));
    at += static_cast<std::uint64_t>(got);
  }
  return lines;
}

Result<Output> read_output(int dir_fd) {
  Output output;
  const Descriptor file(openat(dir_fd, "output.log", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return output;
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return bad("output.log is not a plain file that can be read");
  }
  output.exists = true;
  output.uid = status.st_uid;
  output.gid = status.st_gid;
  output.written_us = time_of(status.st_mtim);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t from = size > kTailBytes ? size - kTailBytes : 0;
  std::string tail(static_cast<std::size_t>(size - from), '\0');
  const ssize_t got = pread(file.get(), tail.data(), tail.size(), static_cast<off_t>(from));
  if (got < 0) return bad(std::string("output.log cannot be read: ") + strerror(errno));
  tail.resize(static_cast<std::size_t>(got));
  output.end = read_older_end(tail);
  output.bytes = from + tail.size() - output.end.trailer;
  if (output.bytes <= kMaxCountedOutput) output.lines = count_lines(file.get(), output.bytes);
  return output;
}

/// The pid may have been reused: that process began later.
bool still_runs(const OlderMeta& meta) {
  if (meta.pid <= 1 || meta.pid > 0x7fffffff) return false;
  struct stat process {};
  if (stat(("/proc/" + std::to_string(meta.pid)).c_str(), &process) != 0) return false;
  return meta.started_us == 0 || time_of(process.st_ctim) <= meta.started_us + kMinuteUs;
}

std::string user_name(std::uint32_t uid) {
  const auto account = account_of(uid);
  return account ? account->name : std::to_string(uid);
}

void leave_out_times_to_come(OlderMeta& meta, TimeUs now) {
  const std::pair<const char*, TimeUs*> moments[] = {
      {"queued", &meta.queued_us}, {"started", &meta.started_us}, {"ended", &meta.ended_us}};
  for (const auto& [name, time] : moments) {
    if (*time <= now) continue;
    meta.notes.push_back('"' + std::string(name) + "\" lies in the future");
    *time = 0;
  }
}

/// Fills times missing in meta.json from the files, and corrects their order.
void settle_times(OlderJob& job, TimeUs file_time) {
  OlderMeta& meta = job.meta;
  if (meta.ended_us == 0) meta.ended_us = std::max(file_time, meta.started_us);
  if (meta.started_us == 0) meta.started_us = meta.queued_us != 0 ? meta.queued_us : meta.ended_us;
  if (meta.queued_us == 0 || meta.queued_us > meta.started_us) meta.queued_us = meta.started_us;
  meta.ended_us = std::max(meta.ended_us, meta.started_us);
}

/// Converts to a valid project name.
std::string fitting_project(std::string_view name) {
  std::string fitting = bounded_utf8(name, kMaxProjectBytes);
  std::ranges::replace_if(
      fitting, [](char c) { return c == '/' || is_control(c); }, '-');
  return fitting;
}

void settle_project(OlderMeta& meta) {
  std::string fitting = meta.project.empty() ? "unknown" : fitting_project(meta.project);
  if (meta.project.empty()) {
    meta.notes.push_back("it names no project: taken as '" + fitting + "'");
  } else if (fitting != meta.project) {
    meta.notes.push_back("its project's name does not fit: taken as '" + fitting + "'");
  }
  meta.project = std::move(fitting);
}

Status take_task(OlderJob& job, int dir_fd) {
  const auto prompt = LUZIA_TRY(read_plain_file(dir_fd, "prompt.txt", kMaxOlderPrompt));
  job.task = older_task(job.meta.task, prompt.value_or(""));
  if (!job.task.empty()) return {};
  if (job.meta.project.empty()) return bad("it names neither a project nor a task");
  job.task = "(unknown)";
  job.meta.notes.push_back("neither meta.json nor prompt.txt says what its task was");
  return {};
}

}  // namespace

Result<std::optional<std::string>> read_plain_file(int dir_fd, const std::string& name, std::size_t most) {
  const Descriptor file(openat(dir_fd, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file && errno != ELOOP) return bad(name + " cannot be opened: " + strerror(errno));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return bad(name + " is not a plain file");
  }
  if (static_cast<std::uint64_t>(status.st_size) > most) {
    return bad(name + " has more than " + std::to_string(most >> 10) + " KiB");
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return bad(name + " cannot be read: " + strerror(errno));
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

std::string older_task(std::string_view task, std::string_view prompt) {
  if (is_blank(task)) return std::string(is_blank(prompt) ? std::string_view() : prompt);
  std::string_view stem = task;
  for (const std::string_view dots : {"...", "\u2026"}) {
    if (stem.ends_with(dots) && stem.size() > dots.size()) stem.remove_suffix(dots.size());
  }
  const std::size_t at = prompt.find(stem);
  if (at == std::string_view::npos) return std::string(task);
  const std::size_t end = at + stem.size();
  const auto next = static_cast<unsigned char>(end < prompt.size() ? prompt[end] : '\n');
  const bool goes_on = next == ' ' || std::isalnum(next) != 0 || next >= 0x80;
  const bool is_cut = stem.size() < task.size() || goes_on;
  return std::string(at == 0 || is_cut ? prompt.substr(at) : task);
}

OlderEnd read_older_end(std::string_view tail) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  constexpr std::string_view kMark = "exit:";
  OlderEnd end;
  std::string_view text = tail.substr(0, tail.find_last_not_of(kBlank) + 1);
  const std::size_t line = text.rfind('\n') + 1;  // npos + 1 is 0, the beginning
  const std::string_view last = text.substr(line);
  // At most ten digits and a sign: anything longer is not an exit code.
  const bool is_exit = last.starts_with(kMark) && last.size() > kMark.size() &&
                       last.size() <= kMark.size() + 11 &&
                       last.find_first_not_of("0123456789", kMark.size() + (last[kMark.size()] == '-')) ==
                           std::string_view::npos &&
                       last.back() != '-';
  if (is_exit) {
    const long long code = std::stoll(std::string(last.substr(kMark.size())));
    if (code >= -2147483648LL && code <= 2147483647LL) end.exit_code = static_cast<int>(code);
    const std::string_view before = text.substr(0, line);
    // The empty line before it, which luzia-run and the older tool write, is not output.
    const std::size_t cut = before.ends_with("\n\n") ? before.size() - 1 : before.size();
    end.trailer = tail.size() - cut;
    text = before.substr(0, before.find_last_not_of(kBlank) + 1);
  }
  const std::string_view shown = text.substr(text.find_last_of("\r\n") + 1);
  end.last_line = bounded_utf8(shown, kLastLineBytes);
  return end;
}

schema::JobState older_state(const OlderMeta& meta, std::optional<int> exit_code) {
  const bool by_signal = exit_code && *exit_code < 0 && meta.status != "failed";
  if (meta.status == "killed" || by_signal) return St::killed;
  if (exit_code) return *exit_code == 0 ? St::completed : St::failed;
  if (meta.status == "completed") return St::completed;
  if (meta.status == "failed") return St::failed;
  return St::lost;
}

Result<OlderJob> read_older_job(int parent_fd, const std::string& name, TimeUs now) {
  const Descriptor dir(openat(parent_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir) {
    return bad(errno == ENOTDIR || errno == ELOOP ? "it is a link, and links are not followed"
                                                  : std::string("it cannot be opened: ") + strerror(errno));
  }
  const auto json = LUZIA_TRY(read_plain_file(dir.get(), "meta.json", kMaxOlderMeta));
  if (!json) return bad("there is no meta.json in it");
  auto meta = LUZIA_TRY(parse_older_meta(*json));
  OlderJob job;
  job.meta = std::move(meta);
  if (job.meta.id.empty()) job.meta.id = name;
  if (job.meta.of_luzia) return bad("it is a job of Luzia's own");
  const auto output = LUZIA_TRY(read_output(dir.get()));
  job.exit_code = output.end.exit_code ? output.end.exit_code : job.meta.exit_code;
  if (!job.exit_code && job.meta.status == "running" && still_runs(job.meta)) {
    return bad("it still runs (pid " + std::to_string(job.meta.pid) + "): import it when it has ended");
  }
  LUZIA_TRY(take_task(job, dir.get()));
  struct stat folder {};
  if (fstat(dir.get(), &folder) != 0) return bad(std::string("it cannot be read: ") + strerror(errno));
  settle_project(job.meta);
  leave_out_times_to_come(job.meta, now);
  settle_times(job, std::min(now, output.exists ? output.written_us : time_of(folder.st_mtim)));
  job.state = older_state(job.meta, job.exit_code);
  job.output_bytes = output.bytes;
  job.output_lines = output.lines;
  job.last_line = output.end.last_line;
  job.uid = output.exists ? output.uid : folder.st_uid;
  job.gid = output.exists ? output.gid : folder.st_gid;
  job.user = user_name(job.uid);
  return job;
}

}  // namespace luzia
