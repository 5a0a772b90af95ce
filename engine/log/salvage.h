// Saving what can be proved of a damaged store: a copy of the log from its first event as far as the chain of
// hashes holds, and an exact account of what is not in it.
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
  /// What the watermark says was acknowledged; nullopt when that cannot be told.
  std::optional<Position> acknowledged;
  /// Why the copy ends where it does; empty at a log's regular end.
  std::string fault;
  /// Events behind the copy's end that can be read but hang on nothing that can be proved. Not copied.
  std::vector<Stretch> unproved;
  /// Texts of copied events that are gone or are not what the event says.
  std::vector<Text> lost_texts;
  /// The database's own index was unusable, or led to less than its files hold, and was made anew from them,
  /// in a copy beside the target (TARGET.work, gone at the end).
  bool index_rebuilt = false;
  /// Why the copy has only what the database's own index leads to, though something is missing: an index made
  /// anew, or the copy by it, failed. Empty: it did not, or was not needed.
  std::string rebuild_fault;

  bool complete() const {
    return fault.empty() && lost_texts.empty() && acknowledged && *acknowledged <= copied.position;
  }
};

/// Copies to `target`, which must not exist, be empty, or hold a copy that was cut short
/// (`target_not_empty`), and verifies the copy. The
/// store itself is not changed; it must not be in use (`store_locked`). `no_store`; `salvage_failed` when
/// nothing can be read at all or the copy cannot be written. `env` null: the default one.
Result<SalvageReport> salvage_log(const std::string& store, const std::string& target,
                                  rocksdb::Env* env = nullptr);

}  // namespace luzia
