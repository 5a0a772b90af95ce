// Reads the whole store in the background at the interval [store] scrub. It checks every group against the
// hash chain and every text against the hash in its event, so that damage by a disk is found while a backup
// still exists.
//
// A timer waits until the next scrub is due. Then a separate low-priority thread reads at a bounded rate
// through a log opened read-only, so that blocks come from the disk and fill no cache. The result is an event
// (StoreScrubbed) and, if damage was found, the alert `store_damaged`. STORE/scrubbed holds a copy of the
// last result for the next daemon, because the events of the system are many. A scrub that a stop interrupts
// starts over. Loop thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "adapters/config/config.h"
#include "engine/core/engine.h"
#include "engine/log/verify_chain.h"
#include "tools/luziad/base/daemon_fact.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// The alert's name; it is not one of MachineMonitor's.
inline constexpr char kStoreDamaged[] = "store_damaged";

/// The content of STORE/scrubbed.
struct ScrubRecord {
  TimeUs since = 0;     // the next scrub is due one interval later
  TimeUs scrubbed = 0;  // when the last one ended; 0: never
  std::uint64_t groups = 0, texts = 0, damaged = 0;
  Position first_damaged = 0;
};
std::optional<ScrubRecord> read_scrub_record(const std::string& store);
Status write_scrub_record(const std::string& store, const ScrubRecord& record);

class Scrub final : public Follower {
 public:
  using Note = std::function<void(SystemNote)>;
  /// For a requested scrub: its progress, then its result or why it could not run. Loop thread.
  struct Listener {
    std::function<void(Position done, Position total)> progress;
    std::function<void(const Result<std::string>& words)> over;
  };

  Scrub(uv_loop_t* loop, const Mailbox& mailbox, const Config& config, std::string store, Note note)
      : mailbox_(mailbox),
        config_(config),
        store_(std::move(store)),
        note_(std::move(note)),
        timer_(std::make_unique<Timer>(loop)) {}
  ~Scrub() { close(); }
  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;

  /// At the start. `alert_open`: the log says that the store is damaged.
  void begin(bool alert_open);
  void config_changed() override { arm(); }
  /// Scrubs at the disk's full speed; a background scrub in progress is ended for it. `scrub_running`
  /// (refused) if another person waits for one.
  Status run_now(Listener listener);
  /// When the last one was, and what it found.
  wire::DaemonFactT describe() const;
  /// Ends a scrub in progress and waits for its thread: a few milliseconds.
  void close() override;

 private:
  struct Found;
  void arm();
  void start(bool paced);
  void stop();
  void over(const Found& found);
  void tell(const Found& found);

  const Mailbox& mailbox_;
  const Config& config_;
  std::string store_;
  Note note_;
  std::unique_ptr<Timer> timer_;  // null once closed
  ScrubRecord record_;
  bool alert_open_ = false;
  std::optional<Listener> listener_;
  std::uint64_t round_ = 0;  // messages from earlier rounds are ignored
  std::jthread reader_;
};

}  // namespace luzia
