// Whole command lines against a fake daemon: the requests, the output and the exit code.
#include "tools/cli/program.h"

#include "engine/base/time.h"
#include "projections/query.h"
#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

TEST_F(ProgramTest, DispatchPrintsIdAndNextSteps) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({"0kx8aaaaaaaaa"})}; });
  const Ran ran = run({"web", "fix it", "--priority", "high", "--env", "A=1", "--flow", "f/s"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "0kx8aaaaaaaaa\n");
  EXPECT_THAT(ran.err, HasSubstr("luzia watch 0kx8aaaaaaaaa"));
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 1u);
  const auto* dispatch = requests[0]->request.AsDispatch();
  ASSERT_NE(dispatch, nullptr);
  ASSERT_EQ(dispatch->jobs.size(), 1u);
  EXPECT_EQ(dispatch->jobs[0]->project, "web");
  EXPECT_EQ(dispatch->jobs[0]->task, "fix it");
  EXPECT_EQ(dispatch->jobs[0]->priority, 8);
  EXPECT_THAT(dispatch->jobs[0]->env, ElementsAre("A=1"));
  EXPECT_EQ(dispatch->jobs[0]->step, "s");
  EXPECT_THAT(dispatch->jobs[0]->command_id, StartsWith("cli-"));
}

wire::WelcomeT welcome_of(std::uint32_t protocol) {
  wire::WelcomeT welcome;
  welcome.protocol = protocol;
  welcome.version = "9.9.9";
  return welcome;
}

TEST_F(ProgramTest, IncompatibleDaemonIsReportedWithAFix) {
  RecordingDaemon daemon(
      store_, [](const auto&) { return std::vector{job_rows({})}; }, welcome_of(kProtocolVersion + 1));
  const Ran ran = run({"jobs"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("9.9.9"), HasSubstr("protocol 2"), HasSubstr("luzia --version")));
  EXPECT_EQ(ran.out, "");
}

TEST_F(ProgramTest, IncompatibleDaemonCanBeStopped) {
  RecordingDaemon daemon(
      store_,
      [](const wire::ClientFrameT&) {
        wire::ProgressedT going;
        going.last = true;
        return std::vector{reply_of(std::move(going)), wire::ReplyUnion()};
      },
      welcome_of(kProtocolVersion + 1));
  const Ran ran = run({"daemon", "stop"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(daemon.requests().size(), 1u);
  EXPECT_EQ(daemon.requests()[0]->request.AsControl()->action, wire::ControlAction::stop);
}

TEST_F(ProgramTest, LostDispatchIsRepeatedWithItsCommandId) {
  int asked = 0;
  RecordingDaemon daemon(store_, [&](const auto&) {
    return ++asked == 1 ? std::vector<wire::ReplyUnion>{} : std::vector{accepted({"id"})};
  });
  const Ran ran = run({"-q", "web", "task"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "id\n");
  EXPECT_THAT(ran.err, IsEmpty());
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0]->request.AsDispatch()->jobs[0]->command_id,
            requests[1]->request.AsDispatch()->jobs[0]->command_id);
}

TEST_F(ProgramTest, CommandRefusedDuringARestartIsRepeated) {
  for (const char* code : {"commit_failed", "views_damaged", "views_failed"}) {
    int asked = 0;
    RecordingDaemon daemon(store_, [&](const auto&) {
      return ++asked == 1 ? std::vector{refused(code, ErrorKind::trouble), wire::ReplyUnion()}
                          : std::vector{accepted({"id"})};
    });
    const Ran ran = run({"-q", "cancel", "0kx8aaaaaaaaa"});
    EXPECT_EQ(ran.code, 0) << code << ran.err;
    const auto requests = daemon.requests();
    ASSERT_EQ(requests.size(), 2u) << code;
    EXPECT_EQ(requests[0]->request.AsActOnJobs()->command_id, requests[1]->request.AsActOnJobs()->command_id);
  }
}

TEST_F(ProgramTest, UndecidedCommandReportsItsCommandId) {
  RecordingDaemon daemon(store_, [&](const auto&) {
    return std::vector{refused("commit_failed", ErrorKind::trouble), wire::ReplyUnion()};
  });
  const Ran ran = run({"web", "task"});
  EXPECT_EQ(ran.code, 5);
  const auto requests = daemon.requests();
  ASSERT_GT(requests.size(), 1u);
  EXPECT_THAT(ran.err, HasSubstr("--command-id " + requests[0]->request.AsDispatch()->jobs[0]->command_id));
}

TEST_F(ProgramTest, RefusalIsOneLineWithItsHintAndCode) {
  RecordingDaemon daemon(
      store_, [](const auto&) { return std::vector{refused("no_such_job", ErrorKind::not_found)}; });
  const Ran ran = run({"job", "zzz"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.err, "luzia: the daemon says no\n  hint: try something else\n");
  const Ran json = run({"job", "zzz", "--json"});
  EXPECT_EQ(json.code, 3);
  EXPECT_THAT(json.err, StartsWith("{\"error\":{\"code\":\"no_such_job\""));
  EXPECT_THAT(json.out, IsEmpty());
}

TEST_F(ProgramTest, ProjectResemblingACommandSaysSo) {
  RecordingDaemon daemon(
      store_, [](const auto&) { return std::vector{refused("unknown_project", ErrorKind::refused)}; });
  EXPECT_THAT(run({"statsu", "x"}).err, HasSubstr("did you mean the command luzia status?"));
}

TEST_F(ProgramTest, BulkCancelAsksFirst) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    if (frame.request.type == wire::Request::Query) {
      return std::vector{job_rows({job("a", schema::JobState::running), job("b", schema::JobState::queued)})};
    }
    return std::vector{accepted({"a", "b"})};
  });
  const Ran asked = run({"cancel", "--all"});
  EXPECT_EQ(asked.code, 4);
  EXPECT_THAT(asked.err, HasSubstr("this would cancel 2 jobs"));
  ASSERT_EQ(daemon.requests().size(), 1u);
  EXPECT_FALSE(daemon.requests()[0]->request.AsQuery()->filter->ended) << "finished jobs are left alone";
  const Ran done = run({"cancel", "--all", "--yes", "--grace", "2m"});
  EXPECT_EQ(done.code, 0);
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 3u);
  const auto* act = requests[2]->request.AsActOnJobs();
  ASSERT_NE(act, nullptr);
  EXPECT_EQ(act->action, wire::JobAction::cancel);
  EXPECT_THAT(act->jobs, ElementsAre("a", "b"));
  EXPECT_EQ(act->grace_ms, 120'000u);
}

