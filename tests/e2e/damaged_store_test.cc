// A store that somebody, or a disk, has changed between two daemons: texts, files replaced by other kinds of
// files, an older log. Nothing is executed or dropped because of it.
#include <rocksdb/db.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "engine/log/rocks_log_db.h"
#include "tests/e2e/daemon_fixture.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class DamagedStoreTest : public DaemonTest {
 protected:
  /// Replaces words by others of the same length in every row of texts. No daemon may run.
  void rewrite_texts(const std::string& from, const std::string& to) const {
    ASSERT_EQ(from.size(), to.size());
    auto db = RocksLogDb::open(store() + "/log", OpenMode::read_write, nullptr);
    ASSERT_TRUE(db) << db.error().message;
    const std::unique_ptr<rocksdb::Iterator> at((*db)->db().NewIterator({}, (*db)->blobs()));
    int changed = 0;
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
      std::string row = at->value().ToString();
      const std::size_t place = row.find(from);
      if (place == std::string::npos) continue;
      row.replace(place, from.size(), to);
      ASSERT_TRUE((*db)->db().Put({}, (*db)->blobs(), at->key(), row).ok());
      ++changed;
    }
    EXPECT_GT(changed, 0);
  }
  Json row_of(const std::string& id) const {
    return Json::parse(luzia({"job", id, "--json"}).out, nullptr, false);
  }
  bool comes_to(const std::string& id, const std::string& state) const {
    return wait_until([&] {
      const Json row = row_of(id);
      return row.is_object() && row.value("state", "") == state;
    });
  }
  Finished start_luziad() const { return run_to_end({kLuziad, "--store", store()}, environment()); }
};

TEST_F(DamagedStoreTest, ChangedTextIsNeitherShownNorExecuted) {
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string bad = dispatch("touch ran-good"), good = dispatch("echo untouched");
  stop_daemon();
  rewrite_texts("ran-good", "ran-evil");
  start_daemon();
  const Finished shown = luzia({"job", bad, "--json"});
  EXPECT_EQ(shown.code, 5);
  EXPECT_THAT(shown.err, HasSubstr("text_unreadable"));
  EXPECT_EQ(Json::parse(shown.out).at("task_error"), "task_unreadable");
  EXPECT_EQ(query({"jobs", "--json"}).code, 5) << "the daemon's answer says so too";
  ASSERT_EQ(luzia({"resume", "--all"}).code, 0);
  EXPECT_EQ(ended(good)["state"], "completed");
  ASSERT_TRUE(comes_to(bad, "failed"));
  const Json row = row_of(bad);
  EXPECT_EQ(row["reason"], "start_failed") << row;
  EXPECT_EQ(row["retriable"], false) << row;
  EXPECT_FALSE(fs::exists(project() + "/ran-evil"));
  EXPECT_FALSE(fs::exists(project() + "/ran-good"));
  const Json end = events_of(bad, "AttemptEnded").at(0);
  const std::string why = end["data"]["start_error"];
  EXPECT_THAT(why, HasSubstr("(job/" + bad + ") is damaged"));
  EXPECT_THAT(why, HasSubstr("restore the store from a backup"));
  const Finished verify = query({"verify"});
  EXPECT_EQ(verify.code, 1);
  EXPECT_THAT(verify.out, HasSubstr("job/" + bad));
  EXPECT_NE(query({"backup", path("copy")}).code, 0);
}

struct Impostor {
  const char* name;
  void (*put)(const std::string& path);
};

class FilesOfTheStoreTest : public DamagedStoreTest, public testing::WithParamInterface<Impostor> {};

// Each of these would block the daemon forever, or feed it forever.
TEST_P(FilesOfTheStoreTest, OtherFileTypesAreRefusedByName) {
  ended(dispatch("true"));
  stop_daemon();
  for (const char* name :
       {"watermark", "clock", "clock.new", "notified", "scrubbed", "ballast", "lock", "luziad.log"}) {
    const std::string file = store() + "/" + name, kept = path("kept");
    const bool was_there = fs::exists(file);
    if (was_there) fs::rename(file, kept);
    GetParam().put(file);
    const Finished refused = start_luziad();
    EXPECT_EQ(refused.code, 5) << name << refused.err;
    EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(file + " is ")) << name;
    EXPECT_THAT(refused.err, HasSubstr("remove what stands in its place")) << name;
    if (std::string_view(name) == "watermark") {
      EXPECT_THAT(query({"jobs", "--offline"}).err, HasSubstr(file + " is "));
    }
    fs::remove_all(file);
    if (was_there) fs::rename(kept, file);
  }
  start_daemon();
  expect_verified();
}

