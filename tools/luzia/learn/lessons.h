// What `luzia solution` and `luzia fact` have in common. One thread.
#pragma once

#include "tools/luzia/asking.h"
#include "tools/luzia/verbs.h"

namespace luzia {

/// The project that something is recorded for: --project, or the job's own; --everywhere: none, which is
/// every one. `no_project` (usage) where nothing says it.
Result<std::string> lesson_project(const Arguments& args);

/// The ids alone, a line each; with --json {"ids":[...],"position":N,"repeated":false,"known":false}.
void print_lesson_ids(const Invocation& invocation, const wire::AcceptedT& accepted);

/// Sends a command about what was learned; its ids alone on standard output, `done` to the person; `known`
/// where nothing had to be recorded for it.
Result<wire::AcceptedT> send_lesson(Invocation& invocation, Client& client, const wire::RequestUnion& request,
                                    const std::string& done, const std::string& known = {});

/// Words of a search as one text.
std::string joined_words(const std::vector<std::string>& words);

/// The limit of --limit, else `otherwise`; at most 1,000.
std::uint32_t lesson_limit(const Arguments& args, std::uint32_t otherwise);

}  // namespace luzia
