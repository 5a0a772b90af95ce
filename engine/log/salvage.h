// Salvages a damaged store: copies the log from its first event as far as the hash chain holds, and reports
// exactly what is missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/log/event_log.h"

namespace rocksdb {
class Env;
}

namespace luzia {

struct SalvageReport {
  struct Stretch {
    Position from, to;
  };
  struct Text {
    Position event;
    std::uint32_t index;
  };
  Tip copied;  // end of the new store
  std::uint64_t groups = 0;
  /// The last acknowledged position according to the watermark; nullopt: unknown.
  std::optional<Position> acknowledged;
  /// Why the copy ends where it does; empty: at the log's regular end.
  std::string fault;
  /// Events after the end of the copy that are readable but not linked to anything proved. Not copied.
  std::vector<Stretch> unproved;
  /// Texts of copied events that are missing or do not match their event.
  std::vector<Text> lost_texts;
  /// The database's own index was unusable or incomplete, and was rebuilt from all files in a copy beside the
  /// target (TARGET.work, removed at the end).
  bool index_rebuilt = false;
  /// Why the copy has only what the database's own index leads to although something is missing: rebuilding
  /// the index, or copying with it, failed. Empty: it succeeded or was not needed.
  std::string rebuild_fault;

  bool complete() const {
    return fault.empty() && lost_texts.empty() && acknowledged && *acknowledged <= copied.position;
  }
};

/// Copies the log to `target` and verifies the copy. Does not change the store, which must not be in use
/// (`store_locked`). `target` must be missing, empty, or hold an interrupted copy (`target_not_empty`). Other
/// errors: `no_store`; `salvage_failed` if nothing can be read or the copy cannot be written. `env` null: the
/// default one.
Result<SalvageReport> salvage_log(const std::string& store, const std::string& target,
                                  rocksdb::Env* env = nullptr);

}  // namespace luzia
