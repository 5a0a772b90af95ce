// Which trees are looked at, and what is reported about changes: with real processes, and a list in place of
// git's.
#include "tools/luziad/watching/tree_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

#include "tests/paths.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TreeWatchTest : public testing::Test {
 protected:
  TreeWatchTest() {
    ::signal(SIGPIPE, SIG_IGN);
    char name[] = "/tmp/luzia-tree-watch-XXXXXX";
    scratch_ = std::filesystem::canonical(::mkdtemp(name)).string();
    for (const char* folder : {"/repo/.git", "/repo/part", "/other/.git", "/plain"}) {
      std::filesystem::create_directories(scratch_ + folder);
    }
    listing(R"(cat "$HOME/list")");
    write("list", std::string("0\0", 2));
    uv_loop_init(&loop_);
    workers_ = std::make_unique<Workers>(&loop_);
    TreeWatch::Setting setting{build_path("tools/luzia-run/luzia-run"), path("client"), 0,
                               [this](const std::string& job) {
                                 const auto it = runners_.find(job);
                                 return it == runners_.end() ? ProcessId{} : it->second;
                               }};
    watch_ = std::make_unique<TreeWatch>(
        &loop_, *workers_, stop_.get_token(), std::move(setting),
        TreeWatch::Tell{[this](const std::string& job, std::uint32_t attempt, const std::string& top,
                               const std::vector<ChangedFile>& files) {
                          for (const ChangedFile& file : files) {
                            told_.push_back(job + "." + std::to_string(attempt) + " " +
                                            top.substr(scratch_.size()) + "/" + file.path);
                          }
                        },
                        [this](const std::string& job, std::uint32_t attempt) {
                          settled_.push_back(job);
                          settled_attempts_.push_back(attempt);
                          told_.push_back(job + " settled");
                        },
                        [this](const std::string& folder, const std::string& real) {
                          linked_.push_back(folder.substr(scratch_.size()) + " -> " +
                                            real.substr(scratch_.size()));
                        }});
    start_ = wall_now();
  }
  ~TreeWatchTest() override {
    stop_.request_stop();
    watch_->close();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
    std::filesystem::remove_all(scratch_);
  }

  std::string path(const std::string& name) const { return scratch_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// Makes the fake `luzia` print this after it has recorded its call.
  void listing(const std::string& commands) const {
    write("client", "#!/bin/sh\necho \"$*\" >>\"$HOME/calls\"\n" + commands + "\n");
    ::chmod(path("client").c_str(), 0755);
  }
  /// Lists files with their change times, relative to the start of the test.
  void list(const std::vector<std::pair<std::string, TimeUs>>& files) const {
    ChangedFiles changed;
    for (const auto& [name, after] : files)
      changed.files.push_back({name, start_ + after, start_ + after + 1});
    write("list", to_text(changed));
  }
  std::vector<std::string> calls() const {
    std::ifstream file(path("calls"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  JobState job(const std::string& id, const std::string& folder) const {
    JobState job;
    job.job = id;
    job.attempt = 1;
    job.spec = std::make_unique<schema::JobSpecT>();
    job.spec->working_dir = path(folder);
    job.spec->home = scratch_;
    job.spec->uid = ::geteuid();
    job.spec->gid = ::getegid();
    return job;
  }
  void begin(const std::string& id, const std::string& folder, TimeUs after) {
    watch_->begin(job(id, folder), start_ + after);
  }
  bool end(const std::string& id, TimeUs after) { return watch_->end(id, start_ + after); }
  /// Runs the loop until the condition holds; false after a minute.
  bool becomes(const std::function<bool()>& holds) {
    Timer limit(&loop_);
    bool over = false;
    limit.start(60'000, [&over] { over = true; });
    while (!holds() && !over) uv_run(&loop_, UV_RUN_ONCE);
    return holds();
  }

  std::string scratch_;
  uv_loop_t loop_;
  std::unique_ptr<Workers> workers_;
  std::stop_source stop_;
  std::map<std::string, ProcessId> runners_;
  std::unique_ptr<TreeWatch> watch_;
  TimeUs start_ = 0;
  std::vector<std::string> told_, settled_, linked_;
  std::vector<std::uint32_t> settled_attempts_;  // one per entry of settled_
};

TEST_F(TreeWatchTest, OnlySharedTreesAreWatched) {
  begin("alone", "other", 0);
  begin("p", "plain", 0);
  begin("q", "plain", 0);
  begin("a", "repo", 0);
  begin("b", "repo/part", 10);
  ASSERT_TRUE(becomes([&] { return calls().size() == 2; }));
  EXPECT_THAT(calls(), Each(HasSubstr("snapshot changed --from " + path("repo") + " --since ")));
  EXPECT_FALSE(end("q", 20)) << "no change in it is reported";
}

TEST_F(TreeWatchTest, OwnWorktreeIsNotWatched) {
  JobState own = job("own", "repo");
  own.spec->worktree = true;
  watch_->begin(own, start_);
  begin("a", "repo", 0);
  begin("b", "other", 0);
  begin("c", "other", 0);
  ASSERT_TRUE(becomes([&] { return !calls().empty(); }));
  EXPECT_THAT(calls(), Each(HasSubstr(path("other"))));
}

TEST_F(TreeWatchTest, OnlyUnambiguousChangesAreReported) {
  list({{"before", -10}, {"mine", 500}, {"ours", 2000}});
  begin("a", "repo", 0);
  begin("b", "repo", 1000);
  ASSERT_TRUE(becomes([&] { return !told_.empty(); }));
  EXPECT_THAT(told_, ElementsAre("a.1 /repo/mine"));
}

TEST_F(TreeWatchTest, JobInAParentFolderIsASuspect) {
  std::filesystem::create_directories(path("plain/inner/.git"));
  list({{"mine", 500}, {"whose", 1200}, {"after", 1400}});
  begin("above", "plain", 1000);
  begin("a", "plain/inner", 0);
  EXPECT_TRUE(end("above", 1300)) << "its folder is not known yet";
  begin("b", "plain/inner", 1500);
  ASSERT_TRUE(becomes([&] { return std::ranges::count(told_, "a.1 /plain/inner/after") > 0; }));
  EXPECT_THAT(told_, Contains("a.1 /plain/inner/mine"));
  EXPECT_THAT(told_, Not(Contains(HasSubstr("whose"))));
}

TEST_F(TreeWatchTest, OtherUsersParentJobIsNoSuspectExceptRoots) {
  const auto begin_as = [this](std::uint32_t uid, const std::string& id, const std::string& folder) {
    JobState other = job(id, folder);
    other.spec->uid = uid;
    watch_->begin(other, start_);
  };
  std::filesystem::create_directories(path("plain/inner/.git"));
  list({{"mine", 500}, {"ours", 2000}});
  const std::uint32_t foreign = ::geteuid() + 1;
  begin_as(foreign, "strange", "plain");
  begin("a", "plain/inner", 0);
  begin("b", "plain/inner", 1000);
  ASSERT_TRUE(becomes([&] { return !told_.empty(); }));
  EXPECT_THAT(told_, ElementsAre("a.1 /plain/inner/mine"));

  list({{"mine", 500}, {"ours", 2000}});
  begin_as(0, "root", "");
  begin("c", "other", 0);
  begin("d", "other", 1000);
  ASSERT_TRUE(becomes([&] {
    const auto all = calls();
    return std::ranges::count_if(
               all, [&](const auto& call) { return call.find(path("other")) != call.npos; }) >= 2;
  }));
  EXPECT_THAT(told_, Not(Contains(HasSubstr("/other/")))) << "root may have done it";
}

TEST_F(TreeWatchTest, LaterUserIsASuspectFromItsStart) {
  const auto begin_as = [this](std::uint32_t uid, const std::string& id, const std::string& folder,
                               TimeUs after) {
    JobState other = job(id, folder);
    other.spec->uid = uid;
    watch_->begin(other, start_ + after);
  };
  std::filesystem::create_directories(path("plain/inner/.git"));
  list({{"mine", 500}, {"whose", 1500}});
  const std::uint32_t foreign = ::geteuid() + 1;
  begin_as(foreign, "strange", "plain", 1000);
  begin("a", "plain/inner", 0);
  begin_as(foreign, "friend", "plain/inner", 2000);
  ASSERT_TRUE(becomes([&] { return !told_.empty(); }));
  EXPECT_THAT(told_, ElementsAre("a.1 /plain/inner/mine"));
}

TEST_F(TreeWatchTest, NestedTreeIncludesParentJobs) {
  std::filesystem::create_directories(path("repo/inner/.git"));
  begin("above", "repo/part", 1000);
  EXPECT_TRUE(end("above", 1000));
  ASSERT_TRUE(becomes([&] { return settled_.size() == 1; })) << "its folder is known from then on";
  list({{"mine", 500}, {"whose", 2200}, {"ours", 3000}});
  begin("above", "repo/part", 2000);
  begin("a", "repo/inner", 0);
  begin("b", "repo/inner", 2500);
  ASSERT_TRUE(becomes([&] { return calls().size() == 2; }));
  EXPECT_THAT(told_, Contains("a.1 /repo/inner/mine"));
  EXPECT_THAT(told_, Not(Contains(HasSubstr("whose"))));
  EXPECT_THAT(calls(), Each(HasSubstr("--from " + path("repo/inner") + " ")))
      << "the job in the parent folder is alone there";
  EXPECT_FALSE(end("above", 4000)) << "changes of the other user's job are not reported";
}

TEST_F(TreeWatchTest, LinkedFolderIsReported) {
  std::filesystem::create_directory_symlink(path("repo"), path("link"));
  begin("a", "link", 0);
  begin("b", "repo", 0);
  ASSERT_TRUE(becomes([&] { return !calls().empty(); }));
  EXPECT_THAT(calls(), Each(HasSubstr("--from " + path("repo") + " "))) << "they share it";
  begin("c", "link/part", 0);
  begin("d", "link", 0);
  ASSERT_TRUE(becomes([&] { return linked_.size() == 3; }));
  EXPECT_THAT(linked_,
              testing::UnorderedElementsAre("/link -> /repo", "/link -> /repo", "/link/part -> /repo/part"));
}

TEST_F(TreeWatchTest, ChangeWhileTheOtherSleptIsAttributed) {
  // Every look but the first reports a file that changed shortly after the look before.
  listing(
      "now=$(date +%s%6N)\n"
      "[ -e \"$HOME/last\" ] && last=$(($(cat \"$HOME/last\") + 300000)) && printf '%s %s x\\0' $last $last\n"
      "printf '0\\0'\necho $now >\"$HOME/last\"");
  const pid_t sleeper = ::fork();
  if (sleeper == 0) {
    // A separate program: a fork of this one has a thread of the thread sanitizer, which never rests.
    ::setpgid(0, 0);
    ::execl("/bin/sh", "sh", "-c", "sleep 300 & wait", nullptr);
    ::_exit(127);
  }
  ::setpgid(sleeper, sleeper);
  const auto pid = static_cast<std::uint32_t>(sleeper);
  runners_["a"] = {pid, process_start_time(pid).value_or(0)};
  begin("a", "repo", 0);
  begin("b", "repo", 0);
  EXPECT_TRUE(becomes([&] { return !told_.empty(); }));
  EXPECT_THAT(told_, Each(std::string("b.1 /repo/x")));
  ::kill(-sleeper, SIGKILL);
  ::waitpid(sleeper, nullptr, 0);
}

TEST_F(TreeWatchTest, EndedJobIsReportedUntilTheNextLook) {
  list({{"first", 500}, {"last", 2500}});
  begin("a", "repo", 0);
  begin("b", "repo", 1000);
  ASSERT_TRUE(becomes([&] { return !told_.empty(); }));
  EXPECT_TRUE(end("a", 2000));
  ASSERT_TRUE(becomes([&] { return settled_.size() == 1; }));
  EXPECT_THAT(settled_, ElementsAre("a"));
  ASSERT_TRUE(becomes([&] { return told_.back() == "b.1 /repo/last"; }));
  const auto last = std::ranges::find(told_, "b.1 /repo/last");
  EXPECT_EQ(*std::prev(last), "a settled") << "changes after its end are reported afterwards";
  EXPECT_THAT(told_, Not(Contains("a.1 /repo/last")));
  EXPECT_FALSE(end("b", 3000)) << "no other job is left to meet";
  EXPECT_FALSE(end("b", 3000));
}

TEST_F(TreeWatchTest, ChangeDuringALookWaitsForTheNext) {
  list({{"first", 500}, {"later", 3'600 * kSecondUs}});
  begin("a", "repo", 0);
  begin("b", "repo", 1000);
  ASSERT_TRUE(becomes([&] { return !told_.empty(); }));
  EXPECT_TRUE(end("b", 2000));
  ASSERT_TRUE(becomes([&] { return !settled_.empty(); }));
  EXPECT_THAT(told_, Contains("a.1 /repo/first"));
  EXPECT_THAT(told_, Not(Contains("a.1 /repo/later"))) << "who will be working then is not known";
}

TEST_F(TreeWatchTest, ChangesAreNotTheNextAttempts) {
  list({{"first", 200}, {"second", 2500}});
  begin("b", "repo", 500);
  begin("a", "repo", 0);
  EXPECT_TRUE(end("a", 1000));
  JobState again = job("a", "repo");
  again.attempt = 2;
  watch_->begin(again, start_ + 1500);
  ASSERT_TRUE(becomes([&] { return settled_.size() == 1; }));
  EXPECT_THAT(told_, Contains("a.1 /repo/first"));
  EXPECT_THAT(told_, Not(Contains("a.2 /repo/first")));
  EXPECT_THAT(settled_attempts_, ElementsAre(1u));
  ASSERT_TRUE(wait_until([&] { return wall_now() > start_ + 2500; }));
  EXPECT_TRUE(end("b", 2000));
  ASSERT_TRUE(becomes([&] { return told_.back() == "a.2 /repo/second"; }));
}

TEST_F(TreeWatchTest, UnknownFolderSuppressesReportsSinceItsJobsStart) {
  listing("while [ ! -e \"$HOME/go\" ]; do sleep 0.01; done; cat \"$HOME/list\"");
  list({{"early", 50}, {"late", 500}});
  begin("a", "repo", 0);
  begin("b", "repo", 1000);
  // The look is under way, and nothing that the loop would wait for ends.
  ASSERT_TRUE(wait_until([&] {
    uv_run(&loop_, UV_RUN_NOWAIT);
    return !calls().empty();
  }));
  // Keeps all other threads busy, so that the look ends before anything is known about the folder.
  std::promise<void> over;
  const std::shared_future<void> wait = over.get_future().share();
  std::atomic<int> busy = 0;
  for (int i = 0; i < 3; ++i) {
    workers_->run(
        [&busy, wait] {
          ++busy;
          wait.wait();
        },
        [] {});
  }
  ASSERT_TRUE(wait_until([&] { return busy == 3; }));
  begin("c", "plain", 100);
  write("go", "");
  const bool came_again = becomes([&] { return calls().size() == 2; });
  over.set_value();
  ASSERT_TRUE(came_again);
  EXPECT_EQ(std::ranges::count(told_, "a.1 /repo/early"), 2);
  EXPECT_EQ(std::ranges::count(told_, "a.1 /repo/late"), 1) << "by the second look only";
  EXPECT_THAT(calls()[1], HasSubstr("--since " + std::to_string(start_ + 99)));
}

TEST_F(TreeWatchTest, JobEndedBeforeItsFolderIsKnownIsSettled) {
  begin("a", "repo", 0);
  begin("p", "plain", 0);
  EXPECT_TRUE(end("a", 10));
  EXPECT_TRUE(end("p", 10));
  ASSERT_TRUE(becomes([&] { return settled_.size() == 2; }));
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(TreeWatchTest, UnreadableTreeIsAbandoned) {
  listing("echo 'luzia: too many files'; exit 4");
  begin("a", "repo", 0);
  begin("b", "repo", 0);
  begin("c", "repo", 0);
  ASSERT_TRUE(becomes([&] { return !calls().empty(); }));
  const bool waits = end("a", 10);
  // The job ended before the look did; it is settled at its end or later.
  ASSERT_TRUE(becomes([&] { return settled_.size() == (waits ? 1u : 0u); }));
  begin("d", "other", 0);
  begin("e", "other", 0);
  ASSERT_TRUE(becomes([&] { return calls().back().find(path("other")) != std::string::npos; }));
  EXPECT_FALSE(end("b", 20));
  EXPECT_EQ(calls().size(), 2u);
}

TEST_F(TreeWatchTest, AbandonedTreeStaysAbandoned) {
  listing("case \"$*\" in *repo*) exit 4;; esac; printf '0\\0'");
  begin("a", "repo", 0);
  begin("b", "repo", 0);
  ASSERT_TRUE(becomes([&] { return !calls().empty(); }));
  begin("c", "repo", 0);
  // It is settled when the look has failed, or the tree was given up before.
  if (end("c", 10)) {
    ASSERT_TRUE(becomes([&] { return !settled_.empty(); }));
  }
  EXPECT_FALSE(end("a", 20));
  EXPECT_FALSE(end("b", 20));
  begin("d", "repo", 30);
  begin("e", "repo", 30);
  begin("f", "other", 30);
  begin("g", "other", 30);
  ASSERT_TRUE(becomes([&] { return calls().size() >= 3; }));
  EXPECT_THAT(calls()[1], HasSubstr(path("other")));
  EXPECT_THAT(calls()[2], HasSubstr(path("other")));
}

TEST_F(TreeWatchTest, FailedLookIsRetried) {
  list({{"mine", 500}});
  listing("[ $(wc -l <\"$HOME/calls\") -lt 3 ] && exit 5\ncat \"$HOME/list\"");
  begin("a", "repo", 0);
  begin("b", "repo", 1000);
  EXPECT_TRUE(end("b", 2000));
  ASSERT_TRUE(becomes([&] { return !settled_.empty(); }));
  EXPECT_THAT(told_, ElementsAre("a.1 /repo/mine", "b settled"));
  EXPECT_EQ(calls().size(), 3u);
}

TEST_F(TreeWatchTest, TreeWithRepeatedFailuresIsAbandoned) {
  listing("exit 5");
  begin("a", "repo", 0);
  begin("b", "repo", 1000);
  begin("c", "repo", 1000);
  EXPECT_TRUE(end("b", 2000));
  ASSERT_TRUE(becomes([&] { return !settled_.empty(); }));
  EXPECT_EQ(calls().size(), 3u);
  EXPECT_FALSE(end("c", 3000)) << "no change in it is reported";
}

}  // namespace
}  // namespace luzia
