// On random histories, live rows = replayed rows = rows replayed from any cursor, byte for byte.
#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/event/job_state.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/costs.h"
#include "projections/ends.h"
#include "projections/flows.h"
#include "projections/inputs.h"
#include "projections/jobs.h"
#include "projections/learning.h"
#include "projections/live_jobs.h"
#include "projections/outcomes.h"
#include "projections/past_views.h"
#include "projections/query.h"
#include "projections/registry.h"
#include "projections/rows/names.h"
#include "projections/rows/row_bytes.h"
#include "projections/store_history.h"
#include "projections/streams.h"
#include "projections/tools.h"
#include "projections/totals.h"
#include "tests/engine/log/temp_store.h"
#include "tests/projections/random_history.h"

namespace luzia::test {
namespace {

constexpr std::size_t kEvents = 2000;
constexpr unsigned kFirstSeed = 1, kLastSeed = 5;

template <class Row>
std::string bytes_of(const std::optional<Row>& row) {
  return row ? row_bytes(*row) : std::string();
}

std::uint32_t count_open(const JobState& job, view::InputKind kind) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      job.inputs, [kind](const auto& input) { return input->kind == kind && !input->answered; }));
}

/// The number of rows of a view of questions or approvals whose keys begin with this byte.
std::size_t count_rows(const ViewReader& rows, const ProjectionInfo& info, char first) {
  std::size_t count = 0;
  rows.scan(row_key(info, std::string(1, first)), row_key(info, std::string(1, static_cast<char>(first + 1))),
            [&](std::string_view, std::string_view) {
              ++count;
              return true;
            });
  return count;
}

view::QuestionState state_after(const view::DecidedInputT& decided) {
  switch (decided.end) {
    case view::InputEnd::answered:
      return view::QuestionState::answered;
    case view::InputEnd::timed_out:
      return view::QuestionState::timed_out;
    case view::InputEnd::cancelled:
      break;
  }
  return view::QuestionState::cancelled;
}

class RandomHistories : public testing::TestWithParam<unsigned> {
 protected:
  RandomHistories() : history_(log_, GetParam()) {
    history_.write(kEvents);
    EXPECT_TRUE(catch_up(log_, all_projections(), replayed_));
  }
  void expect_same_rows(const ViewStore& store) {
    const auto left = store.snapshot(), right = replayed_.snapshot();
    EXPECT_THAT(compare_rows(*left, *right), testing::IsEmpty());
    EXPECT_EQ(left->cursor(), right->cursor());
  }
  /// Folds as a daemon does: flushes after any number of events, even in the middle of groups.
  void fold_in_steps(ViewStore& store, std::mt19937& random) {
    Fold fold(all_projections(), store);
    const auto groups = log_.read_from(1);
    while (auto group = groups->next().value()) {
      while (fold.cursor().position < group->last_position()) {
        fold.apply(*group, fold.cursor().position + 1 + random() % 7);
        if (random() % 3 == 0) {
          ASSERT_TRUE(fold.flush());
        }
      }
    }
    ASSERT_TRUE(fold.flush());
  }

  std::vector<std::string> approvals_of(const ViewReader& rows, const std::string& job, Position at) {
    wire::QueryT query;
    query.view = wire::View::approvals;
    query.limit = kMaxLimit;
    query.filter = std::make_unique<wire::FilterT>();
    query.filter->jobs = {job};
    const auto page = run_query(rows, {log_, {}, {}}, query);
    // Jobs that did not exist yet have none.
    EXPECT_TRUE(page || page.error().code == "no_such_job") << at;
    return page ? page->rows : std::vector<std::string>();
  }

  MemoryEventLog log_;
  RandomHistory history_;
  MemoryViewStore replayed_;
};

TEST_P(RandomHistories, BatchSizeDoesNotChangeRows) {
  std::mt19937 random(GetParam());
  MemoryViewStore store;
  fold_in_steps(store, random);
  expect_same_rows(store);
}

