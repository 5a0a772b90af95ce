// luzia hook as Claude Code runs it in a job, with a real daemon: the project's gates, decisions by a person,
// and what happens if nobody can be asked.

#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class AgentHooksTest : public DaemonTest {
 protected:
  AgentHooksTest() {
    configure(
        "[projects.demo.gates]\n\"Bash(ls*)\" = \"always\"\n\"Bash(rm*)\" = \"never\"\n\"Write\" = "
        "\"ask\"\n");
  }
  static std::string tool_call(const std::string& tool, const std::string& input) {
    return Json{{"session_id", "s"},
                {"hook_event_name", "PreToolUse"},
                {"tool_name", tool},
                {"tool_input", {{"command", input}}},
                {"tool_use_id", "toolu_1"}}
        .dump();
  }
  /// Writes a transcript with one message that contains these calls, as Claude Code 2.1.197 does.
  std::string called_in_one_message(const std::string& input, const std::vector<std::string>& ids,
                                    const std::string& id) const {
    std::ofstream transcript(project() + "/transcript");
    for (const std::string& each : ids) {
      const Json block = {{"type", "tool_use"}, {"id", each}, {"name", "Write"}, {"input", Json::object()}};
      transcript << Json{{"type", "assistant"},
                         {"message", {{"id", "msg_1"}, {"stop_reason", "tool_use"}, {"content", {block}}}}}
                        .dump()
                 << '\n';
    }
    Json event = Json::parse(tool_call("Write", input));
    event["transcript_path"] = project() + "/transcript";
    event["tool_use_id"] = id;
    return event.dump();
  }
  /// A job that runs the hook once with the event on its standard input.
  std::string job_with_hook(const std::string& event, const std::string& options = {}) const {
    std::ofstream(project() + "/event") << event;
    return dispatch(kLuzia + " hook " + options + " < event > out 2> err; echo $? > code");
  }
  std::string file(const std::string& name) const { return read_text(project() + "/" + name); }
  Json output() const {
    const Json json = Json::parse(file("out"), nullptr, false);
    return json.is_object() ? json.value("hookSpecificOutput", Json()) : Json();
  }
  std::string decision() const { return output().value("permissionDecision", ""); }
  void expect_silent(const std::string& id) const {
    EXPECT_EQ(ended(id)["state"], "completed");
    EXPECT_THAT(file("out"), IsEmpty());
    EXPECT_THAT(file("err"), IsEmpty());
    EXPECT_EQ(file("code"), "0\n");
  }
};

TEST_F(AgentHooksTest, PolicyDecidesWithoutAPerson) {
  const std::string allowed = job_with_hook(tool_call("Bash", "ls -l"));
  EXPECT_EQ(ended(allowed)["state"], "completed");
  EXPECT_EQ(decision(), "allow");
  EXPECT_THAT(output().value("permissionDecisionReason", ""), HasSubstr("Bash(ls*)"));
  EXPECT_EQ(events_of(allowed, "DecisionDelivered").size(), 1U);
  const std::string denied = job_with_hook(tool_call("Bash", "rm -rf x"));
  EXPECT_EQ(ended(denied)["state"], "completed");
  EXPECT_EQ(decision(), "deny");
  EXPECT_EQ(file("code"), "0\n");
}

TEST_F(AgentHooksTest, GatesHoldCallsOfOtherAgents) {
  const Json event = {{"hook_event_name", "BeforeTool"},
                      {"tool_name", "run_shell_command"},
                      {"tool_input", {{"command", "rm -rf x"}}}};
  EXPECT_EQ(ended(job_with_hook(event.dump()))["state"], "completed");
  const Json answer = Json::parse(file("out"), nullptr, false);
  ASSERT_TRUE(answer.is_object()) << file("err");
  EXPECT_EQ(answer.value("decision", ""), "deny");
  EXPECT_THAT(answer.value("reason", ""), HasSubstr("Bash(rm*)"));
}

