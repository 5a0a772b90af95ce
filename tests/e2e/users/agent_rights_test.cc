// What a job's agent may do by its attempt alone: it runs as a user in no project and not in the socket's
// group.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/users/several_users.h"

namespace luzia {
namespace {

class AgentRightsTest : public SeveralUsersTest {
 protected:
  /// A job of `served`, so run as svc, that executes `task` and then waits. Its environment is in
  /// env_of(job).
  std::string agent_that(const std::string& task) const {
    const std::string fresh = common() + "/new-$LUZIA_JOB_ID", file = common() + "/env-$LUZIA_JOB_ID";
    return dispatch_as("alice",
                       {"served", "env -0 > " + fresh + " && mv " + fresh + " " + file + "; " + task +
                                      "; while [ ! -e " + common() + "/go ]; do sleep 0.05; done"});
  }
  std::string env_of(const std::string& job) const {
    const std::string file = common() + "/env-" + job;
    EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(file); }));
    return file;
  }
  std::string variable(const std::string& job, const std::string& name) const {
    const std::string all = '\0' + read_text(env_of(job)), key = '\0' + name + "=";
    const std::size_t at = all.find(key);
    return at == std::string::npos ? std::string() : std::string(all.c_str() + at + key.size());
  }
  Finished by_agent(const std::string& job, const Words& words) const {
    return with_environment("svc", env_of(job), words);
  }
  void let_all_end() const { write_text(common() + "/go", ""); }
};

TEST_F(AgentRightsTest, AgentMayReportAndAskForItsJob) {
  if (!make()) return;
  const std::string luzia = client();
  const std::string id = agent_that(luzia + " publish progress --progress-percent 40 && " + luzia +
                                    " ask 'Which port?' --options http,https > " + common() + "/answer && " +
                                    luzia + " gate deploy 'May I?' > " + common() + "/gate");
  ASSERT_TRUE(becomes(id, "waiting")) << output(id);
  EXPECT_EQ(job(id)["user"], "svc");
  EXPECT_EQ(events_of(id, "ProgressReported").size(), 1U);
  EXPECT_EQ(as("alice", {"answer", id, "https"}).code, kOk);
  ASSERT_TRUE(wait_until([&] { return events_of(id, "ApprovalRequested").size() == 1; })) << output(id);
  EXPECT_EQ(read_text(common() + "/answer"), "https\n");
  EXPECT_EQ(as("root", {"approve", id}).code, kOk);
  let_all_end();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(output(id), Not(HasSubstr("luzia:")));
}

TEST_F(AgentRightsTest, AgentOfAnotherUserIsConfinedByRootsDaemon) {
  if (!make("[agents.shell]\nsandbox = \"project\"\nsandbox_read = [\"" + client() +
            "\"]\nsandbox_write = [\"" + common() + "\"]\n"))
    return;
  const std::string luzia = client();
  const std::string id = dispatch_as(
      "alice", {"served", "id -u > " + common() + "/uid; unshare -U true; echo $? > " + common() +
                              "/nested; ls " + store() + " > " + common() + "/store; test -e " + store() +
                              ".attempts; echo $? > " + common() + "/door; " + luzia +
                              " ask 'Which port?' --options http,https > " + common() + "/answer"});
  ASSERT_TRUE(becomes(id, "waiting")) << output(id);
  EXPECT_EQ(as("alice", {"answer", id, "https"}).code, kOk);
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  EXPECT_EQ(read_text(common() + "/answer"), "https\n");
  EXPECT_EQ(read_text(common() + "/uid"), std::to_string(uid_of("svc")) + "\n");
  EXPECT_EQ(read_text(common() + "/nested"), "1\n")
      << "in a user namespace it could change what it only reads";
  EXPECT_EQ(read_text(common() + "/store"), "sandbox\n") << "nothing else of the store is there";
  EXPECT_EQ(read_text(common() + "/door"), "1\n") << "a member of the group would have all rights there";
}

