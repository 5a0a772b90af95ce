// diff, play and report: what changed, in which order, and with what result.
#include <fstream>

#include "projections/rows/harmless.h"
#include "projections/rows/report_charts.h"
#include "projections/rows/times.h"
#include "tests/matchers.h"
#include "tests/text_files.h"
#include "tests/tools/luzia_query/full_store.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

std::vector<std::string> named(const Json& list, const char* field) {
  std::vector<std::string> names;
  for (const Json& one : list) names.push_back(one.at(field));
  return names;
}

TEST(Diff, ShowsChangesBetweenTwoPositions) {
  const FullStore full;
  const Json found = ask(full.store(), {"diff", "--from", "8", "--to", "17", "--json"}).json();
  EXPECT_EQ(found.at("from").at("position"), 8);
  EXPECT_EQ(found.at("to").at("time"), "2026-01-01T00:00:17.000000Z");
  EXPECT_EQ(found.at("events"), 9);
  EXPECT_THAT(named(found.at("jobs"), "id"), ElementsAre(kBroken, kReview, kDeploy));
  EXPECT_TRUE(found.at("jobs")[0].at("from").is_null());
  EXPECT_EQ(found.at("jobs")[0].at("to"), "failed");
  EXPECT_EQ(found.at("jobs")[0].at("reason_text"), "exit code 2");
  EXPECT_EQ(found.at("flows"), Json::array());
}

TEST(Diff, ShowsStatesFlowsIssuesAndCosts) {
  const FullStore full;
  const Json found = ask(full.store(), {"diff", "--from", "20", "--json"}).json();
  ASSERT_EQ(found.at("jobs").size(), 1u);
  EXPECT_EQ(found.at("jobs")[0].at("from"), "running");
  EXPECT_EQ(found.at("jobs")[0].at("to"), "failed");
  ASSERT_EQ(found.at("flows").size(), 1u);
  EXPECT_TRUE(found.at("flows")[0].at("from").is_null());
  ASSERT_EQ(found.at("issues").size(), 1u);
  EXPECT_EQ(
      found.at("issues")[0],
      (Json{{"pattern", "python_module"}, {"project", "web"}, {"severity", "error"}, {"jobs", {kTricky}}}));
  EXPECT_EQ(found.at("costs"), (Json::array({{{"key", "web"}, {"tokens", 47}, {"cost_usd", 0.25}}})));
  const std::string text = ask(full.store(), {"diff", "--from", "20"}).out;
  EXPECT_THAT(text, StartsWith("from position 20 ("));
  EXPECT_THAT(text, HasSubstr("running -> failed"));
  EXPECT_THAT(text, HasSubstr("python_module"));
}

TEST(Diff, SameTimeIsEmptyBackwardIsRefused) {
  const FullStore full;
  const Json found = ask(full.store(), {"diff", "--from", "20", "--to", "20", "--json"}).json();
  EXPECT_EQ(found.at("events"), 0);
  EXPECT_EQ(found.at("jobs"), Json::array());
  EXPECT_EQ(ask(full.store(), {"diff", "--from", "20", "--to", "10"}).code, 2);
  EXPECT_EQ(ask(full.store(), {"diff"}).code, 2);
  EXPECT_EQ(ask(full.store(), {"diff", "--from", "9999"}).code, 2);
}

TEST(Diff, StartBeforeTheFirstEventSaysSo) {
  const FullStore full;
  const std::string text = ask(full.store(), {"diff", "--from", "2025-01-01", "--to", "8"}).out;
  EXPECT_THAT(text,
              StartsWith("from position 0 (before the first event) to 8 (2026-01-01 00:00:08Z): 8 events\n"));
}

TEST(Diff, FitsTheTerminal) {
  const FullStore full;
  for (const std::string columns : {"40", "60", "80"}) {
    Circumstances narrow;
    narrow.environment = {{"COLUMNS", columns}};
    const Ran ran = ask(full.store(), {"diff", "--from", "1"}, narrow);
    EXPECT_EQ(ran.code, 0) << ran.err;
    for (const std::string& line : ran.text_lines()) {
      EXPECT_LE(display_width(line), std::stoul(columns)) << line;
    }
  }
}