INSTANTIATE_TEST_SUITE_P(
    All, FilesOfTheStoreTest,
    testing::Values(
        Impostor{"Fifo", [](const std::string& path) { EXPECT_EQ(mkfifo(path.c_str(), 0600), 0); }},
        Impostor{"DevZero", [](const std::string& path) { fs::create_symlink("/dev/zero", path); }},
        Impostor{"Folder", [](const std::string& path) { fs::create_directory(path); }}),
    [](const auto& param) { return param.param.name; });

class RolledBackTest : public DamagedStoreTest {
 protected:
  /// Restores an earlier log under the newer rest of the store.
  void roll_back() {
    kept_ = dispatch("echo kept");
    ended(kept_);
    ASSERT_EQ(query({"backup", path("copy")}).code, 0);
    const std::uint64_t copied = position();
    later_ = dispatch("echo later");
    ended(later_);
    ASSERT_TRUE(wait_until([&] { return std::stoull("0" + read_text(store() + "/notified")) > copied; }));
    stop_daemon();
    for (const char* part : {"log", "watermark"}) {
      fs::remove_all(store() + "/" + part);
      fs::copy(path("copy") + "/" + part, store() + "/" + part, fs::copy_options::recursive);
    }
  }
  void expect_refused(const std::string& words) const {
    const Finished refused = start_luziad();
    EXPECT_EQ(refused.code, 5) << refused.err;
    EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(words));
    EXPECT_THAT(refused.err, HasSubstr("--accept-log-end"));
  }
  void accept() const {
    BesideProgram accepting({kLuziad, "--accept-log-end", "--store", store()}, environment(),
                            path("luziad.out"));
    EXPECT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }));
    EXPECT_EQ(row_of(kept_)["state"], "completed");
    accepting.signal(SIGTERM);
    EXPECT_EQ(accepting.end(), 0);
  }
  std::vector<Json> acceptances() const {
    std::vector<Json> found;
    for (const Json& event : events()) {
      if (event["type"] == "RollbackAccepted") found.push_back(event["data"]);
    }
    return found;
  }
  std::string kept_, later_;
};

TEST_F(RolledBackTest, OlderLogIsRefusedUntilAPersonAcceptsIt) {
  roll_back();
  expect_refused("views has seen position");
  const Finished verify = query({"verify"});
  EXPECT_EQ(verify.code, 1);
  EXPECT_THAT(verify.out, HasSubstr("views has seen position"));
  EXPECT_THAT(query({"replay", "--rebuild"}).err, HasSubstr("--accept-log-end"))
      << "accepting would hide the evidence";
  expect_refused("views has seen position");
  accept();
  start_daemon();
  ASSERT_EQ(acceptances().size(), 1u);
  const Json accepted = acceptances()[0];
  EXPECT_EQ(accepted["sign"], "views");
  EXPECT_GT(accepted["seen"], accepted["log_end"]);
  EXPECT_EQ(luzia({"job", later_}).code, 3);
  EXPECT_NE(dispatch("echo next"), later_) << "ids are never reused, not even after a restore";
  expect_verified();
}

TEST_F(RolledBackTest, AcceptanceIsRecordedOnceAcrossKills) {
  roll_back();
  for (const char* point : {"rollback.accepted", "rollback.recorded"}) {
    BesideProgram accepting({"/usr/bin/env", std::string("LUZIA_FAILPOINTS=") + point + "@1", kLuziad,
                             "--accept-log-end", "--store", store()},
                            environment(), path("luziad.out"));
    EXPECT_EQ(accepting.end(), 128 + SIGKILL) << point;
  }
  start_daemon();
  ASSERT_EQ(acceptances().size(), 1u);
  EXPECT_EQ(acceptances()[0]["sign"], "views");
  restart_daemon();
  EXPECT_EQ(acceptances().size(), 1u);
}

TEST_F(RolledBackTest, DivergedLogIsRefused) {
  roll_back();
  const std::string rows = path("newer-rows");
  fs::rename(store() + "/views", rows);
  fs::remove(store() + "/notified");
  start_daemon();
  for (int i = 0; i < 3; ++i) ended(dispatch("echo otherwise"));
  stop_daemon();
  fs::remove_all(store() + "/views");
  fs::rename(rows, store() + "/views");
  expect_refused("of another log than this one");
}

TEST_F(RolledBackTest, NotificationsRevealARollbackWithoutRows) {
  roll_back();
  fs::remove_all(store() + "/views");
  expect_refused("notified has seen position");
  accept();
  start_daemon();
  ASSERT_EQ(acceptances().size(), 1u);
  EXPECT_EQ(acceptances()[0]["sign"], "notified");
}

TEST_F(RolledBackTest, BackupAsItsOwnStoreNeedsNoAcceptance) {
  roll_back();
  fs::remove_all(store());
  fs::rename(path("copy"), store());
  start_daemon();
  EXPECT_EQ(state(kept_), "completed");
  EXPECT_TRUE(acceptances().empty());
  expect_verified();
}

}  // namespace
}  // namespace luzia
