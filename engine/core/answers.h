// Answers to commands: held back until what they were decided on is durable, and remembered so that a command
// that is repeated has no further effect. Loop thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/command.h"
#include "engine/core/history.h"

namespace luzia {

class Answers {
 public:
  explicit Answers(History& history) : history_(history) {}

  /// `then` runs once the log is durable up to `decided`, at once where it is; or gets the commit's error.
  void when_durable(Position decided, std::function<void(Status)> then);
  /// The log is durable up to there.
  void committed(Position position);
  /// It cannot be written: whoever waits, and whoever comes, hears that what became of it is unknown.
  void fail(const Error& cause);

  /// The answer of the same command before; nullopt: it is new. `command_id_reused` (refused).
  std::optional<Result<Outcome>> answered_before(const CommandMeta& meta);
  /// Its events begin at `first`.
  void remember(const CommandMeta& meta, Position first, const std::vector<std::string>& ids);
  /// Forgets commands that the views know.
  void views_reached(Position cursor);

  Position durable() const { return durable_; }
  const std::optional<Error>& failed() const { return failed_; }

 private:
  struct Held {
    Position after;
    std::function<void(Status)> release;
  };
  using Key = std::pair<std::uint32_t, std::string>;  // uid, command id

  History& history_;
  std::deque<Held> held_;
  std::map<Key, History::Command> recent_;
  std::deque<std::pair<Position, Key>> recent_order_;
  Position durable_ = 0;
  std::optional<Error> failed_;
};

}  // namespace luzia
