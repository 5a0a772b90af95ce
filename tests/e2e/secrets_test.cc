// Secrets reach one attempt and nothing else: what it prints, asks and reports is recorded and shown without
// them.
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

const std::string kValue = "tok-Zq8XvW3nRk7LmPp2TyUa";
const std::string kInBase64 = "dG9rLVpxOFh2VzNuUms3TG1QcDJUeVVh";

class SecretsTest : public DaemonTest {
 protected:
  SecretsTest() {
    write_text(file(), kValue + "\n");
    configure("[projects.demo.secrets]\nTOKEN = { file = \"" + file() + "\" }\n");
  }
  std::string file() const { return path("token-file"); }
  /// Names of files below the store and the jobs that have the text.
  Words files_with(const std::string& text) const {
    Words names;
    for (const std::string& folder : {store(), fs::path(job_dir("x")).parent_path().string()}) {
      for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && read_text(entry.path()).find(text) != std::string::npos)
          names.push_back(entry.path().filename());
      }
    }
    return names;
  }
  /// Everything that is recorded, and everything that is shown of the job.
  std::string told_of(const std::string& id) const {
    std::string all;
    for (const Json& event : events()) all += event.dump() + "\n";
    for (const Words& words : {Words{"job", id},
                               {"job", id, "--json"},
                               {"why", id},
                               {"logs", id},
                               {"logs", id, "--raw"},
                               {"status"},
                               {"jobs", "--all"}}) {
      const Finished shown = luzia(words);
      all += shown.out + shown.err;
    }
    return all;
  }
};

TEST_F(SecretsTest, ValueStandsNowhereButInTheAgentsOwnOutput) {
  const std::string client = kLuzia;
  const std::string id = dispatch(
      "[ ${#TOKEN} = 24 ] || exit 9; echo \"raw $TOKEN\"; printf %s \"$TOKEN\" | base64; "
      "echo \"::warning::has $TOKEN\"; " +
      client + " publish progress --progress-percent 5 --current-step-name \"with $TOKEN\"; " + client +
      " ask \"is it $TOKEN?\" --timeout 1s --default yes; "
      "printf '{\"question\": \"file %s\", \"timeout_minutes\": 1}' \"$TOKEN\" > $LUZIA_JOB_DIR/new.json; "
      "mv $LUZIA_JOB_DIR/new.json $LUZIA_JOB_DIR/clarification.json; "
      "while [ ! -e go ]; do sleep 0.05; done; rm -f $LUZIA_JOB_DIR/clarification.json; "
      "printf 'last %s' \"$TOKEN\"; exit 3");
  ASSERT_TRUE(wait_until([&] { return events_of(id, "QuestionAsked").size() == 2; }))
      << luzia({"logs", id, "--raw"}).out;
  write_text(project() + "/go", "");
  const Json job = ended_as(id, "failed", "exit_code");
  EXPECT_EQ(job["exit_code"], 3);
  EXPECT_EQ(job["last_line"], "last [secret TOKEN]**********");
  const std::string told = told_of(id);
  EXPECT_THAT(told, AllOf(HasSubstr("raw [secret TOKEN]"), HasSubstr("has [secret TOKEN]"),
                          HasSubstr("with [secret TOKEN]")));
  EXPECT_THAT(told, AllOf(Not(HasSubstr(kValue)), Not(HasSubstr(kInBase64))));
  EXPECT_THAT(luzia({"logs", id, "--raw"}).out, HasSubstr("[secret TOKEN]"));
  stop_daemon();
  EXPECT_THAT(files_with(kValue), ElementsAre("output.log"));
  EXPECT_THAT(files_with(kInBase64), ElementsAre("output.log"));
}

TEST_F(SecretsTest, NextDaemonLearnsTheValueFromTheRunner) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done; echo \"late $TOKEN\"");
  ASSERT_TRUE(becomes(id, "running"));
  kill_daemon();
  write_text(file(), "another value by now\n");
  start_daemon();
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["last_line"], "late [secret TOKEN]**********");
  EXPECT_THAT(told_of(id), Not(HasSubstr(kValue)));
}

TEST_F(SecretsTest, AgentIsNotHeardUntilTheNextDaemonKnowsTheValue) {
  configure("[projects.demo.secrets]\nTOKEN = { command = [\"sh\", \"-c\", \"[ ! -e " + path("slow") +
            " ] || sleep 4; cat " + file() + "\"] }\n");
  const std::string client = kLuzia;
  const std::string id =
      dispatch("echo $PPID > new; mv new runner; while [ ! -e go ]; do sleep 0.05; done; " + client +
               " publish progress --progress-percent 5 --current-step-name \"with $TOKEN\"; echo $? > new; "
               "mv new said");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/runner"); }));
  kill_daemon();
  ASSERT_EQ(::kill(std::stoi(read_text(project() + "/runner")), SIGKILL), 0);
  write_text(path("slow"), "");
  start_daemon();
  write_text(project() + "/go", "");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/said"); }));
  EXPECT_NE(read_text(project() + "/said"), "0\n") << "refused until the value has been read";
  EXPECT_THAT(told_of(id), Not(HasSubstr(kValue)));
}

