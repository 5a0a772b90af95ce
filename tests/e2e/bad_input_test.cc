// Wrong command lines: each gives a one-line error and the right exit code, and changes nothing.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

enum class Tool { luzia, query, daemon };

struct Wrong {
  Tool tool;
  Words words;
  int code;
  std::string input = {};
};

/// Commands that dispatch a task.
std::vector<Wrong> wrong_dispatches() {
  return {
      {Tool::luzia, {"frobnicate"}, 2},
      {Tool::luzia, {"--frob"}, 2},
      {Tool::luzia, {"nope", "a task"}, 2},
      {Tool::luzia, {"dispatch"}, 2},
      {Tool::luzia, {"dispatch", "demo"}, 2},
      {Tool::luzia, {"dispatch", "demo", ""}, 2},
      {Tool::luzia, {"dispatch", "demo", " \n\t"}, 2},
      {Tool::luzia, {"dispatch", "demo", "-"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "y"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--agent", "nobody"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--priority", "10"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--tag", ""}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--priority", "-1"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--timeout", "soon"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--timeout", "99999999999999999999d"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--timeout", "-5s"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--timeout", "200000000d"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--budget-time", "200000000d"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--retries", "many"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--retries", "-1"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--env", "=x"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--env", "LUZIA_JOB_ID=1"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--tag", "two words"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--tag", std::string(65, 't')}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--after", "zzzz"}, 3},
      {Tool::luzia, {"dispatch", "demo", "x", "--user", "no-such-user"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--dir", "/no/such/folder"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--budget-cost", "cheap"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--budget-cost", "nan"}, 2},
      {Tool::luzia, {"dispatch", "demo", "x", "--file", "/no/such/file"}, 2},
      {Tool::luzia, {"dispatch", "demo", "--file", "/"}, 2},
      {Tool::luzia, {"dispatch", "--batch", "-"}, 2, "no json\n"},
      {Tool::luzia, {"dispatch", "--batch", "-"}, 2, "{\"project\":\"demo\",\"task\":7}\n"},
      {Tool::luzia, {"dispatch", "--batch", "-"}, 2, "{\"project\":\"demo\",\"task\":\"x\",\"frob\":1}\n"},
      {Tool::luzia, {"dispatch", "--batch", "/no/such/file"}, 2},
  };
}

/// `JOB` is an ended job, `RUN` a running one.
std::vector<Wrong> wrong_words_about_jobs() {
  return {
      {Tool::luzia, {"jobs", "--frob"}, 2},
      {Tool::luzia, {"jobs", "--state", "frob"}, 2},
      {Tool::luzia, {"jobs", "--since", "frob"}, 2},
      {Tool::luzia, {"jobs", "--limit", "x"}, 2},
      {Tool::luzia, {"jobs", "--color", "mauve"}, 2},
      {Tool::luzia, {"job", "zzzz"}, 3},
      {Tool::luzia, {"job", "\x1b[31m"}, 3},
      {Tool::luzia, {"logs", "zzzz"}, 3},
      {Tool::luzia, {"logs", "JOB", "--grep", "("}, 2},
      {Tool::luzia, {"logs", "JOB", "--attempt", "2"}, 3},
      {Tool::luzia, {"logs", "JOB", "--attempt", "0"}, 2},
      {Tool::luzia, {"logs", "JOB", "--lines", "-3"}, 2},
      {Tool::luzia, {"wait", "zzzz"}, 3},
      {Tool::luzia, {"wait", "JOB", "--until", "frob"}, 2},
      {Tool::luzia, {"cancel"}, 2},
      {Tool::luzia, {"cancel", "zzzz"}, 3},
      {Tool::luzia, {"cancel", "JOB"}, 4},
      {Tool::luzia, {"cancel", "JOB", "--grace", "later"}, 2},
      {Tool::luzia, {"cancel", "RUN", "--grace", "200000000d"}, 2},
      {Tool::luzia, {"retry", "RUN"}, 4},
      {Tool::luzia, {"retry", "zzzz"}, 3},
      {Tool::luzia, {"hold", "RUN"}, 4},
      {Tool::luzia, {"hold", "zzzz"}, 3},
      {Tool::luzia, {"edit", "RUN"}, 2},
      {Tool::luzia, {"edit", "JOB", "--priority", "3"}, 4},
      {Tool::luzia, {"why", "zzzz"}, 3},
      {Tool::luzia, {"follow", "--since", "frob"}, 2},
      {Tool::luzia, {"follow", "--since", "99999999"}, 2},
      {Tool::luzia, {"publish", "frob", "JOB"}, 2},
      {Tool::luzia, {"publish", "progress"}, 2},
      {Tool::luzia, {"publish", "progress", "RUN", "--progress-percent", "101"}, 2},
      {Tool::luzia, {"publish", "task_completed", "RUN", "--status", "FINE"}, 2},
      {Tool::luzia, {"config", "frob"}, 2},
      {Tool::luzia, {"daemon", "frob"}, 2},
      {Tool::luzia, {"jobs", "--config", "/no/such/file"}, 2},
  };
}

/// luzia-query and luziad.
std::vector<Wrong> wrong_words_to_other_programs() {
  return {
      {Tool::query, {}, 2},
      {Tool::query, {"frob"}, 2},
      {Tool::query, {"play"}, 2},
      {Tool::query, {"job", "zzzz"}, 3},
      {Tool::query, {"why", "zzzz"}, 3},
      {Tool::query, {"jobs", "--state", "frob"}, 2},
      {Tool::query, {"jobs", "--cursor", "frob"}, 2},
      {Tool::query, {"jobs", "--limit", "-1"}, 2},
      {Tool::query, {"events", "--at", "99999999"}, 2},
      {Tool::query, {"events", "--at", "frob"}, 2},
      {Tool::query, {"events", "--frob"}, 2},
      {Tool::query, {"export", "frob"}, 2},
      {Tool::query, {"backup"}, 2},
      {Tool::query, {"status", "--store", "/no/such/store"}, 5},
      {Tool::daemon, {"frob"}, 2},
      {Tool::daemon, {"--store"}, 2},
      {Tool::daemon, {"--store", ""}, 2},
      {Tool::daemon, {"--config", "/no/such/file"}, 2},
      {Tool::daemon, {"--store", "/proc/luzia"}, 5},
      {Tool::daemon, {"--store", "/dev/null"}, 5},
  };
}

std::vector<Wrong> wrong_command_lines() {
  std::vector<Wrong> all = wrong_dispatches();
  for (const auto& more : {wrong_words_about_jobs(), wrong_words_to_other_programs()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

class BadInputTest : public DaemonTest {
 protected:
  Finished run(const Wrong& wrong, const std::string& ended_job, const std::string& running_job) const {
    Words words = {wrong.tool == Tool::luzia ? kLuzia : wrong.tool == Tool::query ? kLuziaQuery : kLuziad};
    for (const std::string& word : wrong.words)
      words.push_back(word == "JOB" ? ended_job : word == "RUN" ? running_job : word);
    return run_to_end(words, environment(), wrong.input);
  }
};

TEST_F(BadInputTest, GivesOneLineAndChangesNothing) {
  const std::string ended_job = dispatch("true");
  ended(ended_job);
  const std::string running_job = dispatch("while :; do sleep 0.2; done");
  ASSERT_TRUE(becomes(running_job, "running"));
  const auto before = position();
  for (const Wrong& wrong : wrong_command_lines()) {
    SCOPED_TRACE(testing::PrintToString(wrong.words));
    const Finished refused = run(wrong, ended_job, running_job);
    EXPECT_EQ(refused.code, wrong.code) << refused.out << refused.err;
    EXPECT_EQ(refused.out, "");
    const Words lines = lines_of(refused.err);
    EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
    EXPECT_LE(lines.size(), 2u) << refused.err;
    EXPECT_EQ(refused.err.find('\x1b'), std::string::npos) << "escape sequences are made harmless";
    if (lines.size() == 2) {
      EXPECT_TRUE(lines[1].starts_with("  hint: ")) << refused.err;
    }
    EXPECT_EQ(position(), before) << "the log was changed";
  }
}

TEST_F(BadInputTest, MisspeltProjectsAndAgentsGetASuggestion) {
  EXPECT_THAT(luzia({"dispatch", "dmo", "true"}).err, testing::HasSubstr("did you mean demo? known: demo"));
  EXPECT_THAT(luzia({"dispatch", "demo", "true", "--agent", "cluade"}).err,
              testing::HasSubstr("did you mean claude?"));
}

TEST_F(BadInputTest, MisplacedCommandsNameTheRightProgram) {
  for (const char* word :
       {"archive", "backup", "export", "play", "replay", "report", "salvage", "seal", "sql", "verify"}) {
    const std::string hint = std::string("did you mean luzia-query ") + word + "?";
    EXPECT_THAT(luzia({word}).err, testing::HasSubstr(hint));
    EXPECT_THAT(luzia({word, "here"}).err, testing::HasSubstr(hint));
    EXPECT_EQ(query({word, "--help"}).code, 0) << word;
  }
  EXPECT_THAT(luzia({"why", "f-1"}).err, testing::HasSubstr("that is a flow: luzia flow status f-1"));
}

TEST_F(BadInputTest, ErrorsAreJsonWhenAskedFor) {
  start_daemon();
  for (const Words& words : {Words{"job", "zzzz", "--json"}, Words{"dispatch", "nope", "x", "--json"},
                             Words{"jobs", "--state", "frob", "--json"}}) {
    const Finished refused = luzia(words);
    const Json error = Json::parse(refused.err, nullptr, false);
    ASSERT_FALSE(error.is_discarded()) << refused.err;
    for (const char* field : {"code", "message", "hint"})
      EXPECT_TRUE(error["error"].contains(field)) << error;
  }
}

}  // namespace
}  // namespace luzia
