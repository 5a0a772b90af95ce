#include "tools/luziad/upkeep/keeping.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "engine/base/counted.h"
#include "engine/base/failpoint.h"
#include "tools/luziad/base/pace.h"

namespace luzia {
namespace {

constexpr std::uint64_t kFirstLookMs = 60'000, kEveryMs = 3'600'000, kAfterJumpMs = 86'400'000;
/// A look by size measures every directory, so it takes more at once.
constexpr std::size_t kMostInBatch = 100, kMostBySize = 2'000;
/// Bytes removed in a second; a small directory counts as if it were larger, because it has its files too.
constexpr std::uint64_t kRemovedPerSecond = 256 << 20, kLeastRemoved = 1 << 20;

}  // namespace

/// What one look found, and what became of it.
struct Keeping::Batch {
  KeepConfig keep;
  Result<KeepLook> look = KeepLook();
  std::size_t waiting = 0;        // commands without an answer
  std::vector<Expiring> granted;  // whose events are durable
  std::vector<Status> taken;      // of `granted`
};

void Keeping::begin() {
  if (timer_ && !config_.keep.keeps_all()) timer_->start(kFirstLookMs, [this] { look(); });
}

void Keeping::config_changed() {
  if (!timer_) return;
  kept_until_ = {};
  trouble_.clear();
  timer_->stop();
  if (working_) {
    again_ = true;
  } else {
    begin();
  }
}

void Keeping::clock_stepped(TimeUs step) {
  if (step <= kHourUs || !timer_ || config_.keep.keeps_all()) return;
  spdlog::warn("[keep] waits a day: the clock jumped ahead");
  if (working_) {
    jumped_ = true;  // the pass goes by the time at which it began
  } else {
    timer_->start(kAfterJumpMs, [this] { look(); });
  }
}

Status Keeping::look_now() {
  if (config_.keep.keeps_all()) {
    return fail(ErrorKind::refused, "nothing_to_keep", "[keep] sets no rule: everything is kept",
                "set one in luzia.toml, such as outputs = \"30d\"");
  }
  if (working_) {
    again_ = true;
  } else {
    look();
  }
  return {};
}

std::function<Result<std::string>()> Keeping::preview() const {
  const std::shared_ptr<const ViewReader> rows = store_.views.snapshot();
  return [rows, &log = store_.log, keep = config_.keep, stop = threads_.stopping] {
    return preview_of_keep(*rows, log, keep, wall_now(), stop);
  };
}

/// Runs on rows that include everything durable.
void Keeping::look() {
  if (!timer_) return;
  if (config_.keep.keeps_all()) return pass_over();
  if (!working_) {
    working_ = true;
    pass_began_ = wall_now();
  }
  store_.when_at(engine_.durable(), [this, closed = closed_] {
    if (*closed) return;
    auto batch = std::make_shared<Batch>();
    batch->keep = config_.keep;
    const std::shared_ptr<const ViewReader> rows = store_.views.snapshot();
    aside(
        [batch, rows, &log = store_.log, now = pass_began_, until = kept_until_, from = from_,
         by_size = by_size_, tried = tried_](const std::stop_token& stop) {
          batch->look = by_size
                            ? look_over_size(*rows, log, batch->keep, kMostBySize, tried, stop)
                            : look_for_expired(*rows, log, batch->keep, now, until, from, kMostInBatch, stop);
        },
        [this, batch] { looked(batch); });
  });
}

/// Runs `work` on the thread, then `then` on the loop. One at a time.
void Keeping::aside(std::function<void(const std::stop_token&)> work, std::function<void()> then) {
  thread_ = std::jthread([post = threads_.mailbox.poster(), work = std::move(work), then = std::move(then),
                          closed = closed_](const std::stop_token& stop) {
    give_way_to_others();
    work(stop);
    post([closed, then] {
      if (!*closed) then();
    });
  });
}

void Keeping::looked(const std::shared_ptr<Batch>& batch) {
  if (!batch->look) {
    left_ = true;
    trouble_ = batch->look.error().message;
    return pass_over();
  }
  left_ = left_ || batch->look->left;
  std::erase_if(batch->look->due, [this](const Expiring& item) { return !tried_.insert(item.job).second; });
  from_ = batch->look->next;
  if (batch->look->due.empty()) return from_.empty() ? phase_over() : look();
  batch->waiting = batch->look->due.size();
  for (std::size_t i = 0; i < batch->look->due.size(); ++i) submit(batch, i);
}

void Keeping::submit(const std::shared_ptr<Batch>& batch, std::size_t at) {
  Expiring& item = batch->look->due[at];
  const auto answered = [this, batch, at](const Status& done) {
    Expiring& its = batch->look->due[at];
    if (done) {
      jobs_ += its.recorded ? 0 : 1;
      bytes_ += its.recorded ? 0 : its.bytes;
      batch->granted.push_back(std::move(its));
    } else {
      // Its flow is active, or it was retried or changed meanwhile.
      left_ = true;
    }
    if (--batch->waiting == 0) recorded(batch);
  };
  if (item.recorded) return answered({});
  engine_.submit(by_daemon(wall_now()),
                 to_one_job(item.job, command_of(item, rule_words(batch->keep, item.rule))),
                 [closed = closed_, answered](const Result<Outcome>& outcome) {
                   if (!*closed) answered(outcome ? Status() : tl::unexpected(outcome.error()));
                 });
}

/// The events are durable: now the files may go.
void Keeping::recorded(const std::shared_ptr<Batch>& batch) {
  failpoint("keep.recorded");
  aside(
      [batch](const std::stop_token& stop) {
        Pace pace(stop, kRemovedPerSecond);
        std::uint64_t removed = 0;
        for (const Expiring& item : batch->granted) {
          pace.reached(removed);
          removed += std::max(item.bytes, kLeastRemoved);
          if (stop.stop_requested()) return;
          batch->taken.push_back(take_files(item, rule_words(batch->keep, item.rule), stop));
          failpoint("keep.taken");
        }
      },
      [this, batch] { taken(batch); });
}

void Keeping::taken(const std::shared_ptr<Batch>& batch) {
  for (std::size_t i = 0; i < batch->taken.size(); ++i) {
    if (batch->taken[i]) continue;
    left_ = true;
    trouble_ = "job " + batch->granted[i].job + ": " + batch->taken[i].error().message;
    spdlog::warn("[keep]: {}", trouble_);
  }
  if (!batch->granted.empty()) {
    spdlog::info("[keep] let go of what {} left behind", counted(batch->granted.size(), "job"));
  }
  if (from_.empty() && !by_size_) return phase_over();
  look();
}

/// Ages first: sizes count only what they leave.
void Keeping::phase_over() {
  if (by_size_ || config_.keep.size == 0) return pass_over();
  by_size_ = true;
  tried_.clear();
  look();
}

void Keeping::pass_over() {
  working_ = false;
  by_size_ = false;
  from_.clear();
  tried_.clear();
  if (!left_) trouble_.clear();
  // Rules that changed meanwhile have not looked at all jobs.
  if (!left_ && !again_) {
    for (const KeepRule rule : {KeepRule::outputs, KeepRule::job_dirs, KeepRule::jobs, KeepRule::texts}) {
      kept_until_[static_cast<std::size_t>(rule)] = due_until(config_.keep, rule, pass_began_);
    }
  }
  left_ = false;
  if (!timer_ || config_.keep.keeps_all()) return;
  const bool jumped = std::exchange(jumped_, false);
  if (std::exchange(again_, false) && !jumped) return look();
  timer_->start(jumped ? kAfterJumpMs : kEveryMs, [this] { look(); });
}

wire::DaemonFactT Keeping::describe() const {
  constexpr auto kTopic = wire::DaemonTopic::keep;
  if (config_.keep.keeps_all()) return daemon_fact(kTopic, "keep", "everything ([keep] sets no rule)");
  std::string rules;
  for (const KeepRule rule :
       {KeepRule::outputs, KeepRule::job_dirs, KeepRule::size, KeepRule::jobs, KeepRule::texts}) {
    const std::string words = rule_words(config_.keep, rule);
    if (!words.empty()) rules += (rules.empty() ? "" : ", ") + words;
  }
  std::string text = rules + "; " + counted(jobs_, "job") + " and " + counted(bytes_, "byte") +
                     " let go since the daemon started";
  if (trouble_.empty()) return daemon_fact(kTopic, "keep", std::move(text));
  return daemon_fact(kTopic, "keep", text + "; left: " + trouble_, wire::FactState::warning);
}

void Keeping::close() {
  *closed_ = true;
  timer_.reset();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

}  // namespace luzia
