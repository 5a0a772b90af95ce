// Texts rewritten in column family `blobs`, with valid RocksDB checksums: the hash in the event reveals it.
// For bits flipped below RocksDB's checksums see damage_test.cc.
#include <rocksdb/db.h>

#include <filesystem>
#include <functional>
#include <set>
#include <sstream>

#include "engine/log/blob_row.h"
#include "engine/log/event_texts.h"
#include "engine/log/rocks_log_db.h"
#include "engine/log/salvage.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"
#include "tests/paths.h"

namespace luzia::test {
namespace {

constexpr Position kGood = 2, kBad = 5;
const std::string kTask = "rm -r build";

/// Changes the row of the group that holds kBad.
using Tamper = std::function<std::optional<std::string>(const std::string& row)>;

std::string with_entry(const std::string& row, const std::function<void(BlobEntry&)>& change) {
  auto entries = decode_blob_row(row).value();
  for (BlobEntry& entry : entries) {
    if (entry.event == kBad) change(entry);
  }
  return encode_blob_row(entries);
}

struct Case {
  const char* name;
  Tamper tamper;
};

const Case kCases[] = {
    {"EquallyLongBytes",
     [](const std::string& row) {
       std::string changed = row;
       return changed.replace(changed.rfind(kTask), kTask.size(), "rm -r /home");
     }},
    {"OneBit",
     [](const std::string& row) {
       std::string changed = row;
       char& byte = changed[changed.rfind(kTask) + 3];
       byte = static_cast<char>(byte ^ 1);
       return changed;
     }},
    {"AnotherSalt",
     [](const std::string& row) { return with_entry(row, [](BlobEntry& entry) { entry.salt = "tlas"; }); }},
    {"AByteMovedFromSaltToText",
     [](const std::string& row) {
       return with_entry(row, [](BlobEntry& entry) {
         entry.salt = "sal";
         entry.content = "trm -r build";
       });
     }},
    {"TheTextOfAnotherEvent",
     [](const std::string& row) {
       return with_entry(row, [](BlobEntry& entry) { entry.content = "make"; });
     }},
    {"AnotherIndex",
     [](const std::string& row) { return with_entry(row, [](BlobEntry& entry) { entry.index = 7; }); }},
    {"ErasedWithoutAnEvent",
     [](const std::string& row) {
       return with_entry(row, [](BlobEntry& entry) { entry.state = BlobState::erased; });
     }},
    {"NoRow", [](const std::string&) { return std::nullopt; }},
    {"EmptyRow", [](const std::string&) { return std::string(); }},
    {"CutRow", [](const std::string& row) { return row.substr(0, row.size() - 1); }},
};

class RewrittenText : public testing::TestWithParam<Case> {
 protected:
  RewrittenText() {
    {
      const auto log = opened_store(store_.path());
      EXPECT_TRUE(log->append(group_with_texts(1, 3, {{kGood, {{0, "salt", "make"}}}})));
      EXPECT_TRUE(
          log->append(group_with_texts(4, 2, {{4, {{0, "salt", "make"}}}, {kBad, {{0, "salt", kTask}}}})));
      EXPECT_TRUE(append_groups(*log, 2, 2));
    }
    auto db = RocksLogDb::open(store_.path() + "/log", OpenMode::read_write, nullptr);
    EXPECT_TRUE(db);
    const std::string key = position_key(4);
    std::string row;
    EXPECT_TRUE((*db)->db().Get({}, (*db)->blobs(), key, &row).ok());
    const auto changed = GetParam().tamper(row);
    const auto status = changed ? (*db)->db().Put({}, (*db)->blobs(), key, *changed)
                                : (*db)->db().Delete({}, (*db)->blobs(), key);
    EXPECT_TRUE(status.ok());
  }
  bool is_erased() const { return std::string_view(GetParam().name) == "ErasedWithoutAnEvent"; }
  TempStore store_;
};

TEST_P(RewrittenText, IsNeverRead) {
  const auto log = opened_store(store_.path(), OpenMode::read_only);
  const auto read = log->blob(kBad, 0);
  ASSERT_FALSE(read) << *read;
  EXPECT_EQ(read.error().code, is_erased() ? "blob_erased" : "text_damaged");
  EXPECT_THAT(read.error().message, HasSubstr("event 5"));
  EXPECT_EQ(log->blob(kGood, 0), "make");
}

TEST_P(RewrittenText, IsNamedByVerifyAndRefusedByBackup) {
  const auto log = opened_store(store_.path(), OpenMode::read_only);
  const auto proof = prove_log(*log);
  ASSERT_TRUE(proof && proof->fault);
  EXPECT_EQ(proof->fault->code, "text_damaged");
  EXPECT_EQ(proof->report.tip, log->tip()) << "the walk goes on";
  EXPECT_THAT(verify_chain(*log).error().message, HasSubstr("event"));
  EXPECT_LE(proof->first_damaged, kBad);
  EXPECT_GE(proof->first_damaged, Position{4});
  EXPECT_EQ(backup_log(*log, store_.beside("copy")).error().code, "text_damaged");
}

TEST_P(RewrittenText, IsReportedLostBySalvage) {
  const std::string target = store_.beside("saved");
  const auto report = salvage_log(store_.path(), target);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_FALSE(report->lost_texts.empty());
  EXPECT_EQ(report->lost_texts.back().event, kBad);
  const auto copy = opened_store(target, OpenMode::read_only);
  const auto verified = verify_chain(*copy);
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->lost_texts, report->lost_texts.size());
  EXPECT_EQ(copy->blob(kBad, 0).error().code, "text_damaged");
  EXPECT_EQ(copy->blob(kGood, 0), "make");
  EXPECT_TRUE(backup_log(*copy, store_.beside("copy"))) << "it can be copied again";
}

INSTANTIATE_TEST_SUITE_P(All, RewrittenText, testing::ValuesIn(kCases),
                         [](const auto& param) { return param.param.name; });

/// "Table.field" of every reference to a text (`field:BlobRef`) in the schema of events.
std::set<std::string> references_in_schema() {
  std::set<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(source_path("schema"))) {
    const std::string name = file.path().filename();
    if (file.path().extension() != ".fbs" || name.starts_with("view")) continue;
    std::istringstream lines(read_file(file.path()));
    std::string table;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("table ")) table = line.substr(6, line.find_first_of(" {", 6) - 6);
      const std::size_t at = line.find(":BlobRef");
      if (at != std::string::npos)
        found.insert(table + "." + line.substr(line.rfind(' ', at) + 1, at - line.rfind(' ', at) - 1));
    }
  }
  return found;
}

