// Flows with real processes: from a file, across a killed daemon, by people, and by the agents themselves.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class FlowTest : public DaemonTest {
 protected:
  std::string run_flow(const std::string& toml) {
    write_text(path("flow.toml"), toml);
    const Finished ran = luzia({"flow", "run", path("flow.toml"), "--project", "demo"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out.substr(0, ran.out.find('\n'));
  }
  std::string create(Words steps) {
    Words words = {"flow", "create", "demo", "by hand"};
    words.insert(words.end(), steps.begin(), steps.end());
    const Finished made = luzia(words);
    EXPECT_EQ(made.code, 0) << made.err;
    return made.out.substr(0, made.out.find('\n'));
  }
  Json flow(const std::string& id) { return luzia_json({"flow", "status", id}); }
  static Json step(const Json& flow, const std::string& name) {
    for (const Json& each : flow["steps"]) {
      if (each["name"] == name) return each;
    }
    ADD_FAILURE() << "no step " << name;
    return {};
  }
  /// The ids in flows.json of a full export.
  Words exported_flows(const Words& more = {}) {
    Words words = {"export", "analytics", "--out", path("exported")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(query(words).code, 0);
    const Json exported = Json::parse(read_text(path("exported/flows.json")));
    Words ids;
    for (const Json& each : exported["flows"]) ids.push_back(each["id"]);
    return ids;
  }
  void await_state(const std::string& id, const std::string& state) {
    EXPECT_TRUE(wait_until([&] { return flow(id)["state"] == state; })) << flow(id);
  }
};

TEST_F(FlowTest, FollowingAProjectIncludesNewFlows) {
  luzia({"status"});  // starts a daemon
  BesideProgram follow({kLuzia, "follow", "--since", "0", "--project", "demo"}, environment(),
                       path("followed"));
  BesideProgram other({kLuzia, "follow", "--since", "0", "--project", "other"}, environment(),
                      path("of-other"));
  for (int i = 0; i < 10; ++i) {
    const std::string first = "\"stream\":\"flow/" + create({"--step", "plan"}) + "\",\"version\":1,";
    EXPECT_THAT(luzia({"follow", "--since", "0", "--once", "--project", "demo"}).out,
                testing::HasSubstr(first));
    EXPECT_TRUE(wait_until([&] { return follow.output().find(first) != std::string::npos; })) << first;
  }
  EXPECT_EQ(other.output().find("flow/"), std::string::npos);
  for (BesideProgram* each : {&follow, &other}) {
    each->signal(SIGTERM);
    each->end();
  }
}

TEST_F(FlowTest, FlowFileRunsStepsInDependencyOrder) {
  const std::string id = run_flow(
      "[[steps]]\nname='build'\nprompt='echo b >> order; echo built it'\n"
      "[[steps]]\nname='test'\nneeds=['build']\nprompt='echo t >> order'\n"
      "[[steps]]\nname='ship'\nneeds=['test']\nprompt='echo s >> order'\n"
      "[[follow_ups]]\ntext='tell them'\n");
  await_state(id, "completed");
  EXPECT_EQ(read_text(project() + "/order"), "b\nt\ns\n");
  const Json done = flow(id);
  EXPECT_EQ(step(done, "build")["output"], "built it");
  EXPECT_EQ(step(done, "build")["error"], nullptr);
  EXPECT_EQ(done["suggestions"][0]["text"], "tell them");
  const Json job = luzia_json({"job", step(done, "test")["job"].get<std::string>()});
  EXPECT_EQ(job["flow"], id);
  EXPECT_EQ(job["step"], "test");
}

TEST_F(FlowTest, KilledDaemonsDispatchEachStepOnce) {
  std::string toml;
  for (int i = 0; i < 8; ++i) {
    const std::string name = std::to_string(i);
    toml += "[[steps]]\nname='" + name + "'\nprompt='echo " + name + " >> order; sleep 0.1'\n";
    if (i > 0) toml += "needs=['" + std::to_string(i - 1) + "']\n";
  }
  const std::string id = run_flow(toml);
  for (int kill = 0; kill < 6; ++kill) {
    kill_daemon();
    EXPECT_NE(flow(id)["state"], "failed");
  }
  await_state(id, "completed");
  EXPECT_EQ(read_text(project() + "/order"), "0\n1\n2\n3\n4\n5\n6\n7\n");
  EXPECT_EQ(query({"verify"}).code, 0);
}

TEST_F(FlowTest, StepEndedWithoutADaemonKeepsItsTime) {
  const std::string id =
      run_flow("[[steps]]\nname='build'\nprompt='while [ ! -e go ]; do sleep 0.05; done'\n");
  ASSERT_TRUE(wait_until([&] { return step(flow(id), "build")["state"] == "in_progress"; }));
  const std::string job_id = step(flow(id), "build")["job"];
  kill_daemon();
  write_text(project() + "/go", "");
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(job_dir(job_id) + "/exit.json"); }));
  await_state(id, "completed");
  const Json done = flow(id), ended_at = job(job_id)["ended_at"];
  EXPECT_EQ(step(done, "build")["ended_at"], ended_at) << "the end time in luzia-run's record";
  EXPECT_EQ(done["ended_at"], ended_at);
  expect_verified();
}

