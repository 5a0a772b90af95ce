// What the agent's user can do to the job directory: luzia follows no link, waits for nothing and trusts
// nothing there.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class HostileJobDir : public AttemptTest {
 protected:
  std::string in_dir(const std::string& name) const { return job_dir() + '/' + name; }
  std::string victim() const { return path("victim"); }
  void SetUp() override { write_text(victim(), "untouched"); }
  void TearDown() override { EXPECT_EQ(read_text(victim()), "untouched"); }
};

TEST_F(HostileJobDir, LinksAreReplacedNotFollowed) {
  const LaunchSpec spec = shell("exit 1");
  for (const char* name : {"pid", "exit.json", ".pid.tmp", ".exit.json.tmp"}) {
    fs::create_symlink(victim(), in_dir(name));
  }
  EXPECT_EQ(run(spec).exit_code, 1);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(in_dir("pid"))));
  EXPECT_THAT(read_text(in_dir("exit.json")), HasSubstr("\"exit_code\":1,"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(in_dir("exit.json"))));
}

TEST_F(HostileJobDir, FoldersAndFifosCostOnlyTheCopies) {
  const LaunchSpec spec = shell("exit 1");
  fs::create_directories(in_dir("pid/full"));
  fs::create_directories(in_dir(".exit.json.tmp/full"));
  ASSERT_EQ(::mkfifo(in_dir("exit.json").c_str(), 0600), 0);
  EXPECT_EQ(run(spec).exit_code, 1);
  EXPECT_TRUE(fs::is_directory(in_dir("pid")));
}

TEST_F(HostileJobDir, ForgedRecordIsIgnored) {
  const LaunchSpec spec = shell(
      "echo '{\"exit_code\":0}' >exit.json; echo 1 >pid; printf '\\nexit:0\\n'; "
      "cd " +
      job_dir() + " && echo 1 >pid && rm -f exit.json && exit 3");
  const auto end = run(spec);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.output_bytes, 8u);
  EXPECT_EQ(output(), "\nexit:0\n\nexit:3\n");
}

TEST_F(HostileJobDir, OutputIsTheAgentsEvenIfReplaced) {
  const std::vector<std::string> tricks = {"ln -s " + victim() + " output.log", "mkfifo output.log",
                                           "mkdir output.log", "true"};
  for (std::size_t i = 0; i < tricks.size(); ++i) {
    LaunchSpec spec = shell("echo hidden; cd " + job_dir() + " && mv output.log moved && " + tricks[i]);
    spec.attempt = static_cast<std::uint32_t>(i) + 1;
    const auto end = run(spec);
    EXPECT_EQ(end.exit_code, 0) << tricks[i];
    EXPECT_EQ(end.output_bytes, 7u);
    EXPECT_EQ(read_text(in_dir("moved")), "hidden\n\nexit:0\n");
    fs::remove(in_dir("moved"));
    fs::remove_all(in_dir("output.log"));
  }
}

TEST_F(HostileJobDir, TruncatedOutputIsMeasured) {
  const auto end = run(shell("head -c 100000 /dev/zero; : >" + job_dir() + "/output.log; echo rest"));
  EXPECT_EQ(end.output_bytes, 5u);
  EXPECT_EQ(output(), "rest\n\nexit:0\n");
}

TEST_F(HostileJobDir, RemovedDirectoryDoesNotPreventTheRecord) {
  const auto end = run(shell("echo x; rm -rf " + job_dir() + "; exit 2"));
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_EQ(end.output_bytes, 2u);
}

TEST_F(HostileJobDir, IrregularInputOrOutputPreventsTheStart) {
  const std::string not_regular = " in the job directory is not a regular file of user ";
  const std::vector<std::tuple<std::string, std::function<void(const std::string&)>, std::string>> traps = {
      {"output.log", [](const std::string& p) { ::mkfifo(p.c_str(), 0600); }, "cannot open output.log"},
      {"output.log", [&](const std::string& p) { fs::create_symlink(victim(), p); },
       "cannot open output.log"},
      {"output.log", [](const std::string& p) { fs::create_directory(p); }, "cannot open output.log"},
      {"prompt.txt", [](const std::string& p) { ::mkfifo(p.c_str(), 0600); }, "prompt.txt" + not_regular},
      {"prompt.txt", [&](const std::string& p) { fs::create_symlink(victim(), p); },
       "cannot open prompt.txt"},
      {"prompt.txt", [](const std::string& p) { fs::create_directory(p); }, "prompt.txt" + not_regular},
      {"prompt.txt", [](const std::string&) {}, "cannot open prompt.txt"},
  };
  std::uint32_t attempt = 0;
  for (const auto& [name, set_trap, complaint] : traps) {
    LaunchSpec spec = shell("touch $S/ran");
    spec.attempt = ++attempt;
    fs::remove_all(in_dir(name));
    set_trap(in_dir(name));
    EXPECT_THAT(run(spec).start_error, HasSubstr(complaint));
    fs::remove_all(in_dir(name));
  }
  EXPECT_FALSE(exists(path("ran")));
}

TEST_F(HostileJobDir, FifoWithAReaderIsRefused) {
  LaunchSpec spec = shell("touch $S/ran");
  ASSERT_EQ(::mkfifo(in_dir("output.log").c_str(), 0600), 0);
  const int reader = ::open(in_dir("output.log").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  EXPECT_THAT(run(spec).start_error, HasSubstr("output.log in the job directory is not a regular file"));
  ::close(reader);
  EXPECT_FALSE(exists(path("ran")));
}

TEST_F(HostileJobDir, LinkInPlaceOfTheDirectoryIsNotFollowed) {
  LaunchSpec spec = shell("touch $S/ran");
  fs::rename(job_dir(), path("elsewhere"));
  fs::create_directory_symlink(path("elsewhere"), job_dir());
  EXPECT_THAT(run(spec).start_error, HasSubstr("cannot open the job directory"));
  EXPECT_FALSE(exists(path("ran")));
  EXPECT_FALSE(exists(path("elsewhere/exit.json")));
}

}  // namespace
}  // namespace luzia
