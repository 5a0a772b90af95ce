#include "tools/luziad/upkeep/removal_work.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "adapters/job_dir/remove_dir.h"
#include "engine/base/counted.h"
#include "engine/base/failpoint.h"
#include "engine/base/whole_number.h"
#include "projections/jobs.h"
#include "projections/live_jobs.h"
#include "tools/luziad/upkeep/removal_texts.h"
#include "tools/luziad/upkeep/removals.h"

namespace luzia {
namespace {

constexpr std::size_t kDigits = 20;

std::string removed_path(const std::string& store) {
  return store + "/removed";
}

/// 0 if the file does not say.
Position read_removed(const std::string& store) {
  const int fd = ::open(removed_path(store).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return 0;
  char digits[kDigits];
  const ssize_t got = ::read(fd, digits, sizeof digits);
  ::close(fd);
  if (got != static_cast<ssize_t>(kDigits)) return 0;
  return parse_whole_number<Position>({digits, kDigits}).value_or(0);
}

/// In place, in one write of constant length: a kill leaves the old number or the new one.
Status write_removed(const std::string& store, Position position) {
  const std::string path = removed_path(store);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  const std::string number = std::to_string(position);
  const std::string digits = std::string(kDigits - number.size(), '0') + number + "\n";
  const bool written =
      fd >= 0 && ::pwrite(fd, digits.data(), digits.size(), 0) == static_cast<ssize_t>(digits.size());
  const int error = errno;
  if (fd >= 0) ::close(fd);
  return written ? Status() : fail_errno(error, "unwritable", "writing " + path);
}

}  // namespace

/// One pass over everything that is due; on a worker.
struct RemovalWork::Round {
  struct Rest {
    std::string job;
    RemoveJob command;
    Position cause;
  };

  EventLog& log;
  std::string store;
  std::stop_token stop;
  std::shared_ptr<const ViewReader> rows;
  std::set<Position> done;        // before, and in this round
  Position reached = 0;           // everything up to there is done
  std::vector<std::string> left;  // why the others are not done
  std::vector<Rest> rest;         // texts that another command must still list
  bool erased = false;

  void run();
  Status carry_out(Position position, const std::string& id);
  Status remove_files(const JobState& job) const;
  Status erase_texts(Position position, const JobState& job);
};

void RemovalWork::Round::run() {
  reached = std::min(read_removed(store), rows->cursor().position);
  std::vector<std::pair<Position, std::string>> due;
  visit_removals(*rows, reached,
                 [&](Position position, std::string_view job) { due.emplace_back(position, job); });
  if (!rows->status()) return;
  bool in_order = true;
  for (const auto& [position, job] : due) {
    if (stop.stop_requested()) return;
    if (!done.contains(position)) {
      if (const Status carried = carry_out(position, job); carried) {
        done.insert(position);
      } else {
        left.push_back("job " + job + ": " + carried.error().message + " (" + carried.error().hint + ")");
      }
    }
    in_order = in_order && done.contains(position);
    if (in_order) reached = position;
  }
  if (due.empty()) return;
  failpoint("removal.drop");
  Status noted = erased ? log.drop_erased() : Status();
  failpoint("removal.note");
  if (noted) noted = write_removed(store, reached);
  if (noted) return;
  left.push_back(noted.error().message);
  done.clear();  // repeat all of it
}

Status RemovalWork::Round::carry_out(Position position, const std::string& id) {
  const auto job = find_job_state(*rows, id);
  const auto event = LUZIA_TRY(log.event(position));
  const auto* fact = event ? event->event().payload_as_JobEvent() : nullptr;
  const auto* removed = fact != nullptr ? fact->fact_as_JobRemoved() : nullptr;
  if (!job || removed == nullptr) return {};
  failpoint("removal.begin");
  const Status texts = removed->purged() ? erase_texts(position, *job) : Status();
  failpoint("removal.files");
  const Status files = removed->files() ? remove_files(*job) : Status();
  return files ? texts : files;
}

Status RemovalWork::Round::remove_files(const JobState& job) const {
  std::string dir = job.spec ? job.spec->job_dir : std::string();
  // If it expired before, the removal of its directory may have been interrupted; the row still knows it.
  const auto row = dir == kExpiredJobDir ? find_job_row(*rows, job.job) : std::nullopt;
  if (row) dir = row->dir;
  // Never remove any other folder, whatever the log says.
  if (!dir.ends_with("/" + job.job)) return {};
  return remove_job_dir(dir, stop);
}

Status RemovalWork::Round::erase_texts(Position position, const JobState& job) {
  const auto texts = LUZIA_TRY(texts_of_job(*rows, log, job));
  for (const TextPlace& text : texts.erased) {
    const Status done = log.erase_blob(text.event, text.index);
    if (!done && done.error().kind != ErrorKind::not_found) return done;
    erased = true;
    failpoint("removal.text");
  }
  if (texts.left.empty()) return {};
  RemoveJob command{true, "", texts.left, job.version};
  if (command.texts.size() > kMostTextsAtOnce) command.texts.resize(kMostTextsAtOnce);
  rest.push_back({job.job, std::move(command), position});
  return fail(ErrorKind::trouble, "texts_left",
              counted(texts.left.size(), "text is", "texts are") + " still to be erased",
              "it goes on by itself");
}

void RemovalWork::look() {
  if (!timer_) return;
  again_ = true;
  if (!working_) begin();
}

/// Runs on rows that include everything durable.
void RemovalWork::begin() {
  working_ = true;
  again_ = false;
  store_.when_at(engine_.durable(), [this, closed = closed_] {
    if (*closed || !timer_) return;
    auto round = std::make_shared<Round>(
        Round{store_.log, store_.folder, threads_.stopping, store_.views.snapshot(), done_, 0, {}, {}});
    threads_.workers.run([round] { round->run(); },
                         [this, closed, round] {
                           if (!*closed) over(*round);
                         });
  });
}

void RemovalWork::over(Round& round) {
  constexpr std::uint64_t kTryAgainMs = 3'600'000;
  working_ = false;
  if (!timer_) return;
  done_ = std::move(round.done);
  std::erase_if(done_, [&](Position position) { return position <= round.reached; });
  for (const std::string& why : round.left) {
    const bool told = std::ranges::find(left_, why) != left_.end();
    if (!told && round.rest.empty()) spdlog::warn("removing: {}", why);
  }
  left_ = std::move(round.left);
  if (!round.rest.empty()) return submit_rest(round);
  if (again_) return begin();
  if (!left_.empty()) timer_->start(kTryAgainMs, [this] { look(); });
}

/// A job had more texts than fit into one command.
void RemovalWork::submit_rest(const Round& round) {
  for (const Round::Rest& rest : round.rest) {
    engine_.submit(by_daemon(wall_now(), rest.cause), to_one_job(rest.job, rest.command),
                   [this, closed = closed_](const Result<Outcome>& outcome) {
                     constexpr std::uint64_t kSoonMs = 1'000;
                     if (*closed || !timer_) return;
                     if (!outcome) spdlog::warn("removing: {}", outcome.error().message);
                     timer_->start(outcome ? 0 : kSoonMs, [this] { look(); });
                   });
  }
}

std::string RemovalWork::left() const {
  if (left_.empty()) return {};
  const std::string more = left_.size() == 1 ? "" : "; and " + std::to_string(left_.size() - 1) + " more";
  return left_.front() + more;
}

}  // namespace luzia