TEST_P(RandomHistories, FlowRowsEqualTheirStreamFolds) {
  const auto rows = replayed_.snapshot();
  std::size_t active = 0, seen = 0;
  for (const Flow& flow : history_.flows()) {
    if (flow.id.empty()) continue;
    const auto stored = find_flow_state(*rows, flow.id);
    ASSERT_TRUE(stored) << flow.id;
    EXPECT_EQ(row_bytes(*stored), row_bytes(flow)) << flow.id;
    active += flow.state == view::FlowState::active ? 1 : 0;
  }
  visit_active_flows(*rows, [&](const Flow&) { ++seen; });
  EXPECT_EQ(seen, active);
}

TEST_P(RandomHistories, RemovedFlowsAreUnlistedButKeepRows) {
  const auto rows = replayed_.snapshot();
  const auto page = [&](const std::string& id) {
    wire::QueryT query;
    query.view = wire::View::flows;
    query.limit = kMaxLimit;
    query.id = id;
    query.filter = std::make_unique<wire::FilterT>();
    auto found = run_query(*rows, {log_, {}, {}}, query);
    EXPECT_TRUE(found) << id;
    return found ? std::move(found->rows) : std::vector<std::string>();
  };
  const std::size_t in_lists = page("").size();
  std::size_t flows = 0, removed = 0;
  for (const Flow& flow : history_.flows()) {
    if (flow.id.empty()) continue;
    ++flows;
    if (flow.removed_us == 0) continue;
    ++removed;
    EXPECT_NE(flow.state, view::FlowState::active) << flow.id;
    EXPECT_EQ(page(flow.id).size(), 1U) << flow.id;
    for (const auto& step : flow.steps) {
      for (const std::string& job : step->jobs) EXPECT_TRUE(find_job_row(*rows, job)) << job;
    }
  }
  EXPECT_EQ(in_lists, flows - removed);
}

// A seed's history differs between compilers: not every seed removes a flow, but together they must.
TEST(RandomHistoriesOfAllSeeds, SomeRemoveFlows) {
  std::ptrdiff_t removed = 0;
  for (unsigned seed = kFirstSeed; seed <= kLastSeed; ++seed) {
    MemoryEventLog log;
    RandomHistory history(log, seed);
    history.write(kEvents);
    removed += std::ranges::count_if(history.flows(), [](const Flow& flow) { return flow.removed_us != 0; });
  }
  EXPECT_GT(removed, 0);
}

TEST(RandomHistoriesOfAllSeeds, SomeRemoveAndPurgeJobs) {
  std::ptrdiff_t removed = 0, purged = 0;
  for (unsigned seed = kFirstSeed; seed <= kLastSeed; ++seed) {
    MemoryEventLog log;
    RandomHistory history(log, seed);
    history.write(kEvents);
    removed += std::ranges::count_if(history.jobs(), [](const JobState& job) { return job.removed; });
    purged +=
        std::ranges::count_if(history.jobs(), [](const JobState& job) { return job.removed && !job.prompt; });
  }
  EXPECT_GT(removed, purged);
  EXPECT_GT(purged, 0);
}

TEST(RandomHistoriesOfAllSeeds, SomeTrackTasksProcessesAndLogs) {
  std::size_t published = 0, processes = 0, logs = 0, read = 0;
  std::set<schema::EndReason> ends;
  for (unsigned seed = kFirstSeed; seed <= kLastSeed; ++seed) {
    MemoryEventLog log;
    RandomHistory history(log, seed);
    history.write(kEvents);
    for (const JobState& job : history.jobs()) {
      if (!job.tracked) continue;
      published += is_watched(job) ? 0 : 1;
      processes += job.pid != 0 ? 1 : 0;
      logs += job.log.empty() ? 0 : 1;
      read += job.output_lines;
      if (is_terminal(job.state)) ends.insert(job.end_reason);
    }
  }
  EXPECT_GT(published, 0U);
  EXPECT_GT(processes, 0U);
  EXPECT_GT(logs, 0U);
  EXPECT_GT(read, 0U);
  using schema::EndReason;
  for (const EndReason reason : {EndReason::published, EndReason::process_gone, EndReason::untracked})
    EXPECT_TRUE(ends.contains(reason)) << schema::EnumNameEndReason(reason);
}

