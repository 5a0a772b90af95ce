// Tests tools/docs/who-may.md line by line with the users that it names.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/e2e/users/several_users.h"

namespace luzia {
namespace {

constexpr const char* kSleep = "while [ ! -e \"$LUZIA_JOB_DIR/go\" ]; do sleep 0.05; done";

Words words_of(const std::string& line, const std::string& job = {}) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word == "JOB" ? job : word);
  return words;
}

std::string asking(const std::string& file, const std::string& json) {
  return "echo '" + json + "' > \"$LUZIA_JOB_DIR/" + file + "\"; " + kSleep;
}

class WhoMayTest : public SeveralUsersTest {
 protected:
  /// A job of the project, dispatched by `user`, in `state`: ready for a command of a line below.
  std::string job_that(const std::string& state, const std::string& user, const std::string& project) {
    if (state == "ended") {
      const std::string id = dispatch_as(user, {project, "exit 3"});
      EXPECT_EQ(ended(id)["state"], "failed");
      return id;
    }
    if (state == "held") {
      const std::string id = dispatch_as(user, {project, "true", "--not-before", "1h"});
      EXPECT_EQ(as(user, {"hold", id}).code, kOk);
      return id;
    }
    const std::string task =
        state == "asks"    ? asking("clarification.json", R"({"type":"confirm","question":"Go on?"})")
        : state == "gated" ? asking("approval.json", R"({"gate":"deploy","description":"Deploy?"})")
                           : kSleep;
    const std::string id = dispatch_as(user, {project, task});
    EXPECT_TRUE(becomes(id, state == "asks" || state == "gated" ? "waiting" : "running"));
    if (state != "paused") return id;
    EXPECT_EQ(luzia({"pause", id}).code, 0);
    return id;
  }

  /// Events that this user has caused. Earlier jobs may end meanwhile.
  std::ptrdiff_t events_by(const std::string& user) const {
    const std::vector<Json> all = events();
    return std::ranges::count_if(all, [&](const Json& event) {
      return event["actor"]["kind"] != "daemon" && event["actor"]["uid"] == uid_of(user);
    });
  }
  void expect_refused(const std::string& user, const Words& words, const std::string& code = "may not") {
    const std::ptrdiff_t before = events_by(user);
    const Finished refused = as(user, words);
    EXPECT_EQ(refused.code, kRefused) << user << ": " << testing::PrintToString(words) << "\n" << refused.out;
    EXPECT_THAT(refused.out, HasSubstr(code)) << testing::PrintToString(words);
    EXPECT_EQ(error_lines(refused.out), 1U) << refused.out;
    EXPECT_EQ(events_by(user), before) << "a refusal changes nothing";
  }
  using Position = std::uint64_t;

  /// Starts a daemon whose programs all users can execute, because attempts run luzia too.
  void start_daemon_that_all_reach() {
    namespace fs = std::filesystem;
    const fs::path programs = path("programs"), built = fs::path(kLuziad).parent_path().parent_path();
    fs::create_directories(programs);
    for (const char* name : {"luzia", "luziad", "luzia-run"})
      fs::copy_file(built / name / name, programs / name);
    stop_daemon();
    ASSERT_EQ(luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + (programs / "luziad").string()}).code, 0);
  }
};

/// The state of a job | a command that continues it or reports in its name.
constexpr const char* kGoesOn = R"(
ended   | retry JOB
held    | release JOB
held    | edit JOB --priority 9
held    | edit JOB --not-before now
paused  | resume JOB
asks    | answer JOB yes
asks    | ask --job JOB --timeout 1ms --default no Why?
gated   | approve JOB
gated   | deny JOB
running | publish progress JOB --progress-percent 40
)";

