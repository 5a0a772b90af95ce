#include "tools/luziad/queries/waiting_steps.h"

#include <spdlog/spdlog.h>

namespace luzia {

void WaitingSteps::add(const std::string& flow, const std::string& step, const Error& why) {
  if (told_.emplace(flow, step).second) {
    spdlog::warn("flow {}: step {} cannot be dispatched yet: {}; trying again until it works", flow, step,
                 why.message);
  }
  waiting_.emplace(flow, step);
  if (timer_.running()) return;
  timer_.start(pause_ms_, [this] {
    for (const auto& [its_flow, its_step] : std::exchange(waiting_, {})) take_up_(its_flow, its_step);
  });
}

}  // namespace luzia
