// One sentence for every event about questions, approvals and the workspace.
#include "projections/rows/input_text.h"

#include "projections/rows/event_text.h"
#include "tests/matchers.h"
#include "tests/packed_event.h"
#include "tests/projections/rows/start_time.h"

namespace luzia::test {
namespace {

template <class Fact>
PackedEvent by_alice(Fact fact) {
  schema::EventT event;
  event.actor = std::make_unique<schema::ActorT>();
  event.actor->kind = schema::ActorKind::person;
  event.actor->name = "alice";
  return PackedEvent(job_event("k1", std::move(fact)), std::move(event));
}
template <class Fact>
std::string said(Fact fact) {
  return event_text(*by_alice(std::move(fact)));
}
template <class Fact>
bool explains(Fact fact) {
  return explains_state(*by_alice(std::move(fact)));
}

TEST(InputText, QuestionNamesTextDeadlineAndDefault) {
  schema::QuestionAskedT fact;
  fact.question = "q-1";
  EXPECT_EQ(said(fact), "asks a person a question (q-1)");
  fact.type = schema::QuestionType::confirm;
  fact.deadline_us = kStart;
  EXPECT_EQ(
      said(fact),
      "asks a person for a yes or no (q-1), until 2026-01-01T00:00:00.000000Z, else the job is stopped");
  fact.type = schema::QuestionType::choice;
  fact.options = {"production", "staging"};
  fact.default_answer = "staging";
  EXPECT_EQ(said(fact),
            "asks a person to choose one of 2: production, staging (q-1), until 2026-01-01T00:00:00.000000Z, "
            "else the answer is staging");
  fact.type = schema::QuestionType::multi_select;
  fact.options = {"a", "b", "c", "d", "e", "f"};
  fact.deadline_us = 0;
  EXPECT_EQ(said(fact), "asks a person to choose any of 6: a, b, c, d, e, ... (q-1)");
}

TEST(InputText, EachQuestionEventIsOneSentence) {
  schema::QuestionAnsweredT answered;
  answered.question = "q-1";
  EXPECT_EQ(said(answered), "question q-1 was answered by alice");
  answered.by_default = true;
  EXPECT_EQ(said(answered), "question q-1 got its default answer: nobody answered in time");
  schema::QuestionTimedOutT timed_out;
  timed_out.question = "q-1";
  EXPECT_EQ(said(timed_out), "question q-1 was not answered in time");
  schema::QuestionCancelledT cancelled;
  cancelled.question = "q-1";
  cancelled.reason = "the attempt has ended";
  EXPECT_EQ(said(cancelled), "question q-1 was withdrawn: the attempt has ended");
  schema::AnswerDeliveredT delivered;
  delivered.question = "q-1";
  delivered.channel = "file";
  EXPECT_EQ(said(delivered), "the answer to q-1 is in its file in the job's folder");
  delivered.channel = "client";
  EXPECT_EQ(said(delivered), "the agent has the answer to q-1");
  delivered.channel = "resume";
  EXPECT_EQ(said(delivered), "the new attempt begins with the answer to q-1");
  schema::QuestionRemindedT reminded;
  reminded.question = "q-1";
  reminded.count = 1;
  EXPECT_EQ(said(reminded), "question q-1 is still open");
  reminded.count = 2;
  EXPECT_EQ(said(reminded), "question q-1 is still open (reminder 2)");
}

TEST(InputText, ApprovalNamesGateToolAndAutomaticOutcome) {
  schema::ApprovalRequestedT fact;
  fact.approval = "a-1";
  fact.gate = "deploy";
  EXPECT_EQ(said(fact), "asks for approval of deploy (a-1)");
  fact.deadline_us = kStart;
  EXPECT_EQ(said(fact), "asks for approval of deploy (a-1), until 2026-01-01T00:00:00.000000Z");
  fact.tool = "Bash";
  fact.auto_after_us = kStart;
  EXPECT_EQ(said(fact),
            "asks whether it may use Bash (a-1), approved at 2026-01-01T00:00:00.000000Z unless somebody "
            "decides");
}

TEST(InputText, DecisionNamesPersonOrPolicyAndReason) {
  schema::ApprovalDecidedT fact;
  fact.approval = "a-1";
  fact.decision = schema::Decision::denied;
  fact.note = "not on a Friday";
  EXPECT_EQ(said(fact), "a-1 was denied by alice: not on a Friday");
  fact.decision = schema::Decision::approved;
  fact.remember = true;
  fact.note.clear();
  EXPECT_EQ(said(fact), "a-1 was approved by alice, and so will be the same again in this job");
  fact.remember = false;
  fact.policy = "always";
  EXPECT_EQ(said(fact), "a-1 was approved by policy: always");
  fact.decision = schema::Decision::expired;
  fact.policy = "nobody decided in time";
  EXPECT_EQ(said(fact), "a-1 expired, which denies it: nobody decided in time");
}

TEST(InputText, EachApprovalEventIsOneSentence) {
  schema::ApprovalCancelledT cancelled;
  cancelled.approval = "a-1";
  EXPECT_EQ(said(cancelled), "approval a-1 was withdrawn");
  schema::DecisionDeliveredT delivered;
  delivered.approval = "a-1";
  delivered.channel = "client";
  EXPECT_EQ(said(delivered), "the agent has the decision about a-1");
  schema::ApprovalRemindedT reminded;
  reminded.approval = "a-1";
  reminded.count = 3;
  reminded.channel = "desk";
  EXPECT_EQ(said(reminded), "approval a-1 is still open (reminder 3); desk is asked now");
}

TEST(InputText, EachWorkspaceEventIsOneSentence) {
  schema::SnapshotTakenT snapshot;
  snapshot.repository = "/src/alpha";
  snapshot.attempt = 2;
  snapshot.commit = "0123456789abcdef0123";
  snapshot.files = 5;
  EXPECT_EQ(said(snapshot),
            "the files of /src/alpha before attempt 2 are kept as 0123456789ab, 5 of them changed");
  snapshot.skipped = {"big.iso"};
  snapshot.skipped_count = 1;
  EXPECT_THAT(said(snapshot), HasSubstr(", 1 too large to be kept: big.iso"));
  schema::SnapshotFailedT failed;
  failed.repository = "/src/alpha";
  failed.attempt = 2;
  failed.reason = "disk full";
  EXPECT_EQ(said(failed), "the files of /src/alpha before attempt 2 could not be kept: disk full");
  schema::WorktreeMadeT made;
  made.path = "/trees/k1";
  made.branch = "luzia/k1";
  EXPECT_EQ(said(made), "works in a tree of its own, /trees/k1, on branch luzia/k1");
  schema::WorktreeRemovedT removed;
  removed.path = "/trees/k1";
  removed.kept_branch = "luzia/k1";
  removed.reason = "the job completed";
  EXPECT_EQ(said(removed),
            "its own tree /trees/k1 is removed, what it did stays in branch luzia/k1: the job completed");
  schema::FilesRestoredT restored;
  restored.attempt = 2;
  restored.files = 7;
  restored.backup = "fedcba";
  EXPECT_EQ(said(restored),
            "7 files put back as they were before attempt 2 by alice; what was there is kept as fedcba");
  schema::FilesContendedT contended;
  contended.job = "k2";
  contended.files = {"a.cc", "b.cc"};
  contended.files_count = 2;
  EXPECT_EQ(said(contended), "job k2 changes the same files, 2 of them: a.cc, b.cc");
  schema::FilesSeenChangedT seen;
  seen.repository = "/src/alpha";
  seen.files = {"a.cc"};
  seen.files_count = 3;
  EXPECT_EQ(said(seen), "3 files of /src/alpha seen changed: a.cc");
}

TEST(InputText, OnlyRelevantWorkspaceEventsExplainAState) {
  EXPECT_TRUE(explains(schema::SnapshotFailedT{}));
  EXPECT_TRUE(explains(schema::FilesContendedT{}));
  EXPECT_TRUE(explains(schema::FilesRestoredT{}));
  EXPECT_FALSE(explains(schema::SnapshotTakenT{}));
  EXPECT_FALSE(explains(schema::WorktreeMadeT{}));
  EXPECT_FALSE(explains(schema::WorktreeRemovedT{}));
  EXPECT_FALSE(explains(schema::FilesSeenChangedT{}));
}

TEST(InputText, StartErrorIsReportedOnceAtTheEnd) {
  schema::AttemptEndedT attempt;
  attempt.attempt = 1;
  attempt.start_error = "cannot run 'x'";
  EXPECT_EQ(said(attempt), "attempt 1 did not start");
  attempt.preflight_failed = true;
  EXPECT_EQ(said(attempt), "attempt 1 did not pass its preflight checks");
  schema::JobEndedT end;
  end.state = schema::JobState::failed;
  end.reason = schema::EndReason::start_failed;
  end.detail = "cannot run 'x'";
  EXPECT_EQ(said(end), "failed: could not be started: cannot run 'x'");
}

TEST(InputText, DependencyThatNeverRanWasSkippedOrCancelled) {
  const auto text_of = [&](schema::JobState state, bool never_ran) {
    schema::DependencyEndedT fact;
    fact.job = "k0";
    fact.state = state;
    fact.never_ran = never_ran;
    return said(std::move(fact));
  };
  EXPECT_EQ(text_of(schema::JobState::failed, false), "k0, which it depends on, failed");
  EXPECT_EQ(text_of(schema::JobState::failed, true), "k0, which it depends on, was skipped");
  EXPECT_EQ(text_of(schema::JobState::killed, true), "k0, which it depends on, was cancelled");
}

TEST(InputText, UnknownFactIsNoEmptySentence) {
  NewEvent event;
  event.payload.Set(schema::ApprovalEventT{});
  EXPECT_EQ(event_text(*PackedEvent(std::move(event))),
            "something about an approval that this program does not know");
}

}  // namespace
}  // namespace luzia::test
