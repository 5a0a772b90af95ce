#include "tools/luziad/hooks/notifications.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <unordered_map>
#include <utility>

#include "adapters/job_dir/owned_directory.h"
#include "engine/base/descriptor.h"
#include "engine/base/failpoint.h"
#include "engine/base/store_file.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

/// How far the log may run ahead of STORE/notified if no job ends. It bounds what a start must read.
constexpr Position kMostUnnoted = 10'000;
constexpr std::size_t kPositionDigits = 20;

std::string how_it_ended(const schema::AttemptEnded* attempt, const schema::JobEnded& job) {
  if (attempt != nullptr && attempt->signal() != 0) return "exit -" + std::to_string(attempt->signal());
  if (attempt != nullptr && attempt->exit_code()) return "exit " + std::to_string(*attempt->exit_code());
  return schema::EnumNameEndReason(job.reason());
}

std::string line_of(std::string_view job, TimeUs time, const std::string& how) {
  const std::time_t seconds = static_cast<std::time_t>(time / kSecondUs);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char clock[16];
  std::strftime(clock, sizeof clock, "[%H:%M:%S]", &local);
  return std::string(clock) + " Agent " + std::string(job) + " finished (" + how + ")\n";
}

std::string notified_path(const std::string& store) {
  return store + "/notified";
}

/// In place, in one write of constant length: a kill leaves the old number or the new one.
Status write_notified(const std::string& store, Position position) {
  const auto fd = LUZIA_TRY(open_store_file(notified_path(store), O_WRONLY | O_CREAT));
  const std::string number = std::to_string(position);
  const std::string digits = std::string(kPositionDigits - number.size(), '0') + number + "\n";
  const bool written = ::pwrite(fd, digits.data(), digits.size(), 0) == static_cast<ssize_t>(digits.size());
  const int error = errno;
  ::close(fd);
  if (written) return {};
  return fail_errno(error, "unwritable", "writing " + notified_path(store));
}

/// Writes all lines or, on an error, none.
Status append_lines(const std::string& jobs_root, std::string_view lines) {
  const auto root = LUZIA_TRY(open_jobs_root(jobs_root));
  const std::string path = jobs_root + "/notifications.log";
  constexpr mode_t kReadable = 0644;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const Descriptor file(::openat(root.get(), "notifications.log", kFlags, kReadable));
  const int fd = file.get();
  int error = errno;
  struct stat status {};
  bool sound = fd >= 0 && ::fstat(fd, &status) == 0;
  if (sound && !S_ISREG(status.st_mode)) {
    error = EINVAL;
    sound = false;
  }
  // Readable for everyone who knows its name (tail -f), whatever the umask.
  if (sound && status.st_size == 0) ::fchmod(fd, kReadable);
  while (sound && !lines.empty()) {
    const ssize_t written = ::write(fd, lines.data(), lines.size());
    error = errno;
    if (written > 0) lines.remove_prefix(static_cast<std::size_t>(written));
    sound = written > 0 || (written < 0 && error == EINTR);
    // A partial line would spoil the next one. Only this daemon writes here.
    if (!sound && ::ftruncate(fd, status.st_size) != 0) spdlog::warn("{}: a line is cut", path);
  }
  if (sound) return {};
  return fail_errno(error, "unwritable", "appending to " + path,
                    "the ends are in the log; they are written once this is fixed");
}

struct Batch {
  std::string lines;
  Position reached = 0;
};

Status notify(const std::string& store, const std::string& jobs_root, const Batch& batch) {
  failpoint("end.notify");
  if (!batch.lines.empty()) {
    LUZIA_TRY(append_lines(jobs_root, batch.lines));
  }
  failpoint("end.notified");
  return write_notified(store, batch.reached);
}

/// Writes all missing lines up to `tip`, in parts, because a long absence may leave many.
Status notify_past(const EventLog& log, const std::string& store, const std::string& jobs_root, Position from,
                   Position tip) {
  constexpr std::size_t kPart = 1 << 20;
  const auto cursor = log.read_from(from + 1);
  Batch batch{{}, from};
  while (batch.reached < tip) {
    const auto group = LUZIA_TRY(cursor->next());
    if (!group || group->last_position() > tip) break;  // committed() delivers later groups
    // Groups are handled as a whole: `from` is the end of one, except after a store was restored.
    if (group->first_position() > from) batch.lines += end_lines(*group);
    batch.reached = group->last_position();
    if (batch.lines.size() < kPart) continue;
    LUZIA_TRY(notify(store, jobs_root, batch));
    batch.lines.clear();
  }
  return notify(store, jobs_root, batch);
}

}  // namespace

std::optional<Position> read_notified(const std::string& store) {
  const auto written = read_store_file(notified_path(store));
  if (!written || !*written || (*written)->size() < kPositionDigits) return std::nullopt;
  return parse_whole_number<Position>(std::string_view(**written).substr(0, kPositionDigits));
}

std::string end_lines(const Group& group) {
  std::string lines;
  // The end of a process and the resulting end of its job are one command, hence in one group.
  std::unordered_map<std::string_view, const schema::AttemptEnded*> attempts;
  for (const schema::Event* event : group.events()) {
    const auto* job = event->payload_as_JobEvent();
    if (job == nullptr) continue;
    const std::string_view id = job_of_stream(text(event->stream()));
    if (const auto* attempt = job->fact_as_AttemptEnded()) attempts[id] = attempt;
    const auto* end = job->fact_as_JobEnded();
    if (end == nullptr) continue;
    const auto found = attempts.find(id);
    lines +=
        line_of(id, event->time_us(), how_it_ended(found == attempts.end() ? nullptr : found->second, *end));
    if (found != attempts.end()) attempts.erase(found);
  }
  return lines;
}

Notifications::Notifications(std::string store, std::function<std::string()> jobs_root, const EventLog& log,
                             Workers& workers)
    : store_(std::move(store)), jobs_root_(std::move(jobs_root)), log_(log), workers_(workers) {}

void Notifications::catch_up(Position tip) {
  const auto notified = read_notified(store_);
  // A restored backup may be shorter than what was already written.
  const Position from = std::min(notified.value_or(tip), tip);
  lines_.clear();
  reached_ = tip;
  write([&log = log_, store = store_, root = jobs_root_(), from, tip] {
    return notify_past(log, store, root, from, tip);
  });
}

void Notifications::committed(const std::shared_ptr<const Group>& group) {
  lines_ += end_lines(*group);
  reached_ = group->last_position();
  write_waiting();
}

void Notifications::write_waiting() {
  if (writing_ || (lines_.empty() && reached_ - noted_ < kMostUnnoted)) return;
  if (behind_) return catch_up(reached_);
  write([store = store_, root = jobs_root_(), batch = Batch{std::exchange(lines_, {}), reached_}] {
    return notify(store, root, batch);
  });
}

/// Lines that cannot be written are dropped here; the next end or the next daemon finds them in the log.
void Notifications::write(std::function<Status()> work) {
  writing_ = true;
  auto written = std::make_shared<Status>();
  workers_.run([work = std::move(work), written] { *written = work(); },
               [this, closed = closed_, written, reached = reached_] {
                 if (*closed) return;
                 writing_ = false;
                 const bool reported_trouble = std::exchange(behind_, !*written);
                 if (!behind_) {
                   noted_ = reached;
                   return write_waiting();
                 }
                 lines_.clear();
                 if (!reported_trouble) spdlog::warn("{}", written->error().message);
               });
}

}  // namespace luzia