TEST_F(SecretsTest, OutputOfAnEndedJobIsShownOnlyWhileItsSecretCanBeRead) {
  const std::string id = dispatch("echo \"it is $TOKEN\"");
  EXPECT_EQ(ended(id)["state"], "completed");
  restart_daemon();
  EXPECT_THAT(luzia({"logs", id}).out, AllOf(HasSubstr("it is [secret TOKEN]"), Not(HasSubstr(kValue))));
  stop_daemon();
  fs::remove(file());
  start_daemon();
  const Finished refused = luzia({"logs", id});
  EXPECT_EQ(refused.code, 4) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cannot be blacked out"), HasSubstr(file())));
  EXPECT_THAT(refused.out, Not(HasSubstr(kValue)));
}

TEST_F(SecretsTest, AttemptWithoutItsSecretDoesNotStart) {
  fs::remove(file());
  const std::string id = dispatch("touch ran");
  const Json job = ended_as(id, "failed", "secret_unavailable");
  EXPECT_THAT(job["reason_text"].get<std::string>(),
              AllOf(HasSubstr("secret TOKEN cannot be read from file " + file()), HasSubstr("No such file")));
  EXPECT_FALSE(fs::exists(project() + "/ran"));
  write_text(file(), kValue);
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_TRUE(fs::exists(project() + "/ran"));
}

TEST_F(SecretsTest, UnfitValuesAreRefusedByName) {
  const std::string large(65'537, 'x');
  for (const auto& [value, why] : {std::pair{std::string(), "it is empty"},
                                   {std::string("\n"), "it is empty"},
                                   {std::string("a\0b", 3), "it has a NUL"},
                                   {large, "it is larger than 64 KiB"}}) {
    write_text(file(), value);
    const Json job = ended_as(dispatch("true"), "failed", "secret_unavailable");
    EXPECT_THAT(job["reason_text"].get<std::string>(), HasSubstr(why));
  }
  fs::remove(file());
  fs::create_directory(file());
  const Json job = ended_as(dispatch("true"), "failed", "secret_unavailable");
  EXPECT_THAT(job["reason_text"].get<std::string>(), HasSubstr("not a regular file"));
}

TEST_F(SecretsTest, CommandsAndVariablesAreRead) {
  configure(
      "[projects.demo.secrets]\nA = { command = [\"sh\", \"-c\", \"echo from-a-command; echo noise >&2\"] }\n"
      "B = { env = \"HOME\" }\n[agents.shell.secrets]\nA = { file = \"/nowhere\" }\n");
  const std::string id = dispatch("[ \"$A\" = from-a-command ] && [ \"$B\" = \"$HOME\" ]");
  EXPECT_EQ(ended(id)["state"], "completed") << "the project's place wins over the agent's";
}

TEST_F(SecretsTest, FailedCommandSaysHowAndNotWhatItPrinted) {
  configure("[projects.demo.secrets]\nA = { command = [\"sh\", \"-c\", \"echo " + kValue + "; exit 7\"] }\n");
  const Json job = ended_as(dispatch("true"), "failed", "secret_unavailable");
  EXPECT_THAT(job["reason_text"].get<std::string>(),
              AllOf(HasSubstr("from command sh"), HasSubstr("exit code 7"), Not(HasSubstr(kValue))));
}

TEST_F(SecretsTest, CommandsThatHangHoldNoOtherJobUp) {
  configure("[projects.demo.secrets]\nA = { command = [\"sleep\", \"5\"] }\n");
  Words waiting;
  for (int i = 0; i < 12; ++i) waiting.push_back(dispatch("true"));
  const auto began = std::chrono::steady_clock::now();
  const Finished other = luzia({"dispatch", "other", "true", "--wait"});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
  for (const std::string& id : waiting) luzia({"cancel", id});
}

/// More of them than are searched at once.
TEST_F(SecretsTest, SearchesThatWaitForSecretsHoldNoOtherUp) {
  configure("[projects.demo.secrets]\nTOKEN = { command = [\"sh\", \"-c\", \"[ ! -e " + path("slow") +
            " ] || { : > " + path("asked") + "; sleep 3; }; cat " + file() + "\"] }\n");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ended(dispatch("echo need''le $TOKEN"))["state"], "completed");
  const Words other = lines_of(luzia({"dispatch", "other", "echo need''le"}).out);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(ended(other[0])["state"], "completed");
  restart_daemon();
  write_text(path("slow"), "");
  BesideProgram slow({kLuzia, "search", "needle"}, environment(), path("found"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(path("asked")); }));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(luzia_json({"search", "needle", "--job", other[0]})["jobs"].size(), 1U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3));
  EXPECT_EQ(slow.end(), 0) << slow.output();
  EXPECT_THAT(slow.output(), AllOf(HasSubstr("needle [secret TOKEN]"), Not(HasSubstr(kValue))));
}

