// Jobs by the time of their end: which are listed, in which order, page by page.
#include "projections/query.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using EndedIds = std::vector<std::string>;

/// Ids of 13 characters that sort by their number.
std::string nth_id(int number) {
  return "k00000000000" + std::to_string(number);
}

class Ends : public ViewsTest {
 protected:
  /// 1 completed, 2 running, 3 queued, 4 failed, after 1.
  void SetUp() override {
    query_.view = wire::View::jobs;
    query_.filter = std::make_unique<wire::FilterT>();
    for (const int number : {1, 2, 3, 4}) writer_.write(kSecondUs, queued(nth_id(number), "web", "shell"));
    for (const int number : {1, 2, 4}) {
      writer_.write(kSecondUs, starting(nth_id(number)));
      writer_.write(kSecondUs, started(nth_id(number)));
    }
    writer_.write(kSecondUs, attempt_ended(nth_id(1), 0, writer_.now));
    writer_.write(0, ended(nth_id(1), schema::JobState::completed));
    writer_.write(kSecondUs, attempt_ended(nth_id(4), 1, writer_.now));
    writer_.write(0, ended(nth_id(4), schema::JobState::failed));
  }

  Result<RowPage> ask() { return run_query(rows(), {log_, {}, {}}, query_); }
  std::vector<view::JobT> jobs() {
    const auto page = ask();
    EXPECT_TRUE(page) << page.error().message;
    next_ = page ? page->next : std::string();
    return page ? natives<view::Job>(*page) : std::vector<view::JobT>();
  }
  EndedIds job_ids() {
    EndedIds ids;
    for (const auto& job : jobs()) ids.push_back(job.id);
    return ids;
  }
  std::string error_code() {
    const auto page = ask();
    return page ? "" : page.error().code;
  }

  wire::QueryT query_;
  std::string next_;
};

TEST_F(Ends, TimesOfEndsAreHalfOpenAndTheLastComesFirst) {
  query_.filter->ended_since_us = kEpoch;
  EXPECT_EQ(job_ids(), (EndedIds{nth_id(4), nth_id(1)}));
  const auto ends = jobs();
  query_.filter->ended_since_us = ends[1].ended_us;
  query_.filter->ended_before_us = ends[0].ended_us;
  EXPECT_EQ(job_ids(), EndedIds{nth_id(1)});
  query_.filter->ended_since_us = ends[1].ended_us + 1;
  EXPECT_EQ(job_ids(), EndedIds{});
  query_.filter->ended_since_us = ends[0].ended_us + 1;
  EXPECT_EQ(job_ids(), EndedIds{}) << "it begins after its end";
  query_.filter->ended_since_us = 0;
  query_.filter->ended_before_us = ends[0].ended_us + 1;
  query_.filter->states = {schema::JobState::failed};
  EXPECT_EQ(job_ids(), EndedIds{nth_id(4)});
  query_.filter->states.clear();
  query_.filter->jobs = {nth_id(1), nth_id(2)};
  EXPECT_EQ(job_ids(), EndedIds{nth_id(1)}) << "of jobs that are named, too";
}

TEST_F(Ends, ARetriedJobHasNoEndUntilItEndsAgain) {
  query_.filter->ended_since_us = kEpoch;
  writer_.write(kSecondUs, job_event(nth_id(4), schema::JobRetriedT()));
  EXPECT_EQ(job_ids(), EndedIds{nth_id(1)});
  writer_.write(kSecondUs, ended(nth_id(4), schema::JobState::cancelled, schema::EndReason::cancelled, 0));
  EXPECT_EQ(job_ids(), (EndedIds{nth_id(4), nth_id(1)}));
}

TEST_F(Ends, PagesOfEndsHaveCursorsOfTheirOwn) {
  query_.filter->ended_since_us = kEpoch;
  query_.limit = 1;
  EXPECT_EQ(job_ids(), EndedIds{nth_id(4)});
  const std::string cursor = next_;
  query_.cursor = cursor;
  EXPECT_EQ(job_ids(), EndedIds{nth_id(1)});
  EXPECT_EQ(next_, "");
  for (const std::string& foreign :
       {nth_id(4), "1-" + nth_id(4) + "x", "-" + nth_id(4), std::string("1"), "x" + cursor}) {
    query_.cursor = foreign;
    EXPECT_EQ(error_code(), "bad_cursor") << foreign;
  }
  query_.filter->ended_since_us = 0;
  query_.cursor = cursor;
  EXPECT_EQ(error_code(), "bad_cursor") << "of a list in another order";
}

}  // namespace
}  // namespace luzia::test
