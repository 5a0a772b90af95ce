// The JSON that users' scripts read: a change here breaks them.
#include "projections/rows/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "projections/rows/json_writer.h"
#include "projections/rows/row_bytes.h"
#include "tests/matchers.h"
#include "tests/projections/rows/start_time.h"

namespace luzia::test {
namespace {

/// Encodes a native row and returns its table.
template <class Native>
class Encoded {
 public:
  explicit Encoded(const Native& row) : bytes_(row_bytes(row)) {}
  const typename Native::TableType& operator*() const {
    return *verified_row<typename Native::TableType>(as_bytes(bytes_));
  }

 private:
  std::string bytes_;
};

std::string written(std::string_view text) {
  std::string out;
  JsonWriter(out).text(text);
  return out;
}

TEST(JsonWriter, EscapesForJsonAndTerminals) {
  EXPECT_EQ(written("a\"b\\c\n\r\t"), R"("a\"b\\c\n\r\t")");
  EXPECT_EQ(written(std::string_view("\0\x1b\x7f", 3)), R"("\u0000\u001b\u007f")");
  EXPECT_EQ(written("\xc2\x9b \xe2\x80\xa8"), R"("\u009b \u2028")");
  EXPECT_EQ(written("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"), "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\"");
}

TEST(JsonWriter, EscapesAtEveryPlaceOfAString) {
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (char byte = 0; byte < 0x7f; ++byte) {
        std::string text(size, 'x');
        text[at] = byte;
        const std::string json = written(text);
        const bool plain = byte >= 0x20 && byte != '"' && byte != '\\';
        ASSERT_EQ(json.size() == size + 2, plain) << json;
        ASSERT_EQ(nlohmann::json::parse(json).get<std::string>(), text) << json;
      }
    }
  }
}

