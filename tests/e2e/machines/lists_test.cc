// One list over this machine and two others: rows, order, limits, and how a job is found where it is.
#include <algorithm>

#include "tests/e2e/machines/ssh_hosts.h"

namespace luzia {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MachinesListTest : public SshHostsTest {
 protected:
  MachinesListTest() {
    add_host("alpha");
    add_host("beta");
    start_daemon();
  }

  /// The job's machine in `luzia jobs --machines`; empty: it is not there.
  std::string machine_of(const std::string& job) const {
    const Json list = here_json({"jobs", "--machines", "--all"});
    for (const Json& row : list["jobs"]) {
      if (row["id"] == job) return row.value("machine", "");
    }
    return {};
  }
  /// A job of that machine that asks a question, which is open.
  std::string asking(const std::string& machine) const {
    std::string job = dispatch_there(machine, kLuzia + " ask 'Where to?' --options here,there > heard");
    EXPECT_TRUE(wait_until([&] {
      const Finished asked = there(machine, {"questions", "-q"});
      return asked.out == "1\n";
    }));
    return job;
  }
  std::string state_there(const std::string& machine, const std::string& job) const {
    const Finished shown = there(machine, {"job", job, "--json"});
    const Json row = Json::parse(shown.out, nullptr, false);
    return row.is_object() ? row.value("state", "") : shown.err;
  }
};

TEST_F(MachinesListTest, ListHasTheRowsOfAllMachinesNewestFirst) {
  const std::string first = dispatch_there("alpha", "true");
  const std::string second = dispatch("true");
  const std::string third = dispatch_there("beta", "true", {"--priority", "7"});
  EXPECT_TRUE(wait_until([&] { return here({"jobs", "--machines"}).out.empty(); })) << "all have ended";

  const Json list = here_json({"jobs", "--machines", "--all"});
  Words ids, machines;
  for (const Json& row : list["jobs"]) {
    ids.push_back(row["id"]);
    machines.push_back(row["machine"]);
  }
  EXPECT_EQ(ids, (Words{third, second, first}));
  EXPECT_EQ(machines, (Words{"beta", "local", "alpha"}));
  EXPECT_EQ(list["machines"].size(), 3u);
  for (const Json& machine : list["machines"]) EXPECT_TRUE(machine["answered"].get<bool>()) << machine;

  const Words limited = lines_of(here({"jobs", "--machines", "--all", "--limit", "2"}).out);
  ASSERT_EQ(limited.size(), 3u) << "a heading and two rows";
  EXPECT_THAT(limited[0], HasSubstr("JOB            MACHINE"));
  EXPECT_THAT(limited[1], HasSubstr(third + "  beta"));
  EXPECT_THAT(limited[2], HasSubstr(second + "  local"));
  EXPECT_EQ(here({"jobs", "--machines", "--all", "--ids", "--sort", "-priority", "--limit", "1"}).out,
            third + "\n");
  const Words csv = lines_of(here({"jobs", "--machines", "--all", "--csv", "--columns", "id"}).out);
  EXPECT_EQ(csv, (Words{"machine,id\r", "beta," + third + "\r", "local," + second + "\r",
                        "alpha," + first + "\r"}));
}

TEST_F(MachinesListTest, StatusInboxAndQuestionsNameTheMachineOfEachRow) {
  const std::string job = asking("alpha");
  const Json status = here_json({"status", "--machines"});
  ASSERT_EQ(status["needs_input"].size(), 1u) << status;
  EXPECT_EQ(status["needs_input"][0]["machine"], "alpha");
  EXPECT_EQ(status["questions"][0]["machine"], "alpha");
  EXPECT_EQ(here_json({"questions", "--machines"})["questions"][0]["machine"], "alpha");
  EXPECT_EQ(here_json({"inbox", "--machines"})["questions"][0]["machine"], "alpha");
  EXPECT_EQ(here({"inbox", "--machines", "-q"}).out, "1\n");
  EXPECT_THAT(here({"inbox", "--machines"}).out, HasSubstr(job + " on alpha (work) q-"));
  EXPECT_THAT(here({"status", "--machines"}).out, AllOf(HasSubstr("Needs input (1)"), HasSubstr("alpha")));
  EXPECT_THAT(here({"status", "--machines", "--export", "markdown", "--out", "-"}).out,
              HasSubstr("| alpha | " + job));
}

TEST_F(MachinesListTest, IssuesOfAllMachinesAreOneList) {
  const std::string job = dispatch_there("beta", "echo 'bash: nosuchprogram: command not found'; exit 1");
  EXPECT_TRUE(wait_until([&] { return state_there("beta", job) == "failed"; }));
  const Json issues = here_json({"issues", "--machines"})["issues"];
  ASSERT_FALSE(issues.empty());
  EXPECT_EQ(issues[0]["machine"], "beta");
  EXPECT_EQ(issues[0]["job"], job);
}

TEST_F(MachinesListTest, JobIsFoundWhereItIs) {
  const auto before = position();
  const std::string job = dispatch_there("beta", "echo from far away; exit 3");
  EXPECT_TRUE(wait_until([&] { return state_there("beta", job) == "failed"; }));
  EXPECT_EQ(here_json({"job", job})["project"], "work");
  EXPECT_EQ(here({"logs", job}).out, "from far away\n");
  EXPECT_THAT(here({"why", job}).out, HasSubstr("queued for work"));
  EXPECT_EQ(here_json({"job", job.substr(0, job.size() - 1)})["id"], job) << "by the beginning of its id";
  EXPECT_EQ(here({"retry", job}).code, 0);
  EXPECT_TRUE(wait_until([&] {
    const Finished shown = there("beta", {"job", job, "--json"});
    return Json::parse(shown.out).value("attempts", 0) == 2;
  }));
  EXPECT_EQ(position(), before) << "nothing of that is in the log of this machine";
}

TEST_F(MachinesListTest, CommandsAboutAJobGoWhereItIs) {
  const std::string job =
      dispatch_there("beta", "while [ ! -e go ]; do sleep 0.05; done; echo from far away; exit 3");
  for (const char* command : {"jobs", "status"})
    EXPECT_THAT(here({command, job}).out, HasSubstr(job)) << command;
  for (const char* command : {"questions", "approvals", "issues"}) {
    const Finished listed = here({command, job});
    EXPECT_EQ(listed.code, 0) << listed.err;
  }
  const Finished told = here({"tell", job, "hello"});
  EXPECT_EQ(told.code, 4) << "a shell command takes no messages";
  EXPECT_THAT(told.err, HasSubstr("machine beta: "));
  EXPECT_EQ(here({"wait", job, "--until", "running", "--timeout", "100s"}).code, 0);
  EXPECT_EQ(here({"wait", job, "--timeout", "100ms"}).code, 1);
  write_text(path("beta/work/go"), "");
  EXPECT_EQ(here({"wait", job, "--exit-code", "--timeout", "100s"}).code, 3);
  EXPECT_EQ(here({"watch", job}).code, 1);
  const std::string near = dispatch("true");
  const Finished both = here({"wait", near, job, "--timeout", "100s"});
  EXPECT_EQ(both.code, 3);
  EXPECT_THAT(both.err,
              AllOf(HasSubstr("machine beta: no job '" + near + "'"), HasSubstr("several machines")));
}

TEST_F(MachinesListTest, JobIsFollowedAndRemovedWhereItIs) {
  const std::string job = dispatch_there("beta", "true");
  EXPECT_TRUE(wait_until([&] { return state_there("beta", job) == "completed"; }));
  const Finished followed = here({"follow", "--once", "--job", job});
  EXPECT_EQ(followed.code, 0) << followed.err;
  EXPECT_THAT(followed.out, HasSubstr("AttemptEnded"));
  EXPECT_THAT(here({"status", "--job", job}).out, HasSubstr(job));
  EXPECT_EQ(here({"rm", job}).code, 4) << "not without --yes";
  EXPECT_THAT(there("beta", {"jobs", "--all"}).out, HasSubstr(job));
  const Finished removed = here({"rm", job, "--yes"});
  EXPECT_EQ(removed.code, 0) << removed.err;
  EXPECT_THAT(there("beta", {"jobs", "--all"}).out, Not(HasSubstr(job)));
}

TEST_F(MachinesListTest, QuestionIsCancelledWhereItIs) {
  const std::string job = asking("alpha");
  const Finished cancelled = here({"question", "cancel", job, "--reason", "no longer"});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_TRUE(here_json({"questions", "--machines"})["questions"].empty());
}

TEST_F(MachinesListTest, JobOfASilentMachineIsNobodyElses) {
  const std::string job = dispatch_there("alpha", "sleep 1000");
  ASSERT_EQ(machine_of(job), "alpha");
  impersonate("alpha", "aaa");
  const Finished cancelled = here({"cancel", job});
  EXPECT_EQ(cancelled.code, 5);
  EXPECT_THAT(cancelled.err, HasSubstr("machine alpha: ")) << "its owner is known";
  const Finished listed = here({"jobs", "--machines"});
  EXPECT_EQ(listed.code, 5);
  EXPECT_THAT(listed.err,
              HasSubstr("both alpha and aaa say that they have " + job + ", which was on alpha before"));
  EXPECT_THAT(listed.out, Not(HasSubstr(job)));
  EXPECT_EQ(state_there("alpha", job), "running");
  EXPECT_EQ(here({"--on", "aaa", "job", job}).code, 0) << "who names a machine means it";
}

TEST_F(MachinesListTest, CancelStopsJobsOfSeveralMachines) {
  const std::string far = dispatch_there("alpha", "sleep 1000");
  const std::string near = dispatch("sleep 1000");
  const Json cancelled = here_json({"cancel", far, near});
  EXPECT_EQ(cancelled["ids"], (Json::array({far, near})));
  EXPECT_TRUE(becomes(near, "killed"));
  EXPECT_TRUE(wait_until([&] { return state_there("alpha", far) == "killed"; }));
}

TEST_F(MachinesListTest, AnswerReachesTheMachineThatAsks) {
  const std::string job = asking("alpha");
  const std::string question = here_json({"questions", "--machines"})["questions"][0]["id"];
  const Finished answered = here({"answer", question, "-"}, "there\n");
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_TRUE(wait_until([&] { return state_there("alpha", job) == "completed"; }));
  EXPECT_EQ(read_text(path("alpha/work/heard")), "there\n");
  EXPECT_NE(here({"answer", job, "here"}).code, 0) << "it is answered once";
  const std::string near = dispatch("sleep 1000");
  const Finished unasked = here({"answer", near, "here"});
  EXPECT_NE(unasked.code, 0);
  EXPECT_THAT(unasked.err, Not(HasSubstr("alpha"))) << "the job is here: nobody else is asked";
}

TEST_F(MachinesListTest, BeginningThatNamesJobsOfTwoMachinesIsRefused) {
  const std::string a = dispatch_there("alpha", "true"), b = dispatch_there("beta", "true");
  const auto differs = std::ranges::mismatch(a, b);
  const std::string beginning(a.begin(), differs.in1);
  ASSERT_FALSE(beginning.empty());
  const Finished refused = here({"cancel", beginning});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr(a + " on alpha"), HasSubstr(b + " on beta"), HasSubstr("--on")));
  EXPECT_EQ(here({"job", beginning}).code, 2);
}

TEST_F(MachinesListTest, UnknownJobSaysWhereItWasLookedFor) {
  const Finished unknown = here({"job", "1zzzzzzzzzzzz"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("no job '1zzzzzzzzzzzz', nor on alpha, beta"));
  const Finished in_job =
      run_to_end({kLuzia, "job", "1zzzzzzzzzzzz"}, environment({"LUZIA_SOCKET=" + store() + "/socket"}));
  EXPECT_EQ(in_job.code, 3);
  EXPECT_THAT(in_job.err, Not(HasSubstr("alpha"))) << "a job's agent asks its own daemon alone";
}

TEST_F(MachinesListTest, CursorAndPositionAreOfOneMachine) {
  EXPECT_EQ(here({"jobs", "--machines", "--cursor", "1zzzzzzzzzzzz"}).code, 2);
  EXPECT_EQ(here({"status", "--machines", "--at", "1"}).code, 2);
  EXPECT_EQ(here({"jobs", "--machines", "--on", "alpha"}).code, 2);
  EXPECT_EQ(here({"jobs", "--machines", "--at", "1s"}).code, 0) << "a time is the same everywhere";
}

}  // namespace
}  // namespace luzia