TEST_F(ProgramTest, ListReadsPagesUpToItsLimit) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    const bool first = frame.request.AsQuery()->cursor.empty();
    return std::vector{job_rows({job(first ? "a" : "b", schema::JobState::completed)}, first ? "next" : "")};
  });
  const Ran ran = run({"jobs", "--all", "--json", "--limit", "5"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("\"id\":\"a\""));
  EXPECT_THAT(ran.out, HasSubstr("\"id\":\"b\""));
  EXPECT_THAT(ran.out, HasSubstr("\"next\":null"));
  EXPECT_EQ(daemon.requests().size(), 2u);
}

TEST_F(ProgramTest, WaitReturnsTheJobsOutcome) {
  auto state = schema::JobState::completed;
  RecordingDaemon daemon(store_, [&](const auto&) { return std::vector{job_rows({job("a", state)})}; });
  EXPECT_EQ(run({"wait", "a"}).code, 0);
  state = schema::JobState::failed;
  EXPECT_EQ(run({"wait", "a"}).code, 1);
  EXPECT_EQ(run({"wait", "a", "--exit-code"}).code, 7);
  EXPECT_EQ(run({"wait", "a", "--until", "waiting"}).code, 1) << "the job never reached that state";
  state = schema::JobState::waiting;
  EXPECT_EQ(run({"wait", "a", "--until", "waiting"}).code, 0);
  const Ran late = run({"wait", "a", "--timeout", "0"});
  EXPECT_EQ(late.code, 1);
  EXPECT_THAT(late.err, HasSubstr("gave up"));
}

TEST_F(ProgramTest, WaitSaysWhyTheJobFailed) {
  view::JobT failed = job("a", schema::JobState::failed);
  failed.failure = std::make_unique<view::FailureT>();
  failed.failure->summary = "No module named\x1b[2J 'requests'";
  RecordingDaemon daemon(store_, [&](const auto&) { return std::vector{job_rows({failed})}; });
  EXPECT_THAT(run({"wait", "a"}).out, AllOf(StartsWith("a failed (exit code 7): No module named"),
                                            EndsWith(" 'requests'\n"), Not(HasSubstr("\x1b"))));
}