TEST_F(WhoMayTest, ContinuingAJobNeedsTheRightToRunIt) {
  if (!make()) return;
  std::istringstream lines(kGoesOn);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const std::string state = words_of(line).front(), command = line.substr(line.find('|') + 1);
    SCOPED_TRACE(line);
    const std::string of_root = job_that(state, "root", "team"), of_alice = job_that(state, "alice", "team"),
                      of_svc = job_that(state, "alice", "served");
    for (const std::string& job : {of_root, of_alice}) expect_refused("bob", words_of(command, job));
    for (const std::string& job : {of_root, of_alice, of_svc}) {
      EXPECT_EQ(as("eve", words_of(command, job)).code, kUnknown) << "she is in no project";
    }
    EXPECT_EQ(as("alice", words_of(command, of_alice)).code, kOk) << "it is her own";
    EXPECT_EQ(as("bob", words_of(command, of_svc)).code, kOk) << "he may run anything as its user";
    EXPECT_EQ(as("root", words_of(command, of_root)).code, kOk);
  }
}

TEST_F(WhoMayTest, TellingAnAgentNeedsTheRightToRunIt) {
  if (!make()) return;
  const std::string job = job_that("running", "alice", "team");
  EXPECT_EQ(as("eve", {"tell", job, "stop"}).code, kUnknown);
  expect_refused("bob", {"tell", job, "stop"}, "may not tell");
  expect_refused("alice", {"tell", job, "stop"}, "it runs a command");
}

TEST_F(WhoMayTest, EveryMemberMayStop) {
  if (!make()) return;
  const std::string queued = dispatch_as("root", {"team", "true", "--not-before", "1h"});
  const std::string running = job_that("running", "root", "team");
  EXPECT_EQ(as("bob", {"hold", queued}).code, kOk);
  EXPECT_EQ(as("bob", {"pause", running}).code, kOk);
  for (const std::string& job : {queued, running}) {
    EXPECT_EQ(as("eve", {"cancel", job}).code, kUnknown);
    EXPECT_EQ(as("bob", {"cancel", job, "--grace", "0"}).code, kOk);
    EXPECT_EQ(ended(job)["state"], job == queued ? "cancelled" : "killed");
  }
}

TEST_F(WhoMayTest, SchedulesRunAsTheProjectsUserAndAreRunByWhoCouldDispatch) {
  std::string toml;
  for (const char* project : {"team", "served"}) {
    toml += std::string("[[schedules]]\nname = \"of-") + project + "\"\nproject = \"" + project +
            "\"\ncron = \"@yearly\"\ntask = \"id -un\"\n";
  }
  if (!make(toml)) return;
  ASSERT_TRUE(wait_until([&] { return as("root", {"schedule", "pause", "of-team"}).code == kOk; }));
  expect_refused("bob", {"schedule", "resume", "of-team"});
  expect_refused("bob", {"schedule", "run", "of-team"});
  EXPECT_EQ(as("eve", {"schedule", "run", "of-team"}).code, kUnknown) << "she is in no project";
  EXPECT_EQ(as("eve", {"schedule", "pause", "of-served"}).code, kUnknown);
  EXPECT_EQ(as("root", {"schedule", "resume", "of-team"}).code, kOk);
  EXPECT_EQ(as("bob", {"schedule", "pause", "of-team"}).code, kOk) << "every member may stop";
  const auto runs_as = [&](const std::string& user, const std::string& name) {
    const Finished run = as(user, {"schedule", "run", name, "-q"});
    EXPECT_EQ(run.code, kOk) << run.out;
    const Words lines = lines_of(run.out);
    if (lines.empty()) return std::string();
    ended(lines.front());
    const Words written = lines_of(output(lines.front()));
    return written.empty() ? std::string() : written.front();
  };
  EXPECT_EQ(runs_as("bob", "of-served"), "svc") << "he may run anything as its user";
  EXPECT_EQ(runs_as("root", "of-team"), "root");
}

TEST_F(WhoMayTest, JobRunsAsItsCallerOrTheProjectsUser) {
  if (!make()) return;
  const auto runs_as = [&](const std::string& user, const Words& words) {
    const std::string id = dispatch_as(user, words);
    ended(id);
    const Words lines = lines_of(output(id));
    return lines.empty() ? std::string() : lines.front();
  };
  EXPECT_EQ(runs_as("alice", {"team", "id -un"}), "alice");
  EXPECT_EQ(runs_as("alice", {"served", "id -un"}), "svc");
  EXPECT_EQ(runs_as("alice", {"served", "id -un", "--user", "svc"}), "svc");
  EXPECT_EQ(runs_as("alice", {"served", "id -un", "--user", "alice"}), "alice") << "for herself";
  EXPECT_EQ(runs_as("root", {"team", "id -un"}), "root");
  EXPECT_EQ(runs_as("root", {"served", "id -un"}), "svc");
  EXPECT_EQ(runs_as("root", {"served", "id -un", "--user", "root"}), "root") << "root asks";
  EXPECT_EQ(runs_as("root", {"team", "id -un", "--user", "bob"}), "bob");
}

