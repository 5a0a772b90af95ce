// The erasable texts that an event refers to, and whether they are there and are what the event says.
#pragma once

#include <compare>
#include <set>
#include <string_view>
#include <vector>

#include "engine/log/blob_row.h"
#include "event.fb.h"

namespace luzia {

/// The references to texts that an event holds. They point into the event.
std::vector<const schema::BlobRef*> texts_of(const schema::Event& event);
/// The one of that index; null: the event refers to none such.
const schema::BlobRef* find_text(const schema::Event& event, std::uint32_t index);

/// What became of a text. `lost`: a salvage could not save it, and says so. `missing`: the row does not have
/// it. `changed`: it is another one than the event's hash stands for. `unreadable`: the row is no row up to
/// there.
enum class TextFate { present, erased, lost, missing, changed, unreadable };

/// Present, or gone for a reason that is put down in its place.
constexpr bool is_accounted_for(TextFate fate) {
  return fate == TextFate::present || fate == TextFate::erased || fate == TextFate::lost;
}

struct FoundText {
  TextFate fate = TextFate::missing;
  BlobEntry entry = {};  // of one that is present; points into the row
};

/// Looks for one text of `event` in the row with the texts of its group, from the front: what lies behind it
/// is not read. Proves it by the hash in its reference.
FoundText look_up(std::string_view row, Position event, const schema::BlobRef& text);

/// The same for many texts of one row; that must outlive it.
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

/// Texts that were found erased and of which no BlobErased tells, in the order of the log: what erases a text
/// is recorded before it is done.
class UntoldErasures {
 public:
  void found(const PlaceOfText& text) { texts_.insert(text); }
  /// Any event behind.
  void hear(const schema::Event& event);
  const std::set<PlaceOfText>& texts() const { return texts_; }

 private:
  std::set<PlaceOfText> texts_;
};

/// For people: of missing, changed, unreadable and lost ones.
const char* why_damaged(TextFate fate);
inline constexpr char kTextMissing[] = "it is not there";

}  // namespace luzia
