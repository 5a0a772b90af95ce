// Runs the scenarios of tests/scenarios/*.txt. Their language:
//
//   scenario NAME                          begins a scenario in an empty world, at time 1s
//   capacity N [LIMIT=N ...]               maximum number of running attempts (4). LIMIT: per_project,
//                                          per_agent, project.NAME, agent.NAME, tag.NAME, share.NAME. Also:
//                                          spacing.AGENT=10s, ageing=10m, closed=WHY, breaker=N (with
//                                          quick=10s and pause=1m), no_breaker=AGENT,
//                                          waiting_holds_slot=false. Daily budgets of all projects together:
//                                          day_tokens=N day_cost=USD day_time=D day_stop=true; of one
//                                          project: day_tokens.NAME=N ...
//   given TIME COMMAND JOB [key=value ...] submits a command without checking its result
//   when  TIME COMMAND JOB [key=value ...] submits a command; its result must be exactly the lines below it:
//     event TYPE JOB [key=value ...]         in this order; keys are fields of the event's data, or evidence
//                                            (its kind) and evidence_rule
//     effect KIND JOB ATTEMPT [REQUEST]      in this order
//     effect hand_over FLOW STEP             a step that is ready to dispatch; after all other effects
//     refused CODE
//   then JOB STATE [key=value ...]         checks the job's state. Keys: attempt, reason, held, paused,
//   terminal (of
//                                          its present or next attempt); of a
//                                          queued job waits_for (a list of what, and for whom) and ahead;
//                                          counted tokens and cost; open questions and approvals; worked
//   flow FLOW STATE [STEP=state ...]       checks the flow's state (flow_commands.h has its commands)
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/job/job_ending.h"
#include "projections/queue.h"
#include "tests/scenarios/capacity.h"
#include "tests/scenarios/device_commands.h"
#include "tests/scenarios/flow_commands.h"
#include "tests/scenarios/input_commands.h"
#include "tests/scenarios/learning_commands.h"
#include "tests/scenarios/limit_commands.h"
#include "tests/scenarios/output_commands.h"
#include "tests/scenarios/scenario_file.h"
#include "tests/scenarios/schedule_commands.h"
#include "tests/scenarios/world.h"