TEST_F(FlowTest, StatisticsCountStepOutcomes) {
  EXPECT_NE(luzia({"flow", "statistics"}).out.find("0 flows"), std::string::npos);
  const std::string toml =
      "[[steps]]\nname='build'\nprompt='true'\n[[steps]]\nname='test'\nneeds=['build']\nprompt='exit 3'\n";
  await_state(run_flow(toml), "failed");
  await_state(run_flow(toml), "failed");
  create({"--step", "plan"});
  const Json known = luzia_json({"flow", "statistics"});
  EXPECT_EQ(known["flows"]["total"], 3);
  EXPECT_EQ(known["flows"]["failed"], 2);
  EXPECT_EQ(known["flows"]["active"], 1);
  ASSERT_EQ(known["steps"].size(), 2U) << known;
  const Json build = known["steps"][0];
  EXPECT_EQ(build["step"], "build");
  EXPECT_EQ(build["completed"], 2);
  EXPECT_EQ(build["completion_rate"], 1.0);
  EXPECT_EQ(build["next"][0]["step"], "test");
  EXPECT_EQ(build["next"][0]["count"], 2);
  EXPECT_EQ(known["steps"][1]["completion_rate"], 0.0);
  const std::string shown = luzia({"flow", "statistics"}).out;
  EXPECT_NE(shown.find("3 flows: 1 active, 0 completed, 2 failed, 0 cancelled"), std::string::npos) << shown;
  EXPECT_NE(shown.find("test (2)"), std::string::npos) << shown;
}

TEST_F(FlowTest, DependentStepWaitsForTheJobsEnd) {
  const std::string id =
      run_flow("[[steps]]\nname='a'\nprompt='" + kLuzia +
               " flow complete $LUZIA_FLOW $LUZIA_STEP --output early && sleep 1 && "
               "echo a >> order'\n[[steps]]\nname='b'\nneeds=['a']\nprompt='echo b >> order'\n");
  await_state(id, "completed");
  EXPECT_TRUE(wait_until([&] { return read_text(project() + "/order") == "a\nb\n"; }));
  EXPECT_EQ(step(flow(id), "a")["output"], "early");
}

