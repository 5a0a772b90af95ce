// Searches over all jobs, and what was learned. Waits for the daemon: for worker threads.
#pragma once

#include "tools/cli/command.h"
#include "tools/luzia-web/find.h"

namespace luzia::web {

// Read commands that only the API has.

/// Jobs by words of their tasks, newest first. Ends after about a second, also in the middle: `next`
/// continues.
extern const Command kTaskSearch;
/// With words, what was learned about them, best first. In the past: those that have all of the words.
extern const Command kSolutionsRead, kFactsRead;
extern const Command kTodosRead, kSchedulesRead;
/// GET /v1/steps.
extern const Command kStepsRead;

/// Where a search of outputs goes on: behind a job in the list, in the next one perhaps at an offset.
struct OutputCursor {
  std::string behind;  // empty: at the beginning
  std::string within;  // the job that is next
  std::uint64_t offset = 0;

  std::string text() const {
    return within.empty() ? behind : behind + "@" + within + "@" + std::to_string(offset);
  }
};
/// `bad_cursor` (usage).
Result<OutputCursor> output_cursor_of(const Request& request);

/// GET /v1/search/outputs: {"jobs","searched","back_to_us","next"}: lines of outputs, of the newest jobs
/// first. Ends after about a second, also within an output.
Answer search_outputs(const DaemonDoor& door, const std::string& device, const Match& match,
                      const Request& request, const Unwanted& unwanted);

}  // namespace luzia::web
