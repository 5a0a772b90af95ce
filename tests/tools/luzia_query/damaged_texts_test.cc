// Texts changed by the disk or by somebody: each row that should show one gives an error beside the good
// rows. Never another text, never a silent empty one.
#include <rocksdb/db.h>

#include <fstream>

#include "engine/log/rocks_log_db.h"
#include "tests/matchers.h"
#include "tests/projections/input_events.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

constexpr Position kBuildQueued = 1, kReviewQueued = 12, kWhereTo = kLast + 1;

class StoreWithTexts {
 public:
  StoreWithTexts() {
    const auto log = store_.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    writer.write(kSecondUs, asked(kDeploy, "q-1", "where to?"), by_person("alice"));
    writer.write(kSecondUs, requested(kDeploy, "a-1", "deploy", "to production"), by_person("alice"));
    store_.fold(*log, ~Position{0});
  }
  const SmallStore& store() const { return store_; }
  Ran ask(std::vector<std::string> words) const { return test::ask(store_, std::move(words)); }
  std::unique_ptr<RocksLogDb> open_raw() const {
    return std::move(RocksLogDb::open(store_.path() + "/log", OpenMode::read_write, nullptr).value());
  }
  /// Changes one byte at the end of the row with the texts of the group at this position.
  void change_text(Position group) const {
    const auto db = open_raw();
    std::string row;
    ASSERT_TRUE(db->db().Get({}, db->blobs(), position_key(group), &row).ok());
    row.back() = static_cast<char>(row.back() ^ 1);
    ASSERT_TRUE(db->db().Put({}, db->blobs(), position_key(group), row).ok());
  }
  /// Flips one bit in each table file of texts, below RocksDB's checksums.
  void spoil_tables_of_texts() const {
    std::vector<std::string> tables;
    {
      const auto db = open_raw();
      ASSERT_TRUE(db->db().Flush({}, {db->groups(), db->blobs()}).ok());
      std::vector<rocksdb::LiveFileMetaData> files;
      db->db().GetLiveFilesMetaData(&files);
      for (const auto& file : files) {
        if (file.column_family_name == "blobs") tables.push_back(file.db_path + file.name);
      }
    }
    ASSERT_FALSE(tables.empty());
    for (const std::string& table : tables) {
      constexpr std::streamoff kInTheFirstBlock = 40;
      std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(kInTheFirstBlock);
      const char flipped = static_cast<char>(file.get() ^ 1);
      file.seekp(kInTheFirstBlock).put(flipped);
    }
  }

 private:
  SmallStore store_;
};

const Json& row_of(const Json& list, const char* plural, const std::string& id) {
  for (const Json& row : list.at(plural)) {
    if (row.at("id") == id) return row;
  }
  ADD_FAILURE() << "no row " << id;
  return list;
}