TEST_F(ProgramTest, WaitForManyJobsReadsAllPages) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    const auto* query = frame.request.AsQuery();
    return std::vector{query == nullptr
                           ? job_rows({job("b", schema::JobState::completed)}, "b")
                           : job_rows({job("a", schema::JobState::failed)}, query->cursor == "b" ? "" : "?")};
  });
  const Ran ran = run({"wait", "00000000000a0", "00000000000b0"});
  EXPECT_EQ(ran.code, 1) << "the job of the second page has failed";
  EXPECT_THAT(ran.out, AllOf(HasSubstr("b completed"), HasSubstr("a failed")));
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1]->request.AsQuery()->filter->jobs, requests[0]->request.AsWait()->jobs);
}

TEST_F(ProgramTest, WaitContinuesAfterARestart) {
  constexpr const char* kFull = "0kx8aaaaaaaaa";
  int waits = 0;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.type == wire::Request::Wait && ++waits == 1) return std::vector<wire::ReplyUnion>{};
    return std::vector{job_rows({job(kFull, schema::JobState::completed)})};
  });
  EXPECT_EQ(run({"wait", "@last"}).code, 0);
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_THAT(requests[0]->request.AsQuery()->filter->jobs, ElementsAre("@last"));
  EXPECT_THAT(requests[1]->request.AsWait()->jobs, ElementsAre(kFull));
  EXPECT_THAT(requests[2]->request.AsWait()->jobs, ElementsAre(kFull));
}

TEST_F(ProgramTest, WaitingDispatchPrintsOnlyTheId) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    return std::vector{frame.request.type == wire::Request::Dispatch
                           ? accepted({"0kx8aaaaaaaaa"})
                           : job_rows({job("0kx8aaaaaaaaa", schema::JobState::failed)})};
  });
  const Ran ran = run({"web", "task", "--wait"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "0kx8aaaaaaaaa\n");
  EXPECT_THAT(ran.err, HasSubstr("0kx8aaaaaaaaa failed"));
}

TEST_F(ProgramTest, ForegroundEndsWhenItsWaitIsRefused) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    return std::vector{frame.request.type == wire::Request::Dispatch
                           ? accepted({"0kx8aaaaaaaaa"})
                           : refused("not_allowed", ErrorKind::refused)};
  });
  const Ran ran = run({"web", "task", "--fg"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("the daemon says no"));
}

TEST_F(ProgramTest, FollowedLogsKeepJobAndAttempt) {
  constexpr const char* kFull = "0kx8aaaaaaaaa";
  int tails = 0;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.type == wire::Request::Query) {
      view::JobT row = job(kFull, schema::JobState::running);
      row.attempt = 2;
      return std::vector{job_rows({row})};
    }
    wire::OutputT piece;
    piece.offset = tails == 0 ? 0 : 4;
    piece.data = {'o', 'n', 'e', '\n'};
    piece.last = ++tails == 2;
    std::vector<wire::ReplyUnion> replies = {reply_of(std::move(piece))};
    if (tails == 1) replies.emplace_back();
    return replies;
  });
  const Ran ran = run({"logs", "@last", "-f"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "one\none\n");
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 3u);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(requests[i]->request.AsTail()->job, kFull);
    EXPECT_EQ(requests[i]->request.AsTail()->attempt, 2u);
  }
  EXPECT_EQ(requests[2]->request.AsTail()->offset, 4u);
}

TEST_F(ProgramTest, LogsAreSanitizedUnlessRaw) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    if (frame.request.type == wire::Request::Query) {
      return std::vector{job_rows({job("0kx8aaaaaaaaa", schema::JobState::completed)})};
    }
    wire::OutputT piece;
    const std::string text = "\x1b[31mred\nlast";
    piece.data.assign(text.begin(), text.end());
    wire::OutputT end;
    end.offset = text.size();
    end.last = true;
    std::vector<wire::ReplyUnion> replies;
    replies.push_back(reply_of(std::move(piece)));
    replies.push_back(reply_of(std::move(end)));
    return replies;
  });
  const Ran shown = run({"logs", "0kx8aaaaaaaaa"});
  EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(shown.out, HasSubstr("red\nlast\n"));
  EXPECT_EQ(run({"logs", "0kx8aaaaaaaaa", "--raw"}).out, "\x1b[31mred\nlast");
  EXPECT_EQ(run({"logs", "0kx8aaaaaaaaa", "--grep", "nothing like it"}).code, 1);
  EXPECT_EQ(run({"logs", "0kx8aaaaaaaaa", "-n", "5", "--raw"}).code, 0);
  EXPECT_EQ(daemon.requests().back()->request.AsTail()->last_lines, 5);
  EXPECT_EQ(run({"logs", "0kx8aaaaaaaaa", "-n", "1"}).out, "last\n");
}

