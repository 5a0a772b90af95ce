#include "engine/view/fold.h"

#include <algorithm>
#include <cassert>
#include <system_error>
#include <thread>

namespace luzia {
namespace {

/// Starting a thread takes as long as folding a few dozen events.
constexpr Position kWorthAThread = 1'024;

}  // namespace

Fold::Fold(const ProjectionRegistry& registry, ViewStore& store, FoldThreads threads)
    : store_(store), threads_(threads) {
  for (const ProjectionFactory make : registry) {
    const bool core = list_views({make}).front().kind == ViewKind::core;
    Side& side = core ? core_ : others_;
    auto projection = make([this, &side]() -> const ViewReader& {
      if (!side.rows) side.rows = store_.snapshot();
      return *side.rows;
    });
    for (const ProjectionInfo& info : projection->views()) {
      assert(info.id != 0 && info.id != 255);
      views_row_.push_back(static_cast<char>(info.id));
      views_row_.push_back(static_cast<char>(info.version));
    }
    side.projections.push_back(std::move(projection));
  }
  const auto rows = store_.snapshot();
  const auto stored = rows->get(kViewsKey);
  cursor_ = rows->cursor();
  views_row_missing_ = !stored;
  views_row_stored_ = stored == views_row_;
}

Fold::~Fold() = default;

std::string Fold::views_row() const {
  return views_row_;
}

bool Fold::fits_store() const {
  return views_row_stored_ || (cursor_.position == 0 && views_row_missing_);
}

void Fold::Side::apply(const schema::Event& event) {
  for (const auto& projection : projections) projection->fold(event);
}

void Fold::Side::apply(GroupSpan groups, Position after, Position until) {
  for (const auto& group : groups) {
    for (const schema::Event* event : group->events()) {
      if (event->position() <= after) continue;
      if (event->position() > until) return;
      apply(*event);
    }
  }
}

void Fold::Side::pack() {
  for (const auto& projection : projections) projection->flush(batch);
}

void Fold::apply_event(const schema::Event& event) {
  core_.apply(event);
  others_.apply(event);
}

void Fold::move_cursor(const Group& group, Position until) {
  const Position reached = std::min(group.last_position(), until);
  if (reached <= cursor_.position) return;
  cursor_ = {reached, reached == group.last_position() ? group.chain() : Hash{}};
}

void Fold::apply(const Group& group, Position until) {
  for (const schema::Event* event : group.events()) {
    if (event->position() <= cursor_.position) continue;
    if (event->position() > until) break;
    apply_event(*event);
  }
  move_cursor(group, until);
}

Status Fold::apply_and_flush(GroupSpan groups, Position until) {
  const Position after = cursor_.position;
  const Position last = groups.empty() ? 0 : std::min(groups.back()->last_position(), until);
  const bool worth_it =
      last >= after + kWorthAThread && !core_.projections.empty() && !others_.projections.empty();
  if (threads_ == FoldThreads::several && worth_it && apply_beside(groups, until)) return write();
  for (const auto& group : groups) apply(*group, until);
  return flush();
}

/// Folds the two sides on two threads. False: no thread could be created, and nothing was done.
bool Fold::apply_beside(GroupSpan groups, Position until) {
  const Position after = cursor_.position;
  std::jthread beside;
  try {
    beside = std::jthread([&] {
      others_.apply(groups, after, until);
      others_.pack();
    });
  } catch (const std::system_error&) {
    return false;
  }
  core_.apply(groups, after, until);
  core_.pack();
  beside.join();
  move_cursor(*groups.back(), until);
  return true;
}

Status Fold::flush() {
  core_.pack();
  others_.pack();
  return write();
}

Status Fold::write() {
  RowBatch& batch = core_.batch;
  batch.append(others_.batch);
  if (!views_row_stored_) batch.add(kViewsKey, views_row_);
  core_.rows.reset();  // so that a store in memory can drop the old rows
  others_.rows.reset();
  Status written = store_.write(batch, cursor_);
  batch.clear();
  others_.batch.clear();
  if (written) views_row_stored_ = true;
  return written;
}

}  // namespace luzia