namespace luzia {
namespace {

QueueJob queue_command(const Step& step) {
  QueueJob job = simple_job(step.word(3));
  job.priority = static_cast<std::uint8_t>(step.number("priority", 5));
  job.prompt = Blob{0, std::string(16, 's'), "do it"};
  job.spec.project = step.value("project", "p");
  job.order = step.value("order");
  job.spec.agent = step.value("agent", job.spec.agent);
  std::istringstream tags(step.value("tags"));
  for (std::string tag; std::getline(tags, tag, ',');) job.spec.tags.push_back(tag);
  job.spec.timeout_ms = step.duration_ms("timeout");
  job.spec.budget_time_ms = step.duration_ms("budget");
  job.spec.budget_tokens = step.number("budget_tokens");
  job.spec.budget_cost_usd = std::stod(step.value("budget_cost", "0"));
  job.spec.login_wait_ms = step.duration_ms("login_wait");
  std::istringstream fallbacks(step.value("fallback"));
  for (std::string agent; std::getline(fallbacks, agent, ',');) {
    auto other = std::make_unique<schema::JobSpecT>(job.spec);
    other->agent = agent;
    other->fallbacks.clear();
    job.spec.fallbacks.push_back(std::move(other));
  }
  job.spec.limit_resumes = static_cast<std::uint32_t>(step.number("limit_resumes"));
  job.spec.estimate_ms = step.duration_ms("estimate");
  if (step.values.contains("resumes")) job.spec.resume_command = {"agent", "{session_id}"};
  job.spec.retries = static_cast<std::uint32_t>(step.number("retries"));
  job.spec.verify_tries = static_cast<std::uint32_t>(step.number("verify_tries"));
  job.spec.retry_backoff_ms = step.duration_ms("backoff");
  if (step.values.contains("grace")) job.spec.kill_grace_ms = step.duration_ms("grace");
  job.not_before = static_cast<TimeUs>(step.duration_ms("not_before")) * kMillisecondUs;
  job.spec.auto_fix = step.values.contains("auto_fix");
  job.spec.flow = step.value("flow");
  job.spec.step = step.value("step");
  job.spec.callback_url = step.value("callback");
  job.spec.limits = limits_of(step);
  if (step.values.contains("asks")) {
    auto code = std::make_unique<schema::ExitCodeT>();
    code->code = static_cast<int>(step.number("asks"));
    code->meaning = schema::ExitMeaning::needs_clarification;
    job.spec.exit_codes.push_back(std::move(code));
  }
  std::istringstream after(step.value("after"));
  for (std::string id; std::getline(after, id, ',');) job.after.push_back(id);
  if (step.values.contains("retriable")) {
    auto code = std::make_unique<schema::ExitCodeT>();
    code->code = static_cast<int>(step.number("retriable"));
    code->meaning = schema::ExitMeaning::retriable_failure;
    job.spec.exit_codes.push_back(std::move(code));
  }
  if (step.values.contains("asked")) honour_asked_retries(job.spec);
  return job;
}

ImportJob import_command(const Step& step) {
  ImportJob import;
  import.fact.job = step.word(3);
  import.fact.spec = std::make_unique<schema::JobSpecT>();
  import.fact.spec->project = step.value("project", "p");
  import.fact.state =
      step.value("state") == "failed" ? schema::JobState::failed : schema::JobState::completed;
  import.fact.reason = schema::EndReason::imported;
  import.fact.queued_us = import.fact.started_us = kSecondUs;
  import.fact.ended_us = 2 * kSecondUs;
  import.prompt = {0, "salt", step.value("task", "was done elsewhere")};
  return import;
}

RecordExit exit_command(const Step& step, const JobState* job, TimeUs now) {
  RecordExit exit;
  exit.end.attempt = static_cast<std::uint32_t>(step.number("attempt", job != nullptr ? job->attempt : 1));
  exit.end.ended_us =
      step.values.contains("ended") ? static_cast<TimeUs>(step.duration_ms("ended")) * kMillisecondUs : now;
  exit.end.wall_us = step.duration_ms("wall") * 1'000;
  exit.end.start_error = step.value("start_error");
  exit.end.preflight_failed = step.values.contains("preflight");
  exit.no_secret = step.values.contains("no_secret");
  exit.end.signal = static_cast<int>(step.number("signal"));
  exit.end.evidence_lost = step.values.contains("lost");
  if (step.values.contains("code")) exit.end.exit_code = static_cast<int>(step.number("code"));
  if (step.values.contains("verified")) {
    exit.end.verified = step.value("verified") == "yes";
    exit.end.check_error = step.value("check_error");
    if (!*exit.end.verified) exit.report = Blob{0, std::string(16, 's'), "what failed"};
  }
  exit.end.reached = reached_of(step);
  if (step.value("lost") == "reboot") exit.lost_because = schema::EndReason::machine_restarted;
  return exit;
}

RetryJob retry_command(const Step& step) {
  RetryJob retry;
  retry.fresh = step.values.contains("fresh");
  if (step.values.contains("message")) retry.message = Blob{0, std::string(16, 's'), step.value("message")};
  if (step.values.contains("fix")) retry.fix = RetryJob::Fix{step.value("fix"), "pattern", step.value("by")};
  return retry;
}

/// Parses: attach JOB [stop=yes] [unable=yes]; unable: its agent opens no session in a terminal.
AttachJob attach_command(const Step& step) {
  AttachJob attach;
  attach.by = "ada";
  attach.stop = step.values.contains("stop");
  if (!step.values.contains("unable")) attach.run.command = {"agent", "--resume", "{session_id}"};
  attach.run.columns = 80;
  attach.run.rows = 24;
  return attach;
}

/// Parses: remove JOB [purge=yes] [texts=EVENT.INDEX,...] [seen=VERSION] [note=TEXT]
RemoveJob remove_command(const Step& step, const JobState* job) {
  RemoveJob remove{step.values.contains("purge"), step.value("note")};
  remove.seen_version = step.number("seen", job != nullptr ? job->version : 0);
  std::istringstream texts(step.value("texts"));
  for (std::string text; std::getline(texts, text, ',');) {
    const std::size_t dot = text.find('.');
    remove.texts.push_back(
        {std::stoull(text.substr(0, dot)), static_cast<std::uint32_t>(std::stoul(text.substr(dot + 1)))});
  }
  return remove;
}

/// Parses: expire JOB [files=directory] [rule=TEXT]
ExpireFiles expire_command(const Step& step) {
  const bool whole = step.value("files") == "directory";
  return {whole ? schema::KeptFiles::directory : schema::KeptFiles::output, step.value("rule")};
}

WarnJob warn_command(const Step& step, const JobState* job) {
  static const std::map<std::string, WarningKind> kKinds = {{"silence", WarningKind::silence},
                                                            {"loop", WarningKind::output_loop},
                                                            {"flood", WarningKind::output_flood}};
  WarnJob warning;
  warning.attempt = static_cast<std::uint32_t>(step.number("attempt", job != nullptr ? job->attempt : 1));
  warning.kind = kKinds.at(step.value("kind"));
  warning.message = "seen";
  warning.stop = step.value("then") == "stop";
  if (step.value("then") == "ask") {
    AskQuestion ask;
    ask.id = step.value("question", "q1");
    ask.type = schema::QuestionType::choice;
    ask.text = {0, std::string(16, 's'), "It has printed nothing."};
    ask.options = {kKeepWaiting, kStopIt};
    ask.source = "monitor";
    ask.unattended = true;
    warning.ask = std::move(ask);
  }
  return warning;
}

/// Parses: track JOB [task=ID]
TrackTask track_command(const Step& step) {
  TrackTask task;
  task.job = step.word(3);
  task.spec.project = step.value("project", "p");
  task.task_id = step.value("task", "nightly");
  task.prompt = {0, "salt", "the nightly build"};
  task.started.task_id = task.task_id;
  return task;
}

/// Parses: track_work JOB [pid=N] [log=PATH] [end=BYTES]
TrackWork track_work_command(const Step& step) {
  TrackWork work;
  work.fact.job = step.word(3);
  work.fact.spec = std::make_unique<schema::JobSpecT>();
  work.fact.spec->project = step.value("project", "p");
  work.fact.pid = static_cast<std::uint32_t>(step.number("pid"));
  work.fact.log = step.value("log");
  if (step.values.contains("end")) {
    work.fact.checkpoint = std::make_unique<schema::CheckpointT>();
    work.fact.checkpoint->scanned_to = work.fact.checkpoint->line_start = step.number("end");
  }
  work.prompt = {0, "salt", "what runs already"};
  return work;
}

std::optional<JobCommand> beginning_command(const Step& step) {
  if (step.word(2) == "queue") return queue_command(step);
  if (step.word(2) == "import") return import_command(step);
  if (step.word(2) == "track") return track_command(step);
  if (step.word(2) == "track_work") return track_work_command(step);
  return std::nullopt;
}

PublishReport publish_command(const Step& step) {
  PublishReport publish;
  publish.attempt = static_cast<std::uint32_t>(step.number("attempt"));
  if (step.values.contains("completed")) {
    publish.report.Set(schema::TaskCompletedT());
    return publish;
  }
  if (step.values.contains("failed")) {
    schema::TaskFailedT failed;
    failed.error = step.value("failed");
    failed.retriable = true;
    publish.report.Set(std::move(failed));
    return publish;
  }
  if (step.values.contains("warning")) {
    schema::WarningReportedT warning;
    warning.warning_type = step.value("warning");
    publish.report.Set(std::move(warning));
    return publish;
  }
  schema::ProgressReportedT progress;
  progress.progress_percent = std::stod(step.value("percent", "0"));
  progress.current_step = static_cast<std::uint32_t>(step.number("step"));
  progress.total_steps = static_cast<std::uint32_t>(step.number("of"));
  publish.report.Set(std::move(progress));
  return publish;
}

/// What is published about a job, or found out about a tracked one.
std::optional<JobCommand> report_command(const Step& step) {
  if (step.word(2) == "publish") return publish_command(step);
  if (step.word(2) == "untrack") return UntrackJob{step.value("note")};
  if (step.word(2) == "process_gone") return ReportTrackedGone{step.value("detail"), step.value("last")};
  return std::nullopt;
}

std::string waits_for(const Waiting& waiting) {
  static const std::map<WaitsFor, std::string> kNames = {{WaitsFor::release, "release"},
                                                         {WaitsFor::dependencies, "dependencies"},
                                                         {WaitsFor::time, "time"},
                                                         {WaitsFor::open_queue, "open_queue"},
                                                         {WaitsFor::disk_room, "disk_room"},
                                                         {WaitsFor::resume, "resume"},
                                                         {WaitsFor::project_resume, "project_resume"},
                                                         {WaitsFor::breaker, "breaker"},
                                                         {WaitsFor::project_limit, "project_limit"},
                                                         {WaitsFor::agent_limit, "agent_limit"},
                                                         {WaitsFor::tag_limit, "tag_limit"},
                                                         {WaitsFor::usage_limit, "usage_limit"},
                                                         {WaitsFor::login, "login"},
                                                         {WaitsFor::spacing, "spacing"},
                                                         {WaitsFor::project_budget, "project_budget"},
                                                         {WaitsFor::drain, "drain"},
                                                         {WaitsFor::turn, "turn"}};
  std::string words = kNames.at(waiting.what);
  for (const std::string& subject : waiting.subjects) words += "," + subject;
  for (const std::string& job : waiting.asking) words += ",asking:" + job;
  return words;
}

CancelJob cancel_command(const Step& step) {
  CancelJob cancel;
  if (step.values.contains("grace")) cancel.grace_ms = step.duration_ms("grace");
  cancel.note = step.value("note");
  return cancel;
}

CommandMeta by_ada(const Step& step) {
  CommandMeta meta;
  meta.command_id = step.value("command");
  meta.actor = schema::ActorKind::person;
  meta.actor_name = "ada";
  return meta;
}

class Teller {
 public:
  Result<Outcome> carry_out(const Step& step) {
    world.now = static_cast<TimeUs>(parse_duration_ms(step.word(1)).value_or(0)) * kMillisecondUs;
    const std::string& verb = step.word(2);
    const std::string& id = step.word(3);
    const JobState* job = world.engine().find_live(id);
    const auto send = [&](JobCommand command) {
      return world.order(id, std::move(command), step.value("command"));
    };
    if (auto beginning = beginning_command(step)) return send(std::move(*beginning));
    if (verb == "started") {
      const auto pid = static_cast<std::uint32_t>(step.number("pid", 100));
      return send(ReportStarted{static_cast<std::uint32_t>(step.number("attempt", job ? job->attempt : 1)),
                                pid, pid + 1, 7, 8, step.value("cgroup"), step.value("not_held")});
    }
    if (verb == "exit") return send(exit_command(step, job, world.now));
    if (verb == "runner_gone") {
      return send(
          ReportRunnerGone{job ? job->attempt : 1, static_cast<std::uint32_t>(step.number("survivor"))});
    }
    if (verb == "cancel") return send(cancel_command(step));
    if (verb == "retry") return send(retry_command(step));
    if (verb == "attach") return send(attach_command(step));
    if (verb == "remove") return send(remove_command(step, job));
    if (verb == "expire") return send(expire_command(step));
    if (verb == "ask_many") return ask_many(step);
    if (auto asked = input_command(step, job)) return send(std::move(*asked));
    if (auto about_flow = flow_command(step)) {
      return world.submit(by_ada(step), ToFlow{id, std::move(*about_flow)});
    }
    if (auto lesson = learning_command(step)) return world.submit(by_ada(step), std::move(*lesson));
    if (auto device = device_command(step)) return world.submit(by_ada(step), std::move(*device));
    if (auto schedule = schedule_command(step)) return world.submit(by_ada(step), std::move(*schedule));
    if (verb == "hold") return send(HoldJob{});
    if (verb == "release") return send(ReleaseJob{"", step.value("order")});
    if (verb == "pause") return send(PauseJob{});
    if (verb == "resume") return send(ResumeJob{});
    if (verb == "edit") return send(ReprioritizeJob{static_cast<std::uint8_t>(step.number("priority"))});
    if (verb == "reschedule")
      return send(RescheduleJob{static_cast<TimeUs>(step.duration_ms("to")) * kMillisecondUs, ""});
    if (verb == "output") return send(output_command(step, job));
    if (auto limited = limit_command(step, job)) return send(std::move(*limited));
    if (auto report = report_command(step)) return send(std::move(*report));
    if (verb == "warn") return world.monitor(id, warn_command(step, job));
    if (verb == "pause_queue" || verb == "resume_queue") {
      return world.submit({}, ToQueue{id == "all" ? "" : id, verb == "pause_queue", ""});
    }
    if (verb == "resume_agent") return world.submit({}, ToQueue{"", false, "", id});
    if (verb == "resume_budget") {
      return world.submit({}, ToQueue{id == "all" ? "" : id, false, "", "", true});
    }
    if (verb == "drain") return world.submit({}, ToDrain{id != "off", ""});
    if (verb == "daemon_stops") return stop_daemon();
    if (verb == "tick") {
      world.engine().time_passed(world.now);
    } else if (verb == "clock") {
      const auto forward = static_cast<TimeUs>(step.duration_ms("by"));
      const auto back = static_cast<TimeUs>(step.duration_ms("back"));
      world.engine().clock_stepped((forward - back) * kMillisecondUs, world.now);
    } else if (verb == "restart") {
      world.restart();
    } else if (verb == "forget") {
      world.engine().views_reached(world.log().tip().position);
    } else {
      ADD_FAILURE() << "line " << step.line << ": unknown command " << verb;
    }
    world.settle();
    return Outcome{};
  }

