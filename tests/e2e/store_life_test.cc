// What happens when the store of a running daemon is deleted, mounted read-only, copied while jobs run, or
// damaged.
#include <rocksdb/db.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <filesystem>

#include "engine/log/rocks_log_db.h"
#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/own_mounts.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWaits = "echo began >> ran; while [ ! -e go ]; do sleep 0.05; done; echo went >> ran";

class StoreLifeTest : public DaemonTest {
 protected:
  std::string ran() const { return read_text(project() + "/ran"); }
  void let_go() const { write_text(project() + "/go", ""); }
  /// Live processes of that program that carry the scratch folder's name.
  std::vector<pid_t> programs(const std::string& name) const {
    std::vector<pid_t> found;
    for (const pid_t pid : own_processes()) {
      std::error_code ignored;
      const fs::path program = fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored);
      if (program.filename() == name && is_running(pid)) found.push_back(pid);
    }
    return found;
  }
};

TEST_F(StoreLifeTest, DaemonOfADeletedStoreExits) {
  const std::string id = dispatch_until("running", kWaits);
  const pid_t old = daemon_pid();
  // An idle daemon: only the deletion wakes it.
  ASSERT_TRUE(wait_until([&] {
    std::error_code error;
    fs::remove_all(store(), error);
    return !fs::exists(store());
  }));
  EXPECT_TRUE(wait_until([&] { return !is_running(old); }))
      << "it must not serve a store that nobody can reach";
  EXPECT_FALSE(processes_of(id).empty());
  start_daemon();  // a new store with its own daemon
  EXPECT_EQ(programs("luziad").size(), 1u);
  let_go();
  EXPECT_TRUE(wait_until([&] { return ran() == "began\nwent\n"; }));
  EXPECT_TRUE(wait_until([&] { return programs("luzia-run").empty(); }))
      << "it has nowhere to record its exit";
  EXPECT_TRUE(fs::exists(job_dir(id) + "/exit.json"));
}

TEST_F(StoreLifeTest, DaemonOfAMovedStoreExitsAtItsNextAction) {
  const std::string id = dispatch_until("running", kWaits);
  const pid_t old = daemon_pid();
  fs::rename(store(), path("moved"));
  let_go();
  EXPECT_TRUE(wait_until([&] { return !is_running(old); }));
  start_daemon();
  EXPECT_EQ(programs("luziad").size(), 1u);
}

// A cleaner of /run or /tmp may do that. An idle daemon: only the deletion wakes it.
TEST_F(StoreLifeTest, DeletedSocketIsBoundAgain) {
  const std::string id = dispatch_until("running", kWaits);
  const pid_t daemon = daemon_pid();
  ASSERT_TRUE(fs::remove(store() + "/socket"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); }));
  EXPECT_EQ(luzia({"status"}).code, 0);
  EXPECT_EQ(daemon_pid(), daemon) << "it starts over in its own process";
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(ran(), "began\nwent\n");
  expect_verified();
}

