// What people tell an agent about its work: retries with a message, with real processes.
#include <filesystem>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class MessagesTest : public DaemonTest {
 protected:
  /// An agent that keeps what each attempt is given, and whose attempt N ends with the code in code-N, or 0.
  MessagesTest() {
    configure(
        "[agents.talker]\ncommand = [\"./agent\"]\nresume = [\"./agent\", \"{session_id}\"]\n"
        "output = \"claude-stream-json\"\n"
        "exit_codes = { 0 = \"completed\", 1 = \"failed\", 100 = \"needs_clarification\" }\n"
        "[agents.arguments]\ncommand = [\"./agent\", \"{task}\"]\nstdin = \"null\"\n");
    script("agent",
           "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'\n"
           "cat > heard-$LUZIA_ATTEMPT; echo \"$@\" > words-$LUZIA_ATTEMPT\n"
           "if [ -e ask-$LUZIA_ATTEMPT ]; then\n"
           "  echo '{\"question\":\"Name?\"}' > $LUZIA_JOB_DIR/clarification.json; exit 100\nfi\n"
           "exit $(cat code-$LUZIA_ATTEMPT 2> /dev/null || echo 0)\n");
  }
  std::string run() const {
    const std::string id = dispatch("build it", {"--agent", "talker"});
    (void)ended(id);
    return id;
  }
  Json retried(const std::string& id, const Words& words) const {
    Words all = {"retry", id};
    all.insert(all.end(), words.begin(), words.end());
    const Finished ran = luzia(all);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ended(id);
  }
  void ends_with(int attempt, int code) const {
    std::ofstream(project() + "/code-" + std::to_string(attempt)) << code;
  }
  std::string heard(int attempt) const { return read_text(project() + "/heard-" + std::to_string(attempt)); }
  std::string words(int attempt) const { return read_text(project() + "/words-" + std::to_string(attempt)); }
};

TEST_F(MessagesTest, SessionGetsTheMessageAlone) {
  const std::string id = run();
  const Json job = retried(id, {"--message", "keep the old name \u00e4"});
  EXPECT_EQ(job["state"], "completed");
  EXPECT_EQ(heard(2), "keep the old name \u00e4");
  EXPECT_EQ(words(2), "s-1\n");
  EXPECT_EQ(job["message"], "keep the old name \u00e4");
  EXPECT_EQ(job["task"], "build it");
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("retried as attempt 2, with a message of 20 bytes"));
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr("message     keep the old name"));
  const Json again = retried(id, {});
  EXPECT_EQ(heard(3), "build it") << "the message was heard by an attempt that completed";
  EXPECT_FALSE(again.contains("message"));
  expect_verified();
}

TEST_F(MessagesTest, NewSessionGetsTheTaskAndTheMessage) {
  const std::string id = run();
  std::ofstream(path("review.md")) << "line 1\nline 2\n";
  retried(id, {"--fresh", "--message-file", path("review.md")});
  EXPECT_THAT(heard(2), StartsWith("build it\n"));
  EXPECT_THAT(heard(2), EndsWith("line 1\nline 2\n\n"));
  EXPECT_EQ(words(2), "\n") << "no session is resumed";
  const std::string whole(60'000, 'w');
  EXPECT_EQ(luzia({"retry", id, "--message-file", "-"}, whole).code, 0);
  EXPECT_EQ(ended(id)["message"], whole);
  EXPECT_EQ(heard(3), whole);
  EXPECT_LT(luzia_json({"jobs", "--all"})["jobs"][0]["message"].get<std::string>().size(), 5'000U);
}

TEST_F(MessagesTest, FailedAttemptsMessageHoldsForTheNext) {
  const std::string id = run();
  ends_with(2, 1);
  EXPECT_EQ(retried(id, {"--message", "once more"})["state"], "failed");
  kill_daemon();
  EXPECT_EQ(retried(id, {})["state"], "completed");
  EXPECT_EQ(heard(3), "once more");
  expect_verified();
}

TEST_F(MessagesTest, AnswerAfterTheMessageGoesAlone) {
  const std::string id = run();
  std::ofstream(project() + "/ask-2") << "";
  ASSERT_EQ(luzia({"retry", id, "--message", "name it"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return events_of(id, "AttemptEnded").size() == 2; }));
  ASSERT_TRUE(becomes(id, "waiting"));
  ASSERT_EQ(luzia({"answer", id, "Ada"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(heard(3), "Answer to your question \"Name?\": Ada\n");
  retried(id, {"--message", "now shorter"});
  EXPECT_EQ(heard(4), "now shorter") << "the answer was told before";
  retried(id, {"--fresh", "--message", "all again"});
  EXPECT_THAT(heard(5), StartsWith("build it\n"));
  EXPECT_THAT(heard(5), HasSubstr("all again\n"));
}

TEST_F(MessagesTest, RefusedMessageChangesNothing) {
  const std::string id = run();
  const std::string command = dispatch("exit 1", {"--agent", "shell"});
  (void)ended(command);
  const std::string argument = dispatch(std::string(100'000, 'a'), {"--agent", "arguments"});
  (void)ended(argument);
  const std::string long_message(65'537, 'm');
  std::ofstream(path("long")) << long_message;
  std::ofstream(path("nul")) << std::string("a\0b", 3);
  std::ofstream(path("latin")) << "caf\xe9";
  std::ofstream(path("blank")) << " \n";
  std::ofstream(path("half")) << std::string(40'000, 'm');
  const std::uint64_t before = position();
  const struct {
    Words words;
    int code;
    const char* says;
  } cases[] = {
      {{id, "--message-file", path("long")}, 2, "65537 bytes; the limit is 64 KiB"},
      {{id, "--message-file", path("nul")}, 2, "NUL character"},
      {{id, "--message-file", path("latin")}, 2, "not valid UTF-8"},
      {{id, "--message-file", path("blank")}, 2, "the message is empty"},
      {{id, "--message", ""}, 2, "the message is empty"},
      {{id, "--message-file", path("none")}, 2, "No such file"},
      {{id, "--message", "a", "--message-file", path("half")}, 2, "both --message and --message-file"},
      {{id, "--message", "a", "--with-dependents"}, 2, "a message is for the jobs that are named"},
      {{command, "--message", "a"}, 4, "it runs a command"},
      {{argument, "--message-file", path("half")}, 2, "more than the agent's command line takes"},
  };
  for (const auto& each : cases) {
    Words words = {"retry"};
    words.insert(words.end(), each.words.begin(), each.words.end());
    const Finished ran = luzia(words);
    EXPECT_EQ(ran.code, each.code) << each.says;
    EXPECT_THAT(ran.err, HasSubstr(each.says));
    EXPECT_EQ(error_lines(ran.err), 1U) << ran.err;
  }
  EXPECT_EQ(position(), before);
}

TEST_F(MessagesTest, PurgeErasesTheMessage) {
  const std::string id = run();
  retried(id, {"--message", "my secret wish"});
  EXPECT_EQ(luzia({"rm", id, "--purge", "--yes"}).code, 0);
  EXPECT_TRUE(wait_until([&] { return events_of(id, "BlobErased").size() == 2U; })) << "task and message";
  stop_daemon();
  EXPECT_THAT(query({"job", id}).out, testing::Not(HasSubstr("secret wish")));
  expect_verified();
}

}  // namespace
}  // namespace luzia