TEST_F(FlowTest, EndingAFlowMayCancelItsJobs) {
  const std::string id = run_flow(
      "[[steps]]\nname='a'\nprompt='sleep 1000'\n[[steps]]\nname='b'\nneeds=['a']\nprompt='touch b'\n");
  Json begun;
  ASSERT_TRUE(wait_until([&] { return (begun = step(flow(id), "a"))["state"] == "in_progress"; }));
  const std::string job = begun["job"];
  const Finished ended = luzia({"flow", "end", id, "--cancel-jobs"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.err.find("cancelling 1 job of the flow"), std::string::npos) << ended.err;
  EXPECT_TRUE(wait_until([&] { return luzia_json({"job", job})["state"] == "killed"; }));
  EXPECT_EQ(flow(id)["state"], "cancelled");
  const Finished again = luzia({"flow", "end", id, "--cancel-jobs"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(std::filesystem::exists(project() + "/b"));
}

TEST_F(FlowTest, ManualAndAutomaticStepsMix) {
  const std::string id = create({"--step", "plan", "--step", "code:plan", "--tag", "move"});
  const Finished early = luzia({"dispatch", "demo", "true", "--flow", id + "/code"});
  EXPECT_EQ(early.code, 4);
  EXPECT_NE(early.err.find("needs first: plan"), std::string::npos) << early.err;
  EXPECT_EQ(luzia({"flow", "complete", id + "/plan", "--output", "port the queries"}).code, 0);
  const Finished sent =
      luzia({"dispatch", "demo", "echo done", "--flow", id.substr(0, 12) + "/code", "--wait"});
  EXPECT_EQ(sent.code, 0) << sent.err;
  await_state(id, "completed");
  const std::string job = lines_of(sent.out).at(0);
  for (const Words& filter : {Words{"--tag", "move"}, Words{"--state", "completed"}, Words{"--job", job},
                              Words{"--agent", "shell"}, Words{"--limit", "1"}}) {
    Words asked = {"flow", "list", "--all"};
    asked.insert(asked.end(), filter.begin(), filter.end());
    EXPECT_EQ(luzia_json(asked)["flows"].size(), 1U) << filter[0];
  }
  EXPECT_TRUE(luzia_json({"flow", "list", "--state", "failed"})["flows"].empty());
  EXPECT_EQ(luzia_json({"flow", "list"})["flows"].size(), 0U);
  const Finished columns =
      luzia({"flow", "list", "--all", "--sort", "-created", "--columns", "id,state", "--csv"});
  EXPECT_EQ(columns.out, "id,state\r\n" + id + ",completed\r\n") << columns.err;
  EXPECT_EQ(luzia({"flow", "status", id, "--columns", "id"}).code, 2) << "only lists have columns";
}

TEST_F(FlowTest, BatchWithTwoJobsForOneStepIsRefused) {
  const std::string id = create({"--step", "a"});
  const Json line = {{"project", "demo"}, {"task", "true"}, {"flow", id + "/a"}};
  const auto before = position();
  const Finished refused = luzia({"dispatch", "--batch", "-"}, line.dump() + "\n\n" + line.dump() + "\n");
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, testing::HasSubstr("-:3: step 'a' of flow " + id +
                                              " is being done by line 1; nothing was queued"));
  EXPECT_THAT(refused.err, testing::Not(testing::HasSubstr("luzia cancel")));
  EXPECT_EQ(position(), before);
}

TEST_F(FlowTest, ContextHasExactlyTheFieldsThatProgramsExpect) {
  const std::string id =
      create({"--step", "a", "--step", "b", "--step", "c", "--step", "d", "--step", "e:d"});
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(luzia({"flow", "complete", id, name, "--output", std::string(600, *name)}).code, 0);
  }
  EXPECT_EQ(luzia({"flow", "complete", id, "d", "--output", "four"}).code, 0);
  EXPECT_EQ(luzia({"flow", "note", id, "branch", "main"}).code, 0);
  const Json context = luzia_json({"flow", "context", id});
  std::vector<std::string> keys;
  for (const auto& [key, value] : context.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"completed_steps", "errors", "issues", "next_steps",
                                            "previous_results", "state"}));
  EXPECT_EQ(context["completed_steps"], Json({"a", "b", "c", "d"}));
  EXPECT_EQ(context["next_steps"], Json({"e"}));
  EXPECT_EQ(context["state"]["branch"], "main");
  ASSERT_EQ(context["previous_results"].size(), 3U);
  EXPECT_EQ(context["previous_results"][0]["output"], std::string(500, 'b') + "...");
  EXPECT_EQ(context["previous_results"][2]["output"], "four");
}

TEST_F(FlowTest, FailedStepIsTheContextOfWhatFollows) {
  const std::string id = create({"--step", "a", "--step", "b c", "--step", "d", "--in-order"});
  EXPECT_EQ(luzia({"flow", "complete", id, "a", "--output", "made a"}).code, 0);
  EXPECT_EQ(luzia({"flow", "fail", id, "b c", "--error", "no disk"}).code, 0);
  const Json context = luzia_json({"flow", "context", id});
  ASSERT_EQ(context["previous_results"].size(), 2U);
  EXPECT_EQ(context["previous_results"][1]["state"], "failed");
  EXPECT_EQ(context["previous_results"][1]["error"], "no disk");
  ASSERT_EQ(context["errors"].size(), 1U);
  EXPECT_EQ(context["errors"][0]["step"], "b c");
  EXPECT_EQ(context["issues"], Json({"step b c failed: no disk"}));
  EXPECT_THAT(luzia({"flow", "context", id, "--as-prompt"}).out,
              testing::HasSubstr("- step b c failed: no disk"));
  const Json suggested = luzia_json({"flow", "suggest", id})["suggestions"];
  ASSERT_EQ(suggested.size(), 3U);
  EXPECT_EQ(suggested[0]["text"], "retry step b c");
  EXPECT_THAT(std::string(suggested[0]["rule"]), testing::HasSubstr("luzia flow reset " + id + " 'b c'"));
  EXPECT_EQ(suggested[1]["text"], "skip step b c");
  EXPECT_EQ(suggested[2]["text"], "end the flow");
  // As it says.
  EXPECT_EQ(luzia({"flow", "reset", id, "b c"}).code, 0);
  EXPECT_EQ(luzia({"flow", "skip", id, "b c"}).code, 0);
  EXPECT_TRUE(luzia_json({"flow", "context", id})["errors"].empty());
  EXPECT_EQ(luzia_json({"flow", "suggest", id})["suggestions"][0]["text"], "begin step d");
}