  /// ask_many JOB REQUEST number=N: asks REQUEST1 to REQUESTN.
  Result<Outcome> ask_many(const Step& step) {
    Result<Outcome> asked;
    for (std::uint64_t i = 1; i <= step.number("number") && asked; ++i) {
      Step one = step;
      one.words[2] = "ask";
      one.words[4] += std::to_string(i);
      asked = world.order(step.word(3), *input_command(one, nullptr));
    }
    return asked;
  }

  /// As the daemon records it when it is asked to stop.
  Result<Outcome> stop_daemon() {
    schema::DaemonStoppedT fact;
    fact.reason = kAskedToStop;
    auto noted = world.submit({}, SystemNote{domain_fact(std::move(fact))});
    world.restart();
    return noted;
  }

  void expect_event(const Step& step, const std::string& json) {
    const auto event = nlohmann::json::parse(json);
    EXPECT_EQ(event["type"], step.word(1));
    if (!step.word(2).empty()) {
      const bool job = step.word(2) != "system" && step.word(2).find('/') == std::string::npos;
      EXPECT_EQ(event["stream"], job ? "job/" + step.word(2) : step.word(2));
    }
    for (const auto& [key, value] : step.values) {
      if (key == "evidence" || key == "evidence_rule") {
        EXPECT_EQ(event["evidence"].value(key == "evidence" ? "kind" : "rule", ""), value) << json;
        continue;
      }
      const auto& data = key == "position" || key == "cause" || key == "version" ? event : event["data"];
      ASSERT_TRUE(data.contains(key)) << "no field " << key << " in " << json;
      const auto& field = data[key];
      EXPECT_EQ(field.is_string() ? field.get<std::string>() : field.dump(), value) << key << " of " << json;
    }
  }

