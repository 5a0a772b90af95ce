// What agents may do, which variables they get, and how they are resumed, with scripted agents.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

/// An agent that is called like Claude Code and records how it was started.
class AgentPermissionsTest : public DaemonTest {
 protected:
  void set_up(const std::string& settings = {}, const std::string& body = {}) {
    configure("[agents.claude]\ncommand = [\"" + project() + "/claude\", \"-p\", \"{permissions}\"]\n" +
              "output = \"claude-stream-json\"\n" + settings);
    script("claude", "#!/bin/sh\necho \"$*\" > words\necho \"$ANTHROPIC_API_KEY\" > key\n" + body);
  }
  std::string words() const { return read_text(project() + "/words"); }
  Json done(const Words& options = {}) const {
    Words all = {"--agent", "claude"};
    all.insert(all.end(), options.begin(), options.end());
    return ended(dispatch("work", all));
  }
};

constexpr const char* kDenied =
    R"(cat <<'END'
{"type":"system","subtype":"init","session_id":"s-1"}
{"type":"assistant","session_id":"s-1","message":{"content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a"}}]}}
{"type":"user","session_id":"s-1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Claude requested permissions to write to /a, but you haven't granted it yet."}]}}
{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","result":"I could not edit."}
END
)";

TEST_F(AgentPermissionsTest, AgentMayEditUnlessSomebodyNarrowsIt) {
  set_up();
  EXPECT_EQ(done()["state"], "completed");
  EXPECT_THAT(words(), HasSubstr("--permission-mode acceptEdits\n"));
  EXPECT_EQ(done({"--permissions", "plan"})["state"], "completed");
  EXPECT_THAT(words(), HasSubstr("--permission-mode plan\n"));
}

TEST_F(AgentPermissionsTest, ResumedSessionKeepsCommandAndPermissions) {
  set_up("permissions = \"plan\"\n",
         "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'\nexit 1\n");
  const Json job = done();
  ASSERT_EQ(luzia({"retry", job["id"]}).code, 0);
  EXPECT_EQ(ended(job["id"])["attempts"], 2);
  EXPECT_THAT(words(), HasSubstr("--permission-mode plan --resume s-1\n"));
}

TEST_F(AgentPermissionsTest, UnknownPermissionsChangeNothing) {
  set_up();
  const Finished refused = luzia({"dispatch", "demo", "work", "--agent", "claude", "--permissions", "all"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("plan, ask, edits or bypass"));
  EXPECT_EQ(luzia({"dispatch", "demo", "true", "--permissions", "plan"}).code, 2);
}

TEST_F(AgentPermissionsTest, AgentWhoseEveryEditWasDeniedWarns) {
  set_up("permissions = \"ask\"\n", kDenied);
  const Json job = done();
  EXPECT_EQ(job["state"], "completed") << job;
  const auto warnings = events_of(job["id"], "WarningReported");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0]["data"]["warning_type"], "ALL_DENIED");
  EXPECT_THAT(warnings[0]["data"]["recommendation"].get<std::string>(), HasSubstr("--permissions edits"));
  EXPECT_THAT(luzia({"why", job["id"]}).out, HasSubstr("its only edit was denied"));
}

TEST_F(AgentPermissionsTest, KeyOfTheDaemonsUserReachesTheAgentAndNoFile) {
  set_up();
  const Finished sent = luzia({"dispatch", "demo", "work", "--agent", "claude", "--wait"}, "",
                              {"ANTHROPIC_API_KEY=sk-secret", "OTHER_SECRET=hidden"});
  EXPECT_EQ(sent.code, 0) << sent.err;
  EXPECT_EQ(read_text(project() + "/key"), "sk-secret\n");
  const std::string id = sent.out.substr(0, sent.out.find('\n'));
  EXPECT_THAT(read_text(job_dir(id) + "/run.sh"), Not(HasSubstr("sk-secret")));
  const auto queued = events_of(id, "JobQueued");
  ASSERT_EQ(queued.size(), 1U);
  EXPECT_THAT(queued[0].dump(), Not(HasSubstr("sk-secret")));
  EXPECT_THAT(queued[0].dump(), HasSubstr("ANTHROPIC_API_KEY"));
}

/// `codex login status` sees no CODEX_API_KEY, with which `codex exec` works.
TEST_F(AgentPermissionsTest, DoctorTakesAKeyForALogin) {
  configure("[agents.codex]\ncommand = [\"" + project() + "/codex\", \"exec\"]\n");
  script("codex", "#!/bin/sh\nexit 1\n");
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("/codex, which says that it is not logged in"));
  const Finished with_key = luzia({"doctor"}, "", {"CODEX_API_KEY=k"});
  EXPECT_THAT(with_key.out, HasSubstr("agent codex: " + project() + "/codex\n"));
  EXPECT_THAT(with_key.out, Not(HasSubstr("/codex, which says")));
  EXPECT_THAT(with_key.out, Not(HasSubstr("no coding agent is installed")));
}

/// The second start has a session that is gone; others work.
TEST_F(AgentPermissionsTest, LostSessionIsReplacedByItself) {
  set_up("", R"(case "$*" in
*--resume*) echo "No conversation found with session ID: s-1"; exit 1 ;;
esac
cat > task
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
[ -e ready ] || exit 1
)");
  const Json job = done();
  EXPECT_EQ(job["state"], "failed");
  script("ready", "");
  ASSERT_EQ(luzia({"retry", job["id"]}).code, 0);
  const Json after = ended_as(job["id"], "completed", "exit_code");
  EXPECT_EQ(after["attempts"], 3);
  EXPECT_THAT(read_text(project() + "/task"), HasSubstr("work"));
}

}  // namespace
}  // namespace luzia
