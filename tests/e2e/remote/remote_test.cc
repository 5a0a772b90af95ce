// Commands for the daemon of another machine. In the place of ssh, a program runs the line as sshd would.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "adapters/socket/frame.h"
#include "tests/e2e/remote/far_machine.h"

namespace luzia {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOneMachine = "[machines.far]\nssh = \"far\"\n";
constexpr const char* kTwoMachines =
    "[machines.far]\nssh = \"far\"\nlabels = [\"big\"]\n[machines.near]\nssh = \"near\"\nlabels = "
    "[\"big\"]\n";
constexpr const char* kUntilGo = "while [ ! -e go ]; do sleep 0.05; done";

TEST_F(RemoteTest, EverythingOfAJobHappensOnItsMachine) {
  configure(kOneMachine);
  start_daemon();
  add_far("far");
  const std::string id = dispatch_on("far", "echo from there; exit 3");
  EXPECT_EQ(here({"--on", "far", "wait", id}).code, 1);
  const Json job = here_json({"--on", "far", "job", id});
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["exit_code"], 3);
  EXPECT_THAT(job["dir"], HasSubstr(path("far")));
  EXPECT_EQ(here({"--on", "far", "logs", id}).out, "from there\n");
  EXPECT_THAT(here({"--on", "far", "why", id}).out, HasSubstr("queued for demo"));
  EXPECT_THAT(here({"--on", "far", "status"}).out, HasSubstr("echo from there"));
  EXPECT_EQ(here({"--on", "far", "logs", id, "--grep", "nothing of it"}).code, 1);
  EXPECT_THAT(here({"--on", "far", "follow", "--once", "--job", id}).out, HasSubstr("AttemptEnded"));
  EXPECT_EQ(here_json({"jobs", "--all"})["jobs"].size(), 0U) << "none of it is here";
  EXPECT_EQ(luzia_there("far", {"job", id}).code, 0);
  const Finished retried = here({"--on", "far", "retry", id});
  EXPECT_EQ(retried.code, 0) << retried.err;
}

TEST_F(RemoteTest, EnvironmentNamesTheMachineToo) {
  configure(kOneMachine);
  start_daemon();
  add_far("far");
  const std::string id = dispatch_on("far", "true");
  for (const Words& variables : {Words{"LUZIA_ON=far"}, Words{"LUZIA_STORE=ssh://far"},
                                 Words{"LUZIA_STORE=ssh://far" + far_store("far")}}) {
    const Finished finished = here({"job", id}, variables);
    EXPECT_EQ(finished.code, 0) << variables.front() << finished.err;
  }
  EXPECT_EQ(here({"--store", "ssh://far", "job", id}).code, 0);
  EXPECT_EQ(here_json({"--on", "far", "dispatch", "demo", "true"})["machine"], "far");
  EXPECT_EQ(here({"--store", store(), "job", id}, {"LUZIA_ON=far"}).code, 3) << "--store wins";
  EXPECT_EQ(here({"--on", "far", "--store", store(), "jobs"}).code, 2);
  const Finished query = run_to_end({kLuziaQuery, "jobs"}, here_environment({"LUZIA_STORE=ssh://far"}));
  EXPECT_EQ(query.code, 2);
  EXPECT_THAT(query.err, HasSubstr("reads stores of this machine"));
  EXPECT_FALSE(std::filesystem::exists("ssh:"));
}

