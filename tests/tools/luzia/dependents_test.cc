// retry --with-dependents: which jobs go along, under which command ids.
#include <algorithm>
#include <map>
#include <set>

#include "engine/event/job_state.h"
#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

using ::testing::Each;

using JobIds = std::vector<std::string>;

/// Full ids that sort by their letter.
std::string id(char letter) {
  return "0kx8aaaaaaaa" + std::string(1, letter);
}

/// Jobs that depend on one another, as the daemon keeps them. It says `not_ended` of those that wait.
struct Chained {
  std::map<std::string, view::JobT> jobs;
  JobIds retried = {};
  std::vector<std::string> command_ids = {};
  std::set<std::string> known = {};  // command ids
  bool filters = true;               // an older daemon does not know the filter

  view::JobT& add(char letter, schema::JobState state, const JobIds& after = {}) {
    view::JobT row = job(id(letter), state);
    row.after = after;
    row.queued_position = static_cast<std::uint64_t>(letter);
    if (state == schema::JobState::skipped)
      row.reason_detail = "job " + after.front() + ", which it depends on, is failed";
    view::JobT& kept = jobs[id(letter)];
    kept = std::move(row);
    return kept;
  }

  std::vector<wire::ReplyUnion> answer(const wire::ClientFrameT& frame) {
    if (const auto* query = frame.request.AsQuery()) return std::vector{job_rows(asked(*query))};
    const auto& act = *frame.request.AsActOnJobs();
    const std::string& name = act.jobs.front();
    const bool repeated = !known.insert(act.command_id).second;
    if (!repeated && !is_terminal(jobs[name].state)) {
      known.erase(act.command_id);
      return std::vector{refused("not_ended", ErrorKind::refused)};
    }
    command_ids.push_back(act.command_id);
    wire::AcceptedT reply;
    reply.ids = {name};
    reply.position = 'm';
    reply.repeated = repeated;
    if (!repeated) {
      retried.push_back(name);
      jobs[name].state = schema::JobState::queued;
      jobs[name].reason_detail.clear();
    }
    return std::vector{reply_of(std::move(reply))};
  }

 private:
  std::vector<view::JobT> asked(const wire::QueryT& query) const {
    std::vector<view::JobT> rows;
    for (auto each = jobs.rbegin(); each != jobs.rend(); ++each) {
      const auto& named = query.filter->after;
      const bool waits = std::ranges::any_of(
          each->second.after, [&](const auto& job) { return std::ranges::find(named, job) != named.end(); });
      if (waits || !filters) rows.push_back(each->second);
    }
    return rows;
  }
};

/// b and e depend on a, c on b; d failed by itself, and was after a.
Chained chain() {
  Chained all;
  all.add('a', schema::JobState::failed);
  all.add('b', schema::JobState::skipped, {id('a')});
  all.add('c', schema::JobState::skipped, {id('b')});
  all.add('d', schema::JobState::failed, {id('a')});
  all.add('e', schema::JobState::skipped, {id('a')});
  all.add('f', schema::JobState::skipped, {id('d'), id('a')});
  return all;
}

TEST_F(ProgramTest, RetryWithDependentsGoesFromJobToJobInTheirOrder) {
  for (const bool filters : {true, false}) {
    Chained all = chain();
    all.filters = filters;
    RecordingDaemon daemon(store_, [&](const auto& frame) { return all.answer(frame); });
    const Ran ran = run({"retry", id('a'), "--with-dependents", "--command-id", "mine"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(all.retried, ElementsAre(id('a'), id('b'), id('c'), id('e')));
    EXPECT_THAT(all.command_ids, Each(StartsWith("mine-")));
    EXPECT_EQ(ran.err, "queued again " + id('a') + " " + id('b') + " " + id('c') + " " + id('e') + "\n");
  }
}

TEST_F(ProgramTest, RetryWithDependentsSentAgainFinishesWhatWasCutShort) {
  Chained all = chain();
  RecordingDaemon daemon(store_, [&](const auto& frame) { return all.answer(frame); });
  EXPECT_EQ(run({"retry", id('a'), "--with-dependents", "--command-id", "mine"}).code, 0);
  const auto first = all.command_ids;
  // As if the client had ended before c; and with jobs that came later, and wait or were skipped.
  all.add('c', schema::JobState::skipped, {id('b')});
  all.known.erase(first[2]);
  all.add('x', schema::JobState::skipped, {id('a')});
  all.retried.clear();
  const Ran ran = run({"retry", id('a'), "--with-dependents", "--command-id", "mine", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(all.retried, ElementsAre(id('c')));
  EXPECT_EQ(all.command_ids.back(), first[2]);
  all.retried.clear();
  const Ran again = run({"retry", id('a'), "--with-dependents", "--command-id", "mine"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(all.retried, IsEmpty());
}

TEST_F(ProgramTest, RetryWithDependentsLeavesAJobAloneThatHasNotEnded) {
  Chained all = chain();
  all.jobs[id('a')].state = schema::JobState::running;
  RecordingDaemon daemon(store_, [&](const auto& frame) { return all.answer(frame); });
  const Ran ran = run({"retry", id('a'), "--with-dependents"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(all.retried, ElementsAre(id('b'), id('c'), id('e')));
  const Ran again = run({"retry", id('a'), "--with-dependents"});
  EXPECT_EQ(again.code, 4) << "nothing is left to retry";
  EXPECT_THAT(again.err, HasSubstr("the daemon says no"));
}

TEST_F(ProgramTest, RetryAloneSaysWhatStaysSkipped) {
  Chained all = chain();
  RecordingDaemon daemon(store_, [&](const auto& frame) { return all.answer(frame); });
  const Ran ran = run({"retry", id('a')});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(all.retried, ElementsAre(id('a')));
  EXPECT_THAT(ran.err, HasSubstr("3 jobs were skipped because of it; luzia retry " + id('b') + " " + id('c') +
                                 " " + id('e')));
  EXPECT_THAT(ran.err, HasSubstr("--with-dependents"));
  EXPECT_THAT(run({"retry", id('d')}).err,
              HasSubstr("1 job was skipped because of it; luzia retry " + id('f')));
  EXPECT_THAT(run({"retry", id('f')}).err, Not(HasSubstr("skipped")));
}

TEST_F(ProgramTest, RetryNamesTheOptionForManySkippedJobs) {
  Chained all;
  all.add('a', schema::JobState::failed);
  for (char letter = 'b'; letter <= 'k'; ++letter)
    all.add(letter, schema::JobState::skipped, {id(static_cast<char>(letter - 1))});
  RecordingDaemon daemon(store_, [&](const auto& frame) { return all.answer(frame); });
  EXPECT_THAT(run({"retry", id('a')}).err, HasSubstr("10 jobs were skipped because of it; "
                                                     "luzia retry " +
                                                     id('a') + " --with-dependents"));
}

TEST_F(ProgramTest, RetryByOptionsBeginsWithTheOldestJob) {
  Chained all = chain();
  all.filters = false;
  RecordingDaemon daemon(store_, [&](const auto& frame) { return all.answer(frame); });
  EXPECT_EQ(run({"retry", "--state", "failed", "--since", "1h", "--yes"}).code, 0);
  EXPECT_THAT(all.retried, ElementsAre(id('a'), id('b'), id('c'), id('d'), id('e'), id('f')));
}

}  // namespace
}  // namespace luzia