TEST_F(FlowTest, CompletedFlowHasAResultAndFollowUps) {
  const std::string id = create({"--step", "a", "--step", "b:a", "--follow-up", "tell the customers"});
  EXPECT_EQ(luzia({"flow", "complete", id, "a", "--output", "first"}).code, 0);
  EXPECT_EQ(luzia_json({"flow", "status", id})["result"], nullptr);
  EXPECT_EQ(luzia({"flow", "complete", id, "b", "--output", "version 3 is out"}).code, 0);
  EXPECT_EQ(luzia_json({"flow", "status", id})["result"], "version 3 is out");
  EXPECT_THAT(luzia({"flow", "suggest", id}).out, testing::HasSubstr("tell the customers"));
}

TEST_F(FlowTest, AgentReportsItsOwnStep) {
  const std::string id =
      run_flow("[[steps]]\nname='a b'\nprompt='" + kLuzia +
               " flow complete $LUZIA_FLOW \"$LUZIA_STEP\" --output \"made it\"; echo last words'\n");
  await_state(id, "completed");
  EXPECT_EQ(step(flow(id), "a b")["output"], "made it");
}

TEST_F(FlowTest, GateWaitsForAPersonAndNotForAJob) {
  const std::string id = run_flow("[[steps]]\nname='ship'\ngate='deploy'\nprompt='touch shipped'\n");
  EXPECT_TRUE(wait_until([&] { return step(flow(id), "ship")["gate_state"] == "asked"; }));
  const std::string job = dispatch(kLuzia + " flow approve " + id + " ship; echo $? > code");
  EXPECT_EQ(luzia({"wait", job}).code, 0);
  EXPECT_EQ(read_text(project() + "/code"), "4\n");
  EXPECT_EQ(step(flow(id), "ship")["state"], "pending");
  EXPECT_EQ(luzia({"flow", "approve", id, "ship", "--note", "go"}).code, 0);
  await_state(id, "completed");
  EXPECT_TRUE(std::filesystem::exists(project() + "/shipped"));
}

TEST_F(FlowTest, FlowWaitReportsManualSteps) {
  write_text(path("people.toml"),
             "project='demo'\n[[steps]]\nname='build'\nprompt='true'\n"
             "[[steps]]\nname='look at it'\nneeds=['build']\n");
  BesideProgram waits({"/bin/sh", "-c", kLuzia + " flow run " + path("people.toml") + " --wait 2>&1"},
                      environment(), path("waited"));
  const std::string told = "step look at it is done by a person: when it is done, luzia flow complete ";
  ASSERT_TRUE(wait_until([&] { return waits.output().find(told) != std::string::npos; })) << waits.output();
  EXPECT_EQ(luzia({"status", "-q"}).out, "1\n");
  EXPECT_THAT(luzia({"status"}).out, testing::HasSubstr("do look at it"));
  EXPECT_EQ(luzia_json({"status"})["manual_steps"][0]["step"], "look at it");
  EXPECT_EQ(query_json({"status"})["manual_steps"].size(), 1U);
  EXPECT_TRUE(luzia_json({"status", "--project", "other"})["manual_steps"].empty());
  EXPECT_EQ(luzia({"flow", "complete", "@last", "look at it"}).code, 0);
  EXPECT_EQ(waits.end(), 0);
  EXPECT_EQ(luzia({"status", "-q"}).out, "0\n");
  EXPECT_EQ(waits.output().find(told), waits.output().rfind(told)) << "reported once";
}

