#include "tools/luziad/upkeep/admission.h"

#include <spdlog/spdlog.h>

#include "tools/luziad/upkeep/disk_room.h"

namespace luzia {

Admission::Admission(uv_loop_t* loop, const Mailbox& mailbox, const Config& config, const std::string& store,
                     Engine& engine)
    : config_(config),
      store_(store),
      engine_(engine),
      room_(loop, mailbox, store, [&config] { return default_jobs_root(config); }),
      gate_timer_(std::make_unique<Timer>(loop)) {}

void Admission::turn(TimeUs monotonic) {
  look_at_room(monotonic);
  look_at_gates();
}

/// A job that starts without disk space fails in odd ways, and uses space that cancel needs.
void Admission::look_at_room(TimeUs monotonic) {
  if (!room_.turn(monotonic)) return;
  config_changed();
  std::optional<Error> refusal;
  if (room_.spent()) refusal = no_room_for_jobs(store_);
  engine_.refuse_new_jobs(std::move(refusal));
}

/// Checks when a job enters an empty queue, and every other second while jobs are queued.
void Admission::look_at_gates() {
  constexpr std::uint64_t kLookAgainMs = 2'000;
  if (!Gates::any(config_) && gates_closed_.empty()) return;
  if (engine_.queue().queued() == 0 || gate_timer_->running()) return;
  gate_timer_->start(kLookAgainMs, [] {});  // wakes the loop to check
  std::string closed = gates_.closed(config_, read_machine_load());
  if (closed == gates_closed_) return;
  if (closed.empty()) spdlog::info("jobs start again");
  if (gates_closed_.empty()) spdlog::info("nothing new starts: {}", closed);
  gates_closed_ = std::move(closed);
  config_changed();
}

void Admission::config_changed() {
  Capacity capacity = capacity_of(config_);
  capacity.closed = gates_closed_;
  capacity.no_room = room_.lack();
  engine_.set_capacity(std::move(capacity));
}

void Admission::close() {
  room_.close();
  gate_timer_.reset();
}

}  // namespace luzia