TEST_F(WhoMayTest, MembershipNeverGrantsAnotherUser) {
  if (!make()) return;
  for (const char* project : {"team", "served"}) {
    for (const char* user : {"root", "bob"}) {
      expect_refused("alice", {project, "id", "--user", user}, "may not run jobs as");
      expect_refused("alice", {"work", "on", project, "--user", user, "--detached"}, "may not run jobs as");
      expect_refused("alice", {project, "id", "--user", user, "--dry-run"}, "may not run jobs as");
    }
  }
  expect_refused("alice", {"team", "id", "--user", "svc"}, "may not run jobs as");
  EXPECT_EQ(as("alice", {"team", "id", "--user", "nosuchuser"}).code, kUsage);
  for (const char* project : {"team", "served", "demo"}) {
    expect_refused("eve", {project, "id"}, "no project");
    expect_refused("eve", {project, "id", "--user", "eve"}, "no project");
  }
}

TEST_F(WhoMayTest, DirectoryIsCheckedAsTheJobsUser) {
  if (!make()) return;
  const std::string secret = path("of-bob") + "/secret";
  std::filesystem::create_directories(secret);
  ASSERT_EQ(::chown(secret.c_str(), uid_of("bob"), uid_of("bob")), 0);
  ::chmod(path("of-bob").c_str(), 0700);
  const auto said = [&](const std::string& user, const std::string& dir) {
    const Finished sent = as(user, {"team", "pwd", "--dir", dir});
    EXPECT_EQ(sent.code, kUsage) << sent.out;
    return sent.out.substr(sent.out.find("that "));
  };
  const std::string none = said("alice", path("of-bob") + "/none");
  EXPECT_EQ(said("alice", secret), none) << "only bob may know whether it exists";
  EXPECT_EQ(said("alice", "/root/.ssh"), none);
  EXPECT_EQ(said("alice", path("passwd")), none) << "no directory";
  const std::string own = dispatch_as("bob", {"team", "pwd", "--dir", secret});
  EXPECT_EQ(ended(own)["state"], "completed");
  EXPECT_THAT(output(own), HasSubstr(secret + "\n"));
}

TEST_F(WhoMayTest, PreflightChecksRunAsTheJobsUser) {
  if (!make(
          "[projects.checked]\npath = \"/tmp\"\nusers = [\"alice\"]\nuser = \"svc\"\npreflight = [\"id -un > "
          "\\\"$LUZIA_JOB_DIR/checked\\\"\"]\n"))
    return;
  const std::string id = dispatch_as("alice", {"checked", "cat \"$LUZIA_JOB_DIR/checked\""});
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(output(id), HasSubstr("svc\n"));
}

TEST_F(WhoMayTest, ResumingAQueueNeedsTheRightToRunItsJobs) {
  if (!make()) return;
  EXPECT_EQ(as("bob", {"pause", "--project", "team"}).code, kOk);
  const std::string own = dispatch_as("bob", {"team", "true"});
  const std::string of_root = dispatch_as("root", {"team", "true"});
  expect_refused("bob", {"resume", "--project", "team"});
  EXPECT_EQ(luzia({"cancel", of_root}).code, 0);
  ended(of_root);
  EXPECT_EQ(as("bob", {"resume", "--project", "team"}).code, kOk);
  EXPECT_EQ(ended(own)["state"], "completed");
}