TEST_F(ProgramTest, LogsSearchBackForEnoughLines) {
  // Three lines of text 300 KiB before the end; the rest is not shown.
  const auto unseen = [](std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += "\x1b[0m\n";
    return text;
  };
  const std::string output = unseen(8 << 20) + "first\nsecond\nthird\n" + unseen(300 << 10);
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.type == wire::Request::Query) {
      return std::vector{job_rows({job("0kx8aaaaaaaaa", schema::JobState::completed)})};
    }
    const wire::TailT& tail = *frame.request.AsTail();
    wire::OutputT piece;
    piece.offset = tail.last_lines >= 0 ? output.size() - 10 : tail.offset;
    piece.last = true;
    piece.data.assign(output.begin() + static_cast<std::ptrdiff_t>(piece.offset), output.end());
    return std::vector{reply_of(std::move(piece))};
  });
  const Ran ran = run({"logs", "0kx8aaaaaaaaa", "-n", "2"});
  EXPECT_EQ(ran.out, "second\nthird\n") << ran.err;
  std::uint64_t least = output.size();
  for (const auto& request : daemon.requests()) {
    const auto* tail = request->request.AsTail();
    if (tail != nullptr && tail->last_lines < 0) least = std::min(least, tail->offset);
  }
  EXPECT_GT(least, output.size() / 2) << "reads far more than is shown";
}

TEST_F(ProgramTest, PauseAppliesToJobsOrTheQueue) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({})}; });
  EXPECT_EQ(run({"pause", "a", "b"}).code, 0);
  EXPECT_EQ(run({"pause", "--project", "web", "--note", "deploy"}).code, 0);
  EXPECT_EQ(run({"resume", "--all"}).code, 0);
  EXPECT_EQ(run({"pause"}).code, 2);
  EXPECT_EQ(run({"pause", "a", "--all"}).code, 2);
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 4u) << "one request per job, so that one refusal does not block the others";
  EXPECT_THAT(requests[0]->request.AsActOnJobs()->jobs, ElementsAre("a"));
  EXPECT_THAT(requests[1]->request.AsActOnJobs()->jobs, ElementsAre("b"));
  EXPECT_EQ(requests[2]->request.AsActOnQueue()->project, "web");
  EXPECT_EQ(requests[3]->request.AsActOnQueue()->action, wire::QueueAction::resume);
}

TEST_F(ProgramTest, UnexpectedReplyIsAnError) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{reply_of(wire::WelcomeT())}; });
  for (const std::vector<std::string>& words : {std::vector<std::string>{"jobs"},
                                                {"job", "a"},
                                                {"web", "task"},
                                                {"wait", "a"},
                                                {"cancel", "a"},
                                                {"why", "a"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 5) << words.front();
    EXPECT_THAT(ran.err, HasSubstr("luzia: "));
  }
}

TEST_F(ProgramTest, InvalidRowsAreAnError) {
  RecordingDaemon daemon(store_, [](const auto&) {
    wire::RowsT rows;
    auto row = std::make_unique<wire::RowT>();
    row->data.assign(100, 0xff);
    rows.rows.push_back(std::move(row));
    return std::vector{reply_of(std::move(rows))};
  });
  EXPECT_EQ(run({"jobs", "--all"}).code, 5);
  EXPECT_EQ(run({"job", "a"}).code, 5);
}

wire::ReplyUnion pause_rows(const std::string& scope, const std::string& note) {
  view::QueueSwitchT pause;
  pause.scope = scope;
  pause.paused = true;
  pause.note = note;
  pause.since_us = 1'800'000'000 * kSecondUs;  // 2027-01-15T08:00:00Z
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(view::QueueSwitch::Pack(builder, &pause));
  auto row = std::make_unique<wire::RowT>();
  row->data.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  wire::RowsT rows;
  rows.type = wire::RowType::queue_switch;
  rows.rows.push_back(std::move(row));
  return reply_of(std::move(rows));
}

