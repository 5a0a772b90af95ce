// Gates with real processes: a job asks with `luzia gate`; people and the project's policy approve or deny.
#include <grp.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class ApprovalsTest : public DaemonTest {
 protected:
  std::string at_gate(const std::string& gate) const {
    return dispatch(kLuzia + " gate " + gate + " 2> said; echo $? > code");
  }
  std::string said() const { return read_text(project() + "/said"); }
  std::string code() const { return read_text(project() + "/code"); }
  Json decided(const std::string& job) const {
    const auto all = events_of(job, "ApprovalDecided");
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Json::object() : all.front()["data"];
  }
  void policies(const std::string& lines) { configure("[projects.demo.gates]\n" + lines); }
};

TEST_F(ApprovalsTest, ApprovedGateLetsTheProgramContinue) {
  const std::string id = at_gate("deploy 'to production'");
  const std::string approval = requested(id);
  EXPECT_TRUE(becomes(id, "waiting"));
  const Finished done = luzia({"approve", id, "--note", "after the backup"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr(approval + " is approved"));
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(code(), "0\n");
  EXPECT_THAT(said(), HasSubstr("gate deploy is approved by "));
  EXPECT_THAT(said(), HasSubstr(": after the backup"));
  EXPECT_EQ(events_of(id, "DecisionDelivered").size(), 1U);
  const Finished late = luzia({"deny", id, "deploy"});
  EXPECT_EQ(late.code, 4);
  expect_verified();
}

TEST_F(ApprovalsTest, GatesOfAJobAskWhatTheProjectAllows) {
  policies("deploy = \"always\"\nother = \"always\"\n");
  const std::string gates = kLuzia + " gate other && " + kLuzia + " gate deploy";
  EXPECT_EQ(ended(dispatch(gates))["state"], "completed") << "the project allows both";
  for (const Words& options : {Words{"--gate", "deploy"}, Words{}}) {
    const std::string id =
        dispatch_until("waiting", gates + (options.empty() ? "\n: '\ngate: deploy\n'" : ""), options);
    const Json open = luzia_json({"approvals"})["approvals"];
    ASSERT_EQ(open.size(), 1U);
    EXPECT_EQ(open[0]["gate"], "deploy");
    EXPECT_EQ(luzia({"approve", id}).code, 0);
    EXPECT_EQ(ended(id)["state"], "completed");
  }
  const Finished bad = luzia({"demo", "true", "--gate", "two words"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("'two words' is not the name of a gate"));
  EXPECT_EQ(luzia_json({"demo", "true", "--gate", "a", "--dry-run"})["jobs"][0]["gates"], Json::array({"a"}));
}

TEST_F(ApprovalsTest, ScriptsGetTheDecisionAsJson) {
  const std::string id = dispatch(kLuzia + " gate deploy 'to production' --json > row");
  const std::string approval = requested(id);
  EXPECT_EQ(luzia({"approve", id, "--note", "go"}).code, 0);
  ended(id);
  const Json row = Json::parse(read_text(project() + "/row"), nullptr, false);
  ASSERT_TRUE(row.is_object());
  EXPECT_EQ(row["id"], approval);
  EXPECT_EQ(row["description"], "to production");
  EXPECT_EQ(row["decision"], "approved");
  EXPECT_EQ(row["note"], "go");
}

TEST_F(ApprovalsTest, DeniedGateStaysClosedWithAReason) {
  const std::string id = at_gate("deploy");
  requested(id);
  EXPECT_EQ(luzia({"deny", id, "dep", "--note", "not on a Friday"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(code(), "4\n");
  EXPECT_THAT(said(), HasSubstr("gate deploy is denied by "));
  EXPECT_THAT(said(), HasSubstr(": not on a Friday"));
}

TEST_F(ApprovalsTest, ApprovalCanBeDecidedByItsId) {
  const std::string id = at_gate("deploy");
  const std::string approval = requested(id);
  ASSERT_TRUE(approval.starts_with("a-")) << approval;
  EXPECT_EQ(luzia({"approve", approval, "--note", "go"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(code(), "0\n");
}

TEST_F(ApprovalsTest, FirstOfTwoDecisionsCounts) {
  const std::string id = dispatch_until("running", "sleep 600");
  BesideProgram gate({kLuzia, "gate", "deploy", "--job", id}, environment(), path("gate"));
  requested(id);
  BesideProgram one({kLuzia, "approve", id, "deploy"}, environment(), path("approving"));
  BesideProgram other({kLuzia, "deny", id, "deploy"}, environment(), path("denying"));
  const int approved = one.end(), denied = other.end();
  EXPECT_TRUE((approved == 0 && denied == 4) || (approved == 4 && denied == 0)) << approved << denied;
  EXPECT_THAT((approved == 0 ? other : one).output(),
              HasSubstr(approved == 0 ? "was approved by " : "was denied by "));
  EXPECT_EQ(gate.end(), approved);
  EXPECT_EQ(decided(id)["decision"], approved == 0 ? "approved" : "denied");
  luzia({"cancel", id});
}

TEST_F(ApprovalsTest, StoppingToWaitCancelsTheGate) {
  const std::string id = dispatch_until("running", "sleep 600");
  for (const int signal : {SIGINT, SIGTERM}) {
    BesideProgram gate({kLuzia, "gate", "deploy", "--job", id}, environment(), path("gate"));
    ASSERT_TRUE(becomes(id, "waiting"));
    gate.signal(signal);
    EXPECT_EQ(gate.end(), 128 + signal) << gate.output();
    EXPECT_THAT(gate.output(), HasSubstr("gate deploy is cancelled"));
    EXPECT_TRUE(becomes(id, "running"));
  }
  EXPECT_EQ(events_of(id, "ApprovalCancelled").size(), 2U);
  EXPECT_TRUE(events_of(id, "ApprovalDecided").empty());
  EXPECT_EQ(luzia({"approve", id}).code, 4) << "it is over";
  luzia({"cancel", id});
}

TEST_F(ApprovalsTest, GateIsCanceledByNameIdOrNeither) {
  const std::string id = dispatch_until("running", "sleep 600");
  for (int round = 0; round < 3; ++round) {
    BesideProgram gate({kLuzia, "gate", "deploy", "--job", id}, environment(), path("gate"));
    const std::string approval = requested(id, static_cast<std::size_t>(round) + 1);
    ASSERT_TRUE(becomes(id, "waiting"));
    Words words = {"question", "cancel", id, "--reason", "solved by hand"};
    if (round > 0) words.insert(words.begin() + 3, round == 1 ? std::string("a-") : approval);
    const Finished cancelled = luzia(words);
    EXPECT_EQ(cancelled.code, 0) << cancelled.err;
    EXPECT_THAT(cancelled.err, HasSubstr(approval + " is cancelled"));
    EXPECT_EQ(gate.end(), 1);
    EXPECT_THAT(gate.output(), HasSubstr("was cancelled: solved by hand"));
    EXPECT_TRUE(becomes(id, "running"));
  }
  const Finished none = luzia({"question", "cancel", id, "a-none"});
  EXPECT_EQ(none.code, 4) << none.err;
  luzia({"cancel", id});
  expect_verified();
}

TEST_F(ApprovalsTest, TimeoutMeansDenied) {
  const std::string id = at_gate("deploy --timeout 200ms");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(code(), "4\n");
  EXPECT_THAT(said(), HasSubstr("nobody decided in time"));
  EXPECT_EQ(decided(id)["decision"], "expired");
}

TEST_F(ApprovalsTest, TimeoutMeansApprovedIfTheAgentSaidSo) {
  const std::string id = at_gate("deploy --auto-after 200ms");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(code(), "0\n");
  EXPECT_EQ(decided(id)["decision"], "approved");
}

TEST_F(ApprovalsTest, ProjectPolicyDecidesWithoutAPerson) {
  policies("\"deploy_*\" = \"always\"\nmigrate = \"never\"\nslow = \"auto-after 200ms\"\n\"*\" = \"ask\"\n");
  const std::string id =
      dispatch(kLuzia + " gate deploy_web 2> one || exit 1; " + kLuzia +
               " gate migrate 2> two; [ $? = 4 ] || exit 2; " + kLuzia + " gate slow || exit 3");
  EXPECT_EQ(ended(id)["exit_code"], 0);
  EXPECT_THAT(read_text(project() + "/one"), HasSubstr("approved by \"deploy_*\" = \"always\""));
  EXPECT_THAT(read_text(project() + "/two"), HasSubstr("denied by \"migrate\" = \"never\""));
  EXPECT_EQ(events_of(id, "JobWaiting").size(), 1U) << "only the slow gate waits";
  expect_verified();
}

TEST_F(ApprovalsTest, DecisionForTheJobAppliesThroughout) {
  const std::string id =
      dispatch(kLuzia + " gate deploy && " + kLuzia + " gate deploy && " + kLuzia + " gate other");
  requested(id);
  EXPECT_EQ(luzia({"approve", id, "--always"}).code, 0);
  requested(id, 3);
  EXPECT_TRUE(becomes(id, "waiting"));
  EXPECT_EQ(luzia({"approve", id, "other"}).code, 4) << "without an id, the previous gate could be meant";
  const std::string other = events_of(id, "ApprovalRequested").back()["data"].value("approval", "");
  EXPECT_EQ(luzia({"approve", id, other}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto all = events_of(id, "ApprovalDecided");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[1]["data"].value("policy", ""), HasSubstr("approved before for this job"));
}

TEST_F(ApprovalsTest, WaitSurvivesAKilledDaemon) {
  const std::string id = at_gate("deploy");
  requested(id);
  kill_and_start_daemon();
  EXPECT_EQ(luzia({"approve", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(code(), "0\n");
  EXPECT_EQ(events_of(id, "ApprovalRequested").size(), 1U);
}

TEST_F(ApprovalsTest, EndOfTheJobClosesItsGates) {
  const std::string id = dispatch(kLuzia + " gate deploy > gate 2>&1; echo $? > code");
  requested(id);
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_EQ(events_of(id, "ApprovalCancelled").size(), 1U);
  EXPECT_EQ(luzia({"approve", id}).code, 4);
}

/// Needs two users. As root another user decides; otherwise only our own, who may do everything.
TEST_F(ApprovalsTest, PeopleDecideOnlyInTheirProjects) {
  const bool root = ::geteuid() == 0;
  // They must also be allowed to run jobs as its user; otherwise they could not let its jobs continue.
  write_text(path("group.toml"), "[projects.demo]\nusers = [\"nobody\"]\n" +
                                     std::string(root ? "user = \"nobody\"\n" : "") +
                                     std::string(root ? "[store]\ngroup = \"nogroup\"\n" : ""));
  // An existing folder keeps its permissions; a folder that the daemon creates is private to its user.
  std::filesystem::create_directories(store());
  std::filesystem::permissions(store(), std::filesystem::perms(0711));
  ASSERT_EQ(luzia({"daemon", "start", "--config", path("group.toml")}).code, 0);
  const std::string program = path("luzia");
  std::filesystem::copy_file(kLuzia, program);
  const auto as_nobody = [&](const Words& words) {
    Words all = {program};
    all.insert(all.end(), words.begin(), words.end());
    BesideProgram person(all, {"LUZIA_SOCKET=" + store() + "/socket", "HOME=/"}, path("nobody"), [root] {
      constexpr unsigned kNobody = 65534;
      if (root && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
        ::_exit(99);
    });
    const int code = person.end();
    return Finished{code, {}, person.output()};
  };
  const std::string own = dispatch(program + " gate deploy");
  const Finished sent = luzia({"dispatch", "other", program + " gate deploy"});
  const std::string others = lines_of(sent.out).at(0);
  requested(own);
  requested(others);
  const Finished refused = as_nobody({"approve", others});
  EXPECT_EQ(refused.code, root ? 3 : 0) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr(root ? "no job '" + others + "'" : "is approved"));
  if (!root) ended(others);
  const Finished done = as_nobody({"approve", own});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(ended(own)["state"], "completed");
  EXPECT_EQ(state(others), root ? "waiting" : "completed");
  EXPECT_EQ(as_nobody({"resume", "--agent", "claude"}).code, root ? 4 : 0);
}

}  // namespace
}  // namespace luzia
