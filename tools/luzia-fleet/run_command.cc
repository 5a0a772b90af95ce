// run: mirrors the log and takes orders for as long as the daemon runs, whatever happens to the database.
#include <sys/file.h>

#include "engine/base/store_file.h"
#include "engine/base/try.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/daemon_session.h"
#include "tools/luzia-fleet/ending.h"
#include "tools/luzia-fleet/fleet_status.h"
#include "tools/luzia-fleet/order_thread.h"
#include "tools/luzia-fleet/pauses.h"
#include "tools/luzia-fleet/postgres_mirror_store.h"
#include "tools/luzia-fleet/settings.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using MirrorClock = std::chrono::steady_clock;

constexpr std::uint32_t kWaitForGroupsMs = 2'000;
constexpr milliseconds kStatusEvery{1'000}, kStatusAtLeastEvery{30'000};

/// Holds the lock of the store's only luzia-fleet. That of the daemon before may still be about to end.
/// `fleet_runs` (refused).
Result<Descriptor> only_fleet_of(const std::string& store, const Ending& ending) {
  constexpr int kTries = 50;
  Descriptor lock(LUZIA_TRY(open_store_file(store + ".fleet.lock", O_RDWR | O_CREAT)));
  for (int i = 0; i < kTries; ++i) {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (ending.wait(milliseconds(100))) break;
  }
  return fail(ErrorKind::refused, "fleet_runs", "a luzia-fleet of " + store + " runs already",
              "the daemon keeps it running; luzia-fleet status shows what it does");
}

/// Says what changes, on standard error and in the status file.
class Reports {
 public:
  Reports(const Invocation& invocation, const FleetSettings& settings)
      : invocation_(invocation), store_(settings.store) {
    status_.site = settings.name.site;
    status_.url_shown = shown_database(settings.url);
  }

  void after_step(const MirrorState& mirror, OrderReport orders, const Status& done) {
    const std::string code = done ? "" : done.error().code, before = status_.error ? status_.error->code : "";
    const bool turned = code != before || mirror.connected != status_.mirror.connected || written_us_ == 0;
    const bool moved = mirror.position != status_.mirror.position || mirror.tip != status_.mirror.tip ||
                       mirror.rows_position != status_.mirror.rows_position || orders != status_.orders;
    unwritten_ = unwritten_ || turned || moved;
    if (code != before) say(done);
    status_.mirror = mirror;
    status_.orders = std::move(orders);
    status_.error = done ? std::nullopt : std::optional(done.error());
    const auto age = MirrorClock::now() - written_;
    if (turned || age >= kStatusAtLeastEvery || (unwritten_ && age >= kStatusEvery)) write();
  }
  void ended() {
    status_.mirror.connected = false;
    write();
  }

 private:
  void say(const Status& done) const {
    const std::string line = done ? "mirrors again" : done.error().message;
    if (status_.error || !done) invocation_.say("luzia-fleet: " + line);
  }
  void write() {
    written_ = MirrorClock::now();
    status_.at = written_us_ = wall_clock();
    unwritten_ = false;
    const Status written = write_fleet_status(store_, status_);
    if (!written && can_write_) invocation_.say("luzia-fleet: " + written.error().message);
    can_write_ = written.has_value();
  }

  const Invocation& invocation_;
  std::string store_;
  FleetStatus status_;
  MirrorClock::time_point written_{};
  TimeUs written_us_ = 0;
  bool unwritten_ = false, can_write_ = true;
};

}  // namespace

Result<int> run_fleet(Invocation& invocation) {
  const Ending ending;
  const FleetSettings settings = LUZIA_TRY(fleet_settings(invocation));
  const Descriptor lock = LUZIA_TRY(only_fleet_of(settings.store, ending));
  DaemonSession daemon([&invocation] { return invocation.connect(WhenAbsent::complain); }, ending.fd());
  Mirror mirror(daemon, PostgresMirrorStore::by([&] { return connect_database(settings, ending.fd()); }),
                settings.name);
  Reports reports(invocation, settings);
  const auto orders = LUZIA_TRY(OrderThread::start(invocation, settings, ending));
  Pauses pauses;
  while (!ending.is_due()) {
    const Status done = mirror.step(kWaitForGroupsMs);
    if (ending.is_due()) break;
    reports.after_step(mirror.state(), orders->report(), done);
    if (done) {
      pauses.reset();
    } else {
      ending.wait(pauses.after(done.error()));
    }
  }
  reports.ended();
  return 0;
}

}  // namespace luzia
