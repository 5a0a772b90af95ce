// Walking the hash chain: proves that no group was changed, dropped, inserted or moved, and no text changed.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/log/event_log.h"

namespace luzia {

/// Takes groups in order and stops at the first that does not follow: `log_corrupt`, naming the position.
class ChainWalk {
 public:
  explicit ChainWalk(Tip start) : tip_(start) {}
  Status step(const Group& group);
  const Tip& tip() const { return tip_; }

 private:
  Tip tip_;
};

struct ChainReport {
  Tip tip;
  std::uint64_t groups = 0, events = 0, bytes = 0;  // of events
  std::uint64_t texts = 0, text_bytes = 0;          // that are there
  std::uint64_t lost_texts = 0;                     // that a salvage put down as lost
};

/// What a walk through a whole log has found.
struct LogProof {
  ChainReport report;            // as far as it went: to the end, or to the first group that does not hold
  std::uint64_t damaged = 0;     // groups and texts
  Position first_damaged = 0;    // of the first event that one of these belongs to; 0: none
  std::optional<Error> fault{};  // the first one
};

/// Walks the whole chain from the base to the tip at the time of the call, parses every event, and proves
/// every text that an event refers to. The walk ends at a group that does not hold, and goes on behind a text
/// that does not. An erased text is sound where a BlobErased tells of it. `progress` gets the report as far
/// as it has come, after each group. The one error is `cancelled` (trouble), soon after a stop is asked for.
Result<LogProof> prove_log(const EventLog& log, const std::function<void(const ChainReport&)>& progress = {},
                           const std::stop_token& stop = {});

/// prove_log() for those to whom a fault is an error: `log_corrupt`, `text_damaged`; it names the position.
/// `progress` gets the last position of each group.
Result<ChainReport> verify_chain(const EventLog& log, const std::function<void(Position)>& progress = {},
                                 const std::stop_token& stop = {});

/// "chain of 12 events in 4 groups holds up to position 12, with 3 texts", for people.
std::string proof_words(const ChainReport& report);

}  // namespace luzia