/// Answers a query about pauses with this pause, an overview with both, everything else with jobs.
RecordingDaemon::Answer with_pause(const std::string& scope, std::vector<view::JobT> jobs) {
  return [scope, jobs = std::move(jobs)](const wire::ClientFrameT& frame) {
    const auto* query = frame.request.AsQuery();
    const wire::View view = query != nullptr ? query->view : wire::View::jobs;
    if (view == wire::View::overview)
      return std::vector{with_part(job_rows(jobs), pause_rows(scope, "deploying"))};
    return std::vector{view == wire::View::switches ? pause_rows(scope, "deploying") : job_rows(jobs)};
  };
}

TEST_F(ProgramTest, StatusShowsPausesWithoutJobs) {
  RecordingDaemon daemon(store_, with_pause("", {}));
  const Ran ran = run({"status"});
  EXPECT_THAT(ran.out, StartsWith("queue paused since 2027-01-15 08:00Z (deploying)\n"));
  EXPECT_THAT(ran.err, HasSubstr("no jobs yet"));
  EXPECT_THAT(
      run({"status", "--json"}).out,
      HasSubstr(
          "\"paused\":[{\"scope\":\"queue\",\"project\":null,\"draining\":false,\"note\":\"deploying\""));
  EXPECT_THAT(run({"status", "--export", "markdown", "--out", "-"}).out, HasSubstr("**queue paused since"));
}

TEST_F(ProgramTest, DoctorSuggestsResumingAPausedProject) {
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    if (frame.request.AsControl() == nullptr) return std::vector{pause_rows("web", "")};
    wire::WelcomeT welcome;
    welcome.version = LUZIA_VERSION;
    return std::vector{reply_of(std::move(welcome))};
  });
  const Ran ran = run({"doctor"});
  EXPECT_THAT(ran.out, HasSubstr("project web paused since 2027-01-15 08:00Z: nothing starts there\n"));
  EXPECT_THAT(ran.out, HasSubstr("fix: luzia resume --project web\n"));
  ::setenv("COLUMNS", "50", 1);
  const Ran narrow = run({"doctor"});
  ::unsetenv("COLUMNS");
  EXPECT_THAT(narrow.out,
              HasSubstr("  project web paused since 2027-01-15 08:00Z:\n      nothing starts there\n"));
}

TEST_F(ProgramTest, WaitReportsJobsInTheGivenOrder) {
  const std::vector<view::JobT> newest_first = {job("0kx8aaaaaaaab", schema::JobState::failed),
                                                job("0kx8aaaaaaaaa", schema::JobState::failed)};
  RecordingDaemon daemon(store_, [&](const auto&) { return std::vector{job_rows(newest_first)}; });
  EXPECT_EQ(run({"wait", "0kx8aaaaaaaaa", "0kx8aaaaaaaab"}).out,
            "0kx8aaaaaaaaa failed (exit code 7)\n0kx8aaaaaaaab failed (exit code 7)\n");
  EXPECT_THAT(run({"wait", "0kx8aaaaaaaab", "0kx8aaaaaaaaa"}).out, StartsWith("0kx8aaaaaaaab"));
}

TEST_F(ProgramTest, LimitOfZeroListsAllJobs) {
  std::vector<view::JobT> jobs(60, job("0kx8aaaaaaaaa", schema::JobState::running));
  RecordingDaemon daemon(store_, [&](const auto&) { return std::vector{job_rows(jobs)}; });
  EXPECT_EQ(run({"jobs", "--limit", "0"}).code, 0);
  ASSERT_EQ(daemon.requests().size(), 1u);
  EXPECT_EQ(daemon.requests()[0]->request.AsQuery()->limit, 1000u);
}