TEST_P(RandomHistories, TrackedJobRowsFollowTheDecider) {
  const auto rows = replayed_.snapshot();
  for (const JobState& job : history_.jobs()) {
    if (!job.tracked) continue;
    const auto row = find_job_row(*rows, job.job);
    ASSERT_TRUE(row) << job.job;
    EXPECT_TRUE(row->tracked);
    EXPECT_EQ(row->log, job.log);
    EXPECT_EQ(row->pid, is_terminal(job.state) ? 0 : job.pid) << job.job;
    EXPECT_EQ(row->first_started_us, 0) << "nobody saw its start";
    if (is_terminal(job.state)) {
      EXPECT_EQ(row->reason, job.end_reason) << job.job;
    }
    EXPECT_FALSE(row->exit_code) << "nobody saw its exit";
  }
}

TEST_P(RandomHistories, LearningRowsEqualTheirStreamFolds) {
  const auto rows = replayed_.snapshot();
  std::size_t solutions = 0, facts = 0, kept_solutions = 0, kept_facts = 0;
  for (const auto& [stream, lesson] : history_.lessons()) {
    const auto stored = find_lesson(*rows, log_, stream);
    ASSERT_TRUE(stored) << stream;
    EXPECT_EQ(stored->version, lesson.version) << stream;
    EXPECT_EQ(stored->position, lesson.position) << stream;
    EXPECT_EQ(bytes_of(stored->solution), bytes_of(lesson.solution)) << stream;
    EXPECT_EQ(bytes_of(stored->fact), bytes_of(lesson.fact)) << stream;
    solutions += lesson.solution ? 1 : 0;
    facts += lesson.fact ? 1 : 0;
    if (lesson.solution && !lesson.solution->project.empty()) {
      EXPECT_EQ(project_of_stream(*rows, stream), lesson.solution->project);
    }
  }
  visit_solutions(*rows, [&](const view::Solution&) { return ++kept_solutions > 0; });
  visit_facts(*rows, [&](const view::Fact& fact) {
    const std::string stream =
        fact_stream(text(fact.project()), text(fact.subject()), text(fact.relation()), text(fact.object()));
    const auto lesson = history_.lessons().find(stream);
    EXPECT_TRUE(lesson != history_.lessons().end() && lesson->second.fact) << stream;
    return ++kept_facts > 0;
  });
  EXPECT_EQ(kept_solutions, solutions);
  EXPECT_EQ(kept_facts, facts);
  EXPECT_GT(solutions + facts, 0U);
}

TEST_P(RandomHistories, PastFlowFromItsStreamEqualsTheWholeLogs) {
  const auto present = replayed_.snapshot();
  const Position at = log_.tip().position / 2;
  const auto whole = PastViews::fold_all(log_, at);
  ASSERT_TRUE(whole);
  for (const Flow& flow : history_.flows()) {
    if (flow.id.empty()) continue;
    const auto alone = PastViews::fold_flow(log_, *present, flow.id, at);
    ASSERT_TRUE(alone);
    const auto left = find_flow_state(alone->rows(), flow.id),
               right = find_flow_state(whole->rows(), flow.id);
    ASSERT_EQ(left.has_value(), right.has_value()) << flow.id;
    if (left) {
      EXPECT_EQ(row_bytes(*left), row_bytes(*right)) << flow.id;
    }
  }
}

TEST_P(RandomHistories, RowsInRocksDbEqualRowsInMemory) {
  std::mt19937 random(GetParam() + 1);
  const TempStore folder;
  auto opened = open_rocks_view_store(folder.beside("views"), OpenMode::read_write);
  ASSERT_TRUE(opened) << opened.error().message;
  fold_in_steps(*opened->store, random);
  expect_same_rows(*opened->store);
}

