// Views questions and approvals: what was asked, its outcome, and how it is looked up.
#include "projections/inputs.h"

#include "tests/projections/input_events.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using schema::Decision;
using view::QuestionState;
using Names = std::vector<std::string>;

const std::string kOne = "k000000000001", kTwo = "k000000000002";

class InputViews : public ViewsTest {
 protected:
  InputViews() {
    query_.filter = std::make_unique<wire::FilterT>();
    writer_.write(0, queued(kOne, "alpha", "claude"));
    writer_.write(0, queued(kTwo, "beta"));
  }
  template <class Row>
  std::vector<typename Row::NativeTableType> ask(wire::View view) {
    query_.view = view;
    const auto page = run_query(rows(), {log_, may_see_, {}}, query_);
    EXPECT_TRUE(page) << page.error().message;
    next_ = page ? page->next : std::string();
    return natives<Row>(page ? *page : RowPage{});
  }
  std::vector<view::QuestionT> questions() { return ask<view::Question>(wire::View::questions); }
  std::vector<view::ApprovalT> approvals() { return ask<view::Approval>(wire::View::approvals); }
  Names question_ids() {
    Names ids;
    for (const auto& row : questions()) ids.push_back(row.id);
    return ids;
  }
  template <class Row>
  static Row named(const std::vector<Row>& rows, const std::string& id) {
    const auto row = std::ranges::find(rows, id, &Row::id);
    EXPECT_NE(row, rows.end()) << id;
    return row == rows.end() ? Row() : *row;
  }
  view::QuestionT question(const std::string& id) { return named(questions(), id); }
  view::ApprovalT approval(const std::string& id) { return named(approvals(), id); }
  Position write(NewEvent event, const std::string& who = "alice") {
    Source source;
    source.name = who;
    return writer_.write(kSecondUs, std::move(event), source);
  }

  wire::QueryT query_;
  std::function<bool(std::string_view)> may_see_;
  std::string next_;
};

TEST_F(InputViews, OpenQuestionHasEverythingForAnAnswer) {
  write(asked(kOne, "q-1", "where to?", {"production", "staging"}, "staging", kEpoch + kHourUs));
  const view::QuestionT row = question("q-1");
  EXPECT_EQ(row.job, kOne);
  EXPECT_EQ(row.project, "alpha");
  EXPECT_EQ(row.agent, "claude");
  EXPECT_EQ(row.type, schema::QuestionType::choice);
  EXPECT_EQ(row.question, "where to?");
  EXPECT_THAT(row.options, ElementsAre("production", "staging"));
  EXPECT_EQ(row.default_answer, "staging");
  EXPECT_EQ(row.asked_us, kEpoch + kSecondUs);
  EXPECT_EQ(row.deadline_us, kEpoch + kHourUs);
  EXPECT_EQ(row.state, QuestionState::open);
  EXPECT_EQ(row.answered_us, 0);
  EXPECT_EQ(row.source, "cli");
}

TEST_F(InputViews, QuestionSaysWhetherItTakesFreeText) {
  write(asked(kOne, "q-1", "where to?", {"production", "staging"}));
  NewEvent open = asked(kOne, "q-2", "which colour?", {"red", "green"});
  open.payload.AsQuestionEvent()->fact.AsQuestionAsked()->free_text = true;
  write(std::move(open));
  EXPECT_FALSE(question("q-1").free_text);
  EXPECT_TRUE(question("q-2").free_text);
}

TEST_F(InputViews, AnswerHasTextPersonAndDelivery) {
  write(asked(kOne, "q-1", "where to?"));
  write(answered(kOne, "q-1", "to the left"), "bob");
  write(answer_delivered(kOne, "q-1", "file"));
  const view::QuestionT row = question("q-1");
  EXPECT_EQ(row.state, QuestionState::answered);
  EXPECT_EQ(row.answer, "to the left");
  EXPECT_EQ(row.answered_by, "bob");
  EXPECT_EQ(row.answered_us, kEpoch + 2 * kSecondUs);
  EXPECT_EQ(row.delivered_us, kEpoch + 3 * kSecondUs);
  EXPECT_EQ(row.channel, "file");
}

