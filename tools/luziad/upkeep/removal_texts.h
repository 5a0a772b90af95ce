// The erasable texts of a job, as its events and those of its flow refer to them. Any thread.
#pragma once

#include <vector>

#include "engine/job/job.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

struct JobTexts {
  std::vector<TextPlace> left;    // no BlobErased tells of them yet
  std::vector<TextPlace> erased;  // one does
  std::uint64_t left_bytes = 0;
};
/// The task, its environment, questions, answers, descriptions and inputs of tools; and what the job gave to
/// its flow as the output of a step.
Result<JobTexts> texts_of_job(const ViewReader& rows, const EventLog& log, const JobState& job);

}  // namespace luzia
