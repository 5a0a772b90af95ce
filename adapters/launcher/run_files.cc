// Reads claims and exit records for the daemon. Strict: anything that differs from run_record.h is an error.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "adapters/launcher/host_record.h"
#include "adapters/launcher/launcher.h"
#include "adapters/launcher/run_record.h"
#include "engine/base/descriptor.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

using namespace run_record;

constexpr const char* kUnreadable = "run_file_unreadable";

// Reads at most `limit` bytes; nullopt if the file does not exist.
Result<std::optional<std::string>> read_small_file(const std::string& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) return fail_errno(errno, kUnreadable, "cannot open " + path);
  auto bytes = read_up_to(file.get(), limit);
  if (!bytes) return fail_errno(errno, kUnreadable, "cannot read " + path);
  return bytes;
}

// Consumes lines `key=value\n` from the front of the text, checking the expected keys.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool take_literal(std::string_view line) {
    if (!rest_.starts_with(line) || rest_.size() == line.size() || rest_[line.size()] != '\n') return false;
    rest_.remove_prefix(line.size() + 1);
    return true;
  }
  std::optional<std::string_view> take(std::string_view key) {
    if (!rest_.starts_with(key) || rest_.size() == key.size() || rest_[key.size()] != '=')
      return std::nullopt;
    const std::size_t end = rest_.find('\n', key.size());
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = rest_.substr(key.size() + 1, end - key.size() - 1);
    rest_.remove_prefix(end + 1);
    return value;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

template <class Number>
bool parse_number(std::optional<std::string_view> text, Number& out, int base = 10) {
  if (!text || text->empty()) return false;
  const char* end = text->data() + text->size();
  const auto result = std::from_chars(text->data(), end, out, base);
  return result.ec == std::errc{} && result.ptr == end;
}

bool parse_process(std::optional<std::string_view> text, ProcessId& out) {
  if (!text) return false;
  const std::size_t blank = text->find(' ');
  return blank != std::string_view::npos && parse_number<std::uint32_t>(text->substr(0, blank), out.pid) &&
         parse_number<std::uint64_t>(text->substr(blank + 1), out.start);
}

std::optional<Claim> parse_claim(std::string_view bytes) {
  if (bytes.size() != kClaimSize) return std::nullopt;
  Lines lines(bytes);
  Claim claim;
  if (!lines.take_literal("luzia-claim 1")) return std::nullopt;
  const auto boot_id = lines.take("boot_id");
  if (!boot_id || boot_id->size() != kBootIdSize) return std::nullopt;
  claim.boot_id = *boot_id;
  const bool good = parse_process(lines.take("runner"), claim.runner) && claim.runner.pid != 0 &&
                    parse_process(lines.take("agent"), claim.agent) && lines.rest().empty();
  return good ? std::optional(claim) : std::nullopt;
}

bool parse_flag(std::optional<std::string_view> text, bool& out) {
  if (!text || (*text != "0" && *text != "1")) return false;
  out = *text == "1";
  return true;
}

bool parse_exit_code(std::optional<std::string_view> text, schema::AttemptEndedT& end) {
  if (!text || *text == "none") return text.has_value();
  int code = 0;
  if (!parse_number(text, code)) return false;
  end.exit_code = code;
  return true;
}

bool sum_holds(std::string_view record, std::string_view rest) {
  const auto size = static_cast<std::size_t>(rest.data() - record.data());
  Lines lines(rest);
  std::uint64_t expected = 0;
  return parse_number(lines.take("sum"), expected, 16) && expected == sum(record.data(), size) &&
         lines.rest().find_first_not_of(' ') == lines.rest().size() - 1 && lines.rest().ends_with('\n');
}

/// Absent if no limit was reached that the kernel holds.
bool parse_reached(Lines& lines, schema::AttemptEndedT& end) {
  const auto word = lines.take("reached");
  if (!word) return true;
  end.reached = std::make_unique<schema::ReachedLimitT>();
  end.reached->reason =
      *word == kReachedMemory ? schema::StopReason::memory_limit : schema::StopReason::process_limit;
  return *word == kReachedMemory || *word == kReachedProcesses;
}

/// Absent if no checks began; without a verdict if they did not run to their end.
bool parse_proof(Lines& lines, schema::AttemptEndedT& end) {
  const auto from = lines.take("checks_from");
  if (from && !parse_number(from, end.checks_from)) return false;
  const auto verdict = lines.take("verified");
  if (!verdict) return true;
  bool verified = false;
  const auto error = lines.take("check_error");
  if (!from || !parse_flag(verdict, verified) || !error) return false;
  end.verified = verified;
  end.check_error = *error;
  return true;
}

std::optional<schema::AttemptEndedT> parse_exit_record(std::string_view record, std::string_view job,
                                                       std::uint32_t attempt) {
  if (record.size() != kExitRecordSize) return std::nullopt;
  Lines lines(record);
  schema::AttemptEndedT end;
  const bool head = lines.take_literal(kExitRecordMagic) && lines.take("job") == job &&
                    parse_number(lines.take("attempt"), end.attempt) && end.attempt == attempt &&
                    lines.take("boot_id").has_value();
  const bool fate = head && parse_exit_code(lines.take("exit_code"), end) &&
                    parse_number(lines.take("signal"), end.signal) &&
                    parse_flag(lines.take("core_dumped"), end.core_dumped);
  const bool measures = fate && parse_number(lines.take("ended_us"), end.ended_us) &&
                        parse_number(lines.take("wall_us"), end.wall_us) &&
                        parse_number(lines.take("user_us"), end.user_us) &&
                        parse_number(lines.take("system_us"), end.system_us) &&
                        parse_number(lines.take("max_rss_kib"), end.max_rss_kib) &&
                        parse_number(lines.take("output_bytes"), end.output_bytes) &&
                        parse_number(lines.take("leftovers_killed"), end.leftovers_killed) &&
                        parse_flag(lines.take("preflight_failed"), end.preflight_failed);
  if (!measures) return std::nullopt;
  const auto start_error = lines.take("start_error");
  if (!start_error || !parse_proof(lines, end) || !parse_reached(lines, end) ||
      !sum_holds(record, lines.rest()))
    return std::nullopt;
  end.start_error = *start_error;
  return end;
}

// A luzia-run creates and locks its claim while it holds a shared lock on the folder (run_record.h). A
// process that gets an exclusive lock on the folder knows that each claim it saw before is locked or
// abandoned.
void wait_for_unfinished_claims(const std::string& run_dir) {
  const Descriptor folder(::open(run_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (folder && ::flock(folder.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

/// Tests briefly, with a shared lock, so that several testers do not disturb each other.
bool is_locked(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(fd, LOCK_UN);
  return false;
}

bool rename_whole(const std::string& from, std::size_t size, const std::string& to) {
  struct stat status;
  return ::lstat(from.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
         status.st_size == static_cast<off_t>(size) &&
         ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
}

tl::unexpected<Error> attempt_alive(const std::string& path, const std::string& who) {
  return fail(
      ErrorKind::refused, "attempt_alive",
      "another attempt of this job is alive" + who + ", started by another store: it holds " + path,
      "wait for its end, or end it (`fuser " + path + "` names who has it open); then: luzia retry JOB");
}

/// A line of host_record.h.
std::optional<schema::HostUseT> parse_host_line(const std::string& line) {
  using namespace host_record;
  schema::HostUseT use;
  char verdict = 0, host[kLineSize] = "";
  unsigned port = 0;
  unsigned long long connections = 0, bytes = 0;
  static_assert(kLineSize == 320);
  if (std::sscanf(line.c_str(), "%c %5u %10llu %20llu %319s", &verdict, &port, &connections, &bytes, host) !=
      5)
    return std::nullopt;
  if (verdict != kAllowed && verdict != kNotListed && verdict != kPrivate) return std::nullopt;
  use.host = host;
  use.port = static_cast<std::uint16_t>(port);
  use.verdict = verdict == kAllowed     ? schema::HostVerdict::allowed
                : verdict == kNotListed ? schema::HostVerdict::not_listed
                                        : schema::HostVerdict::private_address;
  use.connections = connections;
  use.bytes = bytes;
  return use;
}

std::string hosts_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  return claim_path(run_dir, job, attempt) + kHostsSuffix;
}

std::string process_words(const ProcessId& process) {
  return process.pid == 0 ? std::string() : " (process " + std::to_string(process.pid) + ")";
}

}  // namespace

std::string claim_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  return run_dir + '/' + job + '.' + std::to_string(attempt);
}

std::string exit_record_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  return claim_path(run_dir, job, attempt) + ".exit";
}

std::string moved_mark_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  return claim_path(run_dir, job, attempt) + ".moved";
}

Result<std::optional<Claim>> read_claim(const std::string& run_dir, const std::string& job,
                                        std::uint32_t attempt) {
  const std::string path = claim_path(run_dir, job, attempt);
  const auto bytes = LUZIA_TRY(read_small_file(path, kClaimSize + 1));
  if (!bytes) return std::nullopt;
  auto claim = parse_claim(*bytes);
  if (!claim) {
    return fail(ErrorKind::trouble, "claim_unreadable", path + " is not a whole claim",
                "the attempt's luzia-run was interrupted while it began; if it is not running, the attempt "
                "never ran");
  }
  return claim;
}

Result<std::optional<schema::AttemptEndedT>> read_exit_record(const std::string& run_dir,
                                                              const std::string& job, std::uint32_t attempt) {
  const std::string path = exit_record_path(run_dir, job, attempt);
  const auto bytes = LUZIA_TRY(read_small_file(path, kExitRecordSize + 1));
  if (!bytes) return std::nullopt;
  auto end = parse_exit_record(*bytes, job, attempt);
  if (!end) {
    return fail(ErrorKind::trouble, "exit_record_unreadable",
                path + " is not a whole exit record of this attempt",
                "the file was damaged; how the attempt ended cannot be known from it");
  }
  return end;
}

Result<std::optional<schema::AttemptEndedT>> read_left_record(const std::string& run_dir,
                                                              const std::string& job, std::uint32_t attempt) {
  auto record = LUZIA_TRY(read_exit_record(run_dir, job, attempt));
  if (record) return record;
  const std::string unnamed = exit_record_path(run_dir, job, attempt) + ".tmp";
  const auto bytes = LUZIA_TRY(read_small_file(unnamed, kExitRecordSize + 1));
  return bytes ? parse_exit_record(*bytes, job, attempt) : std::nullopt;
}

std::optional<std::uint64_t> read_checks_from(const std::string& run_dir, const std::string& job,
                                              std::uint32_t attempt) {
  const std::string path = exit_record_path(run_dir, job, attempt);
  std::uint64_t from = 0;
  // luzia-run replaces the line by the whole record before it renames the file.
  const auto unfinished = read_small_file(path + ".tmp", kExitRecordSize + 1);
  if (unfinished && *unfinished) {
    if (parse_number(Lines(**unfinished).take("checks_from"), from)) return from;
    if (const auto end = parse_exit_record(**unfinished, job, attempt)) return checks_from(*end);
  }
  const auto record = read_exit_record(run_dir, job, attempt);
  return record && *record ? checks_from(**record) : std::nullopt;
}

ContactedHosts read_hosts(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  using namespace host_record;
  ContactedHosts contacted;
  const auto bytes = read_small_file(hosts_path(run_dir, job, attempt), kLineSize * (kMostHosts + 1));
  if (!bytes || !*bytes) return contacted;
  std::string_view rest = **bytes;
  unsigned long long more = 0;
  if (rest.size() < kLineSize ||
      std::sscanf(std::string(rest.substr(0, kLineSize)).c_str(), "luzia-hosts 1 more=%20llu", &more) != 1)
    return contacted;
  contacted.more = more;
  for (rest.remove_prefix(kLineSize); rest.size() >= kLineSize; rest.remove_prefix(kLineSize)) {
    auto host = parse_host_line(std::string(rest.substr(0, kLineSize)));
    if (!host) break;
    contacted.hosts.push_back(std::move(*host));
  }
  return contacted;
}

std::optional<std::uint64_t> checks_from(const schema::AttemptEndedT& end) {
  return end.verified || end.checks_from != 0 ? std::optional(end.checks_from) : std::nullopt;
}

bool is_claim_held(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  const Descriptor claim(
      ::open(claim_path(run_dir, job, attempt).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!claim) return errno != ENOENT;
  if (is_locked(claim.get())) return true;
  wait_for_unfinished_claims(run_dir);
  return is_locked(claim.get());
}

Status check_no_attempt_lives(const std::string& job_dir, std::uint32_t uid) {
  const std::string path = job_dir + '/' + kJobClaim;
  const Descriptor dir(::open(job_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir) return {};  // missing; any other problem is for the code that prepares it
  const Descriptor file(::openat(dir.get(), kJobClaim, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const bool missing = !file && errno == ENOENT;
  struct stat info {};
  const bool usable = file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == uid;
  if (!missing && !usable) {
    return fail(ErrorKind::trouble, "job_claim_unusable",
                path + " is not a regular file of user " + std::to_string(uid) +
                    ": whether an attempt of this job is alive is unknown",
                "remove it; then: luzia retry JOB");
  }
  char bytes[kClaimSize + 1];
  const ssize_t size = missing ? 0 : ::pread(file.get(), bytes, sizeof bytes, 0);
  const auto claim = parse_claim({bytes, static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
  const bool this_boot = claim && claim->boot_id == current_boot_id();
  if (is_locked(dir.get()) || (!missing && is_locked(file.get())))
    return attempt_alive(path, this_boot ? process_words(claim->runner) : std::string());
  // Its luzia-run was killed, but the agent continues.
  if (this_boot && claim->agent.pid != 0 && is_alive(claim->agent))
    return attempt_alive(path, process_words(claim->agent));
  return {};
}

void reuse_run_files(const std::string& run_dir, const SpentAttempt& spent, const std::string& job,
                     std::uint32_t attempt) {
  const std::string claim = claim_path(run_dir, job, attempt);
  const std::string exit_record = exit_record_path(run_dir, job, attempt);
  ::unlink(hosts_path(run_dir, spent.job, spent.attempt).c_str());
  // Never replace an existing file: a luzia-run may be using it.
  const bool all =
      rename_whole(claim_path(run_dir, spent.job, spent.attempt), kClaimSize, claim + kSpentClaimSuffix) &&
      rename_whole(exit_record_path(run_dir, spent.job, spent.attempt), kExitRecordSize,
                   exit_record + ".tmp");
  if (!all || spent.attempt > 1) remove_run_files(run_dir, spent.job, spent.attempt);
}

std::string set_aside_exit_record(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  const std::string path = exit_record_path(run_dir, job, attempt);
  std::string kept = path + ".damaged";
  ::rename(path.c_str(), kept.c_str());
  return kept;
}

std::optional<SpentAttempt> attempt_of_run_file(std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view rest = name.substr(std::min(dot + 1, name.size()));
  const auto attempt = parse_whole_number<std::uint32_t>(rest.substr(0, rest.find('.')));
  if (dot == 0 || attempt.value_or(0) == 0) return std::nullopt;
  return SpentAttempt{std::string(name.substr(0, dot)), *attempt};
}

void remove_run_files(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  const std::string exit_record = exit_record_path(run_dir, job, attempt);
  ::unlink((exit_record + ".tmp").c_str());
  ::unlink(exit_record.c_str());
  const std::string claim = claim_path(run_dir, job, attempt);
  ::unlink((claim + kSpentClaimSuffix).c_str());
  ::unlink(claim.c_str());
  ::unlink(moved_mark_path(run_dir, job, attempt).c_str());
  ::unlink(hosts_path(run_dir, job, attempt).c_str());
}

}  // namespace luzia
