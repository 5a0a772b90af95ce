// Which running jobs change the same files. Each case is reported once, even after the log was read again.
#include "engine/job/file_contention.h"

#include "tests/matchers.h"
#include "tests/packed_event.h"

namespace luzia {
namespace {

class FileContentionTest : public testing::Test {
 protected:
  void take(NewEvent fact) {
    schema::EventT event;
    event.position = ++last_event_;
    contention_.take(*PackedEvent(std::move(fact), std::move(event)));
  }
  void calls(const std::string& job, const std::string& tool, std::vector<std::string> files) {
    schema::ToolCalledT fact;
    fact.tool = tool;
    fact.files = std::move(files);
    take(job_event(job, std::move(fact)));
  }
  void contended(const std::string& job, const std::string& other, std::vector<std::string> files) {
    schema::FilesContendedT fact;
    fact.job = other;
    fact.files = std::move(files);
    take(job_event(job, std::move(fact)));
  }
  /// "later earlier: files"
  std::vector<std::string> met() {
    std::vector<std::string> all;
    for (const auto& each : contention_.take_met()) {
      std::string words = each.job + " " + each.other + ":";
      for (const std::string& file : each.files) words += " " + file;
      all.push_back(words);
    }
    return all;
  }

  static bool changes_files(std::string_view tool) { return tool != "Read" && tool != "Bash"; }
  FileContention contention_{changes_files};
  Position last_event_ = 0;
};

TEST_F(FileContentionTest, SecondChangerIsWarnedAboutTheFirst) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  calls("a", "Edit", {"/web/x.cc"});
  EXPECT_THAT(met(), IsEmpty());
  calls("b", "apply_patch", {"src/../x.cc", "y.cc"});
  EXPECT_THAT(met(), ElementsAre("b a: /web/x.cc"));
}

TEST_F(FileContentionTest, EachFileOfAPairIsReportedOnce) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  calls("a", "Write", {"x", "y"});
  calls("b", "write_file", {"x"});
  EXPECT_EQ(met().size(), 1u);
  calls("b", "replace", {"x"});
  calls("a", "Edit", {"x"});
  EXPECT_THAT(met(), IsEmpty());
  calls("b", "replace", {"x", "y"});
  EXPECT_THAT(met(), ElementsAre("b a: /web/y"));
}

TEST_F(FileContentionTest, ReadsAndOtherTreesDoNotCount) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/jobs/b/tree");
  calls("a", "Write", {"x"});
  calls("a", "Read", {"/jobs/b/tree/x"});
  calls("b", "Write", {"x"});
  calls("b", "Bash", {"/web/x"});
  EXPECT_THAT(met(), IsEmpty());
}

TEST_F(FileContentionTest, WorktreeJobWorksInItsOwnTree) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  schema::WorktreeMadeT made;
  made.path = "/jobs/b/tree";
  take(job_event("b", std::move(made)));
  calls("a", "Write", {"x"});
  calls("b", "Write", {"x"});
  EXPECT_THAT(met(), IsEmpty());
}

TEST_F(FileContentionTest, EndedAttemptCausesNoContention) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  calls("a", "Write", {"x"});
  contention_.forget("a");
  calls("b", "Write", {"x"});
  EXPECT_THAT(met(), IsEmpty());
  contention_.watch("a", "/web");
  calls("a", "Write", {"x"});
  EXPECT_THAT(met(), ElementsAre("a b: /web/x"));
}

TEST_F(FileContentionTest, RecordedContentionIsNotReportedAgain) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  calls("a", "Write", {"x", "y"});
  calls("b", "Write", {"x"});
  contended("b", "a", {"/web/x"});
  calls("b", "Write", {"y"});
  EXPECT_THAT(met(), ElementsAre("b a: /web/y"));
  calls("c", "Write", {"x"});
  EXPECT_THAT(met(), IsEmpty()) << "an unwatched job";
}