TEST_F(WhoMayTest, QueueCountsJobsOfHiddenProjectsAndNamesNone) {
  if (!make("[queue]\nmax_running = 1\n[projects.hidden]\npath = \"" + path("common") +
            "\"\nusers = [\"alice\"]\n"))
    return;
  const std::string runs = job_that("running", "alice", "hidden"),
                    next = dispatch_as("alice", {"hidden", "true", "--priority", "9"}),
                    of_bob = dispatch_as("bob", {"team", "true"});
  const auto waiting = [&](const std::string& user) {
    return Json::parse(as(user, {"job", of_bob, "--json"}).out).at("waiting");
  };
  EXPECT_EQ(waiting("alice")["first_ahead"], Json::array({next}));
  EXPECT_EQ(waiting("bob")["first_ahead"], Json::array());
  EXPECT_EQ(waiting("bob")["queue_position"], 2);
  const std::string why = as("bob", {"why", of_bob}).out;
  EXPECT_THAT(why, HasSubstr("1 of 1 slots are taken; 1 comes first"));
  EXPECT_THAT(why + as("bob", {"jobs", "--state", "queued", "--json"}).out, testing::Not(HasSubstr(next)));
  EXPECT_EQ(luzia({"cancel", runs}).code, 0);
}

TEST_F(WhoMayTest, ChangingAFlowNeedsTheRightToRunItsSteps) {
  if (!make()) return;
  write_text(path("flow.toml"),
             "[[steps]]\nname = \"one\"\nagent = \"shell\"\nprompt = \"id -un; exit 3\"\n"
             "[[steps]]\nname = \"two\"\nagent = \"shell\"\nneeds = [\"one\"]\nprompt = \"id -un\"\ngate = "
             "\"ready\"\n");
  const auto flow_of = [&](const std::string& user, const std::string& project) {
    const Finished made = as(user, {"--quiet", "flow", "run", path("flow.toml"), "--project", project});
    EXPECT_EQ(made.code, kOk) << made.out;
    const Words lines = lines_of(made.out);
    return lines.empty() ? std::string() : lines.front();
  };
  const auto job_of = [&](const std::string& flow) {
    std::string job;
    EXPECT_TRUE(wait_until([&] {
      job = luzia_json({"flow", "status", flow})["steps"][0].value("job", "");
      return !job.empty();
    }));
    return job;
  };
  const std::string of_root = flow_of("root", "team"), of_alice = flow_of("alice", "team"),
                    of_svc = flow_of("alice", "served");
  EXPECT_EQ(ended(job_of(of_root))["user"], "root");
  EXPECT_EQ(ended(job_of(of_alice))["user"], "alice");
  EXPECT_EQ(ended(job_of(of_svc))["user"], "svc");
  for (const std::string& flow : {of_root, of_alice}) {
    for (const char* action : {"reset", "skip", "complete"})
      expect_refused("bob", {"flow", action, flow, "one"}, "may not direct");
    expect_refused("bob", {"flow", "approve", flow, "two"}, "may not direct");
    expect_refused("bob", {"flow", "note", flow, "hint", "do it my way"}, "may not direct");
    expect_refused("bob", {"dispatch", "team", "id", "--flow", flow + "/one"}, "may not direct");
    EXPECT_EQ(as("eve", {"flow", "reset", flow, "one"}).code, kUnknown);
  }
  EXPECT_EQ(as("bob", {"flow", "reset", of_svc, "one"}).code, kOk);
  EXPECT_EQ(as("alice", {"flow", "reset", of_alice, "one"}).code, kOk);
  EXPECT_EQ(as("bob", {"flow", "tag", of_root, "later"}).code, kOk) << "that starts nothing";
}

TEST_F(WhoMayTest, ImportAndDaemonControlNeedRoot) {
  if (!make()) return;
  const std::string older = path("of-bob") + "/jobs";
  std::filesystem::create_directories(older + "/team-1");
  write_text(
      older + "/team-1/meta.json",
      R"({"id":"team-1","project":"team","task":"t","started":"2025-01-01T00:00:00","status":"completed"})");
  write_text(older + "/team-1/output.log", "done\n\nexit:0\n");
  expect_refused("bob", {"import", older});
  EXPECT_EQ(as("root", {"import", older}).code, kOk);
  expect_refused("bob", {"publish", "system_alert", "--message", "hot"});
  expect_refused("bob", {"alert", "clear"});
  for (const char* control : {"stop", "reload", "drain", "scrub"}) expect_refused("bob", {"daemon", control});
  expect_refused("bob", {"hooks"});
}