TEST_P(RandomHistories, ReplayContinuesFromAnyCursor) {
  std::mt19937 random(GetParam() + 2);
  MemoryViewStore store;
  while (store.snapshot()->cursor().position < log_.tip().position) {
    const Position before = store.snapshot()->cursor().position;
    // Whole groups only: catch_up clears the rows if the cursor lies within a group.
    const auto group = log_.read_from(before + 1 + random() % 500)->next().value();
    const Position until = group ? group->last_position() : log_.tip().position;
    ASSERT_TRUE(catch_up(log_, all_projections(), store, until));
    ASSERT_EQ(store.snapshot()->cursor().position, until);
  }
  expect_same_rows(store);
}

TEST_P(RandomHistories, JobRowsAndQueueFollowTheDecider) {
  const auto rows = replayed_.snapshot();
  std::map<std::string, std::pair<int, Position>> queued;
  for (const JobState& job : history_.jobs()) {
    const auto kept = find_job_state(*rows, job.job);
    ASSERT_TRUE(kept) << job.job;
    EXPECT_EQ(row_bytes(*kept), row_bytes(job));
    const auto row = find_job_row(*rows, job.job);
    ASSERT_TRUE(row) << job.job;
    EXPECT_EQ(row_bytes(find_state_row(*rows, row->id, is_terminal(row->state))->native()), row_bytes(job))
        << "by its row";
    EXPECT_EQ(state_name(row->state), state_name(job.state)) << job.job;
    EXPECT_EQ(row->priority, job.priority);
    EXPECT_EQ(row->held, job.held);
    EXPECT_EQ(row->paused, job.paused) << job.job;
    EXPECT_EQ(row->after, job.after);
    EXPECT_EQ(row->questions_open, count_open(job, view::InputKind::question)) << job.job;
    EXPECT_EQ(row->approvals_open, count_open(job, view::InputKind::approval)) << job.job;
    EXPECT_EQ(row->waiting_since_us, job.waiting_since_us) << job.job;
    EXPECT_EQ(row->paused_since_us, job.paused_since_us) << job.job;
    EXPECT_EQ(row->output_lines, job.output_lines);
    EXPECT_EQ(row->position, job.position);
    EXPECT_EQ(row->outcome, job.outcome) << job.job;
    EXPECT_EQ(row->limit, job.limit) << job.job;
    EXPECT_EQ(row->parked_until_us, job.parked_until_us) << job.job;
    EXPECT_EQ(row->tokens ? row->tokens->input + row->tokens->output : 0, job.spent_tokens) << job.job;
    EXPECT_DOUBLE_EQ(row->cost_usd.value_or(0), job.spent_cost_usd) << job.job;
    const auto folded = fold_job(*rows, log_, job.job).value();
    ASSERT_TRUE(folded);
    EXPECT_EQ(row_bytes(*folded), row_bytes(job));
    if (job.state == schema::JobState::queued) queued[job.job] = {9 - job.priority, job.queued_position};
  }
  std::pair<int, Position> last{-1, 0};
  std::uint32_t place = 0;
  visit_queue(*rows, [&](const view::QueueEntryT& entry) {
    const auto found = queued.find(entry.job);
    EXPECT_NE(found, queued.end()) << entry.job;
    EXPECT_EQ(entry.position, ++place);
    if (found != queued.end()) {
      EXPECT_LT(last, found->second);
      last = found->second;
      queued.erase(found);
    }
    return true;
  });
  EXPECT_TRUE(queued.empty());
}

