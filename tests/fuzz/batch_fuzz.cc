// Lines of `luzia dispatch --batch`: either a one-line error with the line's number, or jobs with a project
// and a task.
#include <string>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/run/dispatch.h"

void luzia::fuzz(std::string_view input) {
  const std::string text(input);
  const auto jobs = jobs_from_batch(text, "fuzz", {});
  if (!jobs) {
    require(jobs.error().code == "bad_batch", "the code of a bad batch");
    require(jobs.error().message.starts_with("reading fuzz:"), "a refusal names the place");
    require(jobs.error().message.find('\n') == std::string::npos, "in one line");
    return;
  }
  require(!jobs->empty(), "a batch has jobs");
  for (const wire::DispatchJobT& job : *jobs) {
    require(!job.project.empty() && !job.task.empty(), "a job has a project and a task");
    require(job.budget_cost_usd >= 0, "no budget is negative");
  }
}
