#include "engine/view/fold.h"

#include <cassert>

namespace luzia {

Fold::Fold(const ProjectionRegistry& registry, ViewStore& store)
    : store_(store), reader_(store.snapshot()), cursor_(reader_->cursor()) {
  for (const ProjectionFactory make : registry) {
    projections_.push_back(make([this]() -> const ViewReader& { return *reader_; }));
  }
  views_row_stored_ = reader_->get(kViewsKey) == views_row();
}

Fold::~Fold() = default;

std::string Fold::views_row() const {
  std::string row;
  for (const auto& projection : projections_) {
    for (const ProjectionInfo& info : projection->views()) {
      assert(info.id != 0 && info.id != 255);
      row.push_back(static_cast<char>(info.id));
      row.push_back(static_cast<char>(info.version));
    }
  }
  return row;
}

bool Fold::fits_store() const {
  return views_row_stored_ || (cursor_.position == 0 && !reader_->get(kViewsKey));
}

void Fold::apply_event(const schema::Event& event) {
  for (const auto& projection : projections_) projection->fold(event);
}

void Fold::apply(const Group& group, Position until) {
  for (const schema::Event* event : group.events()) {
    if (event->position() <= cursor_.position) continue;
    if (event->position() > until) return;
    apply_event(*event);
    cursor_.position = event->position();
    cursor_.chain = cursor_.position == group.last_position() ? group.chain() : Hash{};
  }
}

Status Fold::flush() {
  for (const auto& projection : projections_) projection->flush(batch_);
  if (!views_row_stored_) batch_.add(kViewsKey, views_row());
  reader_.reset();  // so that a store in memory need not keep the rows of before
  Status written = store_.write(batch_, cursor_);
  batch_.clear();
  reader_ = store_.snapshot();
  if (written) views_row_stored_ = true;
  return written;
}

}  // namespace luzia
