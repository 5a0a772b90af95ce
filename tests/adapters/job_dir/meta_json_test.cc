#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "adapters/job_dir/job_dir.h"
#include "tests/adapters/job_dir/scratch.h"

namespace luzia {
namespace {

using nlohmann::json;

class MetaJson : public ScratchTest {
 protected:
  MetaJson() {
    job_.id = "j1";
    job_.project = "site";
    job_.user = "me";
    job_.agent = "claude";
    job_.state = schema::JobState::running;
    job_.attempt = 2;
    job_.pid = 4711;
    job_.queued_us = 1'000'000;
    job_.started_us = 2'000'001;
    job_.output_bytes = 5'000'000'000;
    job_.dir = path("j1");
    fs::create_directory(job_.dir);
  }
  json written(const std::string& task = "fix it") {
    const auto done = write_meta_json(job_, task, ::geteuid(), ::getegid());
    EXPECT_TRUE(done) << done.error().message;
    return json::parse(read_text(job_.dir + "/meta.json"));
  }
  view::JobT job_;
};

TEST_F(MetaJson, HasTheOlderToolsFieldsAndOurs) {
  EXPECT_EQ(written(), json::parse(R"({"id":"j1","project":"site","task":"fix it","type":"agent","user":"me",
    "pid":4711,"started":"1970-01-01T00:00:02.000001Z","status":"running","debug":false,"agent":"claude",
    "attempt":2,"queued":"1970-01-01T00:00:01.000000Z","ended":null,"exit_code":null,"session_id":null,
    "log_bytes":5000000000,"state":"running"})"));
}

TEST_F(MetaJson, EndReplacesTheEarlierState) {
  written();
  job_.state = schema::JobState::timed_out;
  job_.ended_us = 3'000'000;
  job_.exit_code = 124;
  job_.session_id = "s-1";
  job_.pid = 0;
  const json meta = written();
  EXPECT_EQ(meta["status"], "failed");
  EXPECT_EQ(meta["state"], "timed_out");
  EXPECT_EQ(meta["exit_code"], 124);
  EXPECT_EQ(meta["session_id"], "s-1");
  EXPECT_EQ(meta["ended"], "1970-01-01T00:00:03.000000Z");
  EXPECT_TRUE(meta["pid"].is_null());
  EXPECT_EQ(names(job_.dir), std::vector<std::string>{"meta.json"});
}

TEST_F(MetaJson, IsWrittenOnlyIfChanged) {
  const auto file = [this] {
    struct stat status {};
    EXPECT_EQ(::stat((job_.dir + "/meta.json").c_str(), &status), 0);
    return status.st_ino;
  };
  written();
  // The hard link keeps the first file's inode number from being reused.
  fs::create_hard_link(job_.dir + "/meta.json", path("first"));
  const auto first = file();
  written();
  EXPECT_EQ(file(), first);
  job_.output_bytes += 1;
  written();
  EXPECT_NE(file(), first);
  const std::string longer = read_text(job_.dir + "/meta.json") + "more";
  write_text(job_.dir + "/meta.json", longer);
  written();
  EXPECT_NE(read_text(job_.dir + "/meta.json"), longer);
}

TEST_F(MetaJson, AnyTextMakesValidJson) {
  EXPECT_EQ(written("quote \" back\\slash \n\t\x01 \xc3\xa4")["task"],
            "quote \" back\\slash \n\t\x01 \xc3\xa4");
  EXPECT_EQ(written("bad \xff byte")["task"], "bad \xef\xbf\xbd byte");
}

TEST_F(MetaJson, EveryStateHasAnOlderToolsName) {
  const std::vector<std::string> words = {"running", "completed", "failed", "killed", "unknown"};
  for (const schema::JobState state : schema::EnumValuesJobState()) {
    EXPECT_THAT(words, testing::Contains(older_status(state))) << schema::EnumNameJobState(state);
  }
  EXPECT_EQ(older_status(schema::JobState::waiting), "running");
  EXPECT_EQ(older_status(schema::JobState::completed), "completed");
  EXPECT_EQ(older_status(schema::JobState::killed), "killed");
  EXPECT_EQ(older_status(schema::JobState::lost), "unknown");
}

TEST_F(MetaJson, AJobThatNeverRanKeepsTheWordsOfTheLog) {
  job_.state = schema::JobState::skipped;
  EXPECT_EQ(written()["status"], "failed");
  EXPECT_EQ(written()["state"], "failed");
  job_.state = schema::JobState::cancelled;
  EXPECT_EQ(written()["status"], "killed");
  EXPECT_EQ(written()["state"], "killed");
}

TEST_F(MetaJson, WithoutADirectoryNothingHappens) {
  fs::remove(job_.dir);
  EXPECT_TRUE(write_meta_json(job_, "x", ::geteuid(), ::getegid()));
  EXPECT_FALSE(fs::exists(job_.dir));
}

TEST_F(MetaJson, LinkIsReplacedNotFollowed) {
  write_text(path("victim"), "untouched");
  fs::create_symlink(path("victim"), job_.dir + "/meta.json");
  EXPECT_EQ(written()["id"], "j1");
  EXPECT_EQ(read_text(path("victim")), "untouched");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(job_.dir + "/meta.json")));
}

TEST_F(MetaJson, LinkInPlaceOfTheDirectoryIsAnError) {
  fs::rename(job_.dir, path("elsewhere"));
  fs::create_directory_symlink(path("elsewhere"), job_.dir);
  const auto done = write_meta_json(job_, "x", ::geteuid(), ::getegid());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "job_dir_failed");
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
}

}  // namespace
}  // namespace luzia
