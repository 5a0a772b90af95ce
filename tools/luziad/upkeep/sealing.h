// Seals the log at the interval [store] seal_every, as luzia-query seal does: with STORE/seal.key, into the
// file [store] seal_to. If nothing happened since the last seal, it waits on. A seal that cannot be written
// is reported (describe()) and tried again at the next interval. Loop thread; signs and writes on a worker.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/config/config.h"
#include "engine/log/seal.h"
#include "tools/luziad/base/daemon_fact.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"

namespace luzia {

class Sealing final : public Follower {
 public:
  Sealing(const Threads& threads, const Store& store, const Config& config)
      : threads_(threads), store_(store), config_(config), timer_(std::make_unique<Timer>(threads.loop)) {}
  ~Sealing() { *closed_ = true; }
  Sealing(const Sealing&) = delete;
  Sealing& operator=(const Sealing&) = delete;

  /// At the start: the first seal comes after a minute, or after the interval if that is shorter.
  void begin();
  /// Other changes than of its own keys leave the interval running.
  void config_changed() override;
  /// Where the last seal is; without text if the daemon does not seal.
  wire::DaemonFactT describe() const;
  void close() override { timer_.reset(); }

 private:
  void seal();
  void sealed(Position position, TimeUs time, const Status& done);
  std::string file() const;

  Threads threads_;
  Store store_;
  const Config& config_;
  std::unique_ptr<Timer> timer_;  // null once closed
  std::uint64_t every_ms_ = 0;    // as it began
  std::string begun_file_;
  Position position_ = 0;       // of the last seal by this daemon
  std::optional<Seal> before_;  // the last one in the file when it began
  TimeUs time_ = 0;
  std::string trouble_;  // why the last try failed; empty: it did not
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);  // shared with work in progress
};

}  // namespace luzia