  void expect_state(const Step& step) {
    const JobState* live = world.engine().find_live(step.word(1));
    MemoryHistory history(world.log());
    const auto jobs = history.all_jobs();
    const auto stored = jobs.find(step.word(1));
    ASSERT_NE(stored, jobs.end()) << "no job " << step.word(1);
    const JobState& job = live != nullptr ? *live : stored->second;
    EXPECT_STREQ(schema::EnumNameJobState(job.state), step.word(2).c_str());
    if (step.values.contains("attempt")) {
      EXPECT_EQ(job.attempt, step.number("attempt"));
    }
    if (step.values.contains("reason")) {
      EXPECT_EQ(schema::EnumNameEndReason(job.end_reason), step.value("reason"));
    }
    if (step.values.contains("held")) {
      EXPECT_EQ(job.held, step.value("held") == "true");
    }
    if (step.values.contains("waits_for")) {
      ASSERT_NE(live, nullptr) << step.word(1) << " has left memory";
      const auto waiting = world.engine().queue().why(*live, world.now);
      ASSERT_TRUE(waiting) << step.word(1) << " is not queued";
      EXPECT_EQ(waits_for(*waiting), step.value("waits_for"));
      EXPECT_EQ(waiting->ahead, step.number("ahead", waiting->ahead));
    }
    expect_inputs(step, job);
    if (step.values.contains("terminal")) {
      EXPECT_EQ(schema::EnumNameTerminal(job.spec->terminal), step.value("terminal"));
      EXPECT_EQ(job.spec->command.size(), step.value("terminal") == "none" ? 1u : 3u);
    }
    if (step.values.contains("tokens")) {
      EXPECT_EQ(job.spent_tokens, step.number("tokens"));
    }
    if (step.values.contains("cost")) {
      EXPECT_DOUBLE_EQ(job.spent_cost_usd, std::stod(step.value("cost")));
    }
    if (step.values.contains("paused")) {
      EXPECT_EQ(job.paused, step.value("paused") == "true");
    }
    if (step.values.contains("removed")) {
      EXPECT_EQ(job.removed, step.value("removed") == "true");
      EXPECT_EQ(job.prompt == nullptr, step.values.contains("purged"));
    }
    // The engine's state must equal the fold of the log.
    if (live != nullptr) {
      EXPECT_EQ(stored->second.version, live->version);
    }
  }

