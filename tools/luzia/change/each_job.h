// Applies one command to several jobs. Jobs for which it is refused are reported; the others are still
// changed. One thread.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

struct EachJob {
  wire::AcceptedT done;                                // `repeated` when all were done before
  std::vector<std::pair<std::string, Error>> refused;  // by the name that was typed
};

/// Carries out a request about one job.
using ActOnOne = std::function<Result<wire::AcceptedT>(const wire::ActOnJobsT&)>;

enum class CommandIds { of_several, of_each };

/// Sends one request for each job that `request` names. Each of several (`of_each`: a single one too) has a
/// command id made of the request's id and the job's name, so repeating the whole command takes effect once.
/// Trouble with the daemon stops the loop; the error says how many jobs were changed before.
Result<EachJob> act_on_each(const wire::ActOnJobsT& request, const ActOnOne& act,
                            CommandIds ids = CommandIds::of_several);

/// Prints the changed jobs with the words `done`, and each refusal. Returns 0, or the exit code of the worst
/// refusal.
int print_each(const Invocation& invocation, const EachJob& each, const char* done);

}  // namespace luzia
