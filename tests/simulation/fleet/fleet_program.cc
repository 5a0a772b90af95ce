#include "tests/simulation/fleet/fleet_program.h"

#include "engine/base/try.h"
#include "tests/simulation/fleet/linked_ports.h"
#include "tests/tools/luzia_fleet/log_session.h"
#include "tools/luzia-fleet/mirror.h"
#include "tools/luzia-fleet/order_taker.h"

namespace luzia::test {
namespace {

constexpr TimeUs kLookEvery = 5 * kSecondUs, kAfterRefusal = kMinuteUs;

TimeUs pause_after(const Status& done) {
  return done || done.error().kind == ErrorKind::trouble ? kLookEvery : kAfterRefusal;
}

}  // namespace

FleetProgram::FleetProgram(FleetWorld& world, FleetMachine& machine, OrderRules rules)
    : world_(world), machine_(machine), rules_(std::move(rules)) {
  fibers_.push_back(std::make_unique<Fiber>([this](Fiber& fiber) { mirror(fiber); }));
  fibers_.push_back(std::make_unique<Fiber>([this](Fiber& fiber) { take_orders(fiber); }));
}

FleetProgram::~FleetProgram() {
  killed_ = true;
  for (const auto& fiber : fibers_) {
    while (!fiber->ended()) fiber->resume();
  }
}

bool FleetProgram::step() {
  const std::size_t first = world_.dice.below(fibers_.size());
  for (std::size_t i = 0; i < fibers_.size(); ++i) {
    Fiber& fiber = *fibers_[(first + i) % fibers_.size()];
    if (!fiber.is_ready()) continue;
    fiber.resume();
    return true;
  }
  return false;
}

std::chrono::steady_clock::time_point FleetProgram::clock() const {
  return std::chrono::steady_clock::time_point(std::chrono::microseconds(world_.now));
}

/// As run_fleet() does.
void FleetProgram::mirror(Fiber& fiber) {
  Caller caller(world_, machine_, fiber, killed_);
  LogSession log(machine_.site->log());
  log.before_answer = [&]() -> Status {
    return caller.ask_daemon<bool>([](SimulatedSite& /*site*/, const auto& answer) { answer(true); })
        .map([](bool /*lives*/) {});
  };
  const auto connect = [&]() -> Result<std::unique_ptr<MirrorStore>> {
    const auto connection = LUZIA_TRY(caller.connect());
    return std::make_unique<LinkedMirrorStore>(caller, connection);
  };
  Mirror mirror(log, connect, {.site = machine_.site->name()}, [this] { return clock(); });
  while (!killed_) {
    const Status done = mirror.step(0);
    mirror_error_ = done ? "" : done.error().code;
    const TimeUs again = world_.now + (mirror.is_behind() && done ? 0 : pause_after(done));
    if (!killed_) fiber.wait([this, again] { return killed_ || world_.now >= again; });
  }
}

/// As OrderThread does.
void FleetProgram::take_orders(Fiber& fiber) {
  Caller caller(world_, machine_, fiber, killed_);
  LinkedDaemon daemon(caller);
  LogSession log(machine_.site->log());
  log.before_answer = [&]() -> Status {
    return caller.ask_daemon<bool>([](SimulatedSite& /*site*/, const auto& answer) { answer(true); })
        .map([](bool /*lives*/) {});
  };
  const auto connect = [&]() -> Result<std::unique_ptr<OrderDatabase>> {
    const auto connection = LUZIA_TRY(caller.connect());
    return std::make_unique<LinkedOrders>(caller, connection);
  };
  OrderTaker taker(connect, daemon, log, {.site = machine_.site->name()}, rules_, [this] { return clock(); });
  while (!killed_) {
    const Status done = taker.step();
    const TimeUs again = world_.now + pause_after(done);
    if (!killed_) fiber.wait([this, again] { return killed_ || world_.now >= again; });
  }
}

}  // namespace luzia::test