TEST_P(RandomHistories, QuestionsAndApprovalsFollowTheDecider) {
  const auto rows = replayed_.snapshot();
  std::size_t open_questions = 0, open_approvals = 0, decided_questions = 0;
  for (const JobState& job : history_.jobs()) {
    if (job.removed) {
      for (const auto& input : job.inputs) EXPECT_FALSE(find_question_row(*rows, input->id)) << input->id;
      for (const auto& over : job.decided) EXPECT_FALSE(find_approval_row(*rows, over->id)) << over->id;
      continue;
    }
    open_questions += count_open(job, view::InputKind::question);
    open_approvals += count_open(job, view::InputKind::approval);
    for (const auto& input : job.inputs) {
      if (input->kind == view::InputKind::approval) {
        const auto row = find_approval_row(*rows, input->id);
        ASSERT_TRUE(row) << input->id;
        EXPECT_EQ(row->job, job.job);
        EXPECT_EQ(row->decision, input->decision) << input->id;
        EXPECT_EQ(row->state == view::QuestionState::open, !input->answered) << input->id;
        if (!input->answered) {
          EXPECT_EQ(row->auto_after_us, input->auto_after_us) << input->id;
        }
        continue;
      }
      const auto row = find_question_row(*rows, input->id);
      ASSERT_TRUE(row) << input->id;
      EXPECT_EQ(row->position, input->position);
      EXPECT_EQ(row->state == view::QuestionState::open, !input->answered) << input->id;
      if (!input->answered) {
        EXPECT_EQ(row->deadline_us, input->deadline_us) << input->id;
      }
      EXPECT_EQ(row->reminded, input->reminded) << input->id;
      EXPECT_EQ(row->answer_position, input->answer_position) << input->id;
    }
    for (const auto& decided : job.decided) {
      if (decided->kind == view::InputKind::approval) continue;
      ++decided_questions;
      const auto row = find_question_row(*rows, decided->id);
      ASSERT_TRUE(row) << decided->id;
      EXPECT_EQ(row->state, state_after(*decided)) << decided->id;
      EXPECT_EQ(row->project, job.spec->project);
    }
  }
  EXPECT_GT(open_questions + decided_questions, 0U);
  for (const auto& [info, open] :
       {std::pair(kQuestionsView, open_questions), {kApprovalsView, open_approvals}}) {
    EXPECT_EQ(count_rows(*rows, info, 'o'), open) << info.name;
    const std::size_t all = open + count_rows(*rows, info, 'c');
    EXPECT_EQ(count_rows(*rows, info, 'i'), all) << info.name;
    EXPECT_EQ(count_rows(*rows, info, 'j'), all) << info.name;
  }
}

TEST_P(RandomHistories, DailyCostsSumToTheJobs) {
  const auto rows = replayed_.snapshot();
  std::map<std::string, std::uint64_t> by_jobs, by_days;
  double cost_of_jobs = 0, cost_of_days = 0;
  for (const JobState& job : history_.jobs()) {
    if (job.spent_tokens > 0) by_jobs[job.spec->project + "/" + job.spec->agent] += job.spent_tokens;
    cost_of_jobs += job.spent_cost_usd;
  }
  rows->scan(row_key(kCostsView, ""), row_key(kCostsView, kBehindDays),
             [&](std::string_view, std::string_view value) {
               const StoredRow<view::CostDay> day(value);
               const std::uint64_t tokens = day->tokens()->input() + day->tokens()->output();
               if (tokens > 0)
                 by_days[std::string(text(day->project())).append("/").append(text(day->agent()))] += tokens;
               cost_of_days += day->cost_usd();
               return true;
             });
  EXPECT_FALSE(by_days.empty());
  EXPECT_EQ(by_days, by_jobs);
  EXPECT_NEAR(cost_of_days, cost_of_jobs, 1e-6);
}