TEST(Diff, SelectsByTimeAndProject) {
  const FullStore full;
  const Json found = ask(full.store(), {"diff", "--from", "2026-01-01T00:00:08Z", "--to",
                                        "2026-01-01T00:00:17Z", "--project", "web", "--json"})
                         .json();
  EXPECT_THAT(named(found.at("jobs"), "id"), ElementsAre(kReview));
}

TEST(Flow, PastNewestFlowIsShownAsItWas) {
  const FullStore full;
  {
    const auto log = full.store().open_log();
    LogWriter writer(*log);
    writer.now = time_at(49);
    schema::FlowCreatedT fact;
    fact.flow = "f-2";
    fact.project = "web";
    NewEvent later = flow_event(std::move(fact));
    later.stream = "flow/f-2";
    writer.write(kSecondUs, std::move(later));  // 36
  }
  const auto newest = [&](const std::string& at) {
    return ask(full.store(), {"flow", "@last", "--at", at, "--json"});
  };
  EXPECT_EQ(ask(full.store(), {"flow", "@last", "--json"}).json().at("id"), "f-2");
  const std::pair<Position, const char*> moments[] = {{33, "pending"}, {34, "in_progress"}, {35, "failed"}};
  for (const auto& [position, state] : moments) {
    for (const std::string& at : {std::to_string(position), format_rfc3339(time_at(position))}) {
      const Ran then = newest(at);
      ASSERT_EQ(then.code, 0) << at << ": " << then.err;
      EXPECT_EQ(then.json().at("id"), "f-1") << at;
      EXPECT_EQ(then.json().at("steps")[0].at("state"), state) << at;
    }
  }
  EXPECT_EQ(newest(format_rfc3339(time_at(50))).json().at("id"), "f-2");
  const Ran before = newest(format_rfc3339(time_at(32)));
  EXPECT_EQ(before.code, 3);
  EXPECT_EQ(Json::parse(before.err).at("error").at("code"), "no_such_flow");
}

/// The small store plus a job whose output lies in a folder.
class Play : public testing::Test {
 protected:
  Play() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/output.log") << "first\n\x1b[2Jsecond\nhalf";
    const auto log = store_.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    NewEvent begin = queued(kJob, "web");
    begin.payload.AsJobEvent()->fact.AsJobQueued()->spec->job_dir = folder_;
    writer.write(kSecondUs, std::move(begin));
    writer.write(kSecondUs, starting(kJob));
    writer.write(kSecondUs, started(kJob));
    for (const auto& [from, to] : {std::pair(0, 8), std::pair(8, 22)}) {
      schema::OutputAppendedT read;
      read.attempt = 1;
      read.from = static_cast<std::uint64_t>(from);
      read.to = static_cast<std::uint64_t>(to);
      writer.write(kSecondUs, job_event(kJob, std::move(read)));
    }
    writer.write(kSecondUs, attempt_ended(kJob, 0, writer.now));
    writer.write(kHourUs, ended(kJob, schema::JobState::completed));
  }
  const std::string kJob = "0abf000000009";
  SmallStore store_;
  std::string folder_ = store_.beside("job");
};

