// Verifies the hash chain: proves that no group was changed, dropped, inserted or moved, and that no text was
// changed.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/log/event_log.h"

namespace luzia {

/// Takes groups in order. `log_corrupt` with the position for the first group that does not follow.
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
  std::uint64_t groups = 0, events = 0, bytes = 0;  // size of the events
  std::uint64_t texts = 0, text_bytes = 0;          // texts that are present
  std::uint64_t lost_texts = 0;                     // recorded as lost by a salvage
};

/// The result of verifying a whole log.
struct LogProof {
  ChainReport report;            // up to the end, or to the first invalid group
  std::uint64_t damaged = 0;     // groups and texts
  Position first_damaged = 0;    // position of the first affected event; 0: none
  std::optional<Error> fault{};  // the first one
};

/// Verifies the whole chain from the base to the tip at the time of the call, parses every event, and
/// verifies every text that an event refers to. Stops at an invalid group; continues after an invalid text.
/// An erased text is sound if a BlobErased event says so. `progress` gets the report after each group. The
/// only error is `cancelled` (trouble), soon after `stop` is requested.
Result<LogProof> prove_log(const EventLog& log, const std::function<void(const ChainReport&)>& progress = {},
                           const std::stop_token& stop = {});

/// prove_log() for callers to whom a fault is an error: `log_corrupt` or `text_damaged` with the position.
/// `progress` gets the last position of each group.
Result<ChainReport> verify_chain(const EventLog& log, const std::function<void(Position)>& progress = {},
                                 const std::stop_token& stop = {});

/// "chain of 12 events in 4 groups holds up to position 12, with 3 texts", for people.
std::string proof_words(const ChainReport& report);

}  // namespace luzia