std::size_t texts_in(schema::PayloadUnion payload) {
  schema::EventT event;
  event.payload = std::move(payload);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Event::Pack(builder, &event), schema::EventIdentifier());
  return texts_of(*schema::GetEvent(builder.GetBufferPointer())).size();
}

TEST(TextsOfAnEvent, CoverEveryFactWithTexts) {
  // A reference added here must also be added to texts_of(); otherwise it is neither proved nor salvaged.
  EXPECT_EQ(references_in_schema(),
            (std::set<std::string>{"ApprovalRequested.description", "ApprovalRequested.tool_input",
                                   "FlowStep.prompt", "JobEnded.report", "JobImported.prompt",
                                   "JobQueued.env", "JobQueued.prompt", "JobRetried.message", "JobSpec.env",
                                   "JobTold.text", "JobTracked.prompt", "QuestionAnswered.answer",
                                   "QuestionAsked.text", "SolutionRecorded.text", "StepEnded.output"}));
  schema::JobImportedT imported;
  imported.prompt = std::make_unique<schema::BlobRefT>();
  EXPECT_EQ(texts_in(job_event("abc", std::move(imported)).payload), 1U);
  schema::JobQueuedT queued;
  queued.prompt = std::make_unique<schema::BlobRefT>();
  queued.env = std::make_unique<schema::BlobRefT>();
  queued.spec = std::make_unique<schema::JobSpecT>();
  queued.spec->fallbacks.push_back(std::make_unique<schema::JobSpecT>());
  queued.spec->fallbacks.front()->env = std::make_unique<schema::BlobRefT>();
  EXPECT_EQ(texts_in(job_event("abc", std::move(queued)).payload), 3U);
  schema::JobEndedT ended;
  ended.report = std::make_unique<schema::BlobRefT>();
  EXPECT_EQ(texts_in(job_event("abc", std::move(ended)).payload), 1U);
  schema::JobToldT told;
  told.text = std::make_unique<schema::BlobRefT>();
  EXPECT_EQ(texts_in(job_event("abc", std::move(told)).payload), 1U);
  schema::JobRetriedT retried;
  EXPECT_EQ(texts_in(job_event("abc", schema::JobRetriedT(retried)).payload), 0U);
  retried.message = std::make_unique<schema::BlobRefT>();
  EXPECT_EQ(texts_in(job_event("abc", std::move(retried)).payload), 1U);
}

TEST(TextOfAnEvent, MayBeErasedDuringTheWalk) {
  const TempStore store;
  const auto log = opened_store(store.path());
  ASSERT_TRUE(log->append(group_with_texts(1, 1, {{1, {{0, "salt", "secret"}}}})));
  ASSERT_TRUE(append_groups(*log, 3, 1));
  // A purge in the middle of a walk through the log.
  const auto proof = prove_log(*log, [&](const ChainReport& report) {
    if (report.tip.position == 1) {
      ASSERT_TRUE(erase_and_tell(*log, 1, 0));
    }
  });
  ASSERT_TRUE(proof);
  EXPECT_FALSE(proof->fault) << proof->fault->message;
}

}  // namespace
}  // namespace luzia::test
