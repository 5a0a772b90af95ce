#include "bench/harness/history.h"

#include <future>
#include <random>

#include "bench/harness/hasty_disk.h"
#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "engine/job/job.h"
#include "engine/log/rocks_event_log.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/registry.h"

namespace luzia::bench {
namespace {

constexpr TimeUs kEpoch = 1'767'225'600'000'000;  // 2026-01-01T00:00:00Z
constexpr std::uint64_t kProgressEvery = 65'536;

constexpr const char* kProjects[] = {"billing", "website", "compiler", "ledger", "mobile", "search"};
constexpr const char* kTasks[] = {"make -j2 test", "Find why the nightly import is slow and fix it",
                                  "Review the changes of this week and list what is risky",
                                  "cmake --build build && ctest --test-dir build --output-on-failure",
                                  "Write the missing tests of the invoice module"};
constexpr const char* kSteps[] = {"Read the code", "Plan", "Change", "Run tests", "Write the report"};

/// Collects events into groups of a fixed size; a full group is appended while the next is filled.
class GroupWriter {
 public:
  GroupWriter(EventLog& log, std::uint32_t size) : log_(log), size_(size), open_(1) {}
  ~GroupWriter() {
    if (appending_.valid()) appending_.wait();
  }

  /// Returns the event as stored, valid until the next call. Null after a failed append (see finish()).
  const schema::Event* add(NewEvent event, std::uint64_t version, TimeUs now) {
    if (open_.count() >= size_) hand_over();
    if (!status_) return nullptr;
    schema::EventT envelope;
    envelope.site = "bench";
    envelope.position = open_.next_position();
    envelope.stream = std::move(event.stream);
    envelope.version = version;
    envelope.time_us = now;
    envelope.actor = std::make_unique<schema::ActorT>();
    envelope.evidence = std::move(event.evidence);
    envelope.payload = std::move(event.payload);
    builder_.Clear();
    builder_.Finish(schema::Event::Pack(builder_, &envelope), schema::EventIdentifier());
    for (Blob& blob : event.blobs) open_.add_blob(envelope.position, std::move(blob));
    open_.add({builder_.GetBufferPointer(), builder_.GetSize()});
    return schema::GetEvent(builder_.GetBufferPointer());
  }
  Status finish() {
    hand_over();
    wait();
    return status_;
  }
  std::uint64_t events() const { return open_.next_position() - 1; }

 private:
  void wait() {
    if (!appending_.valid()) return;
    if (Status appended = appending_.get(); !appended && status_) status_ = appended;
  }
  void hand_over() {
    wait();
    if (open_.empty() || !status_) return;
    const Position next = open_.next_position();
    auto group = std::make_shared<PendingGroup>(std::move(open_));
    open_ = PendingGroup(next);
    appending_ = std::async(std::launch::async, [this, group]() -> Status {
      LUZIA_TRY(log_.append(*group));
      return {};
    });
  }

  EventLog& log_;
  std::uint32_t size_;
  PendingGroup open_;
  std::future<Status> appending_;
  Status status_;
  flatbuffers::FlatBufferBuilder builder_;
};

class Author {
 public:
  Author(EventLog& log, const HistoryShape& shape)
      : shape_(shape), writer_(log, shape.group), random_(shape.seed), ids_(7, "") {}

