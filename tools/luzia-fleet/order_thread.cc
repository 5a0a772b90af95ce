#include "tools/luzia-fleet/order_thread.h"

#include "engine/base/try.h"
#include "tools/luzia-fleet/daemon_orders.h"
#include "tools/luzia-fleet/daemon_session.h"
#include "tools/luzia-fleet/pauses.h"
#include "tools/luzia-fleet/postgres_orders.h"

namespace luzia {
namespace {

/// Anybody who may connect to the database can notify, as often as they like.
constexpr std::chrono::milliseconds kLeastBetweenLooks{20};

}  // namespace

OrderReport OrderThread::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void OrderThread::run(OrderTaker& taker, const Invocation& invocation, bool takes_any, const Ending& ending) {
  Pauses pauses;
  std::string said;
  auto looked = std::chrono::steady_clock::time_point();
  while (!ending.is_due()) {
    if (std::chrono::steady_clock::now() - looked < kLeastBetweenLooks) ending.wait(kLeastBetweenLooks);
    looked = std::chrono::steady_clock::now();
    Status done = taker.step();
    {
      const std::lock_guard lock(mutex_);
      report_ = taker.report();
    }
    // Only what was prepared by an older version has no orders: then nothing is held for one.
    if (!takes_any && (done || done.error().code == "no_fleet_schema")) return;
    if (done) done = taker.wait(ending.fd());
    if (ending.is_due()) return;
    const std::string code = done ? "" : done.error().code;
    if (code != said) {
      invocation.say("luzia-fleet: orders: " + (done ? "takes them again" : done.error().message));
    }
    said = code;
    if (done) {
      pauses.reset();
    } else {
      ending.wait(pauses.after(done.error()));
    }
  }
}

Result<std::unique_ptr<OrderThread>> OrderThread::start(Invocation& invocation, const FleetSettings& settings,
                                                        const Ending& ending) {
  const Place place = LUZIA_TRY(invocation.place());
  const auto silence = LUZIA_TRY(invocation.silence());
  const auto connect_daemon = [socket = place.socket, limit = silence.limit](const std::string& person) {
    auto client = Client::connect(socket, {limit, {}});
    if (client && !person.empty()) client->speak_for(person);
    return client;
  };
  const auto connect = [&settings, &ending]() -> Result<std::unique_ptr<OrderDatabase>> {
    auto database = LUZIA_TRY(connect_database(settings, ending.fd()));
    return PostgresOrders::over(std::move(database), settings.name.site);
  };
  std::unique_ptr<OrderThread> made(new OrderThread);
  made->thread_ = std::thread([connect_daemon, connect, &invocation, &settings, &ending, self = made.get()] {
    DaemonOrders daemon(connect_daemon);
    DaemonSession log([&connect_daemon] { return connect_daemon(""); }, ending.fd());
    OrderTaker taker(connect, daemon, log, settings.name, settings.orders);
    self->run(taker, invocation, !settings.orders.kinds.empty(), ending);
  });
  return made;
}

}  // namespace luzia
