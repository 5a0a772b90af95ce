#include "engine/view/view_store.h"

namespace luzia {

OverlayReader::OverlayReader(const ViewReader* under, const RowOverlay* changes, ViewCursor cursor)
    : under_(under), changes_(changes), cursor_(cursor) {}

std::optional<std::string> OverlayReader::get(std::string_view key) const {
  const auto change = changes_->find(key);
  if (change != changes_->end()) return change->second;
  return under_ ? under_->get(key) : std::nullopt;
}

namespace {

/// Merges the rows below with the changes [at, end). `precedes(a, b)`: the order of the scan.
template <class Iterator, class Precedes>
class Merge {
 public:
  Merge(Iterator at, Iterator end, Precedes precedes, const ViewReader::Visit& visit)
      : at_(at), end_(end), precedes_(precedes), visit_(visit) {}

  bool beneath(std::string_view key, std::string_view value) {
    for (; at_ != end_ && precedes_(at_->first, key); ++at_) {
      if (!show_change()) return false;
    }
    if (at_ == end_ || at_->first != key) return going_ = visit_(key, value);
    const bool go_on = show_change();
    ++at_;
    return go_on;
  }
  void rest() {
    for (; going_ && at_ != end_; ++at_) show_change();
  }

 private:
  bool show_change() { return going_ = !at_->second || visit_(at_->first, *at_->second); }

  Iterator at_, end_;
  Precedes precedes_;
  const ViewReader::Visit& visit_;
  bool going_ = true;
};

}  // namespace

void OverlayReader::scan(std::string_view from, std::string_view to, const Visit& visit) const {
  if (from >= to) return;
  Merge merge(changes_->lower_bound(from), changes_->lower_bound(to), std::less<std::string_view>{}, visit);
  if (under_) under_->scan(from, to, [&](auto key, auto value) { return merge.beneath(key, value); });
  merge.rest();
}

void OverlayReader::scan_back(std::string_view from, std::string_view to, const Visit& visit) const {
  if (from >= to) return;
  Merge merge(std::make_reverse_iterator(changes_->lower_bound(to)),
              std::make_reverse_iterator(changes_->lower_bound(from)), std::greater<std::string_view>{},
              visit);
  if (under_) under_->scan_back(from, to, [&](auto key, auto value) { return merge.beneath(key, value); });
  merge.rest();
}

ViewCursor OverlayReader::cursor() const {
  return cursor_;
}

Status OverlayReader::status() const {
  return under_ != nullptr ? under_->status() : Status();
}

}  // namespace luzia
