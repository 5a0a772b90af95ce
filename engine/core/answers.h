// Answers to commands. Each is held back until everything it was decided on is durable. It is then
// remembered, so that repeating a command id has no further effect. Loop thread.
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

  /// Runs `then` once the log is durable up to `decided`, or at once if it is already. If the commit fails,
  /// `then` gets the commit's error.
  void when_durable(Position decided, std::function<void(Status)> then);
  /// Releases the answers that waited for this position: the log is now durable up to it.
  void committed(Position position);
  /// The log cannot be written any more. Held and later callers get an error: the fate of their command is
  /// unknown.
  void fail(const Error& cause);

  /// The earlier answer to the same command id. nullopt: the id is new. Error `command_id_reused` (refused):
  /// the same id came with other content.
  std::optional<Result<Outcome>> answered_before(const CommandMeta& meta);
  /// `first`: position of the command's first event.
  void remember(const CommandMeta& meta, Position first, const std::vector<std::string>& ids);
  /// Forgets commands that the views hold up to `cursor`; History finds those.
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