TEST_F(AgentHooksTest, FilePathIsResolvedFromTheAgentsFolder) {
  configure("[projects.demo.gates]\n\"Read(" + project() +
            "/secret/*)\" = \"never\"\n\"Read(src/*)\" = \"always\"\n");
  const auto decision_about = [&](const std::string& path, const std::string& cwd) {
    const Json event = {{"hook_event_name", "PreToolUse"},
                        {"tool_name", "Read"},
                        {"tool_input", {{"file_path", path}}},
                        {"cwd", cwd}};
    EXPECT_EQ(ended(job_with_hook(event.dump()))["state"], "completed");
    return file("out").empty() ? std::string() : decision();
  };
  EXPECT_EQ(decision_about("../secret/key", project() + "/src"), "deny");
  EXPECT_EQ(decision_about("src/../secret/key", project()), "deny");
  EXPECT_EQ(decision_about("src/a", project()), "allow");
  EXPECT_EQ(decision_about("src/a", project() + "/lib"), "") << "the path means another file";
}

TEST_F(AgentHooksTest, WithoutAGateTheAgentsRulesDecide) {
  const std::string id = job_with_hook(tool_call("Bash", "make"));
  expect_silent(id);
  EXPECT_THAT(events_of(id, "ApprovalRequested"), IsEmpty());
}

/// Claude Code ignores the permission in the project's settings if nobody has accepted its trust dialog.
TEST_F(AgentHooksTest, LuziasToolsAreAllowedExplicitly) {
  const std::string id = job_with_hook(tool_call("mcp__luzia__ask_user", "Which port?"));
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(decision(), "allow");
  EXPECT_EQ(file("code"), "0\n");
  EXPECT_THAT(file("err"), IsEmpty());
  EXPECT_THAT(events_of(id, "ApprovalRequested"), IsEmpty());
}

TEST_F(AgentHooksTest, PersonAllowsAndDenies) {
  const std::string allowed = job_with_hook(tool_call("Write", "x"));
  requested(allowed);
  EXPECT_TRUE(becomes(allowed, "waiting"));
  EXPECT_EQ(luzia({"approve", allowed}).code, 0);
  EXPECT_EQ(ended(allowed)["state"], "completed");
  EXPECT_EQ(decision(), "allow");
  const std::string denied = job_with_hook(tool_call("Write", "x"));
  requested(denied);
  EXPECT_EQ(luzia({"deny", denied, "--note", "not this file"}).code, 0);
  EXPECT_EQ(ended(denied)["state"], "completed");
  EXPECT_EQ(decision(), "deny");
  EXPECT_THAT(output().value("permissionDecisionReason", ""), HasSubstr("not this file"));
}

