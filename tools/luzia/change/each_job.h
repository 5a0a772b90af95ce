// One command about several jobs: what can be done is done, and what cannot is named. One thread.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

struct EachJob {
  wire::AcceptedT done;                                // `repeated` when all were done before
  std::vector<std::pair<std::string, Error>> refused;  // the job as it was named
};

/// Carries out a request about one job.
using ActOnOne = std::function<Result<wire::AcceptedT>(const wire::ActOnJobsT&)>;

enum class CommandIds { of_several, of_each };

/// A request for each job that `request` names. Each of several (`of_each`: a single one too) has a command
/// id of its own, made of the request's and of the job's name, so that the same command sent again takes
/// effect once. Trouble with the daemon ends it: the error says how many were done before.
Result<EachJob> act_on_each(const wire::ActOnJobsT& request, const ActOnOne& act,
                            CommandIds ids = CommandIds::of_several);

/// Prints what was done as `done` says, and each refusal. The exit code: 0, or that of the worst refusal.
int print_each(const Invocation& invocation, const EachJob& each, const char* done);

}  // namespace luzia