TEST(JsonWriter, InvalidUtf8BecomesTheReplacementCharacter) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(written("a\xff"
                    "b"),
            "\"a" + bad + "b\"");
  EXPECT_EQ(written("\xc3"), "\"" + bad + "\"");                                // truncated
  EXPECT_EQ(written("\xc0\xaf"), "\"" + bad + bad + "\"");                      // overlong
  EXPECT_EQ(written("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"");            // surrogate
  EXPECT_EQ(written("\xf4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");  // beyond Unicode
}

TEST(JsonWriter, AnyBytesMakeValidJson) {
  std::string bytes;
  for (unsigned seed = 1; bytes.size() < 100'000; seed = seed * 1'664'525 + 1'013'904'223) {
    bytes.push_back(static_cast<char>(seed >> 24));
  }
  EXPECT_TRUE(nlohmann::json::accept(written(bytes)));
}

TEST(JsonWriter, NumbersAreExactAndNeverNanOrInfinite) {
  std::string out;
  JsonWriter json(out);
  json.begin_array();
  json.number(~std::uint64_t{0});
  json.number(std::int64_t{-5});
  json.number(0.1);
  json.number(40.0);
  json.number(std::nan(""));
  json.number(INFINITY);
  json.end_array();
  EXPECT_EQ(out, "[18446744073709551615,-5,0.1,40,null,null]");
}

schema::EventT envelope(NewEvent event) {
  schema::EventT result;
  result.site = "here";
  result.position = 12;
  result.stream = event.stream;
  result.version = 3;
  result.time_us = kStart + 1;
  result.payload = std::move(event.payload);
  return result;
}

TEST(EventJson, HasTheDocumentedFormat) {
  schema::JobRetriedT fact;
  fact.attempt = 2;
  fact.not_before_us = kStart;
  schema::EventT event = envelope(job_event("k1", std::move(fact)));
  event.command_id = "c-1";
  event.cause = 11;
  event.actor = std::make_unique<schema::ActorT>();
  event.actor->kind = schema::ActorKind::runner;
  event.actor->uid = 1000;
  EXPECT_EQ(
      event_json(*Encoded(event)),
      R"({"position":12,"stream":"job/k1","version":3,"time":"2026-01-01T00:00:00.000001Z",)"
      R"("time_us":1767225600000001,"type":"JobRetried","actor":{"kind":"runner","uid":1000,"name":null},)"
      R"("cause":11,"evidence":{"kind":"asserted","attempt":null,"generation":null,"log_from":null,"log_to":null,)"
      R"("rule":null},"command_id":"c-1","site":"here","data":{"attempt":2,"not_before_us":1767225600000000,)"
      R"("not_before_at":"2026-01-01T00:00:00.000000Z","automatic":false,"note":"","answers":[],"after":[],)"
      R"("fresh":false,"at_terminal":null,"message":null,"corrects":false,"login_until_us":0,"login_until_at":null}})");
}

TEST(EventJson, UnsetOptionalNumbersAreNullAndDurationsHaveNoDate) {
  schema::AttemptEndedT fact;
  fact.signal = 9;
  const auto data =
      nlohmann::json::parse(event_json(*Encoded(envelope(job_event("k1", std::move(fact))))))["data"];
  EXPECT_TRUE(data["exit_code"].is_null());
  EXPECT_EQ(data["signal"], 9);
  EXPECT_EQ(data["wall_us"], 0);
  EXPECT_FALSE(data.contains("wall_at"));
  EXPECT_TRUE(data["ended_at"].is_null());
}

TEST(EventJson, InferredEvidenceNamesItsPlace) {
  schema::ProgressReportedT fact;
  fact.progress_percent = 0.0;
  schema::EventT event = envelope(job_event("k1", std::move(fact)));
  event.evidence = std::make_unique<schema::EvidenceT>();
  event.evidence->kind = schema::EvidenceKind::inferred;
  event.evidence->attempt = 2;
  event.evidence->log_from = 120;
  event.evidence->log_to = 180;
  event.evidence->rule = "osc94";
  const auto json = nlohmann::json::parse(event_json(*Encoded(event)));
  EXPECT_EQ(json["evidence"].dump(),
            R"({"attempt":2,"generation":0,"kind":"inferred","log_from":120,"log_to":180,"rule":"osc94"})");
  EXPECT_EQ(json["type"], "ProgressReported");
  EXPECT_EQ(json["data"]["progress_percent"], 0.0);
  EXPECT_TRUE(json["data"]["estimated_remaining_seconds"].is_null());
  EXPECT_TRUE(json["cause"].is_null());
}

TEST(EventJson, TablesVectorsEnumsBytesAndDefaultsCarryTheirSchemaNames) {
  schema::JobQueuedT fact;
  fact.job = "k1";
  fact.spec = std::make_unique<schema::JobSpecT>();
  fact.spec->project = "alpha";
  fact.spec->command = {"sh", "-c", "{task}"};
  schema::ExitCodeT code;
  code.code = 100;
  code.meaning = schema::ExitMeaning::needs_clarification;
  fact.spec->exit_codes.push_back(std::make_unique<schema::ExitCodeT>(code));
  fact.prompt = std::make_unique<schema::BlobRefT>();
  fact.prompt->size = 3;
  fact.prompt->hash = {0xab, 0x01};
  const auto data =
      nlohmann::json::parse(event_json(*Encoded(envelope(job_event("k1", std::move(fact))))))["data"];
  EXPECT_EQ(data["spec"]["command"].dump(), R"(["sh","-c","{task}"])");
  EXPECT_EQ(data["spec"]["exit_codes"].dump(), R"([{"code":100,"meaning":"needs_clarification"}])");
  EXPECT_EQ(data["spec"]["stdin_prompt"], true);  // the schema's default
  EXPECT_EQ(data["spec"]["tags"].dump(), "[]");
  EXPECT_EQ(data["prompt"].dump(), R"({"hash":"ab01","index":0,"size":3})");
  EXPECT_TRUE(data["env"].is_null());
}

TEST(EventJson, EveryFactIsAnObjectOfItsFields) {
  int facts = 0;
  for (const auto payload_type : schema::EnumValuesPayload()) {
    if (payload_type != schema::Payload::JobEvent) continue;
    for (const auto fact_type : schema::EnumValuesJobFact()) {
      if (fact_type == schema::JobFact::NONE) continue;
      flatbuffers::FlatBufferBuilder builder;
      const auto start = builder.StartTable();
      const flatbuffers::Offset<void> empty(builder.EndTable(start));
      const auto domain = schema::CreateJobEvent(builder, fact_type, empty);
      schema::EventBuilder event(builder);
      event.add_payload_type(payload_type);
      event.add_payload(domain.Union());
      builder.Finish(event.Finish());
      const auto json =
          nlohmann::json::parse(event_json(*flatbuffers::GetRoot<schema::Event>(builder.GetBufferPointer())));
      EXPECT_EQ(json["type"], schema::EnumNameJobFact(fact_type));
      EXPECT_TRUE(json["data"].is_object() && !json["data"].empty()) << json;
      ++facts;
    }
  }
  EXPECT_EQ(facts, static_cast<int>(schema::JobFact::MAX));
}

TEST(EventJson, UnknownFactHasOnlyAnEnvelope) {
  flatbuffers::FlatBufferBuilder builder;
  const auto start = builder.StartTable();
  const flatbuffers::Offset<void> unknown(builder.EndTable(start));
  const auto domain = schema::CreateJobEvent(builder, static_cast<schema::JobFact>(250), unknown);
  schema::EventBuilder event(builder);
  event.add_position(4);
  event.add_payload_type(schema::Payload::JobEvent);
  event.add_payload(domain.Union());
  builder.Finish(event.Finish());
  const auto json =
      nlohmann::json::parse(event_json(*flatbuffers::GetRoot<schema::Event>(builder.GetBufferPointer())));
  EXPECT_EQ(json["type"], "unknown");
  EXPECT_EQ(json["position"], 4);
  EXPECT_TRUE(json["data"].is_null());
}

view::JobT full_job() {
  view::JobT job;
  job.id = "k000000000001";
  job.project = "alpha";
  job.task = "build it";
  job.agent = "claude";
  job.user = "alice";
  job.state = schema::JobState::failed;
  job.attempt = job.attempts = 2;
  job.priority = 7;
  job.tags = {"nightly"};
  job.exit_code = 2;
  job.retriable = true;
  job.queued_us = kStart;
  job.first_started_us = kStart + 2 * kSecondUs;
  job.started_us = kStart + 10 * kSecondUs;
  job.ended_us = kStart + 14 * kSecondUs + 500'000;
  job.human_wait_us = 3 * kSecondUs;
  job.progress = std::make_unique<view::ProgressT>();
  job.progress->percent = 40.0;
  job.progress->current_step = 2;
  job.progress->total_steps = 5;
  job.progress->step_name = "tests";
  job.last_line = "make: *** [all] Error 1";
  job.output_bytes = 2048;
  job.output_lines = 40;
  job.warnings = 3;
  job.errors = 1;
  job.session_id = "s-1";
  job.model = "opus";
  job.tokens = std::make_unique<view::TokensT>();
  job.tokens->input = 100;
  job.cost_usd = 0.25;
  job.outcome = schema::AgentOutcome::max_turns;
  job.outcome_text = "not done yet";
  job.tool_calls = 9;
  job.tool_failures = 2;
  job.tool_denials = 1;
  job.agent_retries = 3;
  job.todo.push_back(std::make_unique<schema::TodoItemT>());
  job.todo.back()->text = "run the tests";
  job.todo.back()->status = schema::TodoStatus::in_progress;
  job.limit = "five_hour";
  job.verdict = schema::Verdict::NEEDS_WORK;
  job.findings_count = 4;
  job.dir = "/jobs/k000000000001";
  job.working_dir = "/src/alpha";
  job.snapshot = "c0ffee";
  job.position = 99;
  return job;
}

TEST(JobJson, HasTheDocumentedFormat) {
  EXPECT_EQ(
      job_json(*Encoded(full_job()), kStart + kHourUs),
      R"({"id":"k000000000001","project":"alpha","task":"build it","agent":"claude","user":"alice",)"
      R"("state":"failed","a2a_state":"failed","attempt":2,"attempts":2,"priority":7,"tags":["nightly"],)"
      R"("exit_code":2,"verified":null,"signal":null,"reason":"exit_code","reason_text":"exit code 2","retriable":true,)"
      R"("failure":{"summary":"exit code 2; the last line of output: make: *** [all] Error 1","test":null,)"
      R"("assertion":null,"file":null,"line":null,"first_line":null,"offset":null,"issue":null,"others":0,)"
      R"("folded_issues":0},)"
      R"("queued_at":"2026-01-01T00:00:00.000000Z","started_at":"2026-01-01T00:00:10.000000Z",)"
      R"("ended_at":"2026-01-01T00:00:14.500000Z","queued_us":1767225600000000,"started_us":1767225610000000,)"
      R"("ended_us":1767225614500000,"elapsed_seconds":4.5,"queue_wait_seconds":2,"human_wait_seconds":3,)"
      R"("pid":null,"progress":{"percent":40,"current_step":2,"total_steps":5,"step_name":"tests"},)"
      R"("last_line":"make: *** [all] Error 1","output":{"bytes":2048,"lines":40},"warnings":3,"errors":1,)"
      R"("issues":0,"findings_omitted":0,"questions_open":0,"approvals_open":0,"last_warning":null,"session_id":"s-1","model":"opus",)"
      R"("tokens":{"input":100,"output":0,"cache_read":0,"cache_write":0},"cost_usd":0.25,)"
      R"("outcome":"max_turns","outcome_text":"not done yet","tool_calls":9,"tool_failures":2,)"
      R"("tool_denials":1,"agent_retries":3,"todo":[{"text":"run the tests","status":"in_progress"}],)"
      R"("limit":"five_hour","limits_reached":["five_hour"],)"
      R"("verdict":{"status":"NEEDS_WORK","findings_count":4,"recommendations_count":0},"user_seconds":0,)"
      R"("system_seconds":0,"max_rss_kib":0,"flow":null,"step":null,"parent_job":null,"schedule":null,"after":[],)"
      R"("dir":"/jobs/k000000000001","working_dir":"/src/alpha","snapshot":"c0ffee","worktree":null,)"
      R"("held":false,"paused":false,"stopping":false,)"
      R"("estimate_ms":null,"timeout_ms":null,"not_before":null,"parked_until":null,)"
      R"("queue_position":null,"queue_ahead":null,"estimated_wait_seconds":null,"blocked_by":null,)"
      R"("blocked_why":null,"position":99})");
}

TEST(JobJson, FailureIsTheFirstCause) {
  view::JobT job = full_job();
  job.failure = std::make_unique<view::FailureT>();
  job.failure->summary = "test_total: 3 != 4 (and 2 more tests)";
  job.failure->test = "test_total";
  job.failure->assertion = "3 != 4";
  job.failure->file = "test_cart.py";
  job.failure->line = 5;
  job.failure->first_line = 1;
  job.failure->issue = "0a1b";
  job.failure->others = 2;
  job.failure->folded = 7;
  EXPECT_EQ(
      nlohmann::json::parse(job_json(*Encoded(job), kStart + kHourUs))["failure"],
      nlohmann::json::parse(R"json({"summary": "test_total: 3 != 4 (and 2 more tests)", "test": "test_total",
                "assertion": "3 != 4", "file": "test_cart.py", "line": 5, "first_line": 1, "offset": 0,
                "issue": "0a1b", "others": 2, "folded_issues": 7
})json"));
}

TEST(JobJson, UnknownFailureSaysReasonAndLastLine) {
  struct Case {
    schema::JobState state;
    schema::EndReason reason;
    std::string detail, last_line, summary;
  };
  using schema::EndReason, schema::JobState;
  const Case cases[] = {{JobState::failed, EndReason::exit_code, "", "", "exit code 2"},
                        {JobState::failed, EndReason::exit_code, "", " \tno\x1b[31m luck",
                         "exit code 2; the last line of output: no [31m luck"},
                        {JobState::killed, EndReason::memory_limit, "reached its memory limit of 1 MiB",
                         "sorting", "reached its memory limit of 1 MiB; the last line of output: sorting"},
                        {JobState::timed_out, EndReason::timed_out, "ran longer than its limit of 5m", "",
                         "ran longer than its limit of 5m"},
                        {JobState::killed, EndReason::cancelled, "", "x", ""},
                        {JobState::completed, EndReason::exit_code, "", "x", ""},
                        {JobState::running, EndReason::exit_code, "", "x", ""}};
  for (const Case& each : cases) {
    view::JobT job = full_job();
    job.state = each.state;
    job.reason = each.reason;
    job.reason_detail = each.detail;
    job.last_line = each.last_line;
    const auto failure = nlohmann::json::parse(job_json(*Encoded(job), kStart + kHourUs))["failure"];
    if (each.summary.empty()) {
      EXPECT_TRUE(failure.is_null()) << failure;
    } else {
      EXPECT_EQ(failure["summary"], each.summary);
      EXPECT_TRUE(failure["offset"].is_null());
    }
  }
}

TEST(JobJson, QueuedJobHasNulls) {
  view::JobT job;
  job.id = "k1";
  job.state = schema::JobState::queued;
  job.queued_us = kStart;
  const auto json = nlohmann::json::parse(job_json(*Encoded(job), kStart + 90 * kSecondUs));
  for (const char* key : {"exit_code", "signal", "reason", "started_at", "ended_at", "elapsed_seconds", "pid",
                          "progress", "last_line", "session_id", "model", "cost_usd", "verdict", "flow"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
  EXPECT_EQ(json["queue_wait_seconds"], 90);
  EXPECT_EQ(json["a2a_state"], "submitted");
}

TEST(JobJson, DurationsOfLiveJobsCountUntilNow) {
  view::JobT job;
  job.state = schema::JobState::waiting;
  job.started_us = job.first_started_us = job.queued_us = kStart;
  job.waiting_since_us = kStart + kSecondUs;
  job.human_wait_us = kSecondUs;
  const auto json = nlohmann::json::parse(job_json(*Encoded(job), kStart + 5 * kSecondUs));
  EXPECT_EQ(json["elapsed_seconds"], 5);
  EXPECT_EQ(json["human_wait_seconds"], 5);
  EXPECT_EQ(json["a2a_state"], "input-required");
}

TEST(RowJson, QueueEntryHasEveryField) {
  view::QueueEntryT entry;
  entry.position = 1;
  entry.job = "k1";
  entry.project = "alpha";
  entry.agent = "shell";
  entry.priority = 5;
  entry.queued_us = kStart;
  entry.held = true;
  entry.after = {"k0"};
  entry.blocked_by = "release";
  entry.blocked_why = "waits to be released: it is held";
  EXPECT_EQ(
      queue_entry_json(*Encoded(entry)),
      R"({"position":1,"job":"k1","project":"alpha","agent":"shell","priority":5,)"
      R"("queued_at":"2026-01-01T00:00:00.000000Z","queued_us":1767225600000000,"held":true,"after":["k0"],)"
      R"("blocked_by":"release","blocked_why":"waits to be released: it is held",)"
      R"("queue_position":null,"queue_ahead":null,"estimated_wait_seconds":null})");
  entry.place = 2;
  entry.first_ahead = {"k0"};
  entry.estimated_wait_ms = 1'500;
  EXPECT_THAT(queue_entry_json(*Encoded(entry)),
              EndsWith(R"("queue_position":2,"queue_ahead":["k0"],"estimated_wait_seconds":1.5})"));
}

TEST(RowJson, ActivityTotalsAndDurations) {
  view::ActivityT activity;
  activity.position = 9;
  activity.time_us = kStart;
  activity.job = "k1";
  activity.project = "alpha";
  activity.type = "JobEnded";
  activity.severity = schema::Severity::error;
  activity.text = "failed: exit_code";
  EXPECT_EQ(activity_json(*Encoded(activity)),
            R"({"position":9,"time":"2026-01-01T00:00:00.000000Z","time_us":1767225600000000,"job":"k1",)"
            R"("project":"alpha","type":"JobEnded","severity":"error","text":"failed: exit_code"})");
  view::ProjectTotalsT totals;
  totals.project = "alpha";
  totals.dispatched = totals.completed = 3;
  totals.busy_us = 1'500'000;
  totals.last_us = kStart;
  EXPECT_EQ(
      totals_json(*Encoded(totals)),
      R"({"project":"alpha","queued":0,"running":0,"waiting":0,"parked":0,"dispatched":3,"completed":3,)"
      R"("failed":0,"killed":0,"timed_out":0,"lost":0,"skipped":0,"cancelled":0,)"
      R"("retries":0,"warnings":0,"busy_seconds":1.5,)"
      R"("output_bytes":0,"last_at":"2026-01-01T00:00:00.000000Z","last_us":1767225600000000})");
  view::DurationsT durations;
  durations.measure = "run";
  durations.project = "alpha";
  durations.agent = "shell";
  durations.count = 1;
  durations.sum_ms = durations.min_ms = durations.max_ms = 8;
  durations.buckets.assign(13, 0);
  durations.buckets[12] = 1;
  EXPECT_EQ(
      durations_json(*Encoded(durations)),
      R"({"measure":"run","project":"alpha","agent":"shell","count":1,"sum_ms":8,"mean_ms":8,"min_ms":8,)"
      R"("max_ms":8,"p50_ms":8,"p90_ms":8,"p95_ms":8,"p99_ms":8})");
}

TEST(RowJson, ListsAndErrors) {
  EXPECT_EQ(list_json("jobs", {R"({"id":"a"})", R"({"id":"b"})"}, 7, "b"),
            R"({"jobs":[{"id":"a"},{"id":"b"}],"position":7,"next":"b"})");
  EXPECT_EQ(list_json("jobs", {}, 0, ""), R"({"jobs":[],"position":0,"next":null})");
  EXPECT_EQ(error_json(Error{ErrorKind::not_found, "no_such_job", "no job 'x'", "list them"}),
            R"({"error":{"code":"no_such_job","message":"no job 'x'","hint":"list them"}})");
}

}  // namespace
}  // namespace luzia::test
