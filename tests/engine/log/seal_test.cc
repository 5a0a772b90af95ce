// Seals: a line reads back as it was signed, and a log that was rewritten, cut or exchanged is found.
#include "engine/log/seal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "adapters/memory/memory_event_log.h"
#include "engine/base/descriptor.h"
#include "engine/log/check_seals.h"
#include "engine/log/seal_files.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"
#include "tests/simulation/dice.h"

namespace luzia::test {
namespace {

const StoreIdentity kDesk{"desk", "000102030405060708090a0b0c0d0e0f"};

SealKey counted_key() {
  return *SealKey::parse_file("luzia-seal-key 1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n");
}

std::string creation_event(const StoreIdentity& store) {
  schema::StoreCreatedT created;
  created.site = store.site;
  created.store_id = store.store_id;
  schema::EventT event;
  event.site = store.site;
  event.position = event.version = 1;
  return PackedEvent(new_event("system", std::move(created)), std::move(event)).bytes();
}

/// A log by its groups: how many events each has, and what they say.
struct Written {
  struct Part {
    std::uint32_t events;
    std::string note;
  };
  StoreIdentity store = kDesk;
  std::vector<Part> parts;

  std::unique_ptr<EventLog> log() const {
    auto made = std::make_unique<MemoryEventLog>();
    PendingGroup first(1);
    first.add(as_bytes(creation_event(store)));
    EXPECT_TRUE(made->append(first));
    for (const Part& part : parts) {
      EXPECT_TRUE(made->append(group_of(made->tip().position + 1, part.events, part.note)));
    }
    return made;
  }
};

std::vector<Tip> group_ends(const EventLog& log) {
  std::vector<Tip> ends;
  const auto cursor = log.read_from(1);
  for (auto group = cursor->next(); group && *group; group = cursor->next()) {
    ends.push_back({(*group)->last_position(), (*group)->chain()});
  }
  return ends;
}

std::string seal_at(const Tip& tip, const SealKey& key = counted_key()) {
  return key.sign({kDesk, tip, 1'750'000'000'000'000 + static_cast<TimeUs>(tip.position)}) + "\n";
}

SealReport checked(const Written& written, const std::string& seals) {
  const auto log = written.log();
  auto report = check_seals(*log, seals, counted_key().public_key());
  EXPECT_TRUE(report) << report.error().message;
  return report ? std::move(*report) : SealReport();
}

std::vector<std::string> codes(const SealReport& report) {
  std::vector<std::string> found;
  for (const SealFault& fault : report.faults) found.push_back(fault.code);
  return found;
}

TEST(Seal, ALineReadsBackAsItWasSigned) {
  const SealKey key = SealKey::random();
  Seal seal{{"a site % ü\n", "id"}, {~Position{0}, blake2b({as_bytes("x")})}, 1};
  const std::string line = key.sign(seal);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = parse_seal(line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->seal, seal);
  EXPECT_TRUE(is_signed_with(line, *read, key.public_key()));
  EXPECT_FALSE(is_signed_with(line, *read, SealKey::random().public_key()));
}

TEST(Seal, EachChangedCharacterIsFound) {
  const std::string line = counted_key().sign({kDesk, {500, {}}, 1'750'000'000'000'000});
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (const char other : {'0', 'z', ' ', '='}) {
      if (line[i] == other) continue;
      std::string changed = line;
      changed[i] = other;
      const auto read = parse_seal(changed);
      EXPECT_FALSE(read && is_signed_with(changed, *read, counted_key().public_key())) << changed;
    }
    EXPECT_FALSE(parse_seal(line.substr(0, i)));
  }
  EXPECT_FALSE(parse_seal(line + " "));
  EXPECT_FALSE(parse_seal(""));
}

TEST(Seal, ANewerFormatIsNamed) {
  EXPECT_EQ(parse_seal("luzia-seal 2 and=more").error().code, "seal_format");
}

TEST(Seal, AKeyReadsBack) {
  const SealKey key = SealKey::random();
  const auto again = SealKey::parse_file(key.file_text());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->public_key(), key.public_key());
  EXPECT_EQ(parse_public_key(public_key_text(key.public_key())), key.public_key());
  EXPECT_EQ(parse_public_key("AAEC").error().code, "bad_seal_key");
  EXPECT_FALSE(SealKey::parse_file(key.file_text().substr(1)));
}

TEST(CheckSeals, ARewrittenLogIsFoundAtTheFirstSealBehindTheChange) {
  Written written{kDesk, {{2, "one"}, {2, "two"}, {2, "three"}}};
  std::string seals;
  for (const Tip& tip : group_ends(*written.log())) seals += seal_at(tip);
  EXPECT_TRUE(checked(written, seals).holds());
  EXPECT_EQ(checked(written, seals).newest.tip.position, 7U);
  written.parts[1].note = "TWO";
  const SealReport report = checked(written, seals);
  EXPECT_THAT(codes(report), ElementsAre("seal_differs", "seal_differs"));
  EXPECT_THAT(fault_words(report.faults[0]), StartsWith("line 3, position 5: the log was rewritten"));
}

TEST(CheckSeals, ACutLogIsFound) {
  Written written{kDesk, {{2, "one"}, {2, "two"}}};
  const std::string seals = seal_at(group_ends(*written.log()).back());
  written.parts.pop_back();
  const SealReport report = checked(written, seals);
  EXPECT_THAT(codes(report), ElementsAre("seal_beyond_end"));
  EXPECT_THAT(fault_words(report.faults[0]), StartsWith("line 1, position 5: the log ends at position 3"));
  const MemoryEventLog empty;
  EXPECT_EQ(codes(check_seals(empty, seals, counted_key().public_key()).value()).front(), "seal_beyond_end");
}

TEST(CheckSeals, AnotherStoreIsNamed) {
  const Written here{kDesk, {{1, "one"}}};
  const Written there{{"desk", "ffffffffffffffffffffffffffffffff"}, {{1, "one"}}};
  EXPECT_THAT(codes(checked(there, seal_at(group_ends(*here.log()).back()))),
              ElementsAre("seal_of_other_store"));
}

TEST(CheckSeals, LinesThatAreNoSealsAreCounted) {
  const Written written{kDesk, {{1, "one"}}};
  const std::string whole = seal_at(group_ends(*written.log()).back());
  const std::string torn = whole.substr(0, 40);
  const SealReport report = checked(written, torn + "\n\n" + whole + seal_at({2, {}}, SealKey::random()));
  EXPECT_EQ(report.seals, 3U);
  EXPECT_EQ(report.failed, 2U);
  EXPECT_THAT(codes(report), ElementsAre("bad_seal", "seal_key"));
  EXPECT_EQ(report.faults[1].line, 4U);
  EXPECT_FALSE(checked(written, "").holds());
}

TEST(CheckSeals, ManyFaultsKeepTheFirstLines) {
  const Written written{kDesk, {{1, "one"}}};
  std::string seals;
  for (int i = 0; i < 1'000; ++i) seals += i % 2 == 0 ? "nonsense\n" : seal_at({2, {}});
  const SealReport report = checked(written, seals);
  EXPECT_EQ(report.failed, 1'000U);
  ASSERT_EQ(report.faults.size(), kMostSealFaults);
  EXPECT_EQ(report.faults.front().line, 1U);
  EXPECT_TRUE(std::ranges::is_sorted(report.faults, {}, &SealFault::line));
}

/// Changes the log from one group on, as somebody would who recomputes every hash; returns the last position
/// that stays as it was.
Position rewrite(Written& written, Dice& dice) {
  const auto ends = group_ends(*written.log());
  const std::size_t at = dice.below(written.parts.size());
  Written::Part& part = written.parts[at];
  switch (dice.below(3)) {
    case 0:
      part.note += "!";
      break;
    case 1:
      ++part.events;
      break;
    case 2:
      written.parts.insert(written.parts.begin() + static_cast<std::ptrdiff_t>(at), {1, "new"});
      break;
  }
  return ends[at].position;
}

TEST(CheckSeals, RandomTamperingFailsExactlyTheSealsBehindIt) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    Written written;
    for (std::uint64_t i = 0; i < 1 + dice.below(20); ++i) {
      written.parts.push_back({static_cast<std::uint32_t>(1 + dice.below(5)), std::to_string(dice.below(9))});
    }
    std::string seals;
    std::vector<Position> sealed;
    for (const Tip& tip : group_ends(*written.log())) {
      if (dice.one_in(3)) continue;
      seals += seal_at(tip);
      sealed.push_back(tip.position);
    }
    if (sealed.empty()) continue;
    ASSERT_TRUE(checked(written, seals).holds()) << seed;
    Position sound = 0;
    if (dice.one_in(3)) {
      written.parts.resize(dice.below(written.parts.size()));
      sound = written.log()->tip().position;
    } else {
      sound = rewrite(written, dice);
    }
    const SealReport report = checked(written, seals);
    const auto behind = std::ranges::count_if(sealed, [&](Position position) { return position > sound; });
    EXPECT_EQ(report.failed, static_cast<std::uint64_t>(behind)) << seed;
    for (const SealFault& fault : report.faults) EXPECT_GT(fault.position, sound) << seed;
  }
}

TEST(SealFiles, TheKeyIsMadeOnceAndOnlyForItsUser) {
  const TempStore folder;
  const std::string path = folder.beside("seal.key");
  std::vector<std::string> keys(8);
  std::vector<std::thread> makers;
  for (std::string& key : keys) {
    makers.emplace_back([&key, &path] { key = seal_key(path).value().file_text(); });
  }
  for (std::thread& maker : makers) maker.join();
  EXPECT_THAT(keys, testing::Each(read_file(path)));
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(seal_key(path).error().code, "seal_key_open");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  write_file(path, "");
  EXPECT_EQ(seal_key(path).error().code, "bad_seal_key_file");
}

TEST(SealFiles, ALineAfterATornOneStaysWhole) {
  const TempStore folder;
  const std::string path = folder.beside("seals");
  ASSERT_TRUE(append_seal(path, "one"));
  ASSERT_TRUE(append_seal(path, "two"));
  EXPECT_EQ(read_file(path), "one\ntwo\n");
  write_file(path, "one\ntw");
  ASSERT_TRUE(append_seal(path, "three"));
  EXPECT_EQ(read_file(path), "one\ntw\nthree\n");
  EXPECT_EQ(append_seal(folder.beside("none") + "/seals", "one").error().code, "seal_unwritable");
  EXPECT_EQ(append_seal("/dev/null", "one").error().code, "seal_unwritable");
}

TEST(SealFiles, TheLastSealIsOfThisStoreAndKey) {
  const TempStore folder;
  const std::string path = folder.beside("seals");
  const SealKey key = counted_key(), other = SealKey::random();
  const auto last = [&]() -> Position {
    const auto seal = last_seal(path, kDesk, key.public_key());
    return seal ? seal->tip.position : 0;
  };
  EXPECT_EQ(last(), 0U) << "there is no file";
  ASSERT_TRUE(append_seal(path, key.sign({kDesk, {7, {}}, 1})));
  EXPECT_EQ(last(), 7U);
  ASSERT_TRUE(append_seal(path, key.sign({kDesk, {9, {}}, 2})));
  ASSERT_TRUE(append_seal(path, key.sign({{"desk", "other"}, {11, {}}, 3})));
  ASSERT_TRUE(append_seal(path, other.sign({kDesk, {13, {}}, 4})));
  const std::string torn = key.sign({kDesk, {15, {}}, 5});
  write_file(path, read_file(path) + torn.substr(0, torn.size() - 1));
  EXPECT_EQ(last(), 9U);
  write_file(path, std::string(3 * kSealsLookedThrough, '\n'));
  EXPECT_EQ(last(), 0U);
}

TEST(SealFiles, AReaderThatLocksTheFileHoldsNoSealBack) {
  const TempStore folder;
  const std::string path = folder.beside("seals");
  ASSERT_TRUE(append_seal(path, "one"));
  const Descriptor reader(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(reader.get(), LOCK_SH), 0);
  ASSERT_TRUE(append_seal(path, "two"));
  EXPECT_EQ(read_file(path), "one\ntwo\n");
}

TEST(SealFiles, TheAcknowledgedEndIsTheWatermark) {
  const TempStore store;
  EXPECT_EQ(acknowledged_tip(store.path()).error().code, "watermark_missing");
  auto log = opened_store(store.path());
  ASSERT_TRUE(append_groups(*log, 3, 2));
  EXPECT_EQ(acknowledged_tip(store.path()).value(), log->tip());
}

}  // namespace
}  // namespace luzia::test
