#include "engine/log/group.h"

#include "engine/log/blob_row.h"
#include "tests/engine/log/log_events.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

std::string stored_group() {
  return Group::encode(group_of(5, 3, "some note"), Hash{1, 2, 3});
}

Result<Group> parsed(const std::string& value, Position first = 5) {
  return Group::parse(first, as_bytes(value));
}

TEST(Group, ReadsBackFromAnyAlignment) {
  for (std::size_t shift = 0; shift < 9; ++shift) {
    const std::string shifted = std::string(shift, ' ') + stored_group();
    auto group = Group::parse(5, as_bytes(shifted).subspan(shift));
    ASSERT_TRUE(group);
    EXPECT_EQ(group->chain(), (Hash{1, 2, 3}));
    EXPECT_EQ(group->last_position(), 7U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(group->event_bytes(i).data()) % 8, 0U);
      EXPECT_EQ(as_text(group->event_bytes(i)), encoded_event(5 + i, "some note"));
    }
  }
}

TEST(Group, MovedGroupKeepsItsEventsAlive) {
  auto group = parsed(stored_group());
  const Group moved = std::move(*group);
  EXPECT_EQ(note_of(*moved.events()[2]), "some note");
}

TEST(Group, TrustedGroupEqualsTheVerifiedOne) {
  const auto pending = group_of(5, 3, "some note");
  const Group trusted = Group::stored(pending, Hash{1});
  const auto verified = parsed(Group::encode(pending, Hash{1}));
  EXPECT_EQ(as_text(trusted.frames()), as_text(verified->frames()));
  ASSERT_EQ(trusted.events().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(trusted.events()[i]->position(), 5 + i);
}

TEST(Group, TruncationAnywhereIsDamage) {
  const std::string value = stored_group();
  for (std::size_t size = 0; size < value.size(); ++size) {
    auto group = parsed(value.substr(0, size));
    ASSERT_FALSE(group) << size;
    EXPECT_EQ(group.error().code, "log_corrupt");
  }
}

TEST(Group, ExtraBytesAreDamage) {
  EXPECT_EQ(parsed(stored_group() + std::string(8, '\0')).error().code, "log_corrupt");
}

TEST(Group, FlippedBitsNeverCrashAReader) {
  const std::string value = stored_group();
  for (std::size_t bit = 0; bit < value.size() * 8; ++bit) {
    std::string flipped = value;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    auto group = parsed(flipped);
    if (!group) continue;
    // The chain detects such a change; here the group only has to be safe to read.
    for (const auto* event : group->events()) {
      EXPECT_FALSE(event_type(*event).empty());
      EXPECT_LE(text(event->stream()).size(), value.size());
    }
  }
}

TEST(StoredEvent, IsReadAloneFromAnyAlignment) {
  for (std::size_t shift = 0; shift < 9; ++shift) {
    const std::string shifted = std::string(shift, ' ') + stored_group();
    for (Position position = 5; position <= 7; ++position) {
      const auto alone = StoredEvent::parse(5, as_bytes(shifted).subspan(shift), position);
      ASSERT_TRUE(alone && *alone);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*alone)->bytes().data()) % 8, 0U);
      EXPECT_EQ(as_text((*alone)->bytes()), encoded_event(position, "some note"));
    }
    EXPECT_FALSE(StoredEvent::parse(5, as_bytes(shifted).subspan(shift), 8).value());
  }
}

TEST(StoredEvent, DamageUpToItsEndIsReported) {
  const std::string value = stored_group();
  for (std::size_t size = 0; size < value.size(); ++size) {
    const std::string cut = value.substr(0, size);
    EXPECT_EQ(StoredEvent::parse(5, as_bytes(cut), 7).error().code, "log_corrupt") << size;
  }
  EXPECT_EQ(StoredEvent::parse(6, as_bytes(value), 7).error().code, "log_corrupt");
  for (std::size_t bit = 0; bit < value.size() * 8; ++bit) {
    std::string flipped = value;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto alone = StoredEvent::parse(5, as_bytes(flipped), 6);
    if (!alone || !*alone) continue;
    EXPECT_LE(text((*alone)->event().stream()).size(), value.size());
  }
}

