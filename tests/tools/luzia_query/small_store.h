// A store with a short history that tests know event by event. Its folder is removed at the end.
#pragma once

#include <filesystem>
#include <string>

#include "engine/log/rocks_event_log.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/registry.h"
#include "tests/projections/log_writer.h"
#include "tests/scratch.h"

namespace luzia::test {

inline const std::string kBuild = "0abc000000001";   // web, claude: completed
inline const std::string kDeploy = "0abc000000002";  // api, shell: running
inline const std::string kReview = "0abd000000003";  // web, shell: queued
inline const std::string kBroken = "0abe000000004";  // api, shell: failed

inline NewEvent progress(const std::string& job, double percent) {
  schema::ProgressReportedT fact;
  fact.progress_percent = percent;
  fact.total_steps = 5;
  fact.current_step = 2;
  return job_event(job, std::move(fact));
}

/// A finding in output.log that nobody reported.
inline NewEvent annotation(const std::string& job, const std::string& message) {
  schema::AnnotationFoundT fact;
  fact.severity = schema::Severity::warning;
  fact.message = message;
  NewEvent event = job_event(job, std::move(fact));
  event.evidence = std::make_unique<schema::EvidenceT>();
  event.evidence->kind = schema::EvidenceKind::inferred;
  event.evidence->attempt = 1;
  event.evidence->log_from = 120;
  event.evidence->log_to = 180;
  event.evidence->rule = "github_command";
  return event;
}

/// An event of the flow f-1.
template <class Fact>
NewEvent flow_event(Fact fact) {
  schema::FlowEventT domain;
  domain.fact.Set(std::move(fact));
  NewEvent event;
  event.stream = "flow/f-1";
  event.payload.Set(std::move(domain));
  return event;
}

inline Source by_person(const std::string& name) {
  Source source;
  source.name = name;
  return source;
}

inline Source caused(schema::ActorKind kind, Position cause) {
  Source source;
  source.kind = kind;
  source.cause = cause;
  return source;
}

/// Writes one event a second, each as its own group: position N has the time kEpoch + N seconds.
inline void write_small_history(EventLog& log) {
  LogWriter writer(log);
  const auto write = [&](NewEvent event, const Source& source = {}) {
    return writer.write(kSecondUs, std::move(event), source);
  };
  write(queued(kBuild, "web", "claude", "build the site"), by_person("alice"));            // 1
  write(starting(kBuild));                                                                 // 2
  write(started(kBuild), caused(schema::ActorKind::runner, 2));                            // 3
  write(progress(kBuild, 40), caused(schema::ActorKind::agent, 3));                        // 4
  write(warning(kBuild, "slow \x1b[31mred\x1b[0m"), caused(schema::ActorKind::agent, 3));  // 5
  write(annotation(kBuild, "unused variable"), caused(schema::ActorKind::agent, 3));       // 6
  write(attempt_ended(kBuild, 0, kEpoch + 7 * kSecondUs, 4 * kSecondUs),
        caused(schema::ActorKind::runner, 3));                                                       // 7
  write(ended(kBuild, schema::JobState::completed), caused(schema::ActorKind::daemon, 7));           // 8
  write(queued(kDeploy, "api", "shell", "deploy \"all\", now"), by_person("alice"));                 // 9
  write(starting(kDeploy));                                                                          // 10
  write(started(kDeploy, 1, 4712), caused(schema::ActorKind::runner, 10));                           // 11
  write(queued(kReview, "web", "shell", "review", 7), by_person("alice"));                           // 12
  write(queued(kBroken, "api", "shell", "break"), by_person("alice"));                               // 13
  write(starting(kBroken));                                                                          // 14
  write(started(kBroken), caused(schema::ActorKind::runner, 14));                                    // 15
  write(attempt_ended(kBroken, 2, kEpoch + 16 * kSecondUs), caused(schema::ActorKind::runner, 15));  // 16
  write(ended(kBroken, schema::JobState::failed), caused(schema::ActorKind::daemon, 16));            // 17
}

constexpr Position kLast = 17;
constexpr TimeUs time_at(Position position) {
  return kEpoch + static_cast<TimeUs>(position) * kSecondUs;
}

class SmallStore {
 public:
  /// `rows_until`: the last position that is folded into rows; 0: there are no rows.
  explicit SmallStore(Position rows_until = kLast) {
    auto log = open_log();
    write_small_history(*log);
    if (rows_until != 0) fold(*log, rows_until);
  }
  std::string path() const { return folder_.file("store"); }
  std::string beside(const std::string& name) const { return folder_.file(name); }

  std::unique_ptr<EventLog> open_log() const {
    auto log = open_rocks_event_log(path(), {});
    EXPECT_TRUE(log) << log.error().message;
    return std::move(*log);
  }
  std::unique_ptr<ViewStore> open_views() const {
    auto views = open_rocks_view_store(path() + "/views", OpenMode::read_write);
    EXPECT_TRUE(views) << views.error().message;
    return std::move(views->store);
  }
  void fold(const EventLog& log, Position until) const {
    auto views = open_views();
    const Status folded = catch_up(log, all_projections(), *views, until);
    EXPECT_TRUE(folded) << folded.error().message;
  }

 private:
  ScratchFolder folder_;
};

}  // namespace luzia::test
