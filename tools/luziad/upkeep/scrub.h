// Reads the whole store in the background, as often as [store] scrub says, and holds every group against the
// chain and every text against the hash in its event: what a disk has spoiled is found while there is still a
// backup.
//
// One timer until the next is due; then a thread of its own that gives way to all others, reads through a log
// opened for reading (blocks come from the disk, and nobody's cache is filled) and so many bytes a second.
// What was found is an event (StoreScrubbed) and, where something was, the alert `store_damaged`. When the
// last one was stands in STORE/scrubbed, a copy for the next daemon: the events of the system are many. One
// that a stop has cut short begins anew. Loop thread.
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
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// The alert's name; it is not the machine's (MachineMonitor).
inline constexpr char kStoreDamaged[] = "store_damaged";

/// What stands in STORE/scrubbed.
struct ScrubRecord {
  TimeUs since = 0;     // the next is due one interval later
  TimeUs scrubbed = 0;  // when the last one ended; 0: there was none
  std::uint64_t groups = 0, texts = 0, damaged = 0;
  Position first_damaged = 0;
};
std::optional<ScrubRecord> read_scrub_record(const std::string& store);
Status write_scrub_record(const std::string& store, const ScrubRecord& record);

class Scrub final : public Follower {
 public:
  using Note = std::function<void(SystemNote)>;
  /// Of one that was asked for: how far it is, then what it found or why it could not look. Loop thread.
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
  /// The configuration has been read again.
  void config_changed() override { arm(); }
  /// As fast as the disk gives; one that is on its way is ended for it. `scrub_running` (refused) where
  /// another person waits for one.
  Status run_now(Listener listener);
  /// "last scrub 2026-...: 12 groups and 3 texts hold", a line for people.
  std::string describe() const;
  /// Ends one that is on its way and waits until its thread has seen that: a few milliseconds.
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
  std::uint64_t round_ = 0;  // what earlier ones post is of no interest
  std::jthread reader_;
};

}  // namespace luzia