TEST_F(RemoteTest, QuestionIsAnsweredAndJobCancelledFromHere) {
  configure(kOneMachine);
  add_far("far");
  const std::string asks =
      dispatch_on("far", std::string("echo '{\"type\":\"confirm\",\"question\":\"Go on?\"}' > "
                                     "\"$LUZIA_JOB_DIR/clarification.json\"; ") +
                             kUntilGo);
  ASSERT_EQ(here({"--on", "far", "wait", asks, "--until", "waiting", "--timeout", "100s"}).code, 0);
  EXPECT_THAT(here({"--on", "far", "inbox"}).out, HasSubstr("Go on?"));
  const Finished answered = here({"--on", "far", "answer", asks, "yes"});
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_EQ(here_json({"--on", "far", "questions", "--all"})["questions"][0]["answer"], "yes");
  EXPECT_EQ(here({"--on", "far", "cancel", asks}).code, 0);
  EXPECT_EQ(here({"--on", "far", "wait", asks, "--timeout", "100s"}).code, 1);
}

TEST_F(RemoteTest, OutputIsFollowedWhileItComes) {
  configure(kOneMachine);
  add_far("far");
  const std::string id = dispatch_on("far", std::string("echo first; ") + kUntilGo + "; echo last");
  BesideProgram follow({kLuzia, "--on", "far", "logs", "-f", id}, here_environment(), path("followed"));
  ASSERT_TRUE(wait_until([&] { return follow.output().find("first") != std::string::npos; }));
  write_text(far("far", "demo/go"), "");
  EXPECT_EQ(follow.end(), 0);
  EXPECT_EQ(follow.output(), "first\nlast\n");
}

TEST_F(RemoteTest, WaitOutlivesTheOtherDaemonAndItsConnection) {
  configure(kOneMachine);
  add_far("far");
  const std::string id = dispatch_on("far", kUntilGo);
  ASSERT_EQ(here({"--on", "far", "wait", id, "--until", "running", "--timeout", "100s"}).code, 0);
  BesideProgram wait({kLuzia, "--on", "far", "wait", id}, here_environment(), path("waited"));
  ASSERT_EQ(here({"--on", "far", "daemon", "restart"}).code, 0);
  write_text(far("far", "demo/go"), "");
  EXPECT_EQ(wait.end(), 0) << wait.output();
}

TEST_F(RemoteTest, CommandsThatNeedThisMachineAreRefused) {
  configure(kOneMachine);
  add_far("far");
  for (const Words& words : std::vector<Words>{{"run", "x"},
                                               {"diff", "@last"},
                                               {"restore", "@last"},
                                               {"gc"},
                                               {"attach", "@last"},
                                               {"work", "on", "demo"},
                                               {"track", "1"},
                                               {"config", "show"},
                                               {"init"},
                                               {"doctor"},
                                               {"prompt", "list"},
                                               {"learn", "prompt", "list"},
                                               {"web", "status"},
                                               {"machine", "list"},
                                               {"project", "list"},
                                               {"project", "add"}}) {
    Words all = {"--on", "far"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished refused = here(all);
    EXPECT_EQ(refused.code, 4) << testing::PrintToString(words) << refused.out << refused.err;
    EXPECT_EQ(error_lines(refused.err), 1U) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(path("calls"))) << "nobody is asked";
  }
  EXPECT_EQ(here({"--on", "far", "dispatch", "demo", "true", "--dir", "below"}).code, 2);
  EXPECT_EQ(here({"config", "show"}, {"LUZIA_ON=far"}).code, 0) << "what no daemon answers is about here";
}

TEST_F(RemoteTest, UnknownMachinesAndLabelsAreNamed) {
  configure(kTwoMachines);
  const Finished unknown = here({"--on", "fra", "jobs"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("there is no machine 'fra'"), HasSubstr("did you mean far?")));
  for (const char* label : {"big", "any"}) {
    const Finished several = here({"--on", label, "jobs"});
    EXPECT_EQ(several.code, 2);
    EXPECT_THAT(several.err, HasSubstr("several machines (far, near)"));
  }
  const Finished injected = here({"--on", "ssh://-oProxyCommand=touch%20x", "jobs"});
  EXPECT_EQ(injected.code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("calls")));
}