TEST_F(InputViews, DefaultAnswerHasNoPerson) {
  write(asked(kOne, "q-1", "where to?", {"production", "staging"}, "staging"));
  write(answered_by_default(kOne, "q-1"), "");
  const view::QuestionT row = question("q-1");
  EXPECT_EQ(row.answer, "staging");
  EXPECT_EQ(row.answered_by, "default");
  EXPECT_TRUE(row.by_default);
}

TEST_F(InputViews, AnsweredQuestionIgnoresLaterAnswersAndCancels) {
  write(asked(kOne, "q-1", "where to?"));
  write(answered(kOne, "q-1", "left"), "bob");
  write(answered(kOne, "q-1", "right"), "carol");
  write(question_cancelled(kOne, "q-1", "too late"));
  const view::QuestionT row = question("q-1");
  EXPECT_EQ(row.answer, "left");
  EXPECT_EQ(row.answered_by, "bob");
  EXPECT_EQ(row.state, QuestionState::answered);
}

TEST_F(InputViews, RepeatedQuestionIsTheFirst) {
  write(asked(kOne, "q-1", "where to?"));
  write(asked(kTwo, "q-1", "again?"));
  EXPECT_EQ(question("q-1").question, "where to?");
  EXPECT_THAT(question_ids(), ElementsAre("q-1"));
}

TEST_F(InputViews, UnknownJobsAndQuestionsAreSkipped) {
  write(asked("k9", "q-1", "anyone?"));
  write(answered(kOne, "q-2", "yes"));
  write(decided(kOne, "a-2", Decision::approved));
  EXPECT_THAT(questions(), IsEmpty());
  EXPECT_THAT(approvals(), IsEmpty());
}

TEST_F(InputViews, ErasedTextReadsAsErased) {
  const Position asked_at = write(asked(kOne, "q-1", "the secret?"));
  const Position answered_at = write(answered(kOne, "q-1", "sesame"));
  ASSERT_TRUE(log_.erase_blob(asked_at, 0));
  ASSERT_TRUE(log_.erase_blob(answered_at, 0));
  EXPECT_EQ(question("q-1").question, "(erased)");
  EXPECT_EQ(question("q-1").answer, "(erased)");
}

TEST_F(InputViews, ApprovalHasGateToolAndInput) {
  write(requested(kOne, "a-1", "Bash", "wants to push", "Bash", R"({"command":"git push"})", kEpoch + kHourUs,
                  kEpoch + kMinuteUs));
  const view::ApprovalT row = approval("a-1");
  EXPECT_EQ(row.gate, "Bash");
  EXPECT_EQ(row.description, "wants to push");
  EXPECT_EQ(row.tool, "Bash");
  EXPECT_EQ(row.tool_input, R"({"command":"git push"})");
  EXPECT_EQ(row.rule, "Bash(*)");
  EXPECT_EQ(row.deadline_us, kEpoch + kHourUs);
  EXPECT_EQ(row.auto_after_us, kEpoch + kMinuteUs);
  EXPECT_EQ(row.state, QuestionState::open);
  EXPECT_EQ(row.agent, "claude");
}

TEST_F(InputViews, DecisionNamesPersonOrPolicy) {
  write(requested(kOne, "a-1", "deploy", "to production"));
  write(requested(kOne, "a-2", "deploy", "to production"));
  write(requested(kOne, "a-3", "deploy", "to production"));
  write(decided(kOne, "a-1", Decision::denied, "", "not on a Friday", true), "bob");
  write(decided(kOne, "a-2", Decision::approved, "always"), "bob");
  write(decided(kOne, "a-3", Decision::expired), "");
  const view::ApprovalT by_person = approval("a-1");
  EXPECT_EQ(by_person.decision, Decision::denied);
  EXPECT_EQ(by_person.decided_by, "bob");
  EXPECT_EQ(by_person.note, "not on a Friday");
  EXPECT_TRUE(by_person.remember);
  EXPECT_EQ(by_person.state, QuestionState::answered);
  const view::ApprovalT by_policy = approval("a-2");
  EXPECT_EQ(by_policy.decided_by, "");
  EXPECT_EQ(by_policy.policy, "always");
  const view::ApprovalT expired = approval("a-3");
  EXPECT_EQ(expired.state, QuestionState::timed_out);
  EXPECT_EQ(expired.decision, Decision::expired);
  EXPECT_EQ(expired.decided_by, "");
}