TEST_F(ProgramTest, DryRunShowsThePreviewLineByLineOrAsJson) {
  const std::string preview =
      R"({"project":"web","agent":"shell","user":"ana","dir":"/srv/web","command":["sh","-c","echo \u001b[31m it's"],)"
      R"("stdin":"null","environment":["HOME","A"],"preflight":["true"],"priority":5,"after":[],)"
      R"("fallback":["codex","qwen"],"fallback_sandboxes":["project; network: none",""],)"
      R"("timeout_seconds":90.0,"retries":0,"limits":{"running":4,"of_project":2,"of_agent":null,"of_tags":{}}})";
  RecordingDaemon daemon(store_, [&](const auto&) { return std::vector{accepted({preview})}; });
  const Ran ran = run({"web", "x", "--dry-run"});
  EXPECT_THAT(ran.out, HasSubstr("command     sh -c 'echo ^[[31m it'\\''s'\n"));
  EXPECT_THAT(ran.out, HasSubstr("environment HOME A\n"));
  EXPECT_THAT(ran.out, HasSubstr("fallback    codex (sandbox project; network: none)\n"
                                 "fallback    qwen (sandbox off)\n"));
  EXPECT_THAT(ran.out, HasSubstr("timeout     1m30s\n"));
  EXPECT_THAT(ran.out, HasSubstr("limits      4 at once, 2 at once of the project\n"));
  const Ran json = run({"web", "x", "--dry-run", "--json"});
  EXPECT_THAT(json.out, HasSubstr("\"jobs\":[" + preview + "]"));
  EXPECT_THAT(json.out, StartsWith("{\"dry_run\":[\"shell in /srv/web as ana: sh -c"));
}

TEST_F(ProgramTest, ConfigCheckWarnsOfMissingDirectoriesAndCommandNames) {
  const std::string file = store_ + "/some.toml";
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs("[projects.web]\npath = \"/nowhere/at/all\"\n[projects.jobs]\npath = \"/\"\n[projects.bare]\n",
             out);
  std::fclose(out);
  const Ran ran = run({"config", "check", "--config", file});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("warning: project web: there is no directory /nowhere/at/all"));
  EXPECT_THAT(ran.err, HasSubstr("warning: project bare has no path: each of its jobs needs --dir"));
  EXPECT_THAT(ran.err, HasSubstr("warning: project jobs: luzia jobs is a command\n"
                                 "  hint: dispatch tasks with luzia dispatch jobs, or"));
  EXPECT_THAT(run({"config", "check", "--config", file, "--json"}).out,
              AllOf(HasSubstr("\"ok\":true"), HasSubstr("\"code\":\"no_directory\""),
                    HasSubstr("\"code\":\"name_of_command\"")));
}

TEST_F(ProgramTest, RefusedReloadKeepsTheConfiguration) {
  RecordingDaemon daemon(
      store_, [](const auto&) { return std::vector{refused("config_unknown_key", ErrorKind::usage)}; });
  const Ran ran = run({"config", "reload"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("nothing has changed"));
  ASSERT_EQ(daemon.requests().size(), 1u);
  EXPECT_EQ(daemon.requests()[0]->request.AsControl()->action, wire::ControlAction::reload);
}

TEST_F(ProgramTest, StatusGroupsByWhatNeedsAPerson) {
  RecordingDaemon daemon(store_, [](const auto&) {
    return std::vector{job_rows({job("run", schema::JobState::running), job("ask", schema::JobState::waiting),
                                 job("end", schema::JobState::failed)})};
  });
  const Ran ran = run({"status"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_LT(ran.out.find("Needs input (1)"), ran.out.find("Working (1)"));
  EXPECT_LT(ran.out.find("Working (1)"), ran.out.find("Ended (1)"));
  const Ran markdown = run({"status", "--export", "markdown", "--out", "-"});
  EXPECT_THAT(markdown.out, HasSubstr("| ask | web |"));
  EXPECT_THAT(run({"status", "--json"}).out, HasSubstr("\"counts\":{\"needs_input\":1,\"working\":1"));
  EXPECT_EQ(run({"status", "--out", "x"}).code, 2);
}

TEST_F(ProgramTest, StatusForProgramsReadsMoreOfALongQueue) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{job_rows({})}; });
  const auto asked = [&](std::vector<std::string> words) {
    EXPECT_EQ(run(std::move(words)).code, 0);
    bool is_long = false;
    for (const auto& frame : daemon.requests()) {
      const auto* query = frame->request.AsQuery();
      if (query != nullptr && query->view == wire::View::overview) is_long = query->long_queue;
    }
    return is_long;
  };
  EXPECT_FALSE(asked({"status"}));
  EXPECT_TRUE(asked({"status", "--json"}));
  EXPECT_TRUE(asked({"status", "--export", "markdown", "--out", "-"}));
}

