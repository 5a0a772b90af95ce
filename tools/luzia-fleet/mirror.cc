#include "tools/luzia-fleet/mirror.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {
namespace {

constexpr std::chrono::seconds kShowLifeEvery{30};
constexpr std::uint32_t kLessBytes = 2 << 20, kLeastBytes = 64 << 10;

}  // namespace

void PendingRows::add(const GroupsRead& read) {
  if (all) return;
  for (const Group& group : read.groups) {
    for (const schema::Event* event : group.events()) touched.add(*event);
  }
  if (touched.jobs() <= kMostTouchedJobs) return;
  all = true;
  touched.clear();
}

Status Mirror::step(std::uint32_t wait_ms) {
  Status done = try_step(wait_ms);
  fit_most_bytes(done.has_value());
  if (!done) {
    is_known_ = false;
    const std::string code = fault_code(done.error());
    if (!code.empty() && database_ && database_->is_usable()) {
      (void)database_->note_fault(name_, code + ": " + done.error().message);
    }
  }
  if (database_ && !database_->is_usable()) database_.reset();
  state_.connected = database_ != nullptr;
  return done;
}

/// Over a slow line, what is usually sent at once may take longer than a statement may.
void Mirror::fit_most_bytes(bool done) {
  if (done) {
    most_bytes_ = most_bytes_ < kLessBytes ? 2 * most_bytes_ : 0;
  } else {
    most_bytes_ = most_bytes_ == 0 ? kLessBytes : std::max(kLeastBytes, most_bytes_ / 2);
  }
}

/// Connects, compares the logs, and takes up what the database knows.
Status Mirror::be_ready() {
  if (!database_) {
    is_known_ = false;
    database_ = LUZIA_TRY(connect_());
  }
  if (is_known_) return {};
  const HeldSite held = LUZIA_TRY(database_->enter(name_));
  state_ = {held.position, held.rows_position, held.chain, state_.tip, true};
  after_ = held.position;
  LUZIA_TRY(check_continues(daemon_, name_, held));
  if (held.position == 0) after_ = LUZIA_TRY(daemon_.begins_after());
  LUZIA_TRY(find_pending());
  seen_ = now_();
  is_known_ = true;
  return {};
}

/// Finds what the mirrored groups have touched whose rows were not written, and what was archived.
Status Mirror::find_pending() {
  pending_.touched.clear();
  pending_.all = pending_.all || after_ > state_.position;
  for (Position at = state_.rows_position; at < state_.position && !pending_.all;) {
    const auto read = daemon_.groups(at, 0);
    if (!read && read.error().kind != ErrorKind::refused) return tl::unexpected(read.error());
    pending_.all = !read || read->groups.empty();
    if (pending_.all) break;
    pending_.add(*read);
    at = read->groups.back().last_position();
  }
  return {};
}

Position Mirror::end_of(const GroupsRead& read) const {
  return read.groups.empty() ? after_ : read.groups.back().last_position();
}

Status Mirror::try_step(std::uint32_t wait_ms) {
  LUZIA_TRY(be_ready());
  const GroupsRead read = LUZIA_TRY(daemon_.groups(after_, pending_.empty() ? wait_ms : 0, most_bytes_));
  state_.tip = read.tip;
  if (read.groups.empty() && pending_.empty()) return show_life();
  pending_.add(read);
  MirrorState made = state_;
  PendingRows later;
  LUZIA_TRY(database_->transaction([&] { return write(read, made, later); }));
  // Rows are read once, when the groups have caught up.
  if (end_of(read) >= read.tip) pending_ = std::move(later);
  state_ = made;
  after_ = std::max(after_, made.position);
  seen_ = now_();
  return {};
}

/// The body of a transaction. `made`: what the database holds after it; `later`: what is pending then, if the
/// groups have caught up.
Status Mirror::write(const GroupsRead& read, MirrorState& made, PendingRows& later) {
  const HeldSite held = LUZIA_TRY(database_->enter(name_));
  if (held.position != state_.position || held.chain != state_.chain) {
    return fail(ErrorKind::trouble, "position_moved",
                "the database holds site " + name_.site + " up to position " + std::to_string(held.position) +
                    ", not " + std::to_string(state_.position),
                "luzia-fleet goes on from there");
  }
  LUZIA_TRY(copy(read, made));
  const Position end = end_of(read);
  if (end < read.tip) return {};
  const Position until = LUZIA_TRY(write_pending(end));
  for (Position at = end; at < until;) {
    const GroupsRead more = LUZIA_TRY(daemon_.groups(at, 0));
    if (more.groups.empty()) {
      return fail(ErrorKind::trouble, "protocol", "the daemon has rows of later events than its log has",
                  "run luzia-query verify");
    }
    LUZIA_TRY(copy(more, made));
    later.add(more);
    made.tip = more.tip;
    at = more.groups.back().last_position();
  }
  LUZIA_TRY(database_->set_rows_position(name_.site, end));
  made.rows_position = end;
  return {};
}

/// Writes the pending rows. Returns a position as of which, or before which, each of them was read.
Result<Position> Mirror::write_pending(Position end) {
  if (pending_.all) {
    LUZIA_TRY(database_->rebuild_rows(daemon_, name_.site));
    const GroupsRead next = LUZIA_TRY(daemon_.groups(end, 0, 1));
    return next.tip;
  }
  if (pending_.touched.empty()) return Position{0};
  return database_->write_rows(daemon_, name_.site, pending_.touched);
}

Status Mirror::copy(const GroupsRead& read, MirrorState& made) {
  if (read.groups.empty()) return {};
  LUZIA_TRY(database_->copy(name_, read));
  made.position = read.groups.back().last_position();
  made.chain = read.groups.back().chain();
  return {};
}

/// Nothing is to be mirrored: shows now and then that the site lives, and whether the database still does.
Status Mirror::show_life() {
  if (now_() - seen_ < kShowLifeEvery) return {};
  const HeldSite held = LUZIA_TRY(database_->enter(name_));
  is_known_ = held.position == state_.position && held.chain == state_.chain;
  seen_ = now_();
  return {};
}

}  // namespace luzia