TEST_F(AgentHooksTest, ApprovalForTheJobAppliesAgain) {
  std::ofstream(project() + "/event") << tool_call("Write", "x");
  const std::string id = dispatch(kLuzia + " hook < event > first; " + kLuzia + " hook < event > out");
  requested(id);
  EXPECT_EQ(luzia({"approve", id, "--always"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(decision(), "allow");
}

TEST_F(AgentHooksTest, OpenedGateDoesNotAllowTheToolOfItsName) {
  std::ofstream(project() + "/event") << tool_call("Write", "x");
  const std::string id = dispatch(kLuzia + " gate Write 'may I go on?'; " + kLuzia + " hook < event > out");
  requested(id);
  EXPECT_EQ(luzia({"approve", id, "--always"}).code, 0);
  std::vector<Json> requests;
  EXPECT_TRUE(wait_until([&] { return (requests = events_of(id, "ApprovalRequested")).size() == 2; }));
  EXPECT_EQ(luzia({"deny", id, requests.back()["data"].value("approval", "")}).code, 0) << "it is open";
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(decision(), "deny");
}

TEST_F(AgentHooksTest, DenyModeAsksNobody) {
  const std::string id = job_with_hook(tool_call("Write", "x"), "--mode deny");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(decision(), "deny");
  EXPECT_THAT(output().value("permissionDecisionReason", ""), HasSubstr("asks nobody"));
}

TEST_F(AgentHooksTest, UndecidedCallIsDeniedAndWithdrawn) {
  const std::string id = job_with_hook(tool_call("Write", "x"), "--timeout 200ms");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(decision(), "deny");
  EXPECT_TRUE(events_of(id, "ApprovalDecided").empty()) << "nobody decided in time";
  const auto cancelled = events_of(id, "ApprovalCancelled");
  ASSERT_EQ(cancelled.size(), 1U);
  EXPECT_THAT(cancelled.front()["data"].value("reason", ""), HasSubstr("nobody decided"));
}

TEST_F(AgentHooksTest, DeferredRunResumesWithTheDecision) {
  configure(
      "[projects.demo.gates]\nWrite = \"ask\"\n[agents.deferring]\ncommand = [\"./agent\"]\n"
      "resume = [\"./agent\", \"{session_id}\"]\noutput = \"claude-stream-json\"\n");
  std::ofstream(project() + "/event") << called_in_one_message("x", {"toolu_1"}, "toolu_1");
  const std::string init = R"({"type":"system","subtype":"init","session_id":"s-1","tools":[]})";
  const std::string result = R"({"type":"result","subtype":"success","is_error":false,"session_id":"s-1",)";
  script(
      "agent",
      "#!/bin/sh\necho '" + init + "'\ncat > heard$LUZIA_ATTEMPT\n" + kLuzia +
          " hook --mode defer < event > out\necho \"$1\" > resumed\n" +
          "if grep -q defer out; then\n  echo '" + result +
          R"("result":"","stop_reason":"tool_deferred","deferred_tool_use":{"id":"toolu_1","name":"Write","input":{}}})" +
          "'\nelse\n  echo '" + result + R"("result":"done","stop_reason":"end_turn"})" + "'\nfi\n");
  const std::string id = dispatch("write it", {"--agent", "deferring"});
  const std::string approval = requested(id);
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "AttemptEnded").empty(); }));
  EXPECT_TRUE(becomes(id, "waiting"));
  kill_daemon();
  EXPECT_EQ(luzia({"approve", id, approval}).code, 0);
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "completed") << row;
  EXPECT_EQ(row["attempt"], 2);
  EXPECT_EQ(file("resumed"), "s-1\n");
  EXPECT_EQ(decision(), "allow");
  EXPECT_THAT(file("heard1"), HasSubstr("write it"));
  EXPECT_EQ(file("heard2"), "") << "a new message in the session withdraws the call";
  EXPECT_EQ(events_of(id, "ApprovalRequested").size(), 1U);
  expect_verified();
}