TEST_F(FileContentionTest, CauseIsTheEventThatShowedTheChange) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  calls("a", "Write", {"x", "y", "z"});
  calls("b", "Write", {"x"});
  const Position said = last_event_;
  calls("b", "Write", {"elsewhere"});
  const auto met = contention_.take_met();
  ASSERT_EQ(met.size(), 1u);
  EXPECT_EQ(met[0].cause, said) << "b's later change is not the cause";
}

TEST_F(FileContentionTest, LinkedFoldersAreTheSame) {
  contention_.watch("a", "/link/");
  contention_.watch("b", "/real/web");
  contention_.link("/link/", "/real/web");
  calls("a", "Write", {"x", "/link/part/../y", "/linked/z"});
  calls("b", "Write", {"x", "/real/web/linked/z", "y"});
  EXPECT_THAT(met(), ElementsAre("b a: /real/web/x /real/web/y"));
  contention_.watch("c", "/real/web");
  calls("c", "Write", {"/linked/z"});
  EXPECT_THAT(met(), ElementsAre("c a: /linked/z")) << "only a common prefix";
}

TEST_F(FileContentionTest, LinkTargetMayBecomeKnownLater) {
  contention_.watch("a", "/link");
  contention_.watch("b", "/real/web");
  calls("a", "Write", {"x"});
  calls("b", "Write", {"x"});
  EXPECT_THAT(met(), IsEmpty());
  contention_.link("/link", "/real/web");
  const auto met_now = contention_.take_met();
  ASSERT_EQ(met_now.size(), 1u);
  EXPECT_EQ(met_now[0].job, "b");
  EXPECT_THAT(met_now[0].files, ElementsAre("/real/web/x"));
  EXPECT_EQ(met_now[0].cause, last_event_);
  contention_.link("/link", "/real/web");
  calls("a", "Write", {"/real/web/x"});
  EXPECT_THAT(met(), IsEmpty());
}

TEST_F(FileContentionTest, ContentionReportedByLinkNameIsNotRepeated) {
  contention_.watch("a", "/link");
  contention_.watch("b", "/link");
  calls("a", "Write", {"x", "y"});
  calls("b", "Write", {"x"});
  EXPECT_THAT(met(), ElementsAre("b a: /link/x"));
  contention_.link("/link", "/real");
  EXPECT_THAT(met(), IsEmpty());
  contended("b", "a", {"/link/y"});
  calls("b", "Write", {"y"});
  EXPECT_THAT(met(), IsEmpty()) << "the log names it that way";
}

TEST_F(FileContentionTest, NewLinkDoesNotReopenEarlierDecisions) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  calls("a", "Write", {"x", "/link/y"});
  calls("b", "Write", {"x", "/link/y"});
  EXPECT_THAT(met(), ElementsAre("b a: /link/y /web/x"));
  contention_.link("/other", "/elsewhere");
  EXPECT_THAT(met(), IsEmpty()) << "nothing lies below it";
  contention_.link("/link", "/real");
  EXPECT_THAT(met(), IsEmpty()) << "neither x nor y is new";
}

TEST_F(FileContentionTest, ChangedFileMayBeALink) {
  contention_.watch("a", "/web");
  contention_.watch("b", "/web");
  calls("a", "Write", {"link"});
  calls("b", "Write", {"/web/link-2", "real"});
  contention_.link("/web/link", "/web/real");
  EXPECT_THAT(met(), ElementsAre("b a: /web/real"));
}

TEST_F(FileContentionTest, FilesPerJobAreBounded) {
  contention_.watch("a", "/");
  contention_.watch("b", "/");
  for (std::size_t i = 0; i < FileContention::kMostFiles + 10; ++i) calls("a", "Write", {std::to_string(i)});
  calls("b", "Write", {"0", std::to_string(FileContention::kMostFiles + 1)});
  EXPECT_THAT(met(), ElementsAre("b a: /0"));
}

}  // namespace
}  // namespace luzia