TEST_F(SecretsTest, AgentThatTakesOverShowsNoSecretOfTheOneBefore) {
  configure(
      "[agents.limited]\ncommand = [\"./limited\"]\nstdin = \"prompt\"\noutput = \"claude-stream-json\"\n"
      "fallback = [\"other\"]\n[agents.limited.secrets]\nTOKEN = { file = \"" +
      file() + "\" }\n[agents.other]\ncommand = [\"./other\"]\nstdin = \"prompt\"\n");
  script("limited",
         "cat > /dev/null\nprintf %s \"$TOKEN\" > left\n"
         "echo '{\"type\":\"rate_limit_event\",\"session_id\":\"s-1\",\"rate_limit_info\":{\"status\":"
         "\"rejected\",\"rateLimitType\":\"five_hour\",\"resetsAt\":'$(($(date +%s) + 7200))'}}'\nexit 1\n");
  script("other",
         "cat > /dev/null\n[ -z \"$TOKEN\" ] || exit 9\nwhile [ ! -e go ]; do sleep 0.05; done\n"
         "echo \"plain $(cat left)\"\n");
  const std::string id = dispatch("work", {"--agent", "limited"});
  ASSERT_TRUE(wait_until([&] { return events_of(id, "AttemptStarted").size() == 2; }));
  kill_daemon();
  start_daemon();
  write_text(project() + "/go", "");
  const Json end = ended(id);
  EXPECT_EQ(end["state"], "completed") << end;
  EXPECT_EQ(end["last_line"], "plain [secret TOKEN]**********");
  EXPECT_THAT(told_of(id), AllOf(HasSubstr("plain [secret TOKEN]"), Not(HasSubstr(kValue))));
  EXPECT_THAT(luzia({"search", "plain"}).out, Not(HasSubstr(kValue)));
}

TEST_F(SecretsTest, EachAttemptReadsTheValueAnew) {
  const std::string id = dispatch("echo \"is $TOKEN\"; [ -e go ]");
  EXPECT_EQ(ended(id)["state"], "failed");
  write_text(file(), "rotated-0123456789");
  write_text(project() + "/go", "");
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["last_line"], "is [secret TOKEN]****");
  EXPECT_THAT(luzia({"logs", id, "--attempt", "1"}).out, HasSubstr("is [secret TOKEN]**********"));
}

TEST_F(SecretsTest, DryRunNamesSecretsAndReadsNone) {
  fs::remove(file());
  const Finished shown = luzia({"dispatch", "demo", "true", "--dry-run"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("TOKEN"));
}

TEST_F(SecretsTest, EnvironmentOfADispatchIsSealedInTheStore) {
  const std::string given = "given-0123456789-by-hand";
  const std::string id =
      dispatch("[ \"$X\" = " + given.substr(0, 5) + "\"-0123456789-by-hand\" ]", {"--env", "X=" + given});
  EXPECT_EQ(ended(id)["state"], "completed");
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed") << "it opens again";
  stop_daemon();
  Words below;
  for (const auto& entry : fs::recursive_directory_iterator(store())) {
    if (entry.is_regular_file() && read_text(entry.path()).find(given) != std::string::npos)
      below.push_back(entry.path());
  }
  EXPECT_THAT(below, IsEmpty());
}

TEST_F(SecretsTest, EnvironmentSealedWithAnotherKeyFailsTheStart) {
  const std::string id = dispatch("true", {"--env", "X=y"});
  EXPECT_EQ(ended(id)["state"], "completed");
  stop_daemon();
  fs::remove(store() + "/attempt.key");
  start_daemon();
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  const Json job = ended_as(id, "failed", "start_failed");
  EXPECT_THAT(job["reason_text"].get<std::string>(), HasSubstr("sealed with another key"));
}

TEST_F(SecretsTest, DoctorNamesWhereSecretsLie) {
  const std::string token = "ghp_" + std::string(36, 'k');
  ended(dispatch("true # " + token));
  const std::string found = luzia({"doctor", "--json"}).out;
  EXPECT_THAT(found, AllOf(HasSubstr("GitHub token"), HasSubstr(":1 holds"), Not(HasSubstr(token))));
}

}  // namespace
}  // namespace luzia