TEST(DamagedText, IsAnErrorOfItsRowOnly) {
  const StoreWithTexts texts;
  texts.change_text(kReviewQueued);
  const Ran ran = texts.ask({"jobs", "--all", "--json"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr(R"("code":"text_unreadable")"));
  const Json list = ran.json();
  EXPECT_EQ(row_of(list, "jobs", kReview).at("task"), "");
  EXPECT_EQ(row_of(list, "jobs", kReview).at("task_error"), "task_unreadable");
  EXPECT_EQ(row_of(list, "jobs", kBuild).at("task"), "build the site");
  EXPECT_FALSE(row_of(list, "jobs", kBuild).contains("task_error"));
  const Ran table = texts.ask({"jobs", "--all"});
  EXPECT_EQ(table.code, 5);
  EXPECT_THAT(table.out, HasSubstr("(unreadable: task_unreadable)"));
  EXPECT_THAT(table.out, HasSubstr("build the site"));
  EXPECT_EQ(texts.ask({"jobs", "--all", "--project", "api"}).code, 0) << "rows that the user did not ask for";
  EXPECT_EQ(texts.ask({"job", kReview, "--json"}).json().at("task_error"), "task_unreadable");
}

TEST(DamagedText, OfAPromptIsAnError) {
  const StoreWithTexts texts;
  const Json before = texts.ask({"questions", "--json"}).json();
  EXPECT_EQ(before.at("questions")[0].at("question"), "where to?");
  texts.change_text(kWhereTo);
  texts.change_text(kWhereTo + 1);
  const Ran questions = texts.ask({"questions", "--json"}), approvals = texts.ask({"approvals", "--json"});
  EXPECT_EQ(questions.code, 5) << questions.err;
  EXPECT_EQ(questions.json().at("questions")[0].at("question"), "(unreadable)");
  EXPECT_EQ(questions.json().at("questions")[0].at("question_error"), "text_unreadable");
  EXPECT_EQ(approvals.code, 5);
  EXPECT_EQ(approvals.json().at("approvals")[0].at("description_error"), "text_unreadable");
}

template <class Domain, class Fact>
NewEvent with_text(const std::string& stream, Fact fact, std::unique_ptr<schema::BlobRefT> Fact::*text,
                   std::string words) {
  Blob blob{0, std::string(16, 's'), std::move(words)};
  fact.*text = std::make_unique<schema::BlobRefT>(blob_ref(blob));
  Domain domain;
  domain.fact.Set(std::move(fact));
  NewEvent event;
  event.stream = stream;
  event.payload.Set(std::move(domain));
  event.blobs.push_back(std::move(blob));
  return event;
}

TEST(DamagedText, OfASolutionOrStepIsAnError) {
  const StoreWithTexts texts;
  Position solution = 0;
  {
    const auto log = texts.store().open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    schema::SolutionRecordedT recorded;
    recorded.solution = "s-1";
    recorded.project = "web";
    recorded.problem = "the build fails";
    solution =
        writer.write(kSecondUs,
                     with_text<schema::LearningEventT>("solution/s-1", std::move(recorded),
                                                       &schema::SolutionRecordedT::text, "clean first"),
                     by_person("alice"));
    schema::FlowCreatedT created;
    created.flow = "f-1";
    created.project = "web";
    created.steps.push_back(std::make_unique<schema::FlowStepT>());
    created.steps.back()->name = "build";
    writer.write(kSecondUs, flow_event(std::move(created)), by_person("alice"));
    schema::StepEndedT ended;
    ended.step = "build";
    ended.state = schema::StepState::completed;
    writer.write(
        kSecondUs,
        with_text<schema::FlowEventT>("flow/f-1", std::move(ended), &schema::StepEndedT::output, "all of it"),
        by_person("alice"));
    texts.store().fold(*log, ~Position{0});
  }
  EXPECT_EQ(texts.ask({"learning", "--json"}).json().at("solutions")[0].at("text"), "clean first");
  texts.change_text(solution);
  texts.change_text(solution + 2);
  const Ran solutions = texts.ask({"learning", "--json"}), flows = texts.ask({"flows", "--json"});
  EXPECT_EQ(solutions.code, 5) << solutions.err;
  EXPECT_EQ(solutions.json().at("solutions")[0].at("text_error"), "text_unreadable");
  EXPECT_EQ(flows.code, 5) << flows.err;
  EXPECT_EQ(flows.json().at("flows")[0].at("steps")[0].at("output_error"), "text_unreadable");
}

TEST(DamagedText, IsNeverShownAsAQuestion) {
  const SmallStore store;
  {
    const auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    for (const char* words : {"(unreadable)", "(unreadable!)"})
      writer.write(kSecondUs, asked(kDeploy, words, words), by_person("alice"));
  }
  const Ran ran = ask(store, {"questions", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("question_error")));
}

TEST(DamagedText, BelowTheChecksumsIsNeverAnEmptyTask) {
  const StoreWithTexts texts;
  texts.spoil_tables_of_texts();
  const Ran ran = texts.ask({"jobs", "--all", "--json"});
  EXPECT_EQ(ran.code, 5);
  const Json list = ran.json();
  ASSERT_EQ(list.at("jobs").size(), 4U);
  int unreadable = 0;
  for (const Json& job : list.at("jobs")) {
    EXPECT_EQ(job.at("task").get<std::string>().empty(), job.contains("task_error")) << job;
    unreadable += job.contains("task_error") ? 1 : 0;
  }
  EXPECT_GT(unreadable, 0);
}

TEST(DamagedText, IsNamedByVerifyBackupAndReplay) {
  const StoreWithTexts texts;
  EXPECT_EQ(texts.ask({"verify"}).code, 0);
  texts.change_text(kBuildQueued);
  const Ran verify = texts.ask({"verify", "--json"});
  EXPECT_EQ(verify.code, 1);
  EXPECT_EQ(verify.json().at("code"), "text_damaged");
  EXPECT_THAT(verify.out, HasSubstr("event 1 (job/" + kBuild + ")"));
  const Ran backup = texts.ask({"backup", texts.store().beside("copy")});
  EXPECT_EQ(backup.code, 5);
  EXPECT_THAT(backup.err, HasSubstr("event 1 (job/" + kBuild + ")"));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"replay"},
                                                {"replay", "--rebuild"},
                                                {"replay", "--into", texts.store().beside("rows")}}) {
    const Ran replay = texts.ask(words);
    EXPECT_EQ(replay.code, 5) << words.back() << replay.out;
    EXPECT_THAT(replay.err, HasSubstr("event 1 (job/" + kBuild + ")"));
    EXPECT_FALSE(replay.out.empty()) << "the rows need no texts: they are replayed";
  }
}

}  // namespace
}  // namespace luzia::test
