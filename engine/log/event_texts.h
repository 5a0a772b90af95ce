// The erasable texts that an event refers to: finding and verifying them. Any thread.
#pragma once

#include <compare>
#include <set>
#include <string_view>
#include <vector>

#include "engine/log/blob_row.h"
#include "event.fb.h"

namespace luzia {

/// The references to texts in an event. They point into the event.
std::vector<const schema::BlobRef*> texts_of(const schema::Event& event);
/// The reference with that index; null: there is none.
const schema::BlobRef* find_text(const schema::Event& event, std::uint32_t index);

/// What was found in place of a text.
/// - lost: a salvage could not save it and recorded that.
/// - missing: the row does not contain it.
/// - changed: it does not match the hash in the event.
/// - unreadable: the row is damaged before it.
enum class TextFate { present, erased, lost, missing, changed, unreadable };

/// Whether the text is present, or its absence is recorded in its place.
constexpr bool is_accounted_for(TextFate fate) {
  return fate == TextFate::present || fate == TextFate::erased || fate == TextFate::lost;
}

struct FoundText {
  TextFate fate = TextFate::missing;
  BlobEntry entry = {};  // if present; points into the row
};

/// Finds one text of `event` in the row of its group, from the front, without reading what follows it.
/// Verifies the text against the hash in its reference.
FoundText look_up(std::string_view row, Position event, const schema::BlobRef& text);

/// The same for many texts of one row, which must outlive it.
class TextRow {
 public:
  explicit TextRow(std::string_view row);
  FoundText look_up(Position event, const schema::BlobRef& text) const;

 private:
  BlobRowFront front_;  // sorted by event and index
};

/// A text by its place in the log.
struct PlaceOfText {
  Position event = 0;
  std::uint32_t index = 0;
  auto operator<=>(const PlaceOfText&) const = default;
};

/// Texts that were found erased but have no BlobErased event yet, in the order of the log. An erasure is
/// recorded before it is done, so such an event is expected later.
class UntoldErasures {
 public:
  void found(const PlaceOfText& text) { texts_.insert(text); }
  /// Call for every event in the order of the log.
  void hear(const schema::Event& event);
  const std::set<PlaceOfText>& texts() const { return texts_; }

 private:
  std::set<PlaceOfText> texts_;
};

/// Text for people. Only for missing, changed, unreadable and lost.
const char* why_damaged(TextFate fate);
inline constexpr char kTextMissing[] = "it is not there";

}  // namespace luzia