TEST_F(WhoMayTest, OnlyMembersReadAJob) {
  if (!make()) return;
  const std::string id = dispatch_as("alice", {"team", "echo for-members; exit 3"});
  ended(id);
  for (const char* read : {"job", "why", "logs"}) {
    SCOPED_TRACE(read);
    EXPECT_EQ(as("bob", {read, id}).code, kOk);
    const Finished hidden = as("eve", {read, id});
    EXPECT_EQ(hidden.code, kUnknown) << "she does not learn that it exists";
    EXPECT_THAT(hidden.out, testing::Not(HasSubstr("for-members")));
  }
  EXPECT_THAT(as("bob", {"jobs", "--all", "--json"}).out, HasSubstr(id));
  EXPECT_THAT(as("eve", {"jobs", "--all", "--json"}).out, testing::Not(HasSubstr(id)));
}

TEST_F(WhoMayTest, LearningNeedsMembership) {
  if (!make()) return;
  const Words lists[] = {{"fact", "add", "team", "uses", "make"},
                         {"solution", "add", "it hangs", "restart it"},
                         {"todo", "add", "write it down"}};
  for (const Words& words : lists) {
    SCOPED_TRACE(words[0]);
    const auto in = [&](const Words& where) {
      Words whole = words;
      whole.insert(whole.end(), where.begin(), where.end());
      return whole;
    };
    EXPECT_EQ(as("bob", in({"--project", "team"})).code, kOk);
    EXPECT_NE(as("eve", in({"--project", "team"})).code, kOk);
    expect_refused("bob", in({"--everywhere"}));
    EXPECT_EQ(as("root", in({"--everywhere"})).code, kOk);
  }
}

TEST_F(WhoMayTest, WhatHasExpiredIsTakenByTheDaemonsOwn) {
  if (!make("[keep]\noutputs = \"1s\"\n")) return;
  const std::string id = dispatch_as("alice", {"team", "seq 1 200"});
  ended(id);
  const auto due = [&](const std::string& user) {
    const Json json = Json::parse(as(user, {"gc", "--dry-run", "--json"}).out, nullptr, false);
    return json.is_object() && !json["expire"].empty() && json["expire"][0]["jobs"] == 1;
  };
  ASSERT_TRUE(wait_until([&] { return due("root"); }));
  EXPECT_FALSE(due("alice")) << "the rules are about all projects";
  as("alice", {"gc", "--yes"});
  EXPECT_EQ(events_of(id, "FilesExpired").size(), 0U);
  EXPECT_EQ(as("root", {"gc", "--yes"}).code, kOk);
  EXPECT_TRUE(wait_until([&] { return events_of(id, "FilesExpired").size() == 1; }));
}

// Seal, archive, backup and verify of a stopped store need nothing but its files.
TEST_F(WhoMayTest, StoresFilesAreTheDaemonsOwn) {
  if (!make()) return;
  ended(dispatch_as("alice", {"team", "true"}));
  ASSERT_EQ(query({"seal"}).code, 0);
  ASSERT_EQ(query({"archive", path("archive"), "--until", std::to_string(position())}).code, 0);
  namespace fs = std::filesystem;
  const auto for_others = fs::perms::group_all | fs::perms::others_all;
  for (const auto& entry : fs::directory_iterator(store())) {
    const std::string name = entry.path().filename();
    if (name == "socket" || name == "sandbox") continue;  // for members; for agents in a sandbox
    EXPECT_EQ(entry.status().permissions() & for_others, fs::perms::none) << name;
  }
  EXPECT_EQ(fs::status(path("archive")).permissions() & for_others, fs::perms::none);
}

TEST_F(WhoMayTest, TrackedTaskIsItsPublishersOwn) {
  if (!make()) return;
  const auto report = [](const std::string& kind) {
    return Words{"publish", kind, "--task-id", "nightly", "--project", "team"};
  };
  EXPECT_EQ(as("eve", report("task_started")).code, kRefused) << "she is in no project";
  EXPECT_EQ(as("bob", report("task_started")).code, kOk);
  for (const char* kind : {"task_started", "progress", "task_completed"})
    expect_refused("alice", report(kind));
  EXPECT_EQ(as("eve", report("progress")).code, kUnknown) << "she does not learn that it exists";
  EXPECT_EQ(as("bob", report("progress")).code, kOk);
  EXPECT_EQ(as("alice", {"publish", "task_started", "--task-id", "nightly", "--project", "served"}).code,
            kOk);
  EXPECT_EQ(as("alice", {"publish", "task_completed", "--task-id", "nightly"}).code, kOk)
      << "bob's task of that name does not stand in the way of her own";
  EXPECT_EQ(as("root", report("task_completed")).code, kOk);
}