TEST_F(FlowTest, GatesAreListedAmongApprovals) {
  configure(
      "[[hooks]]\nname = \"desk\"\non = [\"approval_requested\", \"flow_ended\"]\n"
      "command = [\"sh\", \"-c\", 'echo \"$LUZIA_EVENT $LUZIA_FLOW_ID $LUZIA_PROJECT $LUZIA_TEXT\" >> " +
      project() + "/told']\n");
  const std::string id = run_flow(
      "description='Release'\n[[steps]]\nname='ship it'\ngate='deploy'\nprompt='touch shipped'\n"
      "[[steps]]\nname='tell'\ngate='mail'\nprompt='touch told_all'\n");
  const auto asked = [&] { return luzia_json({"approvals"})["approvals"]; };
  ASSERT_TRUE(wait_until([&] { return asked().size() == 2; }));
  Json ship = asked()[0];
  if (ship["step"] != "ship it") ship = asked()[1];
  EXPECT_EQ(ship["id"], id + "/ship it");
  EXPECT_EQ(ship["job"], nullptr);
  EXPECT_EQ(ship["flow"], id);
  EXPECT_EQ(ship["gate"], "deploy");
  EXPECT_EQ(ship["project"], "demo");
  EXPECT_EQ(ship["state"], "open");
  EXPECT_GT(ship["asked_us"].get<std::int64_t>(), 0);
  EXPECT_EQ(luzia({"approvals", "-q"}).out, "2\n");
  EXPECT_EQ(query_json({"approvals"})["approvals"].size(), 2U);
  EXPECT_TRUE(luzia_json({"approvals", "--project", "other"})["approvals"].empty());
  EXPECT_EQ(luzia({"status", "-q"}).out, "1\n") << "one flow";
  EXPECT_THAT(luzia({"status"}).out,
              testing::AllOf(testing::HasSubstr("Needs input (1)"), testing::HasSubstr(id)));
  EXPECT_THAT(luzia({"approvals"}).out, testing::HasSubstr("luzia approve " + id + " 'ship it'"));
  EXPECT_EQ(luzia({"approve", id}).code, 2) << "two steps are meant";
  EXPECT_EQ(luzia({"flow", "approve", id}).code, 2) << "two steps are meant";
  EXPECT_EQ(luzia({"approve", id, "nothing"}).code, 2);
  EXPECT_EQ(luzia({"approve", id, "dep", "--note", "go"}).code, 0);
  const Finished denied = luzia({"flow", "deny", id, "--note", "no mail"});
  EXPECT_EQ(denied.code, 0) << denied.err;
  await_state(id, "failed");
  EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(project() + "/shipped"); }));
  EXPECT_FALSE(std::filesystem::exists(project() + "/told_all"));
  EXPECT_TRUE(asked().empty());
  EXPECT_EQ(luzia({"approve", id}).code, 3);
  EXPECT_EQ(luzia({"flow", "approve", id}).code, 3);
  for (const char* note : {"go", "no mail"}) {
    EXPECT_THAT(luzia({"approvals", "--all"}).out, testing::HasSubstr(note));
    EXPECT_THAT(query_json({"audit"}).dump(), testing::HasSubstr(note));
  }
  ASSERT_TRUE(wait_until([&] { return lines_of(read_text(project() + "/told")).size() >= 3; }));
  const std::string told = read_text(project() + "/told");
  EXPECT_THAT(told, testing::HasSubstr("approval_requested " + id + " demo demo: flow " + id));
  EXPECT_THAT(told, testing::HasSubstr("flow_ended " + id + " demo"));
  expect_verified();
}

TEST_F(FlowTest, FailedStepEndsTheFlowUntilReset) {
  const std::string id = run_flow(
      "[[steps]]\nname='test'\nprompt='test -e fixed'\n"
      "[[steps]]\nname='ship'\nneeds=['test']\nprompt='touch shipped'\n");
  await_state(id, "failed");
  EXPECT_EQ(flow(id)["result"], "step 'test' failed: exit code 1");
  write_text(project() + "/fixed", "");
  EXPECT_EQ(luzia({"flow", "reset", id, "test"}).code, 0);
  await_state(id, "completed");
  EXPECT_TRUE(std::filesystem::exists(project() + "/shipped"));
}

TEST_F(FlowTest, RetriedStepShowsTheEarlierFailure) {
  const std::string id = run_flow(
      "[[steps]]\nname='test'\nretries=2\n"
      "prompt='test -e again && exec sleep 1000; touch again; echo \"bash: line 1: nosuch: command not "
      "found\"; exit 1'\n");
  Json failed;
  ASSERT_TRUE(wait_until([&] { return (failed = step(flow(id), "test"))["failed_try"] == 1; })) << flow(id);
  const std::string first = failed["job"];
  EXPECT_THAT(luzia({"flow", "status", id}).out, testing::HasSubstr("(try 1 of 3 failed: exit code 1)"));
  EXPECT_TRUE(wait_until([&] { return step(flow(id), "test")["state"] == "in_progress"; })) << flow(id);
  const Json again = flow(id);
  EXPECT_EQ(step(again, "test")["failed_error"], "exit code 1");
  EXPECT_EQ(step(again, "test")["jobs"].size(), 2U) << again;
  EXPECT_EQ(step(again, "test")["jobs"][0], first);
  EXPECT_FALSE(again["issues"].empty()) << again;
  const Json then = Json::parse(
      query({"flow", id, "--at", std::to_string(again["position"].get<std::uint64_t>()), "--json"}).out);
  EXPECT_EQ(then["issues"], again["issues"]);
  EXPECT_EQ(luzia({"flow", "end", id, "--cancel-jobs"}).code, 0);
}