TEST_F(Play, PlaysEventsAndLinesIntoAFile) {
  const Ran ran = ask(store_, {"play", kJob});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto lines = ran.text_lines();
  ASSERT_GE(lines.size(), 6u);
  EXPECT_THAT(lines[0], StartsWith("00:00:18.000Z  queued for web"));
  EXPECT_THAT(ran.out, HasSubstr("|first\n"));
  EXPECT_THAT(ran.out, HasSubstr("second\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  EXPECT_LT(ran.out.find("first"), ran.out.find("second"));
  EXPECT_THAT(ran.out, HasSubstr("|half\n")) << "the last line has no end";
  EXPECT_LT(ran.out.find("second"), ran.out.find("half"));
  EXPECT_LT(ran.out.find("half"), ran.out.find("completed"));
}

TEST_F(Play, FindingFollowsItsLine) {
  std::ofstream(folder_ + "/output.log") << "before\n::warning::slow\nafter\n";
  {
    const auto log = store_.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast) + 2 * kHourUs;
    const std::string job = "0abf00000000a";
    NewEvent begin = queued(job, "web");
    begin.payload.AsJobEvent()->fact.AsJobQueued()->spec->job_dir = folder_;
    writer.write(kSecondUs, std::move(begin));
    writer.write(kSecondUs, starting(job));
    schema::OutputAppendedT read;
    read.attempt = 1;
    read.to = 29;
    writer.write(kSecondUs, job_event(job, std::move(read)));
    NewEvent found = annotation(job, "slow");
    found.evidence->log_from = 7;
    found.evidence->log_to = 22;
    writer.write(0, std::move(found));
  }
  const auto lines = ask(store_, {"play", "0abf00000000a"}).text_lines();
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_THAT(lines[2], HasSubstr("|before"));
  EXPECT_THAT(lines[3], HasSubstr("|::warning::slow"));
  EXPECT_THAT(lines[4], HasSubstr("warning: slow"));
  EXPECT_THAT(lines[5], HasSubstr("|after"));
}

TEST_F(Play, WaitsOnATerminalUpToItsLimit) {
  Circumstances terminal;
  terminal.out_stream = {true, 80};
  const Ran ran = ask(store_, {"play", kJob, "--speed", "1000x", "--max-gap", "20ms"}, terminal);
  EXPECT_EQ(ran.code, 0) << "an hour lies between two of its events";
  EXPECT_THAT(ran.out, HasSubstr("completed"));
}

TEST_F(Play, WithoutOutputEventsArePlayed) {
  std::filesystem::remove_all(folder_);
  const Ran ran = ask(store_, {"play", kJob});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("cannot be read"));
  EXPECT_THAT(ran.out, HasSubstr("completed"));
}

TEST_F(Play, JsonIsTheJobsEvents) {
  const auto events = ask(store_, {"play", kJob, "--json"}).json_lines();
  ASSERT_EQ(events.size(), 7u);
  EXPECT_EQ(events.back().at("type"), "JobEnded");
  EXPECT_EQ(ask(store_, {"play", "zzz"}).code, 3);
  EXPECT_EQ(ask(store_, {"play", kJob, "--speed", "0"}).code, 2);
  EXPECT_EQ(ask(store_, {"play", kJob, "--speed", "fast"}).code, 2);
}

/// Checks that the page's elements are properly nested and all closed at its end.
void expect_balanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name =
        tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" /", 1) - (tag.starts_with('/') ? 1 : 0));
    if (tag.starts_with('!') || tag.ends_with('/') || name == "meta") continue;
    if (!tag.starts_with('/')) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    EXPECT_EQ(open.back(), tag.substr(1)) << page.substr(at > 80 ? at - 80 : 0, 160);
    open.pop_back();
  }
  EXPECT_THAT(open, IsEmpty());
}