TEST_P(RandomHistories, DailyOutcomesSumToEndedJobs) {
  const auto rows = replayed_.snapshot();
  std::map<std::string, std::map<schema::JobState, std::uint64_t>> by_jobs, by_days;
  std::uint64_t tokens_of_jobs = 0, tokens_of_days = 0, reasons = 0, bad = 0;
  double cost_of_jobs = 0, cost_of_days = 0;
  for (const JobState& job : history_.jobs()) {
    if (!is_terminal(job.state)) continue;
    ++by_jobs[job.spec->project + "/" + job.spec->agent][job.state];
    tokens_of_jobs += job.spent_tokens;
    cost_of_jobs += job.spent_cost_usd;
  }
  rows->scan(row_key(kOutcomesView, ""), row_end(kOutcomesView),
             [&](std::string_view, std::string_view value) {
               const StoredRow<view::OutcomeDay> day(value);
               auto& of = by_days[std::string(text(day->project())).append("/").append(text(day->agent()))];
               for (const auto& [state, count] : {std::pair(schema::JobState::completed, day->completed()),
                                                  std::pair(schema::JobState::failed, day->failed()),
                                                  std::pair(schema::JobState::killed, day->killed()),
                                                  std::pair(schema::JobState::timed_out, day->timed_out()),
                                                  std::pair(schema::JobState::skipped, day->skipped()),
                                                  std::pair(schema::JobState::cancelled, day->cancelled()),
                                                  std::pair(schema::JobState::lost, day->lost())}) {
                 if (count > 0) of[state] += count;
               }
               bad += day->failed() + day->killed() + day->timed_out() + day->lost() + day->skipped() +
                      day->cancelled();
               if (day->reasons()) {
                 for (const auto* reason : *day->reasons()) reasons += reason->count();
               }
               tokens_of_days += day->tokens()->input() + day->tokens()->output();
               cost_of_days += day->cost_usd();
               return true;
             });
  EXPECT_FALSE(by_days.empty());
  EXPECT_EQ(by_days, by_jobs);
  EXPECT_EQ(reasons, bad);
  EXPECT_EQ(tokens_of_days, tokens_of_jobs);
  EXPECT_NEAR(cost_of_days, cost_of_jobs, 1e-6);
}

TEST_P(RandomHistories, EachDayListsTheJobsThatItCounts) {
  const auto rows = replayed_.snapshot();
  std::map<std::uint32_t, std::uint64_t> counted;
  for (const auto& day : all_rows<view::OutcomeDay>(*rows, kOutcomesView))
    counted[day.day] +=
        day.completed + day.failed + day.killed + day.timed_out + day.lost + day.skipped + day.cancelled;
  std::map<std::uint32_t, std::set<std::string>> ended, listed, removed;
  for (const auto& job : all_rows<view::Job>(*rows, kJobsView)) {
    if (!is_terminal(job.state)) continue;
    const auto day = static_cast<std::uint32_t>(job.ended_us / kDayUs);
    (job.removed_us == 0 ? ended : removed)[day].insert(job.id);
  }
  ASSERT_FALSE(counted.empty());
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.limit = 3;
  query.filter = std::make_unique<wire::FilterT>();
  for (const auto& [day, count] : counted) {
    EXPECT_EQ(count, ended[day].size() + removed[day].size()) << day;
    query.filter->ended_since_us = day * kDayUs;
    query.filter->ended_before_us = (day + 1) * kDayUs;
    TimeUs last = query.filter->ended_before_us;
    query.cursor.clear();
    do {
      const auto page = run_query(*rows, {log_, {}, {}}, query);
      ASSERT_TRUE(page) << page.error().message;
      for (const std::string& bytes : page->rows) {
        const auto* job = verified_row<view::Job>(as_bytes(bytes));
        ASSERT_NE(job, nullptr);
        EXPECT_LE(job->ended_us(), last) << "the last end comes first";
        last = job->ended_us();
        EXPECT_TRUE(listed[day].insert(job->id()->str()).second) << "a job is listed once";
      }
      query.cursor = page->next;
    } while (!query.cursor.empty());
    EXPECT_EQ(listed[day], ended[day]) << "all but those that were removed";
  }
}