TEST(Group, EventsOfOtherPositionsAreDamage) {
  EXPECT_EQ(parsed(stored_group(), 6).error().code, "log_corrupt");
}

TEST(Group, ErrorsNameThePosition) {
  std::string value = stored_group();
  value.resize(value.size() - 8);
  EXPECT_THAT(parsed(value).error().message, HasSubstr("position 5"));
}

TEST(PendingGroup, AppendedGroupFollows) {
  auto group = group_of(1, 2, "a");
  auto later = group_of(3, 2, "a");
  later.add_blob(3, {0, "s", "text"});
  group.append(std::move(later));
  EXPECT_EQ(as_text(group.frames()), as_text(group_of(1, 4, "a").frames()));
  EXPECT_EQ(group.count(), 4U);
  EXPECT_EQ(group.next_position(), 5U);
  ASSERT_EQ(group.blobs().size(), 1U);
  EXPECT_EQ(group.blobs()[0].event, 3U);
}

TEST(PendingGroup, RoomEndsAtEitherLimit) {
  PendingGroup group(1);
  EXPECT_TRUE(group.has_room(kMaxGroupEvents, kMaxGroupBytes));
  EXPECT_FALSE(group.has_room(kMaxGroupEvents + 1, 0));
  EXPECT_FALSE(group.has_room(1, kMaxGroupBytes + 1));
  group.add_blob(1, {0, "", std::string(1000, 'x')});
  EXPECT_TRUE(group.has_room(1, kMaxGroupBytes - 1000));
  EXPECT_FALSE(group.has_room(1, kMaxGroupBytes - 999));
}

TEST(ChainHash, DependsOnEverything) {
  const std::string frames(16, 'f'), others(16, 'g');
  const Hash hash = chain_hash({}, 1, 1, as_bytes(frames));
  EXPECT_EQ(hash, chain_hash({}, 1, 1, as_bytes(frames)));
  EXPECT_NE(hash, chain_hash(Hash{1}, 1, 1, as_bytes(frames)));
  EXPECT_NE(hash, chain_hash({}, 2, 1, as_bytes(frames)));
  EXPECT_NE(hash, chain_hash({}, 1, 2, as_bytes(frames)));
  EXPECT_NE(hash, chain_hash({}, 1, 1, as_bytes(others)));
}

TEST(BlobRow, ReadsBackAsWritten) {
  const std::vector<PendingGroup::PlacedBlob> blobs = {{7, {0, "salt", "text"}},
                                                       {8, {3, "", std::string(300, '\0')}}};
  const std::string row = encode_blob_row(blobs);
  const auto entries = decode_blob_row(row);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].event, 7U);
  EXPECT_EQ((*entries)[0].salt, "salt");
  EXPECT_EQ((*entries)[0].content, "text");
  EXPECT_EQ((*entries)[1].index, 3U);
  EXPECT_EQ((*entries)[1].content, std::string(300, '\0'));
  EXPECT_EQ((*entries)[1].state, BlobState::present);
}

TEST(BlobRow, ErasedEntryKeepsNeitherTextNorSalt) {
  std::vector<BlobEntry> entries = {{7, 0, BlobState::erased, "grain", "secret"},
                                    {7, 1, BlobState::present, "grain", "open"}};
  const std::string row = encode_blob_row(entries);
  EXPECT_EQ(row.find("secret"), std::string::npos);
  EXPECT_EQ(row.find("grain"), row.rfind("grain")) << "only the entry that stays has its salt";
  const auto read = decode_blob_row(row);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].state, BlobState::erased);
  EXPECT_EQ((*read)[1].content, "open");
}

TEST(BlobRow, DamagedRowIsRefused) {
  const std::string row = encode_blob_row(std::vector<PendingGroup::PlacedBlob>{{7, {0, "salt", "text"}}});
  for (std::size_t size = 0; size < row.size(); ++size)
    EXPECT_FALSE(decode_blob_row(row.substr(0, size))) << size;
  EXPECT_FALSE(decode_blob_row(row + "x"));
}

}  // namespace
}  // namespace luzia::test