// As systemd does when its unit is enabled while a daemon runs that luzia has started.
TEST_F(StoreLifeTest, DaemonMakesWayForWhoeverTakesItsSocket) {
  const std::string id = dispatch_until("running", kWaits);
  const pid_t daemon = daemon_pid();
  const std::string place = store() + "/socket";
  const int other = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  place.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_TRUE(fs::remove(place));
  ASSERT_EQ(::bind(other, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(other, 8), 0);
  EXPECT_TRUE(wait_until([&] { return !is_running(daemon); }));
  EXPECT_TRUE(fs::exists(place)) << "it is not its own to delete";
  EXPECT_FALSE(processes_of(id).empty());
  ::close(other);
  let_go();
  EXPECT_EQ(ended(id)["state"], "completed");
  expect_verified();
}

class CopiedStoreTest : public StoreLifeTest {
 protected:
  /// Copies the store while a job runs that is still queued in the copy.
  void copy_under_a_job(const std::string& task = kWaits) {
    ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
    id_ = dispatch(task);
    ASSERT_EQ(query({"backup", path("copy")}).code, 0);
    ASSERT_EQ(luzia({"resume", "--all"}).code, 0);
    ASSERT_TRUE(becomes(id_, "running"));
    ASSERT_TRUE(wait_until([&] { return ran() == "began\n"; }));
  }
  Finished in_copy(Words words) const {
    words.insert(words.end(), {"--store", path("copy")});
    return luzia(words);
  }
  bool ends_in_copy(const std::string& state) const {
    return wait_until([&] {
      const Json row = Json::parse(in_copy({"job", id_, "--json"}).out, nullptr, false);
      return row.is_object() && row.value("state", "") == state;
    });
  }
  void expect_refused_in_copy() const {
    ASSERT_EQ(in_copy({"resume", "--all"}).code, 0);
    ASSERT_TRUE(ends_in_copy("failed"));
    const std::string why = in_copy({"why", id_}).out;
    EXPECT_THAT(why, HasSubstr("another attempt of this job is alive (process "));
    EXPECT_THAT(why, HasSubstr(job_dir(id_) + "/claim"));
    EXPECT_EQ(ran(), "began\n") << "it ran twice";
    EXPECT_FALSE(fs::exists(job_dir(id_) + "/attempt-1"));
  }
  std::string id_;
};

TEST_F(CopiedStoreTest, NoStartBesideTheRunningAttempt) {
  copy_under_a_job();
  expect_refused_in_copy();
  let_go();
  EXPECT_EQ(ended(id_)["state"], "completed");
  EXPECT_EQ(ran(), "began\nwent\n");
  EXPECT_EQ(in_copy({"retry", id_}).code, 0);
  EXPECT_TRUE(ends_in_copy("completed")) << "once that attempt has ended, the job can start";
}

TEST_F(CopiedStoreTest, NoStartBesideAnAgentWithoutLuziaRun) {
  copy_under_a_job();
  for (const pid_t pid : programs("luzia-run")) ::kill(pid, SIGKILL);
  ASSERT_TRUE(wait_until([&] { return programs("luzia-run").empty(); }));
  expect_refused_in_copy();
  let_go();
  EXPECT_TRUE(wait_until([&] { return ran() == "began\nwent\n"; }));
}

TEST_F(CopiedStoreTest, NoStartBesideAnAgentWithoutAClaim) {
  copy_under_a_job(std::string("rm $LUZIA_JOB_DIR/claim; ") + kWaits);
  ASSERT_EQ(in_copy({"resume", "--all"}).code, 0);
  ASSERT_TRUE(ends_in_copy("failed"));
  EXPECT_THAT(in_copy({"why", id_}).out, HasSubstr("another attempt of this job is alive"));
  EXPECT_EQ(ran(), "began\n");
  let_go();
  EXPECT_EQ(ended(id_)["state"], "completed");
}

TEST_F(StoreLifeTest, DamagedClaimBlocksOnlyItsOwnJob) {
  const std::string id = dispatch("rm -f $LUZIA_JOB_DIR/claim; mkfifo $LUZIA_JOB_DIR/claim; exit 1");
  EXPECT_EQ(ended(id)["state"], "failed");
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  ASSERT_TRUE(wait_until([&] { return job(id)["reason"] == "start_failed"; }));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("claim is not a regular file of user"));
  fs::remove(job_dir(id) + "/claim");
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_TRUE(wait_until([&] { return job(id)["reason"] == "exit_code"; })) << job(id);
}

class ReadOnlyTest : public StoreLifeTest {
 protected:
  ~ReadOnlyTest() override {
    if (!mounted_.empty()) writable();
  }
  void read_only(const std::string& folder) {
    ASSERT_EQ(::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr), 0);
    mounted_ = folder;
    ASSERT_EQ(::mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr), 0);
  }
  void writable() { EXPECT_EQ(::umount2(std::exchange(mounted_, "").c_str(), MNT_DETACH), 0); }

 private:
  std::string mounted_;
};

