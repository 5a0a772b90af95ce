// Lists the erasable texts of a job, which its events and those of its flow refer to. Any thread.
#pragma once

#include <vector>

#include "engine/job/job.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

struct JobTexts {
  std::vector<TextPlace> left;    // not erased yet (no BlobErased)
  std::vector<TextPlace> erased;  // erased (a BlobErased refers to it)
  std::uint64_t left_bytes = 0;
};
/// Includes the task, its environment, questions, answers, descriptions, inputs of tools, and the output that
/// the job gave to its flow step.
Result<JobTexts> texts_of_job(const ViewReader& rows, const EventLog& log, const JobState& job);

}  // namespace luzia