  Result<HistoryCount> write(const std::function<void(std::uint64_t)>& progress) {
    create_store();
    std::uint64_t told = 0;
    while (ok_ && (!enough() || !live_.empty())) {
      now_ += static_cast<TimeUs>(below(200'000));
      if (!enough() && live_.size() < shape_.live) {
        queue_job();
      } else {
        live_step(below(live_.size()));
      }
      if (progress && writer_.events() - told >= kProgressEvery) progress(told = writer_.events());
    }
    LUZIA_TRY(writer_.finish());
    if (!refused_) return tl::unexpected(refused_.error());
    count_.events = writer_.events();
    return count_;
  }

 private:
  struct Live {
    JobState job;
    std::uint32_t words_left;  // remaining outputs and reports of this attempt
  };

  bool enough() const {
    return shape_.jobs > 0 ? count_.jobs >= shape_.jobs : writer_.events() >= shape_.events;
  }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  void create_store() {
    schema::StoreCreatedT created;
    created.site = "bench";
    created.store_id = "00000000000000000000000000000007";
    created.format = 1;
    ok_ = writer_.add(new_event("system", std::move(created)), 1, kEpoch) != nullptr;
  }

  void queue_job() {
    QueueJob command;
    command.job = ids_.next(now_);
    command.spec.project = kProjects[below(std::size(kProjects))];
    const std::uint64_t kind = below(4);
    command.spec.agent = kind == 0 ? "claude" : kind == 1 ? "codex" : "shell";
    command.spec.user = "alice";
    command.spec.working_dir = "/home/alice/" + command.spec.project;
    command.spec.job_dir = "/home/alice/.local/state/luzia/jobs/" + command.job;
    command.spec.command = {"/bin/sh", "-c", "{task}"};
    command.spec.output_format = "text";
    command.spec.kill_grace_ms = 10'000;
    command.spec.retries = below(8) == 0 ? 1 : 0;
    if (command.spec.retries > 0) {
      auto& code = *command.spec.exit_codes.emplace_back(std::make_unique<schema::ExitCodeT>());
      code.code = 1;
      code.meaning = schema::ExitMeaning::retriable_failure;
    }
    if (below(3) == 0) command.spec.tags = {"nightly"};
    command.priority = below(10) == 0 ? 8 : 5;
    std::string salt(16, '\0');
    for (char& byte : salt) byte = static_cast<char>(below(256));
    command.prompt = Blob{0, std::move(salt), kTasks[below(std::size(kTasks))]};
    Live& live = live_.emplace_back();
    live.words_left = words();
    ++count_.jobs;
    order(live, std::move(command));
  }
  std::uint32_t words() { return shape_.terse ? 0 : static_cast<std::uint32_t>(below(8)); }

  void live_step(std::size_t at) {
    Live& live = live_[at];
    order(live, next_command(live));
    if (!is_terminal(live.job.state)) return;
    count_.last_job = live.job.job;
    std::swap(live_[at], live_.back());
    live_.pop_back();
  }
  JobCommand next_command(Live& live) {
    const JobState& job = live.job;
    if (job.state == schema::JobState::queued) {
      if (!shape_.terse && job.attempt == 0 && below(100) == 0) return CancelJob{std::nullopt, "not needed"};
      now_ = std::max(now_, job.not_before_us);
      return StartAttempt{"c0ffee00-0000-4000-8000-000000000007"};
    }
    if (job.state == schema::JobState::starting) {
      const auto pid = static_cast<std::uint32_t>(1'000 + below(4'000'000));
      return ReportStarted{job.attempt, pid, pid - 1, 10'000 + below(1'000'000), 9'999};
    }
    if (live.words_left == 0) {
      live.words_left = words();
      return exit(job);
    }
    --live.words_left;
    const std::uint64_t kind = below(10);
    if (kind < 5) return output(job);
    return kind < 9 ? progress() : warning();
  }

  RecordExit exit(const JobState& job) {
    RecordExit exit;
    exit.end.attempt = job.attempt;
    exit.end.ended_us = now_;
    exit.end.wall_us = static_cast<std::uint64_t>(now_ - job.started_us);
    exit.end.user_us = exit.end.wall_us / 3;
    exit.end.max_rss_kib = 4'000 + below(400'000);
    exit.end.output_bytes = job.checkpoint ? job.checkpoint->scanned_to : 0;
    const std::uint64_t fate = below(100);
    if (fate < 2) {
      exit.end.signal = 9;
    } else {
      exit.end.exit_code = fate < 12 ? 1 : 0;
    }
    return exit;
  }
  RecordOutput output(const JobState& job) {
    RecordOutput output{};
    output.attempt = job.attempt;
    output.from = job.checkpoint ? job.checkpoint->scanned_to : 0;
    output.from_generation = job.checkpoint ? job.checkpoint->generation : 0;
    schema::OutputAppendedT appended;
    appended.attempt = job.attempt;
    appended.from = output.from;
    appended.lines = 1 + below(400);
    appended.to = output.from + appended.lines * (20 + below(60));
    appended.checkpoint = std::make_unique<schema::CheckpointT>();
    appended.checkpoint->dev = 65'024;
    appended.checkpoint->ino = 1'000'000 + count_.jobs;
    appended.checkpoint->generation = output.from_generation;
    appended.checkpoint->scanned_to = appended.checkpoint->line_start = appended.to;
    appended.checkpoint->line_no = (job.checkpoint ? job.checkpoint->line_no : 0) + appended.lines;
    appended.checkpoint->tail_hash = random_();
    output.appended = std::move(appended);
    return output;
  }
  PublishReport progress() {
    schema::ProgressReportedT progress;
    progress.total_steps = static_cast<std::uint32_t>(std::size(kSteps));
    progress.current_step = static_cast<std::uint32_t>(1 + below(std::size(kSteps)));
    progress.current_step_name = kSteps[progress.current_step - 1];
    const std::uint32_t whole_percent = progress.current_step * 100 / progress.total_steps;
    progress.progress_percent = whole_percent;
    PublishReport publish;
    publish.report.Set(std::move(progress));
    return publish;
  }
  PublishReport warning() {
    schema::WarningReportedT warning;
    warning.warning_type = "DURATION_EXCEEDED";
    warning.message = "the step takes longer than it was estimated to take";
    PublishReport publish;
    publish.report.Set(std::move(warning));
    return publish;
  }

  void order(Live& live, const JobCommand& command) {
    auto events = decide(live.job, command, now_);
    if (!events) {
      refused_ = tl::unexpected(events.error());
      ok_ = false;
      return;
    }
    for (NewEvent& event : *events) {
      const schema::Event* stored = writer_.add(std::move(event), live.job.version + 1, now_);
      ok_ = ok_ && stored != nullptr;
      if (!ok_) return;
      evolve(live.job, *stored);
    }
  }

  HistoryShape shape_;
  GroupWriter writer_;
  std::mt19937_64 random_;
  IdSource ids_;
  TimeUs now_ = kEpoch + kSecondUs;
  std::vector<Live> live_;
  HistoryCount count_;
  bool ok_ = true;
  Status refused_;  // a decider's refusal, which is a bug in this generator
};

}  // namespace

Result<HistoryCount> generate_history(EventLog& log, const HistoryShape& shape,
                                      const std::function<void(std::uint64_t)>& progress) {
  if (log.tip().position != 0) {
    return fail(ErrorKind::usage, "log_not_empty", "cannot generate a history: the store has one already",
                "name a folder that does not exist yet");
  }
  return Author(log, shape).write(progress);
}

namespace {

Result<HistoryCount> write_store(const std::string& path, rocksdb::Env* disk, const HistoryShape& shape,
                                 bool with_rows, const std::function<void(std::uint64_t)>& progress) {
  auto log = LUZIA_TRY(open_rocks_event_log(path, {.env = disk}));
  auto count = generate_history(*log, shape, progress);
  if (!count) return count;
  // As after a daemon's stop, so that the first query replays nothing.
  LUZIA_TRY(flush_log(*log));
  LUZIA_TRY(log->sync_watermark());
  if (!with_rows) return count;
  auto views = LUZIA_TRY(open_rocks_view_store(path + "/views", OpenMode::read_write, disk));
  LUZIA_TRY(catch_up(*log, all_projections(), *views.store));
  return count;
}

}  // namespace

Result<HistoryCount> generate_store(const std::string& path, const HistoryShape& shape, bool with_rows,
                                    const std::function<void(std::uint64_t)>& progress) {
  const HastyDisk disk;
  auto count = write_store(path, disk.env(), shape, with_rows, progress);
  if (!count) return count;
  LUZIA_TRY(HastyDisk::sync_all(path));
  return count;
}

}  // namespace luzia::bench