TEST_F(InputViews, OpenOnesComeFirstOldestFirst) {
  for (const char* id : {"q-1", "q-2", "q-3", "q-4"}) write(asked(kOne, id, "?"));
  write(answered(kOne, "q-4", "!"));
  write(question_cancelled(kOne, "q-1", "no more"));
  EXPECT_THAT(question_ids(), ElementsAre("q-2", "q-3", "q-4", "q-1"));
  query_.filter->ended = false;
  EXPECT_THAT(question_ids(), ElementsAre("q-2", "q-3"));
}

TEST_F(InputViews, PagesFollowOneAnotherWithoutGapsOrRepeats) {
  for (int i = 1; i <= 9; ++i) {
    const std::string& job = i % 3 == 0 ? kTwo : kOne;
    write(asked(job, "q-" + std::to_string(i), "?"));
    if (i % 2 == 0) write(answered(job, "q-" + std::to_string(i), "!"));
  }
  const Names whole = {"q-1", "q-3", "q-5", "q-7", "q-9", "q-8", "q-6", "q-4", "q-2"};
  for (const bool by_jobs : {false, true}) {
    if (by_jobs) query_.filter->jobs = {kOne, kTwo};
    for (const std::uint32_t limit : {1U, 2U, 4U, 9U, 100U}) {
      query_.limit = limit;
      query_.cursor.clear();
      Names all;
      do {
        const Names page = question_ids();
        EXPECT_LE(page.size(), limit);
        all.insert(all.end(), page.begin(), page.end());
        query_.cursor = next_;
      } while (!next_.empty());
      EXPECT_EQ(all, whole) << limit;
    }
  }
}

TEST_F(InputViews, LargePageEndsEarlyAndContinues) {
  const std::string heavy(3 * 1024 * 1024, 'x');
  for (const char* id : {"q-1", "q-2", "q-3"}) write(asked(kOne, id, heavy));
  EXPECT_THAT(question_ids(), ElementsAre("q-1", "q-2"));
  query_.cursor = next_;
  EXPECT_THAT(question_ids(), ElementsAre("q-3"));
  EXPECT_EQ(next_, "");
}

TEST_F(InputViews, ChangesBetweenPagesHideNoOpenOne) {
  query_.limit = 2;
  for (const char* id : {"q-1", "q-2", "q-3"}) write(asked(kOne, id, "?"));
  EXPECT_THAT(question_ids(), ElementsAre("q-1", "q-2"));
  query_.cursor = next_;
  write(answered(kOne, "q-2", "!"));
  write(asked(kTwo, "q-4", "?"));
  EXPECT_THAT(question_ids(), ElementsAre("q-3", "q-4"));
  query_.cursor = next_;
  EXPECT_THAT(question_ids(), ElementsAre("q-2")) << "closed since, it is there again";
  EXPECT_EQ(next_, "");
}

TEST_F(InputViews, ApprovalsThatWaitLongestComeFirstToo) {
  for (const char* id : {"a-1", "a-2", "a-3", "a-4"}) write(requested(kOne, id, "deploy", ""));
  write(decided(kOne, "a-1", Decision::approved));
  write(decided(kOne, "a-3", Decision::denied));
  Names ids;
  for (const auto& row : approvals()) ids.push_back(row.id);
  EXPECT_THAT(ids, ElementsAre("a-2", "a-4", "a-3", "a-1"));
}

