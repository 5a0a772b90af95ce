// One flipped bit or one cut anywhere in a store is either detected or harmless. Reading never returns other
// events than were written, and never fewer without an error. LUZIA_EVERY_BYTE=1 tries all bytes instead of a
// sample.
#include "tests/engine/log/every_byte.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

constexpr int kGroups = 12;
constexpr std::uint32_t kEventsEach = 2;

struct Content {
  std::string frames;
  std::string blob;
  bool operator==(const Content&) const = default;
};

/// Everything in the log, or the error of reading it.
Result<Content> content_of(const EventLog& log) {
  if (auto report = verify_chain(log); !report) return tl::unexpected(report.error());
  Content content;
  const auto cursor = log.read_from(1);
  for (;;) {
    auto group = cursor->next();
    if (!group) return tl::unexpected(group.error());
    if (!*group) break;
    content.frames += as_text((*group)->frames());
  }
  auto blob = log.blob(1, 0);
  if (!blob) return tl::unexpected(blob.error());
  content.blob = *blob;
  return content;
}

void fill(const std::string& store) {
  const auto log = opened_store(store);
  ASSERT_TRUE(log->append(group_with_texts(1, kEventsEach, {{1, {{0, "salt", "a text to keep"}}}})));
  ASSERT_TRUE(append_groups(*log, kGroups - 1, kEventsEach));
}

enum class Damage { flipped_bit, cut };

/// Damages each sampled byte of `file` in turn and opens the store for writing. Returns how often that was
/// refused.
int damage_bytes(const TempStore& place, const std::string& file, const Content& whole, Damage damage) {
  constexpr std::size_t kSamples = 40;
  const std::string damaged = place.beside("damaged");
  const std::string bytes = read_file(std::filesystem::path(place.path()) / file);
  const std::size_t stride = byte_stride(bytes.size(), kSamples);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += stride) {
    tell_progress(file + (damage == Damage::cut ? " cut" : " flipped"), at, bytes.size());
    copy_store(place.path(), damaged);
    std::string changed = bytes;
    if (damage == Damage::cut) {
      changed.resize(at);
    } else {
      changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    }
    write_file(std::filesystem::path(damaged) / file, changed);
    auto log = open_store(damaged);
    const auto content = log ? content_of(**log) : tl::unexpected(log.error());
    if (content) {
      EXPECT_EQ(*content, whole) << file << " byte " << at;
    } else {
      EXPECT_FALSE(content.error().message.empty() || content.error().code.empty()) << file << " byte " << at;
      ++refused;
    }
  }
  return refused;
}

/// The log's files whose names end in `ending`.
std::vector<std::string> log_files(const std::string& store, const std::string& ending,
                                   const std::string& beginning) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(store + "/log")) {
    const std::string name = entry.path().filename();
    if (name.ends_with(ending) && name.starts_with(beginning)) found.push_back("log/" + name);
  }
  return found;
}

class DamagedStore : public testing::TestWithParam<Damage> {
 protected:
  int damage(const std::string& ending, const std::string& beginning = "") {
    const auto whole = content_of(*opened_store(store_.path(), OpenMode::read_only));
    EXPECT_TRUE(whole);
    const auto files = log_files(store_.path(), ending, beginning);
    EXPECT_FALSE(files.empty());
    int refused = 0;
    for (const std::string& file : files) refused += damage_bytes(store_, file, *whole, GetParam());
    return refused;
  }
  TempStore store_;
};

TEST_P(DamagedStore, WriteAheadLogDamageIsFoundOrHarmless) {
  fill(store_.path());
  EXPECT_GT(damage(".log"), 0);
}

TEST_P(DamagedStore, TableDamageIsFoundOrHarmless) {
  fill(store_.path());
  opened_store(store_.path()).reset();  // recovery moves everything into tables
  EXPECT_GT(damage(".sst"), 0);
}

TEST_P(DamagedStore, ManifestDamageIsFoundOrHarmless) {
  fill(store_.path());
  opened_store(store_.path()).reset();
  EXPECT_GT(damage("", "MANIFEST"), 0);
  EXPECT_GT(damage("CURRENT"), 0);
}

TEST_P(DamagedStore, WatermarkDamageIsFoundOrHarmless) {
  fill(store_.path());
  const auto whole = content_of(*opened_store(store_.path(), OpenMode::read_only));
  ASSERT_TRUE(whole);
  const int refused = damage_bytes(store_, "watermark", *whole, GetParam());
  EXPECT_TRUE(refused == 0 || GetParam() == Damage::cut) << "the other slot has the same watermark";
}

INSTANTIATE_TEST_SUITE_P(Store, DamagedStore, testing::Values(Damage::flipped_bit, Damage::cut),
                         [](const auto& damage) {
                           return damage.param == Damage::cut ? "Cut" : "FlippedBit";
                         });

class CutWriteAheadLog : public testing::Test {
 protected:
  TempStore store_;
};

TEST_F(CutWriteAheadLog, IsRefused) {
  fill(store_.path());
  const std::string wal = log_files(store_.path(), ".log", "").at(0);
  const std::string bytes = read_file(store_.path() + "/" + wal);
  const std::string damaged = store_.beside("damaged");
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    copy_store(store_.path(), damaged);
    write_file(damaged + "/" + wal, bytes.substr(0, size));
    EXPECT_EQ(open_store(damaged).error().code, "log_shorter_than_watermark") << "cut to " << size;
  }
}

TEST_F(CutWriteAheadLog, MissingIsRefused) {
  fill(store_.path());
  std::filesystem::remove(store_.path() + "/" + log_files(store_.path(), ".log", "").at(0));
  EXPECT_EQ(open_store(store_.path()).error().code, "log_shorter_than_watermark");
}

}  // namespace
}  // namespace luzia::test
