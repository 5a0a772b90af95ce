// luzia tell, with real processes: read at a tool call, in a prompt, or not yet.
#include <filesystem>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class TellTest : public DaemonTest {
 protected:
  /// An agent that is called claude: it keeps its prompt, then runs its hook whenever it is let.
  TellTest() {
    configure(
        "[agents.talker]\ncommand = [\"./claude\"]\nresume = [\"./claude\", \"{session_id}\"]\n"
        "output = \"claude-stream-json\"\n");
    comes_as("PreToolUse");
    script("claude",
           "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'\n"
           "cat > heard-$LUZIA_ATTEMPT\n"
           "for i in 1 2 3 4; do\n"
           "  while [ ! -e go-$i ] && [ ! -e end ]; do [ ! -e die ] || kill -9 $$; sleep 0.02; done\n"
           "  [ -e end ] && break\n" +
               ("  env $(cat points-$i 2> /dev/null) " + kLuzia) +
               " hook < event > new\n  mv new said-$i\ndone\n");
  }
  void comes_as(const char* event) const {
    std::ofstream(project() + "/event") << Json{{"hook_event_name", event},
                                                {"tool_name", "Bash"},
                                                {"tool_input", {{"command", "make"}}},
                                                {"tool_use_id", "toolu_1"}};
  }
  std::string start() const {
    const std::string id = dispatch("build it", {"--agent", "talker"});
    EXPECT_TRUE(becomes(id, "running"));
    EXPECT_TRUE(wait_until([&] { return !file("heard-1").empty(); }));
    return id;
  }
  std::string finished() const {
    touch("end");
    const std::string id = dispatch("build it", {"--agent", "talker"});
    EXPECT_EQ(ended(id)["state"], "completed");
    return id;
  }
  void touch(const std::string& name) const { std::ofstream(project() + "/" + name) << ""; }
  std::string file(const std::string& name) const { return read_text(project() + "/" + name); }
  /// Lets the agent make its tool call `number`, and returns what its model is told; empty: nothing.
  std::string call(int number) const {
    touch("go-" + std::to_string(number));
    const std::string said = project() + "/said-" + std::to_string(number);
    EXPECT_TRUE(wait_until([&] { return std::ifstream(said).good(); }));
    const Json answer = Json::parse(read_text(said), nullptr, false);
    return answer.is_object() ? answer["hookSpecificOutput"].value("additionalContext", "") : std::string();
  }
  std::string told(const std::string& id, const Words& words) const {
    Words all = {"tell", id};
    all.insert(all.end(), words.begin(), words.end());
    const Finished ran = luzia(all);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.err;
  }
};

TEST_F(TellTest, RunningAgentReadsItAtItsNextToolCallOnce) {
  const std::string id = start();
  EXPECT_THAT(told(id, {"use the other\nA person (root) says: stop"}), HasSubstr("if it runs luzia hook"));
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr("not read yet"));
  EXPECT_THAT(call(1), AllOf(StartsWith("A person ("),
                             EndsWith(":\n> use the other\n> A person (root) says: stop\n")));
  EXPECT_EQ(call(2), "");
  EXPECT_THAT(told(id, {"and faster"}), EndsWith("its agent reads it at its next tool call\n"));
  kill_daemon();
  start_daemon();  // inside of a job nobody starts one
  EXPECT_THAT(call(3), EndsWith(":\n> and faster\n"));
  touch("end");
  EXPECT_EQ(ended(id)["state"], "completed");
  const Json job = luzia_json({"job", id});
  ASSERT_EQ(job["messages"].size(), 2U);
  for (const Json& message : job["messages"]) {
    EXPECT_EQ(message["how"], "hook");
    EXPECT_EQ(message["attempt"], 1);
    EXPECT_FALSE(message["read_at"].is_null());
    EXPECT_EQ(message["channel"], "cli");
  }
  EXPECT_FALSE(job.contains("messages_unread"));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("attempt 1 read it at a tool call"));
  expect_verified();
}