TEST_F(InputViews, FiltersUseJobProjectAgentAndTime) {
  write(asked(kOne, "q-1", "?"));
  write(asked(kTwo, "q-2", "?"));
  write(answered(kTwo, "q-2", "!"));
  write(asked(kTwo, "q-3", "?"));
  query_.filter->jobs = {kTwo};
  EXPECT_THAT(question_ids(), ElementsAre("q-3", "q-2"));
  query_.filter->ended = false;
  EXPECT_THAT(question_ids(), ElementsAre("q-3"));
  query_.filter = std::make_unique<wire::FilterT>();
  query_.filter->projects = {"alpha"};
  EXPECT_THAT(question_ids(), ElementsAre("q-1"));
  query_.filter = std::make_unique<wire::FilterT>();
  query_.filter->agents = {"shell"};
  EXPECT_THAT(question_ids(), ElementsAre("q-3", "q-2"));
  query_.filter = std::make_unique<wire::FilterT>();
  query_.filter->since_us = kEpoch + 2 * kSecondUs;
  query_.filter->until_us = kEpoch + 3 * kSecondUs;
  EXPECT_THAT(question_ids(), ElementsAre("q-2"));
}

TEST_F(InputViews, OnlyTheCallersProjectsAreShown) {
  write(asked(kOne, "q-1", "?"));
  write(asked(kTwo, "q-2", "?"));
  may_see_ = [](std::string_view project) { return project == "beta"; };
  EXPECT_THAT(question_ids(), ElementsAre("q-2"));
}

TEST_F(InputViews, CursorOfAnotherListIsRefused) {
  query_.view = wire::View::questions;
  for (const char* cursor : {"6a", "zz", "6f00", "7000000000000000"}) {
    query_.cursor = cursor;
    const auto page = run_query(rows(), {log_, {}, {}}, query_);
    ASSERT_FALSE(page) << cursor;
    EXPECT_EQ(page.error().code, "bad_cursor") << cursor;
  }
}

TEST_F(InputViews, PastPromptsAreShownAsTheyWere) {
  write(asked(kOne, "q-1", "where to?"));
  query_.at_position = log_.tip().position;
  write(answered(kOne, "q-1", "left"));
  for (const bool of_one_job : {false, true}) {
    if (of_one_job) query_.filter->jobs = {kOne};
    const auto then = questions();
    ASSERT_EQ(then.size(), 1U);
    EXPECT_EQ(then[0].state, QuestionState::open);
    EXPECT_EQ(then[0].question, "where to?");
  }
}

TEST_F(InputViews, ClockStepMovesTimesOfOpenPrompts) {
  write(asked(kOne, "q-1", "?", {}, "", kEpoch + kHourUs));
  write(asked(kOne, "q-2", "?", {}, "", kEpoch + kHourUs));
  write(asked(kTwo, "q-3", "?", {}, "", kEpoch + kHourUs));
  write(requested(kOne, "a-1", "deploy", "", "", "", 0, kEpoch + kHourUs));
  write(answered(kOne, "q-2", "!"));
  schema::DeadlinesShiftedT shifted;
  shifted.by_us = kMinuteUs;
  write(job_event(kOne, shifted));
  EXPECT_EQ(question("q-1").deadline_us, kEpoch + kHourUs + kMinuteUs);
  EXPECT_EQ(question("q-2").deadline_us, kEpoch + kHourUs);
  EXPECT_EQ(question("q-3").deadline_us, kEpoch + kHourUs);
  EXPECT_EQ(approval("a-1").auto_after_us, kEpoch + kHourUs + kMinuteUs);
  EXPECT_EQ(approval("a-1").deadline_us, 0);
}

TEST_F(InputViews, JobCountsOpenPrompts) {
  write(starting(kOne));
  write(started(kOne));
  write(asked(kOne, "q-1", "?"));
  write(waiting(kOne, 1));
  write(requested(kOne, "a-1", "deploy", "to production"));
  write(waiting(kOne, 2));
  auto job = find_job(rows(), log_, kOne).value();
  EXPECT_EQ(job.questions_open, 1U);
  EXPECT_EQ(job.approvals_open, 1U);
  EXPECT_EQ(job.state, schema::JobState::waiting);
  write(answered(kOne, "q-1", "!"));
  write(continued(kOne, 1));
  EXPECT_EQ(find_job(rows(), log_, kOne)->state, schema::JobState::waiting);
  write(decided(kOne, "a-1", Decision::approved));
  write(continued(kOne));
  job = find_job(rows(), log_, kOne).value();
  EXPECT_EQ(job.questions_open + job.approvals_open, 0U);
  EXPECT_EQ(job.state, schema::JobState::running);
  EXPECT_EQ(job.human_wait_us, 6 * kSecondUs);
}