TEST_F(WhoMayTest, TodoIsTakenInTheNameOfOnesOwnJob) {
  if (!make()) return;
  const std::string of_alice = dispatch_as("alice", {"team", "true"}),
                    of_bob = dispatch_as("bob", {"team", "true"});
  const Finished added = as("alice", {"todo", "add", "fix the build", "--project", "team", "-q"});
  ASSERT_EQ(added.code, kOk) << added.out;
  const std::string todo = lines_of(added.out).at(0);
  const auto in_job = [this](const std::string& job) {
    const std::string file = path("in-" + job);
    std::string all;
    for (const std::string& entry : {"LUZIA_JOB_ID=" + job, "LUZIA_SOCKET=" + store() + "/socket",
                                     "HOME=" + path("of-" + job), std::string("PATH=/usr/bin:/bin")})
      all.append(entry).push_back('\0');
    write_text(file, all);
    return file;
  };
  ASSERT_TRUE(becomes(of_alice, "completed") && becomes(of_bob, "completed"));
  const Position before = position();
  const Finished refused = with_environment("bob", in_job(of_alice), {"todo", "take", todo});
  EXPECT_EQ(refused.code, kRefused) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("bob may not change todos in the name of job " + of_alice));
  EXPECT_EQ(position(), before) << "a refusal changes nothing";
  EXPECT_EQ(with_environment("bob", in_job(of_bob), {"todo", "take", todo}).code, kOk);
  EXPECT_EQ(with_environment("alice", in_job(of_alice), {"todo", "done", todo}).code, kRefused)
      << "bob's job has it";
  EXPECT_EQ(as("alice", {"todo", "done", todo}).code, kOk) << "a person may";
  EXPECT_EQ(as("eve", {"todo", "release", todo}).code, kUnknown) << "she is in no project";
  expect_refused("bob", {"todo", "take", todo, "--by", "alice"});
  expect_refused("bob", {"todo", "add", "for everybody", "--everywhere"});
}

TEST_F(WhoMayTest, ProcessIsTrackedByItsUser) {
  if (!make()) return;
  start_daemon_that_all_reach();
  // The sleeping agent of a job is a process of alice.
  const std::string job = dispatch_as("alice", {"team", "exec sleep 600"});
  ASSERT_TRUE(becomes(job, "running"));
  const std::string pid = std::to_string(luzia_json({"job", job})["pid"].get<int>());
  const Words words = {"track", pid, "--project", "team", "-q"};
  expect_refused("bob", words, "may not track process " + pid);
  expect_refused("eve", words, "no project 'team' is configured for eve");
  const Finished own = as("alice", words);
  EXPECT_EQ(own.code, kOk) << own.out;
  const Finished other = as("root", {"track", pid, "--project", "served"});
  EXPECT_EQ(other.code, kOk) << other.out;
  const std::string id = lines_of(own.out).front();
  EXPECT_EQ(as("bob", {"untrack", id}).code, kOk) << "members stop the watching";
  EXPECT_EQ(state(job), "running");
  EXPECT_EQ(luzia({"cancel", job}).code, 0);
}