TEST_P(RandomHistories, EndedAttemptsHaveNoOpenCalls) {
  const auto rows = replayed_.snapshot();
  std::set<std::string> over;
  for (const JobState& job : history_.jobs()) {
    if (job.attempt_over || job.state == schema::JobState::queued) over.insert(job.job);
  }
  rows->scan(row_key(kToolsView, kBehindDays), row_end(kToolsView), [&](std::string_view key, auto) {
    const std::string_view rest = key.substr(3);
    const std::string job(rest.substr(0, rest.find('\0')));
    EXPECT_FALSE(over.contains(job)) << job;
    return true;
  });
}

TEST_P(RandomHistories, TotalsAddUp) {
  const auto rows = replayed_.snapshot();
  std::map<std::string, std::map<schema::JobState, std::uint64_t>> counts;
  std::map<std::string, std::uint64_t> dispatched;
  for (const JobState& job : history_.jobs()) {
    ++counts[job.spec->project][job.state];
    ++dispatched[job.spec->project];
  }
  std::size_t projects = 0;
  rows->scan(row_key(kTotalsView, ""), row_end(kTotalsView), [&](std::string_view, std::string_view value) {
    const StoredRow<view::ProjectTotals> row(value);
    auto& of = counts[row->project()->str()];
    using schema::JobState;
    EXPECT_EQ(row->queued(), of[JobState::queued]);
    EXPECT_EQ(row->running(), of[JobState::running] + of[JobState::starting]);
    EXPECT_EQ(row->waiting(), of[JobState::waiting]);
    EXPECT_EQ(row->parked(), of[JobState::parked]);
    EXPECT_EQ(row->completed(), of[JobState::completed]);
    EXPECT_EQ(row->failed(), of[JobState::failed]);
    EXPECT_EQ(row->killed(), of[JobState::killed]);
    EXPECT_EQ(row->timed_out(), of[JobState::timed_out]);
    EXPECT_EQ(row->lost(), of[JobState::lost]);
    EXPECT_EQ(row->skipped(), of[JobState::skipped]);
    EXPECT_EQ(row->cancelled(), of[JobState::cancelled]);
    EXPECT_EQ(row->dispatched(), dispatched[row->project()->str()]);
    ++projects;
    return true;
  });
  EXPECT_EQ(projects, counts.size());
}

TEST_P(RandomHistories, PastJobFromItsStreamEqualsTheWholeLogs) {
  std::mt19937 random(GetParam() + 3);
  const auto present = replayed_.snapshot();
  for (int i = 0; i < 5; ++i) {
    const Position at = 1 + random() % log_.tip().position;
    const std::string job = history_.jobs()[random() % history_.jobs().size()].job;
    const auto all = PastViews::fold_all(log_, at);
    const auto one = PastViews::fold_jobs(log_, *present, {job}, at);
    ASSERT_TRUE(all && one);
    EXPECT_EQ(bytes_of(find_job_row(one->rows(), job)), bytes_of(find_job_row(all->rows(), job)))
        << job << " at " << at;
    EXPECT_EQ(bytes_of(find_job_state(one->rows(), job)), bytes_of(find_job_state(all->rows(), job)))
        << job << " at " << at;
    EXPECT_EQ(approvals_of(one->rows(), job, at), approvals_of(all->rows(), job, at)) << job << " at " << at;
  }
}

TEST_P(RandomHistories, VerificationNamesAChangedRow) {
  const auto green = verify_views(log_, all_projections(), *replayed_.snapshot());
  ASSERT_TRUE(green);
  EXPECT_THAT(*green, testing::IsEmpty());

  const std::string job = history_.jobs().front().job;
  auto row = find_job_row(*replayed_.snapshot(), job);
  row->exit_code = 77;
  ASSERT_TRUE(replayed_.write({{row_key(kJobsView, job), row_bytes(*row)}}, replayed_.snapshot()->cursor()));
  const auto red = verify_views(log_, all_projections(), *replayed_.snapshot());
  ASSERT_TRUE(red);
  ASSERT_EQ(red->size(), 1U);
  EXPECT_THAT(red->front(), testing::HasSubstr(job));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomHistories, testing::Range(kFirstSeed, kLastSeed + 1));

}  // namespace
}  // namespace luzia::test
