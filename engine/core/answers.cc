#include "engine/core/answers.h"

#include <algorithm>

namespace luzia {
namespace {

Error unknown_fate(const Error& cause) {
  return {ErrorKind::trouble, "commit_failed",
          "the log could not be written (" + cause.message + "): whether the command took effect is unknown",
          "send it again with the same command id: it takes effect once"};
}

}  // namespace

void Answers::when_durable(Position decided, std::function<void(Status)> then) {
  if (failed_) return then(tl::unexpected(unknown_fate(*failed_)));
  if (held_.empty() && decided <= durable_) return then({});
  held_.push_back({decided, std::move(then)});
}

void Answers::committed(Position position) {
  durable_ = position;
  while (!held_.empty() && held_.front().after <= durable_) {
    const auto release = std::move(held_.front().release);
    held_.pop_front();
    release({});
  }
}

void Answers::fail(const Error& cause) {
  failed_ = cause;
  const Error fate = unknown_fate(cause);
  std::deque<Held> held;
  held.swap(held_);
  for (Held& each : held) each.release(tl::unexpected(fate));
}

std::optional<Result<Outcome>> Answers::answered_before(const CommandMeta& meta) {
  if (meta.command_id.empty()) return std::nullopt;
  std::optional<History::Command> known;
  const auto it = recent_.find({meta.uid, meta.command_id});
  if (it != recent_.end()) {
    known = it->second;
  } else {
    auto found = history_.find_command(meta.uid, meta.command_id);
    if (!found) return Result<Outcome>(tl::unexpected(found.error()));
    known = std::move(*found);
  }
  if (!known) return std::nullopt;
  // The log keeps only the first 16 bytes of the digest.
  if (!std::equal(known->digest.begin(), known->digest.begin() + 16, meta.digest.begin())) {
    return Result<Outcome>(
        luzia::fail(ErrorKind::refused, "command_id_reused",
                    "command id '" + meta.command_id + "' was used for another command before",
                    "use a new id, or repeat the first command unchanged"));
  }
  return Result<Outcome>(Outcome{known->ids, known->position, true});
}

void Answers::remember(const CommandMeta& meta, Position first, const std::vector<std::string>& ids) {
  const Key key{meta.uid, meta.command_id};
  recent_[key] = {meta.digest, first, ids};
  recent_order_.emplace_back(first, key);
}

void Answers::views_reached(Position cursor) {
  while (!recent_order_.empty() && recent_order_.front().first <= cursor) {
    recent_.erase(recent_order_.front().second);
    recent_order_.pop_front();
  }
}

}  // namespace luzia