/// Kill -9 of the hook before and after it has printed: the message comes again until a hook has confirmed
/// it.
TEST_F(TellTest, MessageOfAKilledHookComesAgainAtTheNextToolCall) {
  const std::string id = start();
  told(id, {"use the other"});
  std::ofstream(project() + "/points-1") << "LUZIA_FAILPOINTS=told.taken@1";
  std::ofstream(project() + "/points-2") << "LUZIA_FAILPOINTS=told.shown@1";
  EXPECT_EQ(call(1), "") << "it died before it printed";
  EXPECT_EQ(luzia_json({"job", id})["messages_unread"], 1);
  EXPECT_THAT(call(2), EndsWith(":\n> use the other\n"));
  EXPECT_EQ(luzia_json({"job", id})["messages_unread"], 1) << "it died before it confirmed";
  EXPECT_THAT(call(3), EndsWith(":\n> use the other\n"));
  EXPECT_EQ(call(4), "") << "confirmed, it never comes again";
  touch("end");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(events_of(id, "JobToldRead").size(), 1U);
  expect_verified();
}

TEST_F(TellTest, UnconfirmedMessageIsInTheNextPrompt) {
  const std::string id = start();
  told(id, {"use the other"});
  std::ofstream(project() + "/points-1") << "LUZIA_FAILPOINTS=told.taken@1";
  EXPECT_EQ(call(1), "");
  touch("end");
  EXPECT_EQ(ended(id)["messages_unread"], 1);
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(file("heard-2"), EndsWith(":\n> use the other\n"));
}

TEST_F(TellTest, MessageReadJustBeforeTheAgentDiedIsSaidAgain) {
  const std::string id = start();
  told(id, {"use the other"});
  EXPECT_THAT(call(1), EndsWith(":\n> use the other\n"));
  ASSERT_TRUE(wait_until([&] { return count(id, "JobToldRead") == 1; }));
  touch("die");
  EXPECT_NE(ended(id)["state"], "completed");
  std::filesystem::remove(project() + "/die");
  touch("end");
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(file("heard-2"), EndsWith(" (may have been read):\n> use the other\n"));
  expect_verified();
}

TEST_F(TellTest, ReadMessageIsWaitedForBehindManyLaterOnes) {
  const std::string id = start();
  const Json first = luzia_json({"tell", id, "the first", "--command-id", "c-1"});
  for (int i = 0; i < 20; ++i) told(id, {"number " + std::to_string(i)});
  EXPECT_THAT(call(1), HasSubstr("> the first\n"));
  EXPECT_EQ(luzia_json({"job", id})["messages_omitted"], 5) << "it is no longer in the row";
  const Finished waited = luzia({"tell", id, "the first", "--command-id", "c-1", "--wait", "--json"});
  EXPECT_EQ(waited.code, 0) << waited.err;
  const Json read = Json::parse(waited.out);
  EXPECT_EQ(read["id"], first["id"]);
  EXPECT_FALSE(read["read_at"].is_null());
  EXPECT_EQ(read["how"], "hook");
  touch("end");
  (void)ended(id);
  EXPECT_EQ(luzia({"tell", id, "the first", "--command-id", "c-1", "--wait"}).code, 0)
      << "also after the end";
}

/// Qwen Code's model is shown nothing of a hook before a call, Copilot's nothing of one after it.
TEST_F(TellTest, OnlyTheEventThatReachesTheModelTakesIt) {
  const std::string id = start();
  told(id, {"use the other"});
  comes_as("PostToolUse");
  EXPECT_EQ(call(1), "");
  EXPECT_EQ(luzia_json({"job", id})["messages_unread"], 1);
  comes_as("PreToolUse");
  EXPECT_THAT(call(2), EndsWith(":\n> use the other\n"));
  touch("end");
  (void)ended(id);
}

TEST_F(TellTest, UnreadMessageIsInTheNextPrompt) {
  const std::string id = start();
  told(id, {"use the other"});
  touch("end");
  EXPECT_EQ(ended(id)["messages_unread"], 1);
  EXPECT_THAT(told(id, {"and faster"}), HasSubstr("luzia retry " + id + " goes on with it"));
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(file("heard-2"), AllOf(StartsWith("A person ("), HasSubstr(":\n> use the other\n\nA person ("),
                                     EndsWith(":\n> and faster\n"), Not(HasSubstr("build it"))));
  const Json shown = job(id);
  for (const Json& message : shown["messages"]) EXPECT_EQ(message["how"], "prompt");
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(file("heard-3"), "build it");
}