TEST_F(FlowTest, FlowsAreListedByState) {
  const std::string id = create({"--step", "plan"}), other = create({"--step", "plan"});
  ASSERT_EQ(luzia({"flow", "complete", other, "plan"}).code, 0);
  await_state(other, "completed");
  for (const auto& [state, shown] : {std::pair("active", id), {"completed", other}}) {
    const Json flows = luzia_json({"flows", "--state", state})["flows"];
    ASSERT_EQ(flows.size(), 1U) << state;
    EXPECT_EQ(flows[0]["id"], shown);
  }
  EXPECT_EQ(luzia_json({"flows", "--state", "active,completed"})["flows"].size(), 2U);
  const Finished wrong = luzia({"flows", "--state", "running"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, testing::HasSubstr("active, completed, failed, cancelled"));
}

TEST_F(FlowTest, RemovedFlowsAreUnlistedButKnown) {
  const std::string kept = create({"--step", "a"});
  const std::string id = create({"--step", "a"});
  const Finished early = luzia({"flow", "rm", id});
  EXPECT_EQ(early.code, 4);
  EXPECT_THAT(early.err, testing::HasSubstr("luzia flow end " + id));
  EXPECT_EQ(luzia({"flow", "complete", id, "a"}).code, 0);
  const auto before = flow(id)["position"].get<std::uint64_t>();
  EXPECT_EQ(luzia({"flow", "rm", id, "--note", "done with"}).code, 0);
  const auto listed = [&](const Json& page) {
    return std::ranges::any_of(page["flows"], [&](const Json& each) { return each["id"] == id; });
  };
  EXPECT_FALSE(listed(luzia_json({"flow", "list", "--all"})));
  EXPECT_FALSE(listed(query_json({"flows", "--all"})));
  EXPECT_TRUE(listed(query_json({"flows", "--all", "--at", std::to_string(before)})));
  EXPECT_NE(flow(id)["removed_at"], nullptr);
  EXPECT_EQ(luzia_json({"flow", "status"})["id"], kept) << "the newest flow in the lists";
  EXPECT_THAT(luzia({"flow", "history", id}).out, testing::HasSubstr("flow removed from lists: done with"));
  const Json known = luzia_json({"flow", "statistics"});
  EXPECT_EQ(known["flows"]["total"], 1);
  EXPECT_EQ(known["steps"][0]["completed"], 1) << "the statistics of its steps stay";
  EXPECT_EQ(exported_flows(), Words{kept});
  EXPECT_EQ(exported_flows({"--at", std::to_string(before)}).size(), 2U);
  EXPECT_EQ(luzia({"flow", "reopen", id}).code, 0);
  EXPECT_TRUE(listed(luzia_json({"flow", "list"})));
  expect_verified();
}

TEST_F(FlowTest, AddingAStepReopensAnEndedFlow) {
  const std::string id = create({"--step", "a"});
  EXPECT_THAT(luzia({"flow", "add", id, "b"}).err, testing::EndsWith("step b is added\n"));
  for (const char* name : {"a", "b"}) EXPECT_EQ(luzia({"flow", "complete", id, name}).code, 0);
  await_state(id, "completed");
  EXPECT_THAT(luzia({"flow", "add", id, "c"}).err,
              testing::HasSubstr("step c is added; the flow had ended and is active again"));
  EXPECT_EQ(flow(id)["state"], "active");
}

TEST_F(FlowTest, EndedFlowsLeaveTheListsInTime) {
  configure("[flows]\nkeep_ended = \"2s\"\n");
  const std::string id = create({"--step", "a"});
  EXPECT_EQ(luzia({"flow", "complete", id, "a"}).code, 0);
  const auto position = flow(id)["position"].get<std::uint64_t>();
  EXPECT_TRUE(wait_until([&] { return luzia_json({"flow", "list", "--all"})["flows"].empty(); }));
  EXPECT_TRUE(query_json({"flows", "--all", "--offline"})["flows"].empty());
  EXPECT_EQ(query_json({"flows", "--all", "--at", std::to_string(position)})["flows"].size(), 1U);
  EXPECT_EQ(flow(id)["state"], "completed");
  EXPECT_EQ(luzia_json({"flow", "statistics"})["flows"]["completed"], 1)
      << "histories of all time include it";
  EXPECT_EQ(exported_flows(), Words{id});
  EXPECT_EQ(query_json({"sql", "SELECT id FROM flows"})["rows"][0]["id"], id);
}

TEST_F(FlowTest, OutputsOfAnySizeCanBeShown) {
  const std::string id = create({"--step", "a", "--step", "b", "--step", "c"});
  const std::string huge(7 << 20, 'x');
  write_text(path("huge"), huge);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(luzia({"flow", "complete", id, name, "--file", path("huge")}).code, 0);
  }
  EXPECT_EQ(step(flow(id), "a")["output"].get<std::string>().size(), 32U * 1024 + 3);
  EXPECT_EQ(luzia_json({"flow", "list", "--all"})["flows"].size(), 1U);
}

