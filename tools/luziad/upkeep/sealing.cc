#include "tools/luziad/upkeep/sealing.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "engine/base/local_time.h"
#include "engine/log/seal_files.h"

namespace luzia {
namespace {

constexpr std::uint64_t kFirstSealMs = 60'000;

/// The tip of an open log is durable.
Status seal_log(const EventLog& log, const Tip& tip, const std::string& store, const std::string& file,
                TimeUs now) {
  const auto key = LUZIA_TRY(seal_key(store + "/seal.key"));
  auto identity = LUZIA_TRY(identity_of(log));
  return append_seal(file, key.sign({std::move(identity), tip, now}));
}

/// The last seal of this store by an earlier daemon, or by hand.
std::optional<Seal> seal_before(const EventLog& log, const std::string& store, const std::string& file) {
  const auto identity = identity_of(log);
  const auto key = identity ? seal_key(store + "/seal.key") : tl::unexpected(identity.error());
  return key ? last_seal(file, *identity, key->public_key()) : std::nullopt;
}

}  // namespace

std::string Sealing::file() const {
  return config_.store.seal_to.empty() ? store_.folder + ".seals" : config_.store.seal_to;
}

void Sealing::begin() {
  if (!timer_) return;
  timer_->stop();
  every_ms_ = config_.store.seal_every_ms;
  if (begun_file_ != file()) position_ = 0;  // what is in the other file is not in this one
  begun_file_ = file();
  before_.reset();
  if (every_ms_ == 0) return;
  timer_->start(std::min(every_ms_, kFirstSealMs), [this] { seal(); });
  auto found = std::make_shared<std::optional<Seal>>();
  threads_.workers.run([found, &log = store_.log, store = store_.folder,
                        file = begun_file_] { *found = seal_before(log, store, file); },
                       [this, found, closed = closed_] {
                         if (!*closed) before_ = *found;
                       });
}

void Sealing::config_changed() {
  if (config_.store.seal_every_ms != every_ms_ || file() != begun_file_) begin();
}

void Sealing::seal() {
  const Tip tip = store_.log.tip();
  const TimeUs now = wall_now();
  if (tip.position == position_ && trouble_.empty()) return sealed(position_, time_, {});
  auto done = std::make_shared<Status>();
  threads_.workers.run([done, &log = store_.log, tip, store = store_.folder, file = file(),
                        now] { *done = seal_log(log, tip, store, file, now); },
                       [this, done, position = tip.position, now, closed = closed_] {
                         if (!*closed) sealed(position, now, *done);
                       });
}

void Sealing::sealed(Position position, TimeUs time, const Status& done) {
  if (done) {
    position_ = position;
    time_ = time;
    trouble_.clear();
  } else if (const std::string why = done.error().message; why != trouble_) {
    trouble_ = why;
    spdlog::warn("sealing the log: {}", trouble_);
  }
  const std::uint64_t every_ms = config_.store.seal_every_ms;
  if (timer_ && every_ms != 0) timer_->start(every_ms, [this] { seal(); });
}

wire::DaemonFactT Sealing::describe() const {
  const auto fact = [](std::string text, wire::FactState state = wire::FactState::good) {
    return daemon_fact(wire::DaemonTopic::seal, "seal", std::move(text), state);
  };
  if (config_.store.seal_every_ms == 0) return fact({});
  if (!trouble_.empty()) return fact("failed: " + trouble_, wire::FactState::warning);
  if (position_ == 0 && !before_) {
    const TimeUs every = static_cast<TimeUs>(config_.store.seal_every_ms) * kMillisecondUs;
    return fact("none yet; every " + format_duration(every) + " into " + file());
  }
  return fact("position " + std::to_string(position_ != 0 ? position_ : before_->tip.position) + " in " +
              file() + ", " + local_time(position_ != 0 ? time_ : before_->time));
}

}  // namespace luzia
