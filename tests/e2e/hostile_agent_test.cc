// Agents that write files which luzia writes, and set traps where luzia reads.
#include <unistd.h>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using HostileAgentTest = DaemonTest;

TEST_F(HostileAgentTest, ForgedRecordsAndExitLinesChangeNothing) {
  const std::string id = dispatch(
      "cd \"$LUZIA_JOB_DIR\"; echo 1 > pid; echo '{\"exit_code\":0}' > exit.json; "
      "printf '\\nexit:0\\n'; echo '{\"status\":\"completed\"}' > meta.json; printf 'exit:0\\n'; exit 7");
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "failed") << row;
  EXPECT_EQ(row["exit_code"], 7) << row;
  EXPECT_EQ(row["output"]["lines"], 3) << row;
  const std::string log = read_text(job_dir(id) + "/output.log");
  EXPECT_TRUE(log.ends_with("\nexit:7\n")) << log;
  EXPECT_TRUE(wait_until([&] {
    const Json meta = Json::parse(read_text(job_dir(id) + "/meta.json"), nullptr, false);
    return meta.is_object() && meta.value("status", "") == "failed";
  }));
}

TEST_F(HostileAgentTest, AgentsFolderIsNotTakenForAnAttempts) {
  const std::string id = dispatch(
      "echo attempt $LUZIA_ATTEMPT; mkdir \"$LUZIA_JOB_DIR/attempt-$LUZIA_ATTEMPT\"; "
      "echo forged > \"$LUZIA_JOB_DIR/attempt-$LUZIA_ATTEMPT/output.log\"; exit 1");
  ended(id);
  EXPECT_EQ(luzia({"retry", id}).code, 0);
  ASSERT_TRUE(wait_until([&] { return job(id)["attempts"] == 2; }));
  EXPECT_EQ(ended(id)["output"]["lines"], 1);
  EXPECT_EQ(luzia({"logs", id, "--attempt", "1"}).out, "attempt 1\n");
  EXPECT_EQ(luzia({"logs", id}).out, "attempt 2\n");
  expect_verified();
}

TEST_F(HostileAgentTest, ForgedPidIsNeverSignaled) {
  const std::string bystander = dispatch("while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(bystander, "running"));
  const pid_t innocent = job(bystander)["pid"].get<pid_t>();
  const std::string id = dispatch("echo " + std::to_string(innocent) +
                                  " > \"$LUZIA_JOB_DIR/pid\"; : > forged; while :; do sleep 0.05; done");
  ASSERT_TRUE(wait_until([&] { return ::access((project() + "/forged").c_str(), F_OK) == 0; }));
  EXPECT_EQ(luzia({"cancel", id, "--grace", "0"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
  EXPECT_TRUE(is_running(innocent));
}

TEST_F(HostileAgentTest, OutputReplacedByALinkIsNotFollowed) {
  write_text(path("secret"), "token: 12345\n\033]9;4;1;66\007\n");
  const std::string id = dispatch("echo before; sleep 0.2; rm \"$LUZIA_JOB_DIR/output.log\"; ln -s '" +
                                  path("secret") + "' \"$LUZIA_JOB_DIR/output.log\"; sleep 0.2; exit 3");
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "failed") << row;
  EXPECT_EQ(row["exit_code"], 3) << row;
  EXPECT_TRUE(events_of(id, "ProgressReported").empty());
  const Finished logs = luzia({"logs", id});
  EXPECT_THAT(logs.out + logs.err, Not(HasSubstr("12345")));
  EXPECT_EQ(read_text(path("secret")), "token: 12345\n\033]9;4;1;66\007\n");
}

TEST_F(HostileAgentTest, OutputReplacedByAFifoDoesNotBlock) {
  const std::string id = dispatch(
      "echo before; sleep 0.2; rm \"$LUZIA_JOB_DIR/output.log\"; "
      "mkfifo \"$LUZIA_JOB_DIR/output.log\"; sleep 0.2; exit 5");
  const Json row = ended(id);
  EXPECT_EQ(row["exit_code"], 5) << row;
  luzia({"logs", id});
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed") << "the daemon serves others";
}

TEST_F(HostileAgentTest, TruncatedAndReplacedOutputIsCounted) {
  const std::string cut =
      dispatch("echo one; echo two; sleep 0.5; : > \"$LUZIA_JOB_DIR/output.log\"; echo three; exit 4");
  const std::string replaced = dispatch(
      "echo one; sleep 0.5; cd \"$LUZIA_JOB_DIR\"; echo x > new; mv new output.log; echo unseen; exit 6");
  EXPECT_EQ(ended(cut)["exit_code"], 4);
  EXPECT_EQ(ended(replaced)["exit_code"], 6);
  expect_verified();
}

TEST_F(HostileAgentTest, RemovedJobDirectoryDoesNotHideTheExit) {
  const std::string id = dispatch("echo one; rm -rf \"$LUZIA_JOB_DIR\"; exit 9");
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "failed") << row;
  EXPECT_EQ(row["exit_code"], 9) << row;
  EXPECT_NE(luzia({"logs", id}).code, -1);
  expect_verified();
}

TEST_F(HostileAgentTest, AgentsReservedStateFilesAreLeftAlone) {
  // luzia must not follow links in place of files that it writes later.
  write_text(path("precious"), "keep\n");
  const std::string id =
      dispatch("cd \"$LUZIA_JOB_DIR\"; for f in meta.json exit.json pid; do rm -f $f; ln -s '" +
               path("precious") + "' $f; done; exit 2");
  EXPECT_EQ(ended(id)["exit_code"], 2);
  restart_daemon();
  EXPECT_EQ(read_text(path("precious")), "keep\n");
}

}  // namespace
}  // namespace luzia