TEST_F(WhoMayTest, LogIsReadWithTheRightsOfWhoTracksIt) {
  if (!make()) return;
  start_daemon_that_all_reach();
  const std::string secret = common() + "/secret", open = common() + "/open";
  write_text(secret, "::error::password\n");
  write_text(open, "::error::old\n");
  ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
  ASSERT_EQ(::chmod(open.c_str(), 0644), 0);
  const auto track = [](const std::string& file) {
    return Words{"track", "--log", file, "--from-start", "--project", "team", "-q"};
  };
  expect_refused("bob", track(secret), "Permission denied");
  expect_refused("eve", track(open), "no project 'team' is configured for eve");
  const Finished tracked = as("bob", track(open));
  ASSERT_EQ(tracked.code, kOk) << tracked.out;
  const std::string id = lines_of(tracked.out).front();
  ASSERT_TRUE(wait_until([&] { return events_of(id, "AnnotationFound").size() == 1; }));
  // What takes the log's place is opened with bob's rights too.
  stop_daemon();
  std::filesystem::remove(open);
  std::filesystem::create_symlink(secret, open);
  start_daemon();
  const Finished whole = as("root", track(secret));
  ASSERT_EQ(whole.code, kOk) << whole.out;
  const std::string of_root = lines_of(whole.out).front();
  ASSERT_TRUE(wait_until([&] { return events_of(of_root, "AnnotationFound").size() == 1; }));
  EXPECT_EQ(events_of(id, "AnnotationFound").size(), 1U) << "that of the file that bob may read";
  EXPECT_THAT(as("bob", {"logs", "--raw", id}).out, testing::Not(HasSubstr("password")));
}

TEST_F(WhoMayTest, FilesAreRestoredAsTheJobsUser) {
  const std::string tree = path("of-alice") + "/tree";
  if (!make("[projects.kept]\npath = \"" + tree + "\"\nusers = [\"alice\", \"bob\"]\nsnapshot = true\n"))
    return;
  start_daemon_that_all_reach();
  script("prepare", "mkdir " + tree + " && cd " + tree +
                        " && git init -q . && echo one > file && git add . &&\n" +
                        "git -c user.name=a -c user.email=a@b commit -qm one &&\n" +
                        "git config filter.own.clean 'id -un >> " + common() +
                        "/ran; cat' && echo '* filter=own' > .gitattributes\n");
  const std::string first = dispatch_as("alice", {"team", project() + "/prepare"});
  ASSERT_EQ(ended(first)["state"], "completed") << output(first);
  const std::string id = dispatch_as("alice", {"kept", "echo two > file"});
  ASSERT_EQ(ended(id)["state"], "completed") << output(id);
  ASSERT_EQ(events_of(id, "SnapshotTaken").size(), 1U) << "the attempt records its snapshot";
  std::filesystem::remove(common() + "/ran");
  expect_refused("bob", {"restore", id, "--yes"});
  EXPECT_EQ(read_text(tree + "/file"), "two\n");
  const Finished done = as("root", {"restore", id, "--yes"});
  EXPECT_EQ(done.code, kOk) << done.out;
  EXPECT_EQ(read_text(tree + "/file"), "one\n");
  struct stat status {};
  ASSERT_EQ(::stat((tree + "/file").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, uid_of("alice"));
  EXPECT_THAT(read_text(common() + "/ran"), testing::Not(HasSubstr("root"))) << "her filter is not for root";
  EXPECT_EQ(events_of(id, "FilesRestored").size(), 1U);
}

TEST_F(WhoMayTest, TerminalBelongsToItsUserAlone) {
  if (!make()) return;
  const std::string id = job_that("running", "alice", "team");
  struct stat status {};
  ASSERT_EQ(::stat(job_dir(id).c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, uid_of("alice"));
  EXPECT_EQ(status.st_mode & 0777, 0700U) << "its socket and its tmux server are there";
}

TEST_F(WhoMayTest, RootsDaemonFollowsNoForeignLink) {
  if (!make()) return;
  stop_daemon();
  const std::string theirs = path("of-alice") + "/jobs";
  place_store(store(), theirs);
  std::filesystem::create_directories(theirs);
  const Finished refused = luzia({"daemon", "start"});
  EXPECT_EQ(refused.code, 5) << refused.err;
  EXPECT_EQ(error_lines(refused.err), 1U) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("other users could replace it, by " + path("of-alice")));
  EXPECT_THAT(refused.err, HasSubstr("belong to root"));
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("other users could replace it, by " + path("of-alice")));
  place_store(store(), path("jobs"));
  start_daemon();
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
  place_store(store(), theirs);
  EXPECT_EQ(luzia({"config", "reload"}).code, kRefused) << "the daemon keeps its earlier configuration";
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
}

}  // namespace
}  // namespace luzia