TEST_F(ProgramTest, StatusLimitsEndedJobs) {
  const std::string file = store_ + "/some.toml";
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs("[limits]\nmax_history = 3\n", out);
  std::fclose(out);
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{job_rows({})}; });
  const auto asked = [&] {
    std::uint32_t last = 0;
    for (const auto& frame : daemon.requests()) {
      const auto* query = frame->request.AsQuery();
      if (query != nullptr && query->view == wire::View::overview) last = query->limit;
    }
    return last;
  };
  const Ran ran = run({"status", "--config", file, "--limit", "9"});
  EXPECT_THAT(ran.err, HasSubstr("only the last 3 ended jobs are shown"));
  EXPECT_EQ(asked(), 3U);
  EXPECT_THAT(run({"status", "--config", file, "--limit", "9", "--json"}).err, IsEmpty());
  EXPECT_EQ(asked(), 9U) << "output for scripts stays unchanged";
}

TEST_F(ProgramTest, CompletionOffersCommandsOptionsAndJobs) {
  RecordingDaemon daemon(
      store_, [](const auto&) { return std::vector{job_rows({job("0kx8", schema::JobState::running)})}; });
  EXPECT_THAT(run({"__complete", "--", "st"}).out, StartsWith("status\t"));
  EXPECT_THAT(run({"__complete", "--", "wait", "0k"}).out, HasSubstr("0kx8\trunning web"));
  EXPECT_THAT(run({"__complete", "--", "wait", "--ti"}).out, StartsWith("--timeout\t"));
  EXPECT_THAT(run({"__complete", "--", "jobs", "--state", "wa"}).out, StartsWith("waiting\t"));
  EXPECT_EQ(run({"__complete", "--", "dispatch", "p", "--file", ""}).out, ":file\n");
  EXPECT_THAT(run({"__complete", "--", "--json", "wait", "--ti"}).out, StartsWith("--timeout\t"));
  EXPECT_EQ(run({"__complete", "--", "job", "0kx8", "0"}).out, "") << "it takes one job";
  EXPECT_EQ(run({"__complete", "--", "dispatch", "--proj"}).out, "") << "it has no such option";
}

TEST_F(ProgramTest, EmptyProjectSuggestsAnUnsetVariable) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({"x"})}; });
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"", "x"}, {""}, {"dispatch", "", "x"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("is a variable of your script not set?"));
    EXPECT_THAT(ran.err, Not(HasSubstr("did you mean")));
  }
  EXPECT_THAT(daemon.requests(), IsEmpty());
}

TEST_F(ProgramTest, ProjectCalledWebTakesTasksBesideTheCommand) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({"x"})}; });
  EXPECT_EQ(run({"web", "fix it"}).code, 0);
  EXPECT_EQ(run({"-q", "web", "--priority", "high", "open the door"}).code, 0);
  const Ran slip = run({"web", "opne"});
  EXPECT_EQ(slip.code, 2);
  EXPECT_THAT(slip.err, HasSubstr("takes one of start, open"));
  EXPECT_THAT(run({"web", "--role", "root", "pair"}).err, HasSubstr("--role")) << "options may come first";
  EXPECT_EQ(daemon.requests().size(), 2U);
}

TEST_F(ProgramTest, MisuseNeverReachesTheDaemon) {
  RecordingDaemon daemon(store_, [](const auto&) { return std::vector{accepted({"x"})}; });
  for (const std::vector<std::string>& words : {std::vector<std::string>{"web"},
                                                {"jobs", "--lmit"},
                                                {"dispatch", "web"},
                                                {"publish", "nonsense", "a"},
                                                {"config", "frobnicate"},
                                                {"logs", "a", "--grep", "("},
                                                {"edit", "a"},
                                                {"dispatch", "--batch", "/nonexistent"},
                                                {"follow", "--since", "x"},
                                                {"completion", "tcsh"},
                                                {"--frobnicate"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words.front() << " " << ran.err;
    EXPECT_THAT(ran.err, StartsWith("luzia: "));
    EXPECT_THAT(ran.out, IsEmpty());
  }
  EXPECT_THAT(daemon.requests(), IsEmpty());
}

}  // namespace
}  // namespace luzia
