// Which events each setting of [status_updates] lets through.
#include <gtest/gtest.h>

#include "engine/event/event.h"
#include "projections/rows/status_updates.h"

namespace luzia {
namespace {

/// An encoded event.
class Travelling {
 public:
  template <class Fact>
  static Travelling job(Fact fact) {
    return Travelling(job_event("aaaa", std::move(fact)));
  }
  template <class Fact>
  static Travelling report(Fact fact, const std::string& job = "aaaa") {
    return Travelling(job_event(job, std::move(fact)));
  }
  static Travelling progress(double percent, const std::string& job = "aaaa") {
    schema::ProgressReportedT fact;
    fact.progress_percent = percent;
    return report(std::move(fact), job);
  }
  static Travelling appended() { return Travelling(job_event("aaaa", schema::OutputAppendedT())); }
  static Travelling asked() { return Travelling(new_event("job/aaaa", schema::QuestionAskedT())); }

  const schema::Event& get() const {
    return *flatbuffers::GetRoot<schema::Event>(builder_.GetBufferPointer());
  }

 private:
  explicit Travelling(NewEvent event) {
    schema::EventT whole;
    whole.stream = event.stream;
    whole.payload = std::move(event.payload);
    builder_.Finish(schema::Event::Pack(builder_, &whole));
  }
  flatbuffers::FlatBufferBuilder builder_;
};

using Verbosity = UpdateSettings::Verbosity;

bool takes(const UpdateSettings& settings, const Travelling& event) {
  return UpdateFilter(settings).takes(event.get());
}

TEST(Updates, EachVerbosityShowsMore) {
  struct Row {
    const char* name;
    Travelling event;
    bool quiet, normal, verbose;
  };
  const Row rows[] = {
      {"queued", Travelling::job(schema::JobQueuedT()), false, true, true},
      {"started", Travelling::job(schema::AttemptStartedT()), false, true, true},
      {"ended", Travelling::job(schema::JobEndedT()), true, true, true},
      {"asked", Travelling::asked(), true, true, true},
      {"warning", Travelling::report(schema::WarningReportedT()), true, true, true},
      {"task started", Travelling::report(schema::TaskStartedT()), false, true, true},
      {"task failed", Travelling::report(schema::TaskFailedT()), true, true, true},
      {"progress", Travelling::progress(60), false, true, true},
      {"session", Travelling::report(schema::SessionIdentifiedT()), false, false, true},
      {"how far output was read", Travelling::appended(), false, false, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(takes({.verbosity = Verbosity::quiet}, row.event), row.quiet) << row.name;
    EXPECT_EQ(takes({.verbosity = Verbosity::normal}, row.event), row.normal) << row.name;
    EXPECT_EQ(takes({.verbosity = Verbosity::verbose}, row.event), row.verbose) << row.name;
  }
}

Travelling steps(std::uint32_t current, std::uint32_t total) {
  schema::ProgressReportedT fact;
  fact.current_step = current;
  fact.total_steps = total;
  return Travelling::report(std::move(fact));
}

Travelling todos(std::size_t done, std::size_t all) {
  schema::TodoReportedT list;
  list.whole = true;
  for (std::size_t i = 0; i < all; ++i) {
    list.items.push_back(std::make_unique<schema::TodoItemT>());
    if (i < done) list.items.back()->status = schema::TodoStatus::completed;
  }
  return Travelling::report(std::move(list));
}

TEST(Updates, StepsAndTodosAreProgressToo) {
  UpdateFilter filter({.threshold_percent = 25});
  EXPECT_FALSE(filter.takes(steps(1, 10).get()));
  EXPECT_TRUE(filter.takes(steps(3, 10).get()));
  EXPECT_FALSE(filter.takes(todos(2, 5).get()));
  EXPECT_TRUE(filter.takes(todos(5, 5).get()));
  EXPECT_FALSE(takes({.verbosity = Verbosity::normal}, todos(0, 0)));
}

TEST(Updates, StartsAreOmittedOnRequest) {
  for (const Verbosity verbosity : {Verbosity::normal, Verbosity::verbose}) {
    const UpdateSettings settings{.verbosity = verbosity, .task_started = false};
    EXPECT_FALSE(takes(settings, Travelling::job(schema::AttemptStartedT())));
    EXPECT_FALSE(takes(settings, Travelling::report(schema::TaskStartedT())));
    EXPECT_TRUE(takes(settings, Travelling::job(schema::JobEndedT())));
  }
}

TEST(Updates, ProgressIsOmittedOnRequest) {
  EXPECT_FALSE(takes({.progress = false}, Travelling::progress(60)));
  EXPECT_TRUE(takes({.progress = false}, Travelling::job(schema::JobEndedT())));
}

TEST(Updates, ProgressIsReportedInThresholdSteps) {
  struct Story {
    int threshold;
    std::vector<double> said;
    std::vector<double> told;
  };
  const Story stories[] = {
      {25, {1, 24, 25, 26, 49, 51, 99, 100, 100}, {25, 51, 99, 100}},
      {30, {29, 30, 90, 99, 100}, {30, 90, 100}},
      {100, {50, 99, 100}, {100}},
      {0, {1, 1.5, 2}, {1, 2}},
      {25, {80, 10}, {80, 10}},  // percentages may go back
  };
  for (const Story& story : stories) {
    UpdateFilter filter({.threshold_percent = story.threshold});
    std::vector<double> told;
    for (const double percent : story.said) {
      if (filter.takes(Travelling::progress(percent).get())) told.push_back(percent);
    }
    EXPECT_EQ(told, story.told) << story.threshold;
    EXPECT_TRUE(filter.takes(Travelling::progress(100, "bbbb").get())) << "each job has its own steps";
  }
}

}  // namespace
}  // namespace luzia
