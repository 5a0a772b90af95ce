#include "engine/log/check_seals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/log/read_ahead.h"
#include "engine/log/verify_chain.h"

namespace luzia {
namespace {

class SealChecking {
 public:
  SealChecking(const EventLog& log, StoreIdentity store, const SealPublicKey& key)
      : log_(log), store_(std::move(store)), key_(key) {}

  /// Takes what a line alone tells; the rest waits for the walk.
  void take(std::size_t number, std::string_view line) {
    ++report_.seals;
    auto read = parse_seal(line);
    if (!read) return note({number, 0, read.error().code, read.error().message});
    const Seal& seal = read->seal;
    const Position position = seal.tip.position;
    if (!is_signed_with(line, *read, key_)) {
      const bool other = read->key != key_;
      return note({number, position, other ? "seal_key" : "seal_forged",
                   other ? "it was signed with another key: " + public_key_text(read->key)
                         : "its signature does not hold: the line was changed or forged"});
    }
    if (log_.tip().position > 0 && seal.store != store_) {
      return note({number, position, "seal_of_other_store",
                   "it is of another store: " + seal.store.store_id + " of site '" + seal.store.site +
                       "', not " + store_.store_id + " of '" + store_.site + "'"});
    }
    if (position > log_.tip().position) {
      return note({number, position, "seal_beyond_end",
                   "the log ends at position " + std::to_string(log_.tip().position) +
                       ": it was cut after it was sealed at " + format_rfc3339(seal.time)});
    }
    waiting_.emplace(position, Waiting{number, std::move(read->seal)});
  }

  Status walk(const std::function<void(Position)>& progress) {
    if (waiting_.empty()) return {};
    ChainWalk walk(log_.base());
    while (!waiting_.empty() && waiting_.begin()->first <= log_.base().position) compare(log_.base());
    const auto cursor =
        read_ahead(log_, log_.base().position + 1, waiting_.empty() ? 0 : waiting_.rbegin()->first);
    while (!waiting_.empty()) {
      const auto group = LUZIA_TRY(cursor->next());
      const Status step = group ? walk.step(*group) : Status(no_group_for(walk.tip().position + 1));
      if (!step) {
        unreached(step.error());
        return {};
      }
      if (progress) progress(walk.tip().position);
      while (!waiting_.empty() && waiting_.begin()->first <= walk.tip().position) compare(walk.tip());
    }
    return {};
  }

  SealReport finish() {
    std::ranges::stable_sort(report_.faults, {}, &SealFault::line);
    if (report_.faults.size() > kMostSealFaults) report_.faults.resize(kMostSealFaults);
    return std::move(report_);
  }

 private:
  struct Waiting {
    std::size_t line;
    Seal seal;
  };

  void note(SealFault fault) {
    ++report_.failed;
    // Lines come in order but for the walk's, so twice as many are enough to know the first ones.
    report_.faults.push_back(std::move(fault));
    if (report_.faults.size() < 2 * kMostSealFaults) return;
    std::ranges::stable_sort(report_.faults, {}, &SealFault::line);
    report_.faults.resize(kMostSealFaults);
  }

  /// The next seal that waits, at the first end of a group that is not before it.
  void compare(const Tip& tip) {
    const auto [line, seal] = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    if (seal.tip == tip) {
      if (seal.tip.position >= report_.newest.tip.position) report_.newest = seal;
      return;
    }
    const std::string what =
        seal.tip.position == tip.position
            ? "its chain is " + to_hex(tip.chain) + " there, and " + to_hex(seal.tip.chain) + " was sealed"
            : "no group of events ends there";
    note({line, seal.tip.position, "seal_differs",
          "the log was rewritten after it was sealed at " + format_rfc3339(seal.time) + ": " + what});
  }

  void unreached(const Error& why) {
    for (const auto& [position, waiting] : waiting_) {
      note({waiting.line, position, "seal_unreached", "nothing proves the log up to there: " + why.message});
    }
    waiting_.clear();
  }

  const EventLog& log_;
  StoreIdentity store_;
  SealPublicKey key_;
  SealReport report_;
  std::multimap<Position, Waiting> waiting_;  // sound lines, whose position the walk has not reached
};

}  // namespace

Result<SealReport> check_seals(const EventLog& log, std::string_view seals, const SealPublicKey& key,
                               const std::function<void(Position)>& progress) {
  StoreIdentity store;
  if (log.tip().position > 0) store = LUZIA_TRY(identity_of(log));
  SealChecking checking(log, std::move(store), key);
  std::size_t number = 0;
  while (!seals.empty()) {
    const std::size_t end = std::min(seals.find('\n'), seals.size());
    ++number;
    if (end > 0) checking.take(number, seals.substr(0, end));
    seals.remove_prefix(std::min(end + 1, seals.size()));
  }
  LUZIA_TRY(checking.walk(progress));
  return checking.finish();
}

std::string fault_words(const SealFault& fault) {
  const std::string where = fault.position == 0 ? "" : ", position " + std::to_string(fault.position);
  return "line " + std::to_string(fault.line) + where + ": " + fault.message;
}

}  // namespace luzia