TEST_F(RemoteTest, DispatchToAnyTakesTheMachineWithRoom) {
  configure(kTwoMachines);
  add_far("far", "[queue]\nmax_running = 1\n");
  add_far("near", "[queue]\nmax_running = 1\n");
  const std::string first = dispatch_on("far", kUntilGo);
  ASSERT_EQ(here({"--on", "far", "wait", first, "--until", "running", "--timeout", "100s"}).code, 0);
  const Finished second = here({"--on", "any", "dispatch", "demo", kUntilGo});
  ASSERT_EQ(second.code, 0);
  EXPECT_THAT(second.err, AllOf(HasSubstr("on machine near: 1 of 1 slots is free"),
                                HasSubstr("next is far: 0 of 1 slots are free"), HasSubstr("--on near")));
  const std::string id = lines_of(second.out).front();
  EXPECT_EQ(luzia_there("near", {"job", id}).code, 0);
  EXPECT_EQ(luzia_there("near", {"pause", "--all"}).code, 0);
  write_text(far("far", "demo/go"), "");
  ASSERT_EQ(here({"--on", "far", "wait", first, "--timeout", "100s"}).code, 0);
  EXPECT_THAT(here({"--on", "big", "dispatch", "demo", "true"}).err, HasSubstr("on machine far: 1 of 1"));
}

