#include "engine/view/view_store.h"

namespace luzia {
namespace {

/// A batch that grew beyond this releases its memory.
constexpr std::size_t kKeptBytes = 4 << 20;

}  // namespace

void RowBatch::add(std::string_view key_begin, std::string_view key_end,
                   std::optional<std::string_view> value) {
  places_.push_back({bytes_.size(), key_begin.size() + key_end.size(), value ? value->size() : 0, !value});
  bytes_.append(key_begin).append(key_end);
  if (value) bytes_.append(*value);
}

void RowBatch::append(const RowBatch& other) {
  const std::size_t begin = bytes_.size();
  bytes_.append(other.bytes_);
  for (Place place : other.places_) {
    place.begin += begin;
    places_.push_back(place);
  }
}

RowBatch::Change RowBatch::operator[](std::size_t i) const {
  const Place& place = places_[i];
  const std::string_view all = bytes_;
  Change change{all.substr(place.begin, place.key_size), std::nullopt};
  if (!place.erased) change.value = all.substr(place.begin + place.key_size, place.value_size);
  return change;
}

void RowBatch::clear() {
  places_.clear();
  bytes_.clear();
  if (bytes_.capacity() > kKeptBytes) std::string().swap(bytes_);
}

}  // namespace luzia
