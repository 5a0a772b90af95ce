// Runs commands on jobs, a batch of them all or none: decides, stages what follows for flows and the queue,
// and appends. Loop thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/dependants.h"
#include "engine/core/flow_book.h"
#include "engine/core/queue_book.h"

namespace luzia {

class JobCommands {
 public:
  /// What the commands read and change. All must outlive this.
  struct Books {
    GroupWriter& writer;
    Refusals& refusals;
    JobBook& jobs;
    QueueBook& queue;
    FlowBook& flows;
    const Dependants& dependants;
  };
  /// The lifecycle of the job was changed by the command at `now`. May run further commands.
  using Changed = std::function<void(JobState&, TimeUs now)>;
  JobCommands(Books books, Changed changed) : books_(books), changed_(std::move(changed)) {}

  /// `also`: stages what else belongs to the command, after the jobs' events.
  using Also = std::function<Status(std::vector<StagedEvent>& staged)>;
  Result<Outcome> run(const CommandMeta& meta, std::vector<ToJob>& commands, const Also& also = {});
  /// Runs a command of the engine itself. Returns whether it was accepted; a refusal is noted in Refusals.
  bool run_own(const std::string& job, JobCommand command, TimeUs now, Position cause);
  /// Refuses new jobs with this error from now on; nullopt: accepts them again.
  void refuse_new(std::optional<Error> why) { no_new_ = std::move(why); }
  bool refuses_new() const { return no_new_.has_value(); }

 private:
  /// What a batch of job commands leads to, before any of it is appended.
  struct Draft {
    std::vector<StagedEvent> staged;
    std::vector<std::string> created;  // jobs to forget again if the batch is refused
    std::vector<JobState*> changed;
    std::vector<schema::QueueFactUnion> agent_facts;
    FlowDrafts flows;
  };
  Result<JobState*> job_of(ToJob& item, Draft& draft);
  Status stage(const CommandMeta& meta, ToJob& item, Draft& draft);

  Books books_;
  Changed changed_;
  std::optional<Error> no_new_;
};

}  // namespace luzia