TEST_F(FlowTest, JobCannotSkipAStepBehindAGate) {
  const std::string id = run_flow("[[steps]]\nname='ship'\ngate='deploy'\nprompt='touch shipped'\n");
  const std::string job = dispatch(kLuzia + " flow skip " + id + " ship; echo $? > code");
  EXPECT_EQ(luzia({"wait", job}).code, 0);
  EXPECT_EQ(read_text(project() + "/code"), "4\n");
  EXPECT_EQ(luzia({"flow", "status", ""}).code, 2);
}

TEST_F(FlowTest, WaitEndsWithTheFlow) {
  write_text(path("good.toml"), "[[steps]]\nname='a'\nprompt='sleep 0.2'\n");
  write_text(path("bad.toml"), "[[steps]]\nname='a'\nprompt='exit 3'\n");
  EXPECT_EQ(luzia({"flow", "run", path("good.toml"), "--project", "demo", "--wait"}).code, 0);
  EXPECT_EQ(luzia({"flow", "run", path("bad.toml"), "--project", "demo", "--wait"}).code, 1);
}

TEST_F(FlowTest, CtrlCEndsOnlyTheWait) {
  write_text(path("people.toml"), "[[steps]]\nname='review'\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    BesideProgram waits(
        {kLuzia, "flow", "run", path("people.toml"), "--project", "demo", "--wait", "--store", store()},
        environment(), path("waits"));
    ASSERT_TRUE(wait_until([&] {
      return looks_at(waits.pid(), signal) && waits.output().find(" review ") != std::string::npos;
    })) << waits.output();
    waits.signal(signal);
    EXPECT_EQ(waits.end(), 128 + signal);
    EXPECT_TRUE(waits.signalled());
    const std::string id = lines_of(waits.output()).front(), named = id + " --store " + store();
    EXPECT_EQ(waits.output(),
              id + "\nstep review is done by a person: when it is done, luzia flow complete " + id +
                  " review --store " + store() + "\nflow " + id + " continues; luzia flow status " + named +
                  " shows it, luzia flow end " + named + " ends it\n");
    EXPECT_EQ(flow(id)["state"], "active");
  }
}

TEST_F(FlowTest, PastFlowIsShownAsItWas) {
  const std::string id = create({"--step", "a", "--step", "b"});
  const auto before = flow(id)["position"].get<std::uint64_t>();
  EXPECT_EQ(luzia({"flow", "complete", id, "a", "--output", "x"}).code, 0);
  const Finished then = query({"flow", id, "--at", std::to_string(before), "--json"});
  ASSERT_EQ(then.code, 0) << then.err;
  EXPECT_EQ(step(Json::parse(then.out), "a")["state"], "pending");
  EXPECT_EQ(step(Json::parse(query({"flow", id, "--json"}).out), "a")["state"], "completed");
  EXPECT_EQ(query({"flow", id, "--at", "1"}).code, 3);
}

