// luzia search: words in tasks and outputs of many jobs, and luzia logs --at-byte, which shows where they
// stand.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SearchTest : public DaemonTest {
 protected:
  std::string done(const std::string& task) const {
    std::string id = dispatch(task);
    ended(id);
    return id;
  }
  static Words ids_of(const Json& found) {
    Words ids;
    for (const Json& job : found["jobs"]) ids.push_back(job["id"]);
    return ids;
  }
};

TEST_F(SearchTest, FindsTheNewestJobsFirst) {
  const std::string first = done("printf 'one\\ntwo Needle three\\nneedle\\n'");
  const std::string other = done("echo nothing of that");
  const std::string last = done("printf 'a nee%s\\n' dle");
  const Json found = luzia_json({"search", "needle"});
  EXPECT_THAT(ids_of(found), ElementsAre(last, first));
  const Json& line = found["jobs"][0]["lines"][0];
  EXPECT_EQ(line["offset"], 2);
  EXPECT_EQ(line["before"], "a ");
  EXPECT_EQ(line["words"], "needle");
  EXPECT_FALSE(found["jobs"][0]["in_task"]);
  EXPECT_TRUE(found["jobs"][1]["in_task"]);
  EXPECT_EQ(found["jobs"][1]["lines"].size(), 2u);
  EXPECT_EQ(found["searched"], 3);
  EXPECT_THAT(ids_of(luzia_json({"search", "needle", "--job", first})), ElementsAre(first));
}

TEST_F(SearchTest, ShowsWhereALineStands) {
  const std::string id = done("seq 1 20; echo 'the needle'; seq 21 40");
  const Finished found = luzia({"search", "needle", "--limit", "0"});
  EXPECT_EQ(found.code, 0);
  EXPECT_THAT(found.out, HasSubstr("    55: the needle\n"));
  EXPECT_EQ(luzia({"logs", id, "--at-byte", "55"}).out,
            "16\n17\n18\n19\n20\nthe needle\n21\n22\n23\n24\n25\n");
  EXPECT_EQ(luzia({"logs", id, "--at-byte", "0"}).out, "1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(luzia({"logs", id, "--at-byte", "51"}).out, luzia({"logs", id, "--at-byte", "55"}).out);
  expect_refused({"logs", id, "--at-byte", "1000"}, 2, "the output has only 122 bytes");
}

TEST_F(SearchTest, ExpressionsAreOfLines) {
  const std::string id = done("printf 'test_a failed\\nx test_b failed\\nTEST_C FAILED'");
  const Json found = luzia_json({"search", "--regex", "^test_[a-z] failed$"});
  ASSERT_EQ(ids_of(found), Words{id});
  const Json& lines = found["jobs"][0]["lines"];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["offset"], 0);
  EXPECT_EQ(lines[1]["offset"], 30);
  EXPECT_EQ(lines[1]["words"], "TEST_C FAILED");
  expect_refused({"search", "--regex", "(a"}, 2, "the expression cannot be used: missing ): (a");
}

TEST_F(SearchTest, OneOutputDoesNotHideTheOthers) {
  const std::string first = done("echo need''le");
  const std::string noisy = done("yes need''le | head -500");
  const Json found = luzia_json({"search", "needle"});
  EXPECT_THAT(ids_of(found), ElementsAre(noisy, first));
  EXPECT_EQ(found["jobs"][0]["lines"].size(), 10u);
  EXPECT_TRUE(found["jobs"][0]["more"]);
  EXPECT_THAT(luzia({"search", "needle"}).out,
              HasSubstr("more of it: luzia search needle --job " + noisy + " --limit 0\n"));
  EXPECT_EQ(luzia_json({"search", "needle", "--job", noisy, "--limit", "0"})["jobs"][0]["lines"].size(),
            500u);
  EXPECT_EQ(ids_of(luzia_json({"search", "needle", "--limit", "3"})), Words{noisy});
}

TEST_F(SearchTest, ManyOutputsComeInTheirOrder) {
  Words ids;
  for (int i = 0; i < 150; ++i)
    ids.insert(ids.begin(), dispatch("printf 'nee%s\\n' dle; seq 1 " + std::to_string(i % 7 * 500)));
  for (const std::string& id : ids) ended(id);
  for (const Words& words : {Words{"needle"}, Words{"--regex", "ne+d[a-z]e$"}}) {
    Words search = {"search", "--limit", "0"};
    search.insert(search.end(), words.begin(), words.end());
    EXPECT_EQ(ids_of(luzia_json(search)), ids);
  }
}

TEST_F(SearchTest, WhatAJobPrintsCannotHarmTheTerminal) {
  done("printf '\\033]0;owned\\007\\033[2Jneedle\\xe2\\x80\\xae\\n'");
  const Finished found = luzia({"search", "needle"});
  EXPECT_THAT(found.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(found.out, Not(HasSubstr("\u202e")));
}

/// More than wait at a time: some have an output, most only a task.
TEST_F(SearchTest, ManyJobsComeInTheirOrder) {
  Words newest_first;
  for (int i = 0; i < 4; ++i) newest_first.insert(newest_first.begin(), done("echo needle"));
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  std::string batch;
  for (int i = 0; i < 230; ++i)
    batch += Json{{"project", "demo"}, {"task", i % 2 == 0 ? "true # needle" : "true"}}.dump() + "\n";
  const Finished queued = luzia({"dispatch", "--batch", "-"}, batch);
  ASSERT_EQ(queued.code, 0) << queued.err;
  const Words ids = lines_of(queued.out);
  ASSERT_EQ(ids.size(), 230U);
  for (std::size_t i = 0; i < ids.size(); i += 2) newest_first.insert(newest_first.begin(), ids[i]);
  const Json found = luzia_json({"search", "needle", "--limit", "0"});
  EXPECT_EQ(ids_of(found), newest_first);
  EXPECT_EQ(found["searched"], 234);
  const Json some = luzia_json({"search", "needle", "--limit", "3"});
  EXPECT_EQ(ids_of(some), Words(newest_first.begin(), newest_first.begin() + 3));
}

TEST_F(SearchTest, NothingFoundHasItsOwnExitCode) {
  done("echo something");
  const Finished found = luzia({"search", "no such words"});
  EXPECT_EQ(found.code, 1);
  EXPECT_EQ(found.out, "");
  EXPECT_THAT(found.err, HasSubstr("nothing in 1 job"));
  expect_refused({"search", ""}, 2, "name the words to find");
  expect_refused({"search", std::string(300, 'a')}, 2, "must be one line of 1 to 256 bytes");
}

}  // namespace
}  // namespace luzia