TEST_F(RemoteTest, MachineThatIsAwayOrWithoutTheProjectIsPassedOver) {
  configure(std::string(kTwoMachines) + "[machines.gone]\nssh = \"gone\"\n");
  add_far("far", "[queue]\nmax_running = 1\n");
  add_far("near");
  const std::string file = far("near", ".config/luzia/luzia.toml");
  write_text(file, "[queue]\nmax_running = 9\n");
  const Finished sent = here({"--on", "any", "dispatch", "demo", "true"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  EXPECT_THAT(sent.err, AllOf(HasSubstr("not there: machine gone: there is no luzia on its PATH"),
                              HasSubstr("machine near does not know the project: on machine far")));
  EXPECT_EQ(luzia_there("far", {"job", lines_of(sent.out).front()}).code, 0);
}

TEST_F(RemoteTest, RepeatedCommandIdReachesTheSameMachine) {
  configure(kTwoMachines);
  add_far("far");
  add_far("near");
  for (const char* command : {"first", "second", "third", "fourth"}) {
    const Words words = {"--on", "any", "dispatch", "demo", "true", "--command-id", command};
    const Finished once = here(words), again = here(words);
    ASSERT_EQ(once.code, 0) << once.err;
    EXPECT_EQ(once.out, again.out);
    EXPECT_THAT(again.err, HasSubstr("before, under the same command id"));
  }
  const auto count = [this](const char* name) {
    return Json::parse(luzia_there(name, {"jobs", "--all", "--json"}).out)["jobs"].size();
  };
  EXPECT_EQ(count("far") + count("near"), 4U);
}

TEST_F(RemoteTest, LostAnswerSaysHowToRepeat) {
  configure(kOneMachine);
  add_far("far");
  // The request arrives, and its answer is held back.
  ssh_is("printf 'luzia-proxy\\tversion=1\\tprotocol=1\\tclock=1\\n'; exec cat > /dev/null");
  const Finished unsure = here({"--on", "far", "dispatch", "demo", "true", "--patience", "300ms"});
  EXPECT_EQ(unsure.code, 5);
  EXPECT_THAT(unsure.err, AllOf(HasSubstr("it is not known whether it will carry out the command"),
                                testing::ContainsRegex("--command-id cli-[0-9a-f]+ --on far")));
  ssh_is("exec sleep 1000");
  const Finished lost = here({"--on", "far", "jobs", "--patience", "300ms"});
  EXPECT_EQ(lost.code, 5);
  EXPECT_THAT(lost.err, AllOf(HasSubstr("waiting for machine far: it does not answer; gave up after 0.3s"),
                              HasSubstr("luzia machine check far")));
  EXPECT_EQ(error_lines(lost.err), 1U) << lost.err;
}

TEST_F(RemoteTest, StoreThatIsNotThereIsNotMade) {
  configure("[machines.far]\nssh = \"far\"\nstore = \"" + path("far/misspelt store") + "\"\n");
  add_far("far");
  const Finished finished = here({"--on", "far", "jobs"});
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err, HasSubstr("machine far: there is no store at " + path("far/misspelt store")));
  EXPECT_FALSE(std::filesystem::exists(path("far/misspelt store")));
}

TEST_F(RemoteTest, StoppedDaemonIsNotStartedToBeStopped) {
  configure(kOneMachine);
  add_far("far");
  EXPECT_THAT(here({"--on", "far", "daemon", "status"}).out, HasSubstr("not running"));
  EXPECT_THAT(here({"--on", "far", "daemon", "stop"}).err, HasSubstr("no daemon is running"));
  EXPECT_FALSE(std::filesystem::exists(far_store("far")));
  EXPECT_EQ(here({"--on", "far", "daemon", "start"}).code, 0);
  EXPECT_THAT(here({"--on", "far", "daemon", "status"}).out, HasSubstr("machine far"));
  EXPECT_EQ(here({"--on", "far", "daemon", "stop"}).code, 0);
  EXPECT_THAT(here({"--on", "far", "daemon", "status"}).out, HasSubstr("not running"));
}

TEST_F(RemoteTest, MachineIsAddedCheckedAndRemoved) {
  configure("# mine\n[machines.old]\nssh = \"old\" # kept\n");
  add_far("far");
  EXPECT_EQ(here({"machine", "add", "gone", "gone"}).code, 5);
  EXPECT_EQ(here({"machine", "add", "any", "far"}).code, 2);
  EXPECT_EQ(here({"machine", "add", "old", "far"}).code, 2);
  EXPECT_EQ(here({"machine", "add", "bad", "-oProxyCommand=id"}).code, 2);
  const std::string file = home() + "/.config/luzia/luzia.toml", before = read_text(file);
  const Finished added =
      here({"machine", "add", "far", "ssh://far" + far_store("far"), "--label", "gpu,big"});
  EXPECT_EQ(added.code, 5) << "there is no store yet";
  EXPECT_EQ(read_text(file), before) << "a refusal changes nothing";
  const Finished second = here({"machine", "add", "far", "far", "--label", "gpu,big", "--max-running", "2"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(read_text(file), before +
                                 "\n[machines.far]\nssh = \"far\"\nlabels = [\"gpu\", \"big\"]\n"
                                 "max_running = 2\n");
  EXPECT_EQ(here_json({"machine", "list"})["machines"][0]["labels"], (Json{"gpu", "big"}));
  const Json check = Json::parse(here({"machine", "check", "--json"}).out)["machines"];
  EXPECT_EQ(check[0]["name"], "far");
  EXPECT_EQ(check[0]["ok"], true);
  EXPECT_EQ(check[0]["slots"], 2) << "bounded by max_running";
  EXPECT_EQ(check[0]["differences"], Json::array());
  EXPECT_EQ(check[1]["ok"], false);
  EXPECT_EQ(check[1]["error"]["code"], "machine_without_luzia");
  EXPECT_EQ(here({"machine", "check"}).code, 5);
  EXPECT_EQ(here({"machine", "check", "far"}).code, 0);
  EXPECT_EQ(here({"machine", "rm", "far"}).code, 0);
  EXPECT_EQ(read_text(file), before);
  EXPECT_EQ(here({"machine", "rm", "far"}).code, 3);
}

TEST_F(RemoteTest, JobThatTwoMachinesClaimIsNotActedUpon) {
  configure("[machines.far]\nssh = \"far\"\n[machines.twin]\nssh = \"far\"\n");
  start_daemon();
  add_far("far");
  const std::string id = dispatch_on("far", "sleep 1000");
  for (const char* command : {"cancel", "job"}) {
    const Finished refused = here({command, id, "--patience", "60s"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("both far and twin say that they have " + id));
  }
  EXPECT_TRUE(wait_until([&] { return here_json({"--on", "far", "job", id})["state"] == "running"; }));
  EXPECT_EQ(here({"--on", "far", "cancel", id}).code, 0);
}

class InstallTest : public RemoteTest {
 protected:
  InstallTest() {
    configure("# mine\n");
    add_far("far");
    program("dpkg",
            "case $1 in --print-architecture) echo here;; --version) ;;\n"
            "-i) cp \"$2\" $HOME/installed; echo \"Setting up\"; exit $(cat $HOME/dpkg-ends);; esac\n");
    program("sudo", "[ ! -e $HOME/asks ] && [ \"$1\" = -n ] || exit 1\nshift\nexec \"$@\"\n");
    write_text(far("far", "dpkg-ends"), "0");
  }
  /// On the other machine, in front of its own.
  void program(const std::string& name, const std::string& script) const {
    write_text(far("far", "bin/" + name), "#!/bin/sh\n" + script);
    std::filesystem::permissions(far("far", "bin/" + name), std::filesystem::perms::owner_all);
  }
  std::string package_for(const std::string& architecture, const std::string& name = "luzia") const {
    const std::string folder = path(name + "-" + architecture);
    std::filesystem::create_directories(folder + "/DEBIAN");
    std::filesystem::permissions(folder + "/DEBIAN", std::filesystem::perms(0755));
    write_text(folder + "/DEBIAN/control", "Package: " + name + "\nVersion: 9.9\nArchitecture: " +
                                               architecture + "\nMaintainer: nobody\nDescription: a test\n");
    const Finished built = run_to_end({"/usr/bin/dpkg-deb", "--build", folder}, environment());
    EXPECT_EQ(built.code, 0) << built.err;
    return folder + ".deb";
  }
  Finished add(const std::string& file) const {
    return here({"machine", "add", "far", "far", "--install", file});
  }
};

TEST_F(InstallTest, PackageIsSentInstalledAndTheMachineAdded) {
  const std::string file = package_for("here");
  const Finished added = add(file);
  ASSERT_EQ(added.code, 0) << added.err;
  EXPECT_EQ(read_text(far("far", "installed")), read_text(file)) << "byte by byte";
  EXPECT_THAT(added.err,
              AllOf(HasSubstr("sending " + file + " to far"), HasSubstr("installed luzia 9.9 (here) by"),
                    HasSubstr("machine far is configured")));
  EXPECT_EQ(here({"--on", "far", "status"}).code, 0);
}

TEST_F(InstallTest, WhatDoesNotFitIsRefusedAndNothingIsChanged) {
  const std::string file = home() + "/.config/luzia/luzia.toml", before = read_text(file);
  write_text(path("text.deb"), "no package");
  const Finished other = add(package_for("elsewhere"));
  EXPECT_EQ(other.code, 4);
  EXPECT_THAT(other.err, HasSubstr("is for elsewhere, and the machine is here"));
  EXPECT_EQ(add(path("text.deb")).code, 2);
  EXPECT_EQ(add(path("missing.deb")).code, 2);
  const Finished foreign = add(package_for("here", "bash"));
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.err, HasSubstr("it is a package of bash"));
  EXPECT_FALSE(std::filesystem::exists(far("far", "installed")));
  write_text(far("far", "dpkg-ends"), "1");
  const Finished failed = add(package_for("here"));
  EXPECT_EQ(failed.code, 5);
  EXPECT_THAT(failed.err, HasSubstr("machine far: dpkg -i failed: Setting up"));
  if (::geteuid() != 0) {
    write_text(far("far", "asks"), "");
    EXPECT_EQ(add(package_for("here")).code, 4) << "sudo asks for a password";
  }
  EXPECT_EQ(read_text(file), before);
  EXPECT_EQ(here({"machine", "add", "far", "far"}).code, 0);
  EXPECT_EQ(std::filesystem::exists(far("far", "installed")), true);
  std::filesystem::remove(far("far", "installed"));
  EXPECT_EQ(here({"machine", "check", "far"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(far("far", "installed"))) << "never without being asked";
}

TEST_F(InstallTest, InstallationThatTakesTooLongIsLeft) {
  const std::string file = home() + "/.config/luzia/luzia.toml", before = read_text(file);
  program("dpkg", "case $1 in --print-architecture) echo here;; -i) exec sleep 1000;; esac\n");
  const std::string package = package_for("here");
  const Finished slow = here({"machine", "add", "far", "far", "--install", package, "--timeout", "1s"});
  EXPECT_EQ(slow.code, 5);
  EXPECT_THAT(slow.err, AllOf(HasSubstr("machine far: it has not ended after 1"),
                              HasSubstr("hint: what dpkg has begun there goes on: ssh far dpkg -s luzia")));
  EXPECT_EQ(read_text(file), before);
  EXPECT_EQ(here({"machine", "add", "far", "far", "--timeout", "1s"}).code, 2) << "without --install";
}

TEST_F(InstallTest, StoppedInstallationEndsWithItsSsh) {
  program("dpkg",
          "case $1 in --print-architecture) echo here;; -i) echo $$ > $HOME/its; mv $HOME/its $HOME/begun; "
          "exec sleep 1000;; esac\n");
  BesideProgram adding({kLuzia, "machine", "add", "far", "far", "--install", package_for("here")},
                       here_environment(), path("adding.out"));
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(far("far", "begun")); }));
  adding.signal(SIGINT);
  EXPECT_EQ(adding.end(), 128 + SIGINT);
  EXPECT_TRUE(adding.signalled()) << "a script ends, too";
  EXPECT_THAT(adding.output(), HasSubstr("machine far: stopped; what dpkg has begun there goes on"));
  // What stands in for the other machine here belongs to its ssh.
  const pid_t dpkg = std::stoi("0" + read_text(far("far", "begun")));
  EXPECT_TRUE(wait_until([&] { return dpkg > 0 && !is_running(dpkg); }));
}

TEST_F(RemoteTest, ErrorsOfTheOtherDaemonNameItsMachine) {
  configure(kOneMachine);
  add_far("far");
  ASSERT_EQ(here({"--on", "far", "daemon", "start"}).code, 0);
  for (const Words& words : std::vector<Words>{{"cancel", "1zzzzzzzzzzzz"},
                                               {"job", "1zzzzzzzzzzzz"},
                                               {"logs", "1zzzzzzzzzzzz"},
                                               {"wait", "1zzzzzzzzzzzz"},
                                               {"tell", "1zzzzzzzzzzzz", "hello"},
                                               {"answer", "q-1zzzzzzzzzzzz", "yes"},
                                               {"dispatch", "nosuch", "true"}}) {
    Words all = {"--on", "far"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished refused = here(all);
    EXPECT_NE(refused.code, 0);
    EXPECT_THAT(refused.err, testing::StartsWith("luzia: machine far: ")) << words.front();
  }
  EXPECT_THAT(here({"--on", "far", "logs", "1zzzzzzzzzzzz", "--attempt", "0"}).err,
              Not(HasSubstr("machine far")))
      << "that is a mistake made here";
  const Finished by_address = here({"--store", "ssh://far", "job", "1zzzzzzzzzzzz"});
  EXPECT_THAT(by_address.err, HasSubstr("machine far: no job '1zzzzzzzzzzzz'"));
}

TEST_F(RemoteTest, PagesWithoutEndAreLeft) {
  std::string pages;
  for (std::uint64_t id = 1; id <= 5'000; ++id) {
    wire::ServerFrameT frame;
    wire::RowsT rows;
    rows.type = wire::RowType::job;
    rows.next = std::to_string(id);
    rows.last = true;
    frame.id = id;
    frame.reply.Set(std::move(rows));
    pages += encode(frame);
  }
  write_text(path("pages"), pages);
  ssh_is("printf 'luzia-proxy\\tversion=1\\tprotocol=1\\tclock=1\\n'; cat " + path("pages") +
         "; exec cat > " + path("sent") + "\n");
  const Finished listed = here({"--on", "ssh://far", "jobs", "--all"});
  EXPECT_EQ(listed.code, 5);
  EXPECT_THAT(listed.err, HasSubstr("more rows than fit into one answer"));
}

TEST_F(RemoteTest, SshThatStallsEndsWithTheList) {
  configure(kOneMachine);
  start_daemon();
  ssh_is("echo $$ > " + path("pid") + "\nexec sleep 1000\n");
  EXPECT_EQ(here({"jobs", "--machines"}).code, 5);
  const std::string pid = lines_of(read_text(path("pid"))).at(0);
  EXPECT_TRUE(wait_until([&] { return read_text("/proc/" + pid + "/cmdline").empty(); })) << "it lives on";
}

TEST_F(RemoteTest, AnswerToADispatchMustBeIdsOfJobs) {
  wire::ServerFrameT frame;
  wire::AcceptedT accepted;
  accepted.ids = {"--all"};
  frame.id = 1;
  frame.reply.Set(std::move(accepted));
  write_text(path("frame"), encode(frame));
  ssh_is("printf 'luzia-proxy\\tversion=1\\tprotocol=1\\tclock=1\\n'; cat " + path("frame") +
         "; exec cat > " + path("sent") + "\n");
  const Finished refused = here({"--on", "ssh://far", "dispatch", "demo", "true"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_EQ(refused.out, "") << "a script would cancel with it";
  EXPECT_THAT(refused.err, HasSubstr("something else than ids"));
}

TEST_F(RemoteTest, OtherClockAndVersionAreToldByCheck) {
  configure(kOneMachine);
  add_far("far");
  ASSERT_EQ(luzia_there("far", {"daemon", "start"}).code, 0);
  // What passes is the other side's own, but for its greeting.
  ssh_is(
      "exec env -i HOME=$SCRATCH/far/ XDG_STATE_HOME=$SCRATCH/far/state PATH=$SCRATCH/far/bin:/usr/bin:/bin "
      "sh -c \"$LINE\" | { read -r blank; IFS= read -r greeting; "
      "printf '%s\\n' \"$greeting\" | sed 's/version=[0-9.]*/version=0.0.1/; s/clock=[0-9]*/clock=1000000/'; "
      "exec cat; }\n");
  const Finished jobs = here({"--on", "far", "jobs"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_THAT(jobs.err, HasSubstr("note: the clock of machine far is"));
  const Finished check = here({"machine", "check"});
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_THAT(check.out,
              AllOf(HasSubstr("luzia 0.0.1 there"), HasSubstr("its clock is"), HasSubstr("behind")));
}

TEST_F(RemoteTest, ProxySpeaksToNobodyButLuzia) {
  add_far("far");
  const Finished ended = luzia_there("far", {"proxy"});
  EXPECT_EQ(ended.code, 0) << "the input has ended";
  EXPECT_THAT(ended.out, AllOf(HasSubstr("\nluzia-proxy\tversion="), HasSubstr("\tprotocol=1\t")));
  EXPECT_EQ(luzia_there("far", {"proxy", "a task"}).code, 2) << "a project of that name, as before";
  EXPECT_EQ(luzia_there("far", {"--on", "x", "proxy"}).code, 4);
  EXPECT_THAT(luzia_there("far", {"help", "--all"}).out, Not(HasSubstr("\n  proxy ")));
}

}  // namespace
}  // namespace luzia
