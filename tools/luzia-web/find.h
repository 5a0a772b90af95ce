// Words in a job's output: the daemon searches, in pieces. Waits for it: for worker threads.
#pragma once

#include <atomic>
#include <memory>

#include "projections/rows/json_object.h"
#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/routes.h"

namespace luzia::web {

/// Set when nobody waits for an answer any more. Any thread.
using Unwanted = std::shared_ptr<std::atomic<bool>>;

struct FindQuery {
  std::string job;
  std::uint32_t attempt = 0;  // 0: the newest
  std::string words;
  std::uint64_t from = 0;
  std::uint64_t until = 0;  // search only so many bytes; 0: all
  bool backward = false;
  std::uint32_t limit = 0;  // 0: count only
};

/// `bad_words` (usage): none, too many bytes, or several lines.
Result<std::string> words_to_find(const Request& request);
/// `bad_words`, `bad_value` (usage).
Result<FindQuery> find_query_of(const Request& request);

/// Searches until enough lines are found, nothing is left, nobody wants it, or `until_us` (steady_us()) has
/// come.
Result<wire::FoundWordsT> find_words(Client& client, FindQuery asked, std::int64_t until_us,
                                     const Unwanted& unwanted);

/// GET /v1/jobs/{job}/output/find: {"lines","count","reached","over","size"}.
Answer find(const DaemonDoor& door, const std::string& device, const Match& match, const Request& request,
            const Unwanted& unwanted);

}  // namespace luzia::web
