// The program luzia-run: its arguments and exit status.
#include <sys/wait.h>

#include <cstdio>

#include "adapters/launcher/run_record.h"
#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

using testing::HasSubstr;

class CommandLine : public AttemptTest {
 protected:
  void SetUp() override { ::signal(SIGCHLD, SIG_DFL); }

  /// Returns the exit status; the output of both streams is in `printed_`.
  int run_program(const std::string& arguments, const std::string& environment = "@PATH=/usr/bin:/bin") {
    const std::string command =
        "exec env -i " + environment + ' ' + std::string(runner_program()) + ' ' + arguments + " 2>&1";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    printed_.clear();
    char bytes[4096];
    while (const std::size_t size = std::fread(bytes, 1, sizeof bytes, pipe)) printed_.append(bytes, size);
    const int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string complete() {
    const LaunchSpec ignored = shell("true");  // creates the job directory
    return "--run-dir=" + run_dir() + " --job=j1 --attempt=1 --boot-id=" + current_boot_id() +
           " --job-dir=" + job_dir() + " --working-dir=" + work_dir() + ' ';
  }

  std::string printed_;
};

TEST_F(CommandLine, HelpAndVersion) {
  EXPECT_EQ(run_program("--help"), 0);
  EXPECT_THAT(printed_, HasSubstr("--run-dir=DIR"));
  EXPECT_EQ(run_program("--version"), 0);
  EXPECT_EQ(printed_, "luzia-run " LUZIA_VERSION "\n");
}

TEST_F(CommandLine, RefusesASandboxThatItDoesNotUnderstand) {
  for (const char* option :
       {"--sandbox=some", "--sandbox=", "--show=/usr", "--show=q:/usr", "--show=r:usr", "--proxy=relative",
        "--reach=example.org", "--proxy=/bin/true --reach=example.org",
        "--sandbox=all --proxy=/bin/true --reach=example.org", "--sandbox=none --proxy=/bin/true",
        "--sandbox=none --proxy=/bin/true --reach=--help"}) {
    EXPECT_EQ(run_program(complete() + option + " -- touch ran"), run_record::kExitUsage) << option;
    EXPECT_FALSE(exists(work_dir() + "/ran"));
  }
}

TEST_F(CommandLine, RunsAnAttemptByHand) {
  EXPECT_EQ(run_program(complete() + "-- sh -c 'echo by hand; exit 3'"), run_record::kExitDone);
  EXPECT_EQ(output(), "by hand\n\nexit:3\n");
  const auto record = read_exit_record(run_dir(), "j1", 1);
  ASSERT_TRUE(record && record->has_value());
  EXPECT_EQ((*record)->exit_code, 3);
}

/// Everybody on the machine can read the command line while the attempt runs.
TEST_F(CommandLine, DoesNotShowTheAgentsArguments) {
  ASSERT_EQ(
      run_program(complete() + "-- sh -c 'tr \"\\0\" \" \" < /proc/$PPID/cmdline; echo $0 $1' s3cret tw0"),
      run_record::kExitDone);
  EXPECT_THAT(output(), HasSubstr("--attempt=1"));
  EXPECT_THAT(output(), HasSubstr("-- sh "));
  EXPECT_THAT(output(), testing::Not(HasSubstr("-c tr")));
  EXPECT_THAT(output(), testing::EndsWith("s3cret tw0\n\nexit:0\n")) << "the agent has it";
  EXPECT_EQ(output().find("s3cret"), output().rfind("s3cret")) << output();
}

TEST_F(CommandLine, ClaimedAttemptIsLeftAlone) {
  ASSERT_EQ(run_program(complete() + "-- true"), run_record::kExitDone);
  EXPECT_EQ(run_program(complete() + "-- touch " + path("again")), run_record::kExitClaimed);
  EXPECT_FALSE(exists(path("again")));
}

TEST_F(CommandLine, NothingIsStartedWithoutARunDirectory) {
  std::filesystem::remove_all(run_dir());
  EXPECT_EQ(run_program(complete() + "-- touch " + path("ran")), run_record::kExitNothingStarted);
  EXPECT_FALSE(exists(path("ran")));
}

TEST_F(CommandLine, BadArgumentsAreRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "--run-dir is missing"},
      {complete(), "-- COMMAND is missing"},
      {complete() + "--", "-- COMMAND is missing"},
      {complete() + "--unknown -- true", "cannot use '--unknown'"},
      {complete() + "--job=a/b -- true", "cannot use '--job=a/b'"},
      {complete() + "--job= -- true", "cannot use '--job='"},
      {complete() + "--attempt=0 -- true", "cannot use '--attempt=0'"},
      {complete() + "--attempt=x -- true", "cannot use '--attempt=x'"},
      {complete() + "--attempt=99999999999 -- true", "cannot use '--attempt=99999999999'"},
      {complete() + "--boot-id=1 -- true", "cannot use '--boot-id=1'"},
      {complete() + "--run-dir=here -- true", "cannot use '--run-dir=here'"},
      {complete() + "--user=0 -- true", "cannot use '--user=0'"},
      {complete() + "--user=0:x: -- true", "cannot use '--user=0:x:'"},
      {complete() + "--user=4294967295:0: -- true", "cannot use '--user=4294967295:0:'"},
      {complete() + "--report-fd=1 -- true", "cannot use '--report-fd=1'"},
      {complete() + "--preflight-timeout-ms=-1 -- true", "cannot use '--preflight-timeout-ms=-1'"},
  };
  for (const auto& [arguments, complaint] : cases) {
    EXPECT_EQ(run_program(arguments), run_record::kExitUsage) << arguments;
    EXPECT_THAT(printed_, HasSubstr(complaint));
  }
  EXPECT_TRUE(std::filesystem::is_empty(run_dir()));
}

TEST_F(CommandLine, UnmarkedEnvironmentIsRefused) {
  EXPECT_EQ(run_program(complete() + "-- true", "@PATH=/usr/bin HOME=/"), run_record::kExitUsage);
  EXPECT_THAT(printed_, HasSubstr("without the leading @"));
}

}  // namespace
}  // namespace luzia
