// Compares a log with the seals of its past. Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/log/event_log.h"
#include "engine/log/seal.h"

namespace luzia {

/// Why one line of a file of seals does not hold. Codes: `bad_seal`, `seal_format`, `seal_key` (signed with
/// another key), `seal_forged`, `seal_of_other_store`, `seal_beyond_end` (the log was cut), `seal_differs`
/// (the log was rewritten), `seal_unreached` (the chain breaks before it).
struct SealFault {
  std::size_t line = 0;   // from 1
  Position position = 0;  // 0: unknown
  std::string code, message;
};

struct SealReport {
  std::uint64_t seals = 0;        // lines, without empty ones
  std::uint64_t failed = 0;       // of them
  std::vector<SealFault> faults;  // of the first kMostSealFaults lines that failed, by line
  Seal newest;                    // of those that hold, the one with the highest position; position 0: none

  /// Whether every line holds, and there is one.
  bool holds() const { return seals > 0 && failed == 0; }
};
inline constexpr std::size_t kMostSealFaults = 100;

/// Checks each line of `seals`: its signature, its store, and that the log's chain has its hash at its
/// position. Walks the chain from its base as far as the seals go, so each hash follows from every event
/// before it. `log` must have been opened after `seals` was read. Errors are those of reading the log.
/// `progress`: position reached.
Result<SealReport> check_seals(const EventLog& log, std::string_view seals, const SealPublicKey& key,
                               const std::function<void(Position)>& progress = {});

/// "line 3, position 500: the log was rewritten ..."
std::string fault_words(const SealFault& fault);

}  // namespace luzia
