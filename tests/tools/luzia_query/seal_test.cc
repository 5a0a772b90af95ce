// luzia-query seal and archive, and verify by them: what people and scripts see.
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "engine/log/seal_files.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

/// A store that begins as a daemon's does, which each seal names.
class SealedStore : public testing::Test {
 protected:
  SealedStore() { write(store(), "first", 5); }

  std::string store() const { return folder_.file("store"); }
  std::string seals() const { return folder_.file("store.seals"); }
  std::string file(const std::string& name) const { return folder_.file(name); }

  /// Appends jobs; a new store gets its creation first.
  static void write(const std::string& store, const std::string& task, int jobs) {
    const auto log = open_rocks_event_log(store, {});
    ASSERT_TRUE(log) << log.error().message;
    LogWriter writer(**log);
    if ((*log)->tip().position == 0) {
      schema::StoreCreatedT created;
      created.site = "desk";
      created.store_id = std::string(32, 'a');
      writer.write(kSecondUs, new_event("system", std::move(created)));
    }
    for (int i = 0; i < jobs; ++i) writer.write(kSecondUs, queued(kBuild, "web", "claude", task));
  }
  /// Writes the whole log anew, with another past, and hashes that follow from it.
  void rewrite(int jobs) const {
    std::filesystem::remove_all(store() + "/log");
    std::filesystem::remove(store() + "/watermark");
    write(store(), "another past", jobs);
  }
  Ran run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", store()});
    return run_query_program(words);
  }
  std::string key() const {
    const std::string text = run({"seal", "--public"}).out;
    return text.substr(0, text.find('\n'));
  }
  Ran verify(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"verify", "--seals", seals(), "--key", key()});
    return run(more);
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

 private:
  ScratchFolder folder_;
};

TEST_F(SealedStore, SealsHoldWhileTheLogGrows) {
  ASSERT_EQ(run({"seal"}).code, 0);
  write(store(), "more", 3);
  const Ran again = run({"seal", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json().at("position"), 9);
  EXPECT_EQ(again.json().at("file"), seals());
  EXPECT_EQ(text_of(seals()).substr(text_of(seals()).find('\n') + 1),
            again.json().at("seal").get<std::string>() + "\n");
  const Ran ran = verify();
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.out, testing::HasSubstr("sound: 2 seals hold, the newest at position 9 of "));
}

TEST_F(SealedStore, ARewrittenLogIsFoundAndNamed) {
  ASSERT_EQ(run({"seal"}).code, 0);
  rewrite(5);
  EXPECT_EQ(run({"verify"}).code, 0) << "the chain alone cannot know";
  const Ran ran = verify();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, testing::HasSubstr("FAULTY: 1 seal of 1 does not hold"));
  EXPECT_THAT(ran.out,
              testing::HasSubstr("line 1, position 6: the log was rewritten after it was sealed at"));
  const Json json = verify({"--json"}).json();
  EXPECT_EQ(json.at("ok"), false);
  EXPECT_EQ(json.at("seals_failed"), 1);
  EXPECT_EQ(json.at("seal_faults").at(0).at("code"), "seal_differs");
  EXPECT_EQ(json.at("seal_faults").at(0).at("position"), 6);
}

TEST_F(SealedStore, ACutLogIsFound) {
  ASSERT_EQ(run({"seal"}).code, 0);
  rewrite(2);
  const Ran ran = verify();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, testing::HasSubstr("line 1, position 6: the log ends at position 3: it was cut"));
}

TEST_F(SealedStore, KeyAndSealsMayLieElsewhere) {
  const std::string elsewhere = file("usb.seals"), own = file("my.key");
  ASSERT_EQ(run({"seal", "--to", elsewhere, "--key", own}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(seals()));
  EXPECT_FALSE(std::filesystem::exists(store() + "/seal.key"));
  const std::string text = run({"seal", "--public", "--key", own}).out;
  const Ran ran = run({"verify", "--seals", elsewhere, "--key", text.substr(0, text.size() - 1)});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(run({"verify", "--seals", elsewhere, "--key", key()}).out,
              testing::HasSubstr("it was signed with another key"));
}

TEST_F(SealedStore, SealingWorksBesideAWriter) {
  const auto log = open_rocks_event_log(store(), {});
  ASSERT_TRUE(log);
  const Ran ran = run({"seal", "--offline", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json().at("position"), 6);
}

TEST_F(SealedStore, BadInputIsRefused) {
  EXPECT_EQ(run({"verify", "--seals", seals()}).code, 2);
  EXPECT_THAT(run({"verify", "--seals", seals(), "--key", "short"}).err,
              testing::HasSubstr("'short' is not a public key of seals"));
  EXPECT_THAT(run({"verify", "--seals", file("none"), "--key", key()}).err,
              testing::HasSubstr("cannot read the seals in " + file("none")));
  EXPECT_EQ(run({"seal", "--public", "--to", "x"}).code, 2);
  const Ran nowhere = run_query_program({"seal", "--store", file("nowhere")});
  EXPECT_EQ(nowhere.code, 5);
  EXPECT_THAT(nowhere.err, testing::HasSubstr("there is no store at"));
  EXPECT_FALSE(std::filesystem::exists(file("nowhere")));
}

TEST_F(SealedStore, AFullOrForbiddenTargetLeavesTheStoreAlone) {
  const Ran ran = run({"seal", "--to", file("no/folder/seals")});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, testing::HasSubstr("cannot append the seal to"));
  EXPECT_EQ(run({"verify"}).code, 0);
}

TEST_F(SealedStore, AnArchiveIsReadProvedAndContinued) {
  const std::string archive = file("archive");
  const Ran made = run({"archive", archive, "--until", "4", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json().at("position"), 4);
  EXPECT_EQ(run_query_program({"verify", "--store", archive}).code, 0);
  EXPECT_EQ(run_query_program({"events", "--json", "--store", archive}).json_lines().size(), 4U);
  write(store(), "more", 2);
  const Ran continues = run({"verify", "--archive", archive});
  EXPECT_EQ(continues.code, 0) << continues.out;
  EXPECT_THAT(continues.out, testing::HasSubstr("it continues the archive, which ends at position 4"));
  rewrite(5);
  const Ran differs = run({"verify", "--archive", archive, "--json"});
  EXPECT_EQ(differs.code, 1);
  EXPECT_EQ(differs.json().at("code"), "archive_differs");
}

TEST_F(SealedStore, AnArchiveNeedsAPlaceInTheLog) {
  EXPECT_EQ(run({"archive", file("archive")}).code, 2);
  EXPECT_EQ(run({"archive", file("archive"), "--until", "99"}).code, 2);
  const Ran early = run({"archive", file("archive"), "--until", "2000-01-01"});
  EXPECT_EQ(early.code, 4);
  EXPECT_THAT(early.err,
              testing::StartsWith("luzia-query: no event is as old as --until: the oldest event, at "
                                  "position 1, is of 2026-01-01"));
  EXPECT_FALSE(std::filesystem::exists(file("archive")));
}

}  // namespace
}  // namespace luzia::test