TEST_F(AgentRightsTest, FirstSessionInASandboxIsTheJobsUsers) {
  if (!make("[git]\nsnapshot = false\n[agents.opencode]\ncommand = [\"/bin/sh\", \"{prompt_file}\"]\n"
            "sandbox = \"project\"\n"))
    return;
  const std::string id =
      dispatch_as("alice", {"served", "echo x > ~/.local/share/opencode/session", "--agent", "opencode"});
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  for (const char* made : {"/.local", "/.local/share/opencode", "/.local/share/opencode/session"}) {
    struct stat status {};
    EXPECT_EQ(::stat((path("of-svc") + made).c_str(), &status), 0) << made;
    EXPECT_EQ(status.st_uid, uid_of("svc")) << made;
  }
}

TEST_F(AgentRightsTest, AgentActsOnlyForItsOwnJob) {
  if (!make()) return;
  const std::string id = agent_that("true"), other = agent_that("true");
  env_of(other);
  for (const std::string& job : {id, other}) ASSERT_TRUE(becomes(job, "running")) << output(job);
  const std::uint64_t before = position();
  for (const Words& words : std::vector<Words>{{"jobs"},
                                               {"job", other},
                                               {"logs", other},
                                               {"cancel", other},
                                               {"cancel", id},
                                               {"retry", id},
                                               {"tell", id, "me"},
                                               {"tell", other, "you"},
                                               {"served", "id"},
                                               {"team", "id"},
                                               {"publish", "progress", other, "--progress-percent", "1"},
                                               {"ask", "--job", other, "--timeout", "1ms", "Why?"},
                                               {"gate", "deploy", "--job", other},
                                               {"follow", "--since", "0", "--once"},
                                               {"fact", "add", "this", "is", "so", "--project", "served"}}) {
    const Finished refused = by_agent(id, words);
    EXPECT_EQ(refused.code, kRefused) << testing::PrintToString(words) << "\n" << refused.out;
    EXPECT_THAT(refused.out, HasSubstr("may not do that")) << testing::PrintToString(words);
  }
  EXPECT_EQ(by_agent(id, {"daemon", "stop"}).code, kRefused);
  EXPECT_EQ(position(), before) << "the refused requests changed nothing";
  for (const Words& words : std::vector<Words>{{"job", id}, {"logs", id}, {"why", id}}) {
    const Finished read = by_agent(id, words);
    EXPECT_EQ(read.code, kOk) << testing::PrintToString(words) << "\n" << read.out;
  }
}

TEST_F(AgentRightsTest, CredentialExpiresWithItsAttempt) {
  if (!make()) return;
  const std::string id = agent_that("true");
  const Words report = {"publish", "progress", "--progress-percent", "7"};
  const std::string env = env_of(id);
  EXPECT_EQ(by_agent(id, report).code, kOk);
  kill_and_start_daemon();
  EXPECT_EQ(by_agent(id, report).code, kOk) << "it outlives the daemon";
  let_all_end();
  ended(id);
  const auto expect_over = [&] {
    const Finished refused = with_environment("svc", env, report);
    EXPECT_EQ(refused.code, kRefused) << refused.out;
    EXPECT_THAT(refused.out, HasSubstr("is over"));
    EXPECT_EQ(error_lines(refused.out), 1U) << refused.out;
  };
  expect_over();
  std::filesystem::remove(common() + "/go");
  std::filesystem::rename(env, path("first"));
  const std::string first = path("first");
  EXPECT_EQ(as("alice", {"retry", id}).code, kOk);
  EXPECT_EQ(by_agent(id, report).code, kOk) << "the second attempt has its own";
  EXPECT_EQ(with_environment("svc", first, report).code, kRefused)
      << "the first attempt's credential is no longer valid";
}

