// How a fiber of a simulated luzia-fleet calls the database and the daemon: either may be gone before the
// request arrives, or before the answer does.
#pragma once

#include <memory>
#include <optional>

#include "tests/simulation/fleet/fiber.h"
#include "tests/simulation/fleet/fleet_world.h"

namespace luzia::test {

class Caller {
 public:
  Caller(FleetWorld& in_world, FleetMachine& on_machine, Fiber& in_fiber, const bool& killed)
      : world(in_world), machine(on_machine), fiber(in_fiber), killed_(killed) {}

  /// One connection to the database.
  struct Connection {
    int primary = 0;
    bool usable = true;
  };
  Result<Connection> connect() {
    fiber.wait();
    if (killed_ || machine.cut) return no_answer();
    return Connection{world.primary, true};
  }
  bool lives() const { return !killed_; }
  bool reaches(const Connection& to) const {
    return !killed_ && to.usable && !machine.cut && to.primary == world.primary;
  }

  /// `may_come_late`: if the program is killed, the call may be done much later. Else it is done then, or
  /// never.
  template <class Answer>
  Answer ask_database(Connection& to, std::function<Answer()> act, bool may_come_late = true) {
    if (reaches(to)) {
      fiber.wait();
      if (reaches(to)) {
        Answer answer = act();
        fiber.wait();
        if (reaches(to)) return answer;
      } else if (world.dice.one_in(2)) {
        may_come_late &= killed_ && world.dice.one_in(2);
        may_come_late ? world.late.push_back([act = std::move(act)] { (void)act(); }) : (void)act();
      }
    }
    to.usable = false;
    return no_answer();
  }

  /// `ask` gets what is to be called with the answer.
  template <class Value>
  Result<Value> ask_daemon(std::function<void(SimulatedSite&, std::function<void(Result<Value>)>)> ask) {
    const int life = machine.site->life();
    auto* const site = machine.site.get();
    fiber.wait();
    if (killed_ || site->life() != life) {
      if (killed_ && world.dice.one_in(2)) world.late.push_back(late_question<Value>(life, std::move(ask)));
      return no_answer();
    }
    const auto given = std::make_shared<std::optional<Result<Value>>>();
    ask(*site, [given](Result<Value> answer) { given->emplace(std::move(answer)); });
    fiber.wait([this, given, site, life] { return killed_ || given->has_value() || site->life() != life; });
    if (killed_ || !given->has_value()) return no_answer();
    return std::move(**given);
  }

  static tl::unexpected<Error> no_answer() {
    return fail(ErrorKind::trouble, "no_answer", "the connection was lost", "");
  }

  FleetWorld& world;
  FleetMachine& machine;
  Fiber& fiber;

 private:
  /// A killed program's request, which is in the daemon's socket.
  template <class Value>
  std::function<void()> late_question(
      int life, std::function<void(SimulatedSite&, std::function<void(Result<Value>)>)> ask) {
    return [&on = machine, life, ask = std::move(ask)] {
      if (on.site->life() == life) ask(*on.site, [](const Result<Value>& /*answer*/) {});
    };
  }

  const bool& killed_;
};

}  // namespace luzia::test