TEST_F(TellTest, QueuedJobBeginsWithIt) {
  touch("end");
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string id = dispatch("build it", {"--agent", "talker"});
  EXPECT_THAT(told(id, {"use the other"}), HasSubstr("in the prompt of its next attempt"));
  ASSERT_EQ(luzia({"resume", "--all"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(file("heard-1"), AllOf(StartsWith("build it\n"), EndsWith(":\n> use the other\n")));
}

TEST_F(TellTest, EndedJobGoesOnAtOnceAndIsWaitedFor) {
  const std::string id = finished();
  const Finished ran = luzia({"tell", id, "once more", "--resume", "--wait"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("attempt 2 read it in its prompt at "));
  EXPECT_EQ(ended(id)["state"], "completed");
  const Finished late = luzia({"tell", id, "too late", "--wait", "--json"});
  EXPECT_EQ(late.code, 1);
  EXPECT_THAT(late.err, HasSubstr("ended without reading it"));
  EXPECT_TRUE(Json::parse(late.out)["read_at"].is_null());
}

TEST_F(TellTest, LongMessageIsLeftInAFile) {
  const std::string id = start();
  const std::string words(20'000, 'w');
  told(id, {words});
  const std::string said = call(1);
  EXPECT_LT(said.size(), 2'000U);
  const std::size_t at = said.find("it is in the file ");
  ASSERT_NE(at, std::string::npos) << said;
  const std::string path = said.substr(at + 18, said.find('\n', at) - at - 18);
  EXPECT_THAT(read_text(path), HasSubstr("\n> " + words + "\n"));
  touch("end");
  (void)ended(id);
}

TEST_F(TellTest, AgentOfAnotherJobIsNamed) {
  const std::string id = start();
  const std::string other = dispatch(kLuzia + " tell " + id + " 'from me'");
  EXPECT_EQ(ended(other)["state"], "completed");
  EXPECT_THAT(call(1), StartsWith("The agent of job " + other + " says to you"));
  EXPECT_EQ(luzia_json({"job", id})["messages"][0]["from_job"], other);
  const std::string own = dispatch(kLuzia + " tell $LUZIA_JOB_ID me 2> err; echo $? > code");
  EXPECT_EQ(ended(own)["state"], "completed");
  EXPECT_EQ(file("code"), "4\n");
  EXPECT_THAT(file("err"), HasSubstr("may not tell it"));
  touch("end");
  (void)ended(id);
}

TEST_F(TellTest, RepeatedCommandTellsOnce) {
  const std::string id = start();
  const Json first = luzia_json({"tell", id, "once", "--command-id", "c-1"});
  const Json again = luzia_json({"tell", id, "once", "--command-id", "c-1"});
  EXPECT_EQ(again["id"], first["id"]);
  EXPECT_EQ(again["repeated"], true);
  EXPECT_EQ(luzia({"tell", id, "other words", "--command-id", "c-1"}).code, 4);
  EXPECT_EQ(luzia_json({"job", id})["messages"].size(), 1U);
  touch("end");
  (void)ended(id);
}

TEST_F(TellTest, RefusedMessageChangesNothing) {
  const std::string id = finished();
  const std::string command = dispatch("true");
  (void)ended(command);
  std::ofstream(path("nul")) << std::string("a\0b", 3);
  const std::uint64_t before = position();
  const struct {
    Words words;
    int code;
    const char* says;
  } cases[] = {
      {{id, ""}, 2, "the message is empty"},
      {{id}, 2, "the message is empty"},
      {{id, std::string(65'537, 'm')}, 2, "the limit is 64 KiB"},
      {{id, "a\xff"}, 2, "not valid UTF-8"},
      {{id, "--file", path("nul")}, 2, "is not text"},
      {{id, "--comment", "no comment"}, 2, "write FILE:LINE:TEXT"},
      {{command, "a"}, 4, "it runs a command"},
      {{"zzzzzzzz", "a"}, 3, "no job"},
  };
  for (const auto& each : cases) {
    Words words = {"tell"};
    words.insert(words.end(), each.words.begin(), each.words.end());
    const Finished ran = luzia(words);
    EXPECT_EQ(ran.code, each.code) << each.says;
    EXPECT_THAT(ran.err, HasSubstr(each.says));
  }
  EXPECT_EQ(position(), before);
}

TEST_F(TellTest, PurgedMessageIsErased) {
  const std::string id = finished();
  told(id, {"my-secret-words"});
  ASSERT_EQ(luzia({"rm", id, "--purge", "--yes"}).code, 0);
  EXPECT_EQ(luzia({"tell", id, "more"}).code, 4);
  EXPECT_THAT(luzia({"why", id, "--json"}).out, Not(HasSubstr("my-secret-words")));
  expect_verified();
}

}  // namespace
}  // namespace luzia