TEST_F(AgentRightsTest, DoctorNamesTheFolderThatShutsAgentsOut) {
  if (!make()) return;
  const std::string shut = path("shut"), below = shut + "/store";
  const Words doctor = {"doctor", "--store", below};
  std::filesystem::create_directory(shut);
  ASSERT_EQ(::chmod(shut.c_str(), 0700), 0);
  EXPECT_THAT(luzia(doctor).out, HasSubstr("chmod o+x " + shut));
  ASSERT_EQ(::chmod(shut.c_str(), 0711), 0);
  EXPECT_THAT(luzia(doctor).out, Not(HasSubstr("cannot report about their jobs")));
}

TEST_F(AgentRightsTest, InvalidCredentialIsRefused) {
  if (!make()) return;
  const std::string id = agent_that("true"), credential = variable(id, "LUZIA_CREDENTIAL");
  ASSERT_EQ(credential.size(), 64U);
  const Words report = {"publish", "progress", "--progress-percent", "7"};
  std::string forged = read_text(env_of(id));
  const std::size_t at = forged.find(credential);
  forged[at] = forged[at] == '0' ? '1' : '0';
  write_text(path("forged"), forged);
  std::string moved = read_text(env_of(id));  // now of another attempt of the same job
  const std::string number = std::string("LUZIA_ATTEMPT=1") + '\0';
  ASSERT_NE(moved.find(number), std::string::npos);
  moved[moved.find(number) + number.size() - 2] = '2';
  write_text(path("moved"), moved);
  write_text(path("bare"), std::string("LUZIA_SOCKET=") + store() + ".attempts" + '\0');
  for (const char* environment : {"forged", "moved", "bare"}) {
    for (const Words& words : {report, Words{"jobs"}, Words{"job", id}, Words{"team", "id"}}) {
      if (environment == std::string("bare") && words == report) continue;  // a report without a job
      const Finished refused = with_environment("mallory", path(environment), words);
      EXPECT_EQ(refused.code, kRefused) << environment << testing::PrintToString(words) << refused.out;
      EXPECT_THAT(refused.out, HasSubstr("has shown no credential")) << environment;
    }
  }
  EXPECT_TRUE(events_of(id, "ProgressReported").empty());
}

TEST_F(AgentRightsTest, SocketUsersMayUseTheDaemonInsideAJob) {
  if (!make()) return;
  const std::string id = dispatch_as("alice", {"team", client() + " jobs > " + common() + "/jobs && " +
                                                           client() + " --quiet team 'id -un'"});
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  EXPECT_THAT(read_text(common() + "/jobs"), HasSubstr(id));
  EXPECT_EQ(luzia_json({"jobs", "--all", "--project", "team"})["jobs"].size(), 2U);
}

TEST_F(AgentRightsTest, CredentialIsOnlyInTheEnvironment) {
  if (!make()) return;
  const std::string id = agent_that("echo running");
  const std::string credential = variable(id, "LUZIA_CREDENTIAL");
  ASSERT_EQ(credential.size(), 64U);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(job_dir(id))) {
    const std::string text = entry.is_regular_file() ? read_text(entry.path()) : std::string();
    EXPECT_THAT(text, Not(HasSubstr(credential))) << entry;
  }
  EXPECT_THAT(read_text(store() + "/luziad.log"), Not(HasSubstr(credential)));
  EXPECT_THAT(luzia({"follow", "--since", "0", "--once"}).out, Not(HasSubstr(credential)));
  for (const pid_t pid : own_processes()) {
    EXPECT_THAT(read_text("/proc/" + std::to_string(pid) + "/cmdline"), Not(HasSubstr(credential)));
  }
  using std::filesystem::perms;
  const auto rights = std::filesystem::status(store() + "/attempt.key").permissions();
  EXPECT_EQ(rights, perms::owner_read | perms::owner_write);
  EXPECT_EQ(std::filesystem::file_size(store() + "/attempt.key"), 32U);
}

}  // namespace
}  // namespace luzia