TEST_F(InputViews, JobThatExitedToWaitGetsANewAttempt) {
  write(starting(kOne));
  write(started(kOne));
  write(asked(kOne, "q-1", "?"));
  write(waiting(kOne, 1));
  write(attempt_ended(kOne, 100, writer_.now));
  write(answered(kOne, "q-1", "!"));
  write(continued(kOne));
  EXPECT_EQ(find_job(rows(), log_, kOne)->state, schema::JobState::waiting);
  schema::JobRetriedT retried;
  retried.attempt = 2;
  retried.answers = {"q-1"};
  write(job_event(kOne, std::move(retried)));
  const auto job = find_job(rows(), log_, kOne).value();
  EXPECT_EQ(job.state, schema::JobState::queued);
  EXPECT_EQ(job.waiting_since_us, 0);
  EXPECT_EQ(job.human_wait_us, 3 * kSecondUs);
}

TEST_F(InputViews, ActivityShowsPromptsButNotEveryPolicyDecision) {
  write(asked(kOne, "q-1", "the secret?", {"left", "right"}));
  write(waiting(kOne, 1));
  write(answered(kOne, "q-1", "left"), "bob");
  write(requested(kOne, "a-1", "Bash", "to push"));
  write(decided(kOne, "a-1", Decision::approved, "always"));
  write(requested(kOne, "a-2", "deploy", "to production"));
  write(waiting(kOne, 1));
  write(decided(kOne, "a-2", Decision::denied), "bob");
  query_.limit = 5;
  Names told;
  for (const auto& row : ask<view::Activity>(wire::View::activity)) told.push_back(row.text);
  EXPECT_THAT(told,
              ElementsAre("a-2 was denied by bob", "waits for a person", "question q-1 was answered by bob",
                          "asks a person to choose one of 2: left, right (q-1)",
                          "queued for beta with shell, priority 5"));
}

TEST_F(InputViews, JobWithAnOpenQuestionEndsWithItsProcess) {
  write(starting(kOne));
  write(started(kOne));
  write(asked(kOne, "q-1", "?"));
  write(waiting(kOne, 1));
  const TimeUs end = writer_.now;
  writer_.now += kHourUs;  // the daemon was down
  write(attempt_ended(kOne, 1, end));
  write(question_cancelled(kOne, "q-1", "the attempt has ended"));
  write(continued(kOne));
  write(ended(kOne, schema::JobState::failed));
  const auto job = find_job(rows(), log_, kOne).value();
  EXPECT_EQ(job.ended_us, end);
  EXPECT_EQ(job.questions_open, 0U);
}

TEST_F(InputViews, JobKnowsItsSnapshotAndTree) {
  schema::SnapshotTakenT snapshot;
  snapshot.attempt = 1;
  snapshot.commit = "c0ffee";
  schema::WorktreeMadeT tree;
  tree.path = "/trees/one";
  write(job_event(kOne, snapshot));
  write(job_event(kOne, tree));
  write(starting(kOne));
  auto job = find_job(rows(), log_, kOne).value();
  EXPECT_EQ(job.snapshot, "c0ffee");
  EXPECT_EQ(job.worktree, "/trees/one");
  schema::JobRetriedT retried;
  retried.attempt = 2;
  write(job_event(kOne, std::move(retried)));
  write(job_event(kOne, snapshot));  // of the previous attempt
  job = find_job(rows(), log_, kOne).value();
  EXPECT_EQ(job.snapshot, "");
  EXPECT_EQ(job.worktree, "/trees/one");
  schema::WorktreeRemovedT other, own;
  other.path = "/trees/two";
  own.path = "/trees/one";
  write(job_event(kOne, other));
  EXPECT_EQ(find_job(rows(), log_, kOne)->worktree, "/trees/one");
  write(job_event(kOne, own));
  EXPECT_EQ(find_job(rows(), log_, kOne)->worktree, "");
}

}  // namespace
}  // namespace luzia::test
