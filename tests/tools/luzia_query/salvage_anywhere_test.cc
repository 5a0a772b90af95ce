// `luzia-query salvage` of a store with one flipped bit or one cut at any byte of any file that the log is
// read from. The copy is a valid store with the old one's events and texts as far as it goes. Everything
// missing is named, event by event. LUZIA_EVERY_BYTE=1 tries all bytes instead of a sample.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "engine/log/verify_chain.h"
#include "tests/engine/log/every_byte.h"
#include "tests/engine/log/temp_store.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

constexpr int kJobs = 4;
constexpr Position kEventsEach = 2,
                   kEnd = kJobs * kEventsEach;  // a group each for JobQueued (with a text) and JobHeld
constexpr std::string_view kUnknownEnd =
    "it is unknown how far the log was acknowledged: the store's watermark is missing or damaged";

std::string text_of(int job) {
  return std::string(100, 'a') + std::to_string(job);
}
Position queued_at(int job) {
  return 1 + static_cast<Position>(job) * kEventsEach;
}
std::string events_words(Position from, Position to) {
  if (from == to) return "event " + std::to_string(from);
  return "events " + std::to_string(from) + " to " + std::to_string(to);
}

/// Damages one file of a store at every byte in turn. The parameter is part of the file's name.
class SalvageOf : public testing::TestWithParam<std::string> {
 protected:
  SalvageOf() {
    const auto log = opened_store(store_.path());
    LogWriter writer(*log);
    for (int i = 0; i < kJobs; ++i) {
      const std::string job = "job" + std::to_string(i);
      writer.add(queued(job, "alpha", "shell", text_of(i)));
      writer.add(job_event(job, schema::JobHeldT{}));
      groups_.push_back(writer.commit());
    }
  }
  void move_into_tables() { opened_store(store_.path()).reset(); }
  std::string target() const { return store_.beside("saved"); }

  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store_.path())) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file() && name.find(GetParam()) != std::string::npos)
        found.push_back(entry.path());
    }
    return found;
  }

  /// Compares the program's report about the damaged store with what its copy really holds.
  void check_salvage() const {
    std::filesystem::remove_all(target());
    const Ran ran = run_query_program({"salvage", target(), "--store", store_.path()});
    ASSERT_TRUE(ran.code == 0 || ran.code == 1) << ran.err;
    const auto log = open_store(target(), OpenMode::read_only);
    ASSERT_TRUE(log) << log.error().message;
    const auto verified = verify_chain(**log);
    ASSERT_TRUE(verified) << verified.error().message;
    ASSERT_LE(verified->groups, groups_.size());
    check_events(**log, verified->groups);
    check_account(ran, **log, verified->groups * kEventsEach);
  }
  void check_events(const EventLog& log, std::uint64_t groups) const {
    const auto cursor = log.read_from(1);
    for (std::uint64_t i = 0; i < groups; ++i) {
      const auto group = cursor->next();
      ASSERT_TRUE(group && *group);
      EXPECT_EQ(as_text((*group)->frames()), as_text(groups_[i]->frames())) << "group " << i;
      EXPECT_EQ((*group)->chain(), groups_[i]->chain()) << "group " << i;
    }
  }
  void check_account(const Ran& ran, const EventLog& log, Position copied) const {
    const std::vector<std::string> lines = ran.text_lines();
    const auto is_told = [&](std::string_view line) {
      return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    ASSERT_FALSE(lines.empty());
    EXPECT_THAT(lines[0], testing::StartsWith("copied and verified " + std::to_string(copied) + " event"));
    const bool holds_events = GetParam() == ".log" || GetParam() == ".sst";
    EXPECT_TRUE(copied == kEnd || holds_events) << "all events are there";
    bool whole = copied == kEnd;
    for (int job = 0; job < kJobs && queued_at(job) <= copied; ++job) {
      const auto text = log.blob(queued_at(job), 0);
      EXPECT_TRUE(!text || *text == text_of(job)) << "never another text";
      EXPECT_EQ(is_told("lost: text 0 of event " + std::to_string(queued_at(job))), !text) << ran.out;
      EXPECT_TRUE(text || holds_events) << "and all texts";
      whole &= text.has_value();
    }
    const std::string gone = "missing: " + events_words(copied + 1, kEnd) + ", which were acknowledged";
    EXPECT_TRUE(copied == kEnd || is_told(gone) || is_told(kUnknownEnd)) << ran.out;
    EXPECT_TRUE(!is_told(kUnknownEnd) || GetParam() == "watermark")
        << "one damage, and this one is elsewhere";
    EXPECT_TRUE(whole || ran.code == 1) << ran.out;
    EXPECT_EQ(ran.code == 0, lines[0].ends_with(": nothing is missing")) << ran.out;
    EXPECT_EQ(ran.code == 0, lines.size() == 1) << ran.out;
  }

  TempStore store_;
  std::vector<std::shared_ptr<const Group>> groups_;
};

TEST_P(SalvageOf, DamagedStoreGivesAProvenPrefixAndReport) {
  constexpr std::size_t kSamples = 12;
  if (GetParam() != ".log") move_into_tables();
  const auto damaged = files();
  ASSERT_FALSE(damaged.empty());
  for (const std::string& path : damaged) {
    const std::string bytes = read_file(path);
    const std::size_t stride = byte_stride(bytes.size(), kSamples);
    for (std::size_t at = 0; at < bytes.size() && !HasFailure(); at += stride) {
      tell_progress(path + " salvaged", at, bytes.size());
      for (const bool cut : {false, true}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
        if (cut) changed = bytes.substr(0, at);
        write_file(path, changed);
        SCOPED_TRACE(path + (cut ? " cut to " : " flipped at ") + std::to_string(at));
        check_salvage();
        EXPECT_EQ(read_file(path), changed) << "the damaged store is unchanged";
      }
    }
    write_file(path, bytes);
  }
}
INSTANTIATE_TEST_SUITE_P(EveryByte, SalvageOf,
                         testing::Values(".log", ".sst", "MANIFEST", "CURRENT", "IDENTITY", "watermark"),
                         [](const auto& file) {
                           const std::string& name = file.param;
                           return name.starts_with('.') ? name.substr(1) : name;
                         });

}  // namespace
}  // namespace luzia::test