TEST(Report, IsOneSelfContainedFile) {
  const FullStore full;
  const std::string file = full.store().beside("report.html");
  const Ran ran = ask(full.store(), {"report", "--out", file});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, file + "\n");
  const std::string page = whole_text(file);
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  for (const char* outside : {"<script", "http://", "https://", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  for (const char* part :
       {"Jobs that ended, by day", "How long they ran", "Costs by day", "Known problems", "When jobs ran",
        "Projects", "Why jobs ended", "Failed last", "prefers-color-scheme", "@media print"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  expect_balanced(page);
}

TEST(Report, LinksAFailedJobToItsOutput) {
  const SmallStore store;
  {
    const auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    const std::string id = "0abf000000009";
    schema::JobQueuedT fact;
    fact.job = id;
    fact.spec = std::make_unique<schema::JobSpecT>();
    fact.spec->project = "web";
    fact.spec->job_dir = "/home/a b/\"<jobs>%/" + id;
    writer.write(kSecondUs, job_event(id, std::move(fact)));
    writer.write(kSecondUs, starting(id));
    writer.write(kSecondUs, ended(id, schema::JobState::failed));
  }
  EXPECT_THAT(ask(store, {"report"}).out,
              HasSubstr("<a href=\"file:///home/a%20b/%22%3Cjobs%3E%25/0abf000000009/output.log\">"));
}

TEST(Report, EscapesAgentText) {
  const SmallStore store;
  {
    const auto log = store.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    const std::string id = "0abf000000009";
    writer.write(kSecondUs, queued(id, "<b>web</b>", "claude"));
    writer.write(kSecondUs, starting(id));
    writer.write(kSecondUs, started(id));
    schema::AttemptEndedT end;
    end.attempt = 1;
    end.exit_code = 1;
    end.ended_us = writer.now;
    end.last_line = "<script>alert('x')</script> & \x1b[2J \"quoted\"";
    writer.write(kSecondUs, job_event(id, std::move(end)));
    writer.write(kSecondUs, ended(id, schema::JobState::failed));
  }
  const std::string page = ask(store, {"report"}).out;
  EXPECT_THAT(page, Not(HasSubstr("Costs by day"))) << "a chart without data";
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b>web")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; "));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  expect_balanced(page);
}

TEST(Report, SuccessIsExplainedOnceForThePage) {
  const FullStore full;
  const std::string page = ask(full.store(), {"report"}).out;
  const std::size_t at = page.find("Success, on this whole page");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, page.find("Jobs that ended, by day")) << "below the cards, where it is read first";
  EXPECT_EQ(page.find("Success", at + 1), std::string::npos);
}

std::string one_decimal(double value) {
  const std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + 2);
}

TEST(Report, CountsHaveWholeTicks) {
  const std::string five = column_chart("t", {"day"}, {{"jobs", "good", {5}}}, one_decimal);
  for (const char* tick : {">0.0<", ">2.0<", ">4.0<", ">6.0<", ">8.0<"}) EXPECT_THAT(five, HasSubstr(tick));
  const std::string one = column_chart("t", {"day"}, {{"jobs", "good", {1}}}, one_decimal);
  EXPECT_THAT(one, Not(HasSubstr(">0.5<")));
  const std::string parts = column_chart("t", {"day"}, {{"dollars", "good", {1.5}}}, one_decimal);
  EXPECT_THAT(parts, HasSubstr(">0.5<"));
}

TEST(Report, StretchWithoutJobsIsDrawnShortWithItsLength) {
  const std::vector<ChartSpan> spans = {{"a", "good", "first", kHourUs, 2 * kHourUs},
                                        {"b", "good", "second", 21 * kHourUs, 22 * kHourUs}};
  const std::string chart = timeline_chart("t", spans, kHourUs, 22 * kHourUs);
  EXPECT_THAT(chart, HasSubstr("<rect class=\"gap\" x=\"512.0\" y=\"12.0\" width=\"56.0\""));
  EXPECT_THAT(chart, HasSubstr(format_duration(19 * kHourUs) + " without a job"));
  EXPECT_THAT(chart, HasSubstr("x=\"8.0\" y=\"12.0\" width=\"504.0\""));
  EXPECT_THAT(chart, HasSubstr("x=\"568.0\" y=\"12.0\" width=\"504.0\""));
  const std::vector<ChartSpan> close = {spans[0], {"b", "good", "second", 2 * kHourUs, 3 * kHourUs}};
  EXPECT_THAT(timeline_chart("t", close, kHourUs, 3 * kHourUs), Not(HasSubstr("class=\"gap\"")));
}

TEST(Report, PeriodWithoutJobsSaysSo) {
  const SmallStore store;
  Circumstances later;
  later.now = kEpoch + 30 * kDayUs;
  const std::string page = ask(store, {"report", "--since", "2026-01-05"}, later).out;
  EXPECT_THAT(page, HasSubstr("No job has ended in this time."));
  expect_balanced(page);
}

}  // namespace
}  // namespace luzia::test