  World world;
};

std::string effect_text(const Effect& effect) {
  static const std::map<EffectKind, std::string> kNames = {{EffectKind::launch, "launch"},
                                                           {EffectKind::stop_politely, "stop_politely"},
                                                           {EffectKind::stop_by_force, "stop_by_force"},
                                                           {EffectKind::pause_group, "pause_group"},
                                                           {EffectKind::continue_group, "continue_group"},
                                                           {EffectKind::deliver_answer, "deliver_answer"}};
  return kNames.at(effect.kind) + " " + effect.job + " " + std::to_string(effect.attempt) +
         (effect.input.empty() ? "" : " " + effect.input);
}

class ScenarioTest : public testing::TestWithParam<Scenario> {};

TEST_P(ScenarioTest, HappensAsWritten) {
  const Scenario& scenario = GetParam();
  Teller teller;
  const auto& steps = scenario.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    SCOPED_TRACE(scenario.file + ".txt:" + std::to_string(step.line) + " " + scenario.name);
    const std::string& kind = step.word(0);
    if (kind == "warn_fraction") {
      teller.world.engine().warn_of_duration(std::stod(step.word(1)));
    } else if (kind == "capacity") {
      teller.world.capacity = capacity_of(step);
    } else if (kind == "then") {
      teller.expect_state(step);
    } else if (kind == "flow") {
      expect_flow(step, teller.world);
    } else if (kind == "solution") {
      expect_solution(step, teller.world);
    } else if (kind == "fact") {
      expect_fact(step, teller.world);
    } else if (kind == "device") {
      expect_device(step, teller.world);
    } else if (kind == "schedule") {
      expect_schedule(step, teller.world);
    } else if (kind == "given" || kind == "when") {
      teller.world.take_events();
      teller.world.take_effects();
      teller.world.take_ready_steps();
      const auto result = teller.carry_out(step);
      if (kind == "given") {
        EXPECT_TRUE(result) << (result ? "" : result.error().message);
        continue;
      }
      const auto events = teller.world.take_events();
      std::vector<std::string> effects;
      for (const Effect& named : teller.world.take_effects()) effects.push_back(effect_text(named));
      for (const std::string& ready : teller.world.take_ready_steps())
        effects.push_back("hand_over " + ready);
      std::size_t event = 0, effect = 0;
      bool refusal_expected = false;
      for (; i + 1 < steps.size(); ++i) {
        const Step& expected = steps[i + 1];
        if (expected.word(0) == "event") {
          ASSERT_LT(event, events.size()) << "line " << expected.line << ": no such event";
          teller.expect_event(expected, events[event++]);
        } else if (expected.word(0) == "effect") {
          ASSERT_LT(effect, effects.size()) << "line " << expected.line << ": no such effect";
          EXPECT_EQ(effects[effect++], expected.word(1) + " " + expected.word(2) + " " + expected.word(3) +
                                           (expected.word(4).empty() ? "" : " " + expected.word(4)));
        } else if (expected.word(0) == "refused") {
          refusal_expected = true;
          ASSERT_FALSE(result);
          EXPECT_EQ(result.error().code, expected.word(1));
        } else {
          break;
        }
      }
      for (; event < events.size(); ++event) ADD_FAILURE() << "unexpected event " << events[event];
      for (; effect < effects.size(); ++effect) ADD_FAILURE() << "unexpected effect " << effects[effect];
      if (!refusal_expected) {
        EXPECT_TRUE(result) << result.error().code << ": " << result.error().message;
      }
    } else {
      ADD_FAILURE() << "unknown line";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioTest, testing::ValuesIn(read_scenarios()), [](const auto& info) {
  std::string name = info.param.file + "_";
  for (char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace luzia
