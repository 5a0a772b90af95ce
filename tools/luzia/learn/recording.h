// What `luzia solution` and `luzia fact` have in common. One thread.
#pragma once

#include "tools/luzia/asking.h"
#include "tools/luzia/verbs.h"

namespace luzia {

/// The project that something is recorded for: --project, else the project of the job that this runs in;
/// empty with --everywhere. `no_project` (usage) if none of these is given.
Result<std::string> project_to_record(const Arguments& args);

/// Prints the ids, one a line; with --json {"ids":[...],"position":N,"repeated":false,"known":false}.
void print_recorded_ids(const Invocation& invocation, const wire::AcceptedT& accepted);

/// Sends a command about solutions or facts. Prints its ids on standard output and `done` on standard error,
/// or `known` if nothing had to be recorded.
Result<int> send_and_report(Invocation& invocation, Client& client, const wire::RequestUnion& request,
                            const std::string& done, const std::string& known = {});

/// Words of a search as one text.
std::string joined_words(const std::vector<std::string>& words);

/// The limit of --limit, else `otherwise`; at most 1,000.
std::uint32_t limit_to_list(const Arguments& args, std::uint32_t otherwise);

}  // namespace luzia