/// Of two deferred calls in one message Claude Code keeps only the last: if both were approved, one would
/// never run.
TEST_F(AgentHooksTest, SeveralCallsInOneMessageAreNotDeferred) {
  std::ofstream(project() + "/one") << called_in_one_message("x", {"toolu_1", "toolu_2"}, "toolu_1");
  std::ofstream(project() + "/two") << called_in_one_message("y", {"toolu_1", "toolu_2"}, "toolu_2");
  const std::string id =
      dispatch(kLuzia + " hook --mode defer < one > out1; " + kLuzia + " hook --mode defer < two > out");
  const std::string first = requested(id);
  EXPECT_TRUE(becomes(id, "waiting"));
  EXPECT_EQ(luzia({"approve", id, first}).code, 0);
  EXPECT_EQ(luzia({"approve", id, requested(id, 2)}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(file("out1"), HasSubstr("\"permissionDecision\":\"allow\""));
  EXPECT_EQ(decision(), "allow");
  EXPECT_EQ(events_of(id, "DecisionDelivered").size(), 2U);
}

TEST_F(AgentHooksTest, DeferModeFindsTheDecisionOfARepeatedCall) {
  std::ofstream(project() + "/event") << called_in_one_message("x", {"toolu_1"}, "toolu_1");
  const std::string id =
      dispatch(kLuzia + " hook --mode defer < event > first; while [ ! -e go ]; do sleep 0.05; done; " +
               kLuzia + " hook --mode defer < event > out");
  requested(id);
  ASSERT_TRUE(wait_until([&] { return !file("first").empty(); }));
  EXPECT_THAT(file("first"), HasSubstr("\"permissionDecision\":\"defer\""));
  EXPECT_EQ(luzia({"approve", id}).code, 0);
  std::ofstream(project() + "/go") << "";
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(decision(), "allow");
  EXPECT_EQ(events_of(id, "ApprovalRequested").size(), 1U);
}

TEST_F(AgentHooksTest, DecisionSurvivesAKilledDaemon) {
  const std::string id = job_with_hook(tool_call("Write", "x"));
  requested(id);
  kill_daemon();
  EXPECT_EQ(luzia({"approve", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(decision(), "allow");
  EXPECT_EQ(events_of(id, "ApprovalRequested").size(), 1U);
}

TEST_F(AgentHooksTest, WithoutADaemonOnlyToolCallsAreStopped) {
  const Words job = {"LUZIA_JOB_ID=1qfar2zr00c6x", "LUZIA_ATTEMPT=1",
                     "LUZIA_SOCKET=" + path("nowhere/socket")};
  const Finished closed = luzia({"hook"}, tool_call("Bash", "make"), job);
  EXPECT_EQ(closed.code, 2);
  EXPECT_THAT(closed.err, HasSubstr("stopped"));
  EXPECT_THAT(closed.out, IsEmpty());
  const Finished note = luzia({"hook"}, R"({"hook_event_name":"Notification","message":"m"})", job);
  EXPECT_EQ(note.code, 1);
}

TEST_F(AgentHooksTest, GatedCallOutsideARunningJobIsStopped) {
  const std::string over = job_with_hook(tool_call("Bash", "make"));
  expect_silent(over);
  const auto hook_of = [this](const std::string& id, const Words& options = {}) {
    Words command = {"hook"};
    command.insert(command.end(), options.begin(), options.end());
    return luzia(command, tool_call("Bash", "make"), {"LUZIA_JOB_ID=" + id, "LUZIA_ATTEMPT=1"});
  };
  for (const std::string& id : {std::string("1qfar2zr00c6x"), over}) {
    const Finished stopped = hook_of(id);
    EXPECT_EQ(stopped.code, 2) << id;
    EXPECT_THAT(stopped.out, IsEmpty());
    EXPECT_THAT(stopped.err, HasSubstr("stopped"));
    EXPECT_EQ(hook_of(id, {"--fail", "open"}).code, 1);
  }
  configure("");
  EXPECT_EQ(luzia({"daemon", "reload"}).code, 0);
  const Finished passes = hook_of("1qfar2zr00c6x");
  EXPECT_EQ(passes.code, 0) << "no gate anywhere";
  EXPECT_THAT(passes.out + passes.err, IsEmpty());
}

TEST_F(AgentHooksTest, BrokenInputStopsPossibleToolCalls) {
  const Words job = {"LUZIA_JOB_ID=1qfar2zr00c6x", "LUZIA_SOCKET=" + path("nowhere/socket")};
  EXPECT_EQ(luzia({"hook"}, R"({"hook_event_name":"PreToolUse",)", job).code, 2);
  EXPECT_EQ(luzia({"hook", "--fail", "open"}, R"({"hook_event_name":"PreToolUse",)", job).code, 1);
  EXPECT_EQ(luzia({"hook"}, "garbage", job).code, 1);
  EXPECT_EQ(luzia({"hook", "--fail", "closed"}, "garbage", job).code, 2);
}

TEST_F(AgentHooksTest, OutsideJobsAndForOtherEventsItIsSilent) {
  for (const std::string& event : {tool_call("Bash", "rm -rf x"), std::string("garbage"), std::string()}) {
    const Finished ran = luzia({"hook"}, event);
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out + ran.err, IsEmpty());
  }
  expect_silent(job_with_hook(R"({"hook_event_name":"SomethingLater"})"));
  expect_silent(job_with_hook(tool_call("AskUserQuestion", "x")));
}

TEST_F(AgentHooksTest, NotificationBecomesAWarning) {
  const std::string id = job_with_hook(R"({"hook_event_name":"Notification","message":"Claude waits"})");
  expect_silent(id);
  EXPECT_EQ(job(id)["warnings"], 1);
  EXPECT_EQ(job(id)["last_warning"], "Claude waits");
}

}  // namespace
}  // namespace luzia
