#include "tools/luziad/upkeep/scrub.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "engine/base/counted.h"
#include "engine/base/local_time.h"
#include "engine/base/store_file.h"
#include "engine/log/rocks_event_log.h"
#include "tools/luziad/base/pace.h"

namespace luzia {
namespace {

/// Of events and texts before compression: a store of 10 GB takes ten minutes.
constexpr std::uint64_t kBytesPerSecond = 16 << 20;
constexpr std::uint64_t kTryAgainMs = 3'600'000;
constexpr TimeUs kTellEvery = 200 * kMillisecondUs;

std::string record_path(const std::string& store) {
  return store + "/scrubbed";
}

std::string held_words(const ScrubRecord& record) {
  return counted(record.groups, "group") + " and " + counted(record.texts, "text") + " hold";
}

std::string damage_words(const ScrubRecord& record) {
  return counted(record.damaged, "group or text is", "groups and texts are") +
         " damaged, the first at position " + std::to_string(record.first_damaged);
}

}  // namespace

struct Scrub::Found {
  Result<LogProof> proof = tl::unexpected(Error{});
  TimeUs took = 0;
};

std::optional<ScrubRecord> read_scrub_record(const std::string& store) {
  const auto written = read_store_file(record_path(store));
  if (!written || !*written) return std::nullopt;
  std::istringstream in(**written);
  ScrubRecord record;
  in >> record.since >> record.scrubbed >> record.groups >> record.texts >> record.damaged >>
      record.first_damaged;
  return in ? std::optional(record) : std::nullopt;
}

Status write_scrub_record(const std::string& store, const ScrubRecord& record) {
  std::ostringstream out;
  out << record.since << ' ' << record.scrubbed << ' ' << record.groups << ' ' << record.texts << ' '
      << record.damaged << ' ' << record.first_damaged << '\n';
  return write_store_file(record_path(store), out.str());
}

void Scrub::begin(bool alert_open) {
  alert_open_ = alert_open;
  if (const auto read = read_scrub_record(store_)) {
    record_ = *read;
  } else {
    record_.since = wall_now();
    if (auto written = write_scrub_record(store_, record_); !written)
      spdlog::warn("{}", written.error().message);
  }
  arm();
}

void Scrub::arm() {
  if (!timer_ || reader_.joinable()) return;
  timer_->stop();
  const auto every = static_cast<TimeUs>(config_.store.scrub_ms) * kMillisecondUs;
  if (every == 0) return;
  // If the clock was put back, wait at most one interval.
  const TimeUs wait = std::clamp<TimeUs>(record_.since + every - wall_now(), 0, every);
  timer_->start(static_cast<std::uint64_t>(wait / kMillisecondUs) + 1, [this] { start(/*paced=*/true); });
}

Status Scrub::run_now(Listener listener) {
  if (listener_) {
    return fail(ErrorKind::refused, "scrub_running", "the store is being scrubbed already",
                "wait until that is done");
  }
  if (!timer_) return fail(ErrorKind::trouble, "stopping", "the daemon is stopping", "");
  stop();
  listener_ = std::move(listener);
  start(/*paced=*/false);
  return {};
}

void Scrub::start(bool paced) {
  const auto post = mailbox_.poster();
  reader_ = std::jthread([this, post, paced, store = store_, round = ++round_](const std::stop_token& stop) {
    give_way_to_others();
    Found found;
    const TimeUs began = monotonic_now();
    LogOptions options;
    options.mode = OpenMode::read_only;
    options.create = false;
    auto log = open_rocks_event_log(store, options);
    if (log) {
      Pace pace(stop, kBytesPerSecond);
      TimeUs told = began;
      const Position total = (*log)->tip().position;
      const auto progress = [&](const ChainReport& report) {
        if (paced) pace.reached(report.bytes + report.text_bytes);
        if (monotonic_now() - told < kTellEvery) return;
        told = monotonic_now();
        post([this, round, done = report.tip.position, total] {
          if (round == round_ && listener_) listener_->progress(done, total);
        });
      };
      found.proof = prove_log(**log, progress, stop);
    } else if (log.error().code == "log_corrupt") {
      LogProof proof;
      proof.damaged = proof.first_damaged = 1;
      proof.fault = log.error();
      found.proof = std::move(proof);
    } else {
      found.proof = tl::unexpected(log.error());
    }
    found.took = monotonic_now() - began;
    post([this, round, found = std::move(found)] {
      if (round == round_) over(found);
    });
  });
}

/// Messages that the thread posts from now on are ignored.
void Scrub::stop() {
  ++round_;
  if (!reader_.joinable()) return;
  reader_.request_stop();
  reader_.join();
}

void Scrub::over(const Found& found) {
  reader_.join();
  const auto listener = std::exchange(listener_, std::nullopt);
  if (!found.proof) {
    spdlog::warn("the store could not be scrubbed: {}", found.proof.error().message);
    if (listener) listener->over(tl::unexpected(found.proof.error()));
    if (timer_ && config_.store.scrub_ms != 0) timer_->start(kTryAgainMs, [this] { start(/*paced=*/true); });
    return;
  }
  const LogProof& proof = *found.proof;
  record_ = {wall_now(),         wall_now(),    proof.report.groups,
             proof.report.texts, proof.damaged, proof.first_damaged};
  if (auto written = write_scrub_record(store_, record_); !written)
    spdlog::warn("{}", written.error().message);
  tell(found);
  if (listener && proof.fault) listener->over(tl::unexpected(*proof.fault));
  if (listener && !proof.fault) listener->over("the store is sound: " + held_words(record_));
  arm();
}

void Scrub::tell(const Found& found) {
  const LogProof& proof = *found.proof;
  schema::StoreScrubbedT scrubbed;
  scrubbed.groups = proof.report.groups;
  scrubbed.texts = proof.report.texts;
  scrubbed.bytes = proof.report.bytes + proof.report.text_bytes;
  scrubbed.damaged = proof.damaged;
  scrubbed.first_damaged = proof.first_damaged;
  scrubbed.took_ms = static_cast<std::uint64_t>(found.took / kMillisecondUs);
  note_({domain_fact(std::move(scrubbed))});
  if (proof.fault) {
    spdlog::error("the store is damaged: {}", proof.fault->message);
    schema::AlertRaisedT raised;
    raised.alert = kStoreDamaged;
    raised.alert_type = "STORE_DAMAGED";
    raised.severity = schema::Severity::critical;
    raised.message = "the store is damaged: " + damage_words(record_) + ": " + proof.fault->message;
    raised.recommendation = proof.fault->hint;
    raised.value = static_cast<double>(proof.damaged);
    note_({domain_fact(std::move(raised))});
  } else if (alert_open_) {
    schema::AlertEndedT ended;
    ended.alert = kStoreDamaged;
    note_({domain_fact(std::move(ended))});
  }
  alert_open_ = proof.fault.has_value();
}

wire::DaemonFactT Scrub::describe() const {
  const bool off = config_.store.scrub_ms == 0, sound = record_.damaged == 0;
  std::string text = off ? "never yet, and off ([store] scrub)" : "none yet";
  if (record_.scrubbed != 0)
    text = local_time(record_.scrubbed) + ", " + (sound ? held_words(record_) : damage_words(record_));
  return daemon_fact(wire::DaemonTopic::scrub, "scrub", std::move(text),
                     sound ? wire::FactState::good : wire::FactState::bad);
}

void Scrub::close() {
  stop();
  listener_.reset();
  timer_.reset();
}

}  // namespace luzia