TEST_F(ReadOnlyTest, AcknowledgedJobsWaitForAWritableStore) {
  ASSERT_TRUE(enter_own_mounts());
  ended(dispatch("true"));
  read_only(store() + "/run");
  const std::string claimless = dispatch("echo ran");
  EXPECT_TRUE(wait_until([&] {
    return read_text(store() + "/luziad.log").find(claimless + ": cannot start attempt 1 yet") !=
           std::string::npos;
  }));
  writable();
  EXPECT_EQ(ended(claimless)["state"], "completed");
  read_only(store());
  EXPECT_TRUE(wait_until([&] {
    return luzia({"daemon", "status"}).out.find("is mounted read-only") != std::string::npos;
  }));
  writable();
  EXPECT_EQ(ended(dispatch("echo ran"))["state"], "completed");
}

class ScrubTest : public StoreLifeTest {
 protected:
  /// Flips the last byte of the first row of texts; a second call restores it.
  void flip_text() const {
    stop_daemon();
    {
      auto db = RocksLogDb::open(store() + "/log", OpenMode::read_write, nullptr);
      ASSERT_TRUE(db);
      const std::unique_ptr<rocksdb::Iterator> at((*db)->db().NewIterator({}, (*db)->blobs()));
      at->SeekToFirst();
      ASSERT_TRUE(at->Valid());
      std::string row = at->value().ToString();
      row.back() = static_cast<char>(row.back() ^ 1);
      ASSERT_TRUE((*db)->db().Put({}, (*db)->blobs(), at->key(), row).ok());
    }
    start_daemon();
  }
  std::vector<Json> scrubs() const {
    std::vector<Json> found;
    for (const Json& event : events()) {
      if (event["type"] == "StoreScrubbed") found.push_back(event["data"]);
    }
    return found;
  }
  std::string doctor() const { return luzia({"doctor"}).out; }
  std::string alerts() const { return luzia({"status", "--alerts"}).out; }
};

TEST_F(ScrubTest, DamageRaisesAnAlertUntilFixed) {
  const std::string id = dispatch("echo spoiled");
  ended(id);
  EXPECT_THAT(doctor(), HasSubstr("scrub: none yet"));
  const Finished sound = luzia({"daemon", "scrub"});
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("the store is sound: "));
  ASSERT_EQ(scrubs().size(), 1u);
  EXPECT_EQ(scrubs()[0]["damaged"], 0);
  EXPECT_GT(scrubs()[0]["texts"], 0);
  EXPECT_THAT(doctor(), HasSubstr(" hold"));

  flip_text();
  EXPECT_THAT(doctor(), HasSubstr(" hold")) << "the next daemon knows the last scrub";
  const Finished damaged = luzia({"daemon", "scrub"});
  EXPECT_EQ(damaged.code, 5);
  EXPECT_THAT(damaged.err, HasSubstr("job/" + id));
  ASSERT_EQ(scrubs().size(), 2u);
  EXPECT_EQ(scrubs()[1]["damaged"], 1);
  EXPECT_GT(scrubs()[1]["first_damaged"], 0);
  EXPECT_THAT(alerts(), HasSubstr("the store is damaged"));
  EXPECT_THAT(doctor(), HasSubstr("the store is damaged"));

  flip_text();
  EXPECT_THAT(alerts(), HasSubstr("the store is damaged")) << "no scrub has run yet";
  EXPECT_EQ(luzia({"daemon", "scrub"}).code, 0);
  EXPECT_THAT(doctor(), Not(HasSubstr("the store is damaged")));
  const std::vector<Json> all = events();
  EXPECT_TRUE(std::ranges::any_of(all, [](const Json& event) {
    return event["type"] == "AlertEnded" && event["data"]["alert"] == "store_damaged";
  }));
}

TEST_F(ScrubTest, RunsAtTheConfiguredInterval) {
  configure("[store]\nscrub = \"1s\"\n");
  ended(dispatch("true"));
  EXPECT_TRUE(wait_until([&] { return scrubs().size() >= 2; }));
}

}  // namespace
}  // namespace luzia