TEST_F(FlowTest, DryRunReportsRefusalsAndChangesNothing) {
  const auto tried = [&](const std::string& toml, const std::string& project = "demo") {
    write_text(path("dry.toml"), toml);
    return luzia({"flow", "run", path("dry.toml"), "--project", project, "--dry-run"});
  };
  const std::string good = "[[steps]]\nname='a'\nprompt='touch ran'\n";
  const Finished alone = tried(good);
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(alone.out, testing::HasSubstr("flow for demo"));
  EXPECT_THAT(alone.err, testing::HasSubstr("were not checked"));
  EXPECT_EQ(daemon_pid(), 0) << "it starts none";
  start_daemon();
  const auto before = position();
  const Finished taken = tried(good);
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_THAT(taken.err, testing::HasSubstr("the daemon would accept the flow"));
  const Finished stranger = tried(good, "nope");
  EXPECT_EQ(stranger.code, 2);
  EXPECT_THAT(stranger.err, testing::HasSubstr("no project 'nope' is configured"));
  EXPECT_THAT(tried(good + "agent='nobody'\n").err, testing::HasSubstr("no agent 'nobody' is configured"));
  EXPECT_EQ(tried("[[steps]]\nname='a/b'\nprompt='true'\n").code, 2);
  EXPECT_THAT(tried(good + "timeout='200000000d'\n").err, testing::HasSubstr("over ten years"));
  EXPECT_THAT(tried("[[steps]]\nname='hand'\ntimeout='200000000d'\n").err, testing::HasSubstr("step 'hand'"));
  EXPECT_TRUE(luzia_json({"flow", "list", "--all"})["flows"].empty());
  EXPECT_EQ(position(), before);
  EXPECT_FALSE(std::filesystem::exists(project() + "/ran"));
}

TEST_F(FlowTest, UnmeetableDependenciesAreNamed) {
  const auto refused = [&](const std::string& toml) {
    write_text(path("needs.toml"), toml);
    const Finished run = luzia({"flow", "run", path("needs.toml"), "--project", "demo"});
    EXPECT_EQ(run.code, 2);
    return run.err;
  };
  EXPECT_THAT(refused("[[steps]]\nname='test'\n[[steps]]\nname='ship'\nneeds=['tset']\n"),
              testing::AllOf(testing::HasSubstr("step 'ship' needs unknown step 'tset'"),
                             testing::HasSubstr("did you mean test?")));
  EXPECT_THAT(refused("[[steps]]\nname='a'\n[[steps]]\nname='b'\nneeds=['a','d']\n"
                      "[[steps]]\nname='c'\nneeds=['b']\n[[steps]]\nname='d'\nneeds=['c']\n"),
              testing::HasSubstr("in a cycle: b needs d needs c needs b"));
}

TEST_F(FlowTest, UnstartableStepIsRefusedAtOnce) {
  configure("[agents.spoken]\ncommand = ['sh', '-c', '{task}']\nstdin = 'null'\n");
  start_daemon();
  write_text(path("long.md"), "true # " + std::string(140 << 10, 'x'));
  write_text(path("long.toml"),
             "[[steps]]\nname='a'\nprompt='true'\n"
             "[[steps]]\nname='b'\nagent='spoken'\nneeds=['a']\nprompt_file='long.md'\n");
  for (const Words& more : {Words{"--dry-run"}, Words{}}) {
    Words words = {"flow", "run", path("long.toml"), "--project", "demo"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished refused = luzia(words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, testing::AllOf(testing::HasSubstr("step 'b'"), testing::HasSubstr("128 KiB")));
  }
  const std::string id = run_flow("[[steps]]\nname='a'\nprompt='sleep 1000'\n");
  const Finished added = luzia({"flow", "add", id, "b", "--agent", "spoken", "--file", path("long.md")});
  EXPECT_EQ(added.code, 2);
  EXPECT_THAT(added.err, testing::HasSubstr("128 KiB"));
  EXPECT_EQ(luzia({"flow", "end", id, "--cancel-jobs"}).code, 0);
}

TEST_F(FlowTest, WrongFlowFilesAreRefusedWithTheirPlace) {
  write_text(path("wrong.toml"), "[[steps]]\nname = 'a'\npromt = 'x'\n");
  const Finished wrong = luzia({"flow", "run", path("wrong.toml"), "--project", "demo"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("wrong.toml:3:1: a step has no key 'promt'"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("did you mean prompt?"), std::string::npos) << wrong.err;
  EXPECT_EQ(luzia({"flow", "status", "f-0"}).code, 3);
  EXPECT_EQ(luzia({"flow", "start", "f-0", "x"}).code, 3);
  EXPECT_EQ(luzia({"flow", "compete", "f-0", "x"}).code, 2);
  const Finished gated = luzia({"flow", "create", "demo", "ok", "--gate", "x"});
  EXPECT_EQ(gated.code, 2);
  EXPECT_NE(gated.err.find("luzia: flow create takes no --gate"), std::string::npos) << gated.err;
}

}  // namespace
}  // namespace luzia
