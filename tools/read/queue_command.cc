// queue: lists the jobs that wait to start.
#include "projections/rows/overview_parts.h"
#include "projections/rows/row_tables.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

Result<int> run_queue(Session& session) {
  const wire::FilterT& filter = session.options().filter;
  const bool whole = is_countable(filter) && filter.projects.empty();
  const auto shapes = [whole](TimeUs as_of) -> Shapes<view::QueueEntry> {
    return {"queue", queue_entry_json,
            [as_of](const auto& entries, Form form) { return queue_table(entries, as_of, form); },
            whole ? "the queue is empty" : "no such jobs in the queue"};
  };
  return run_list<view::QueueEntry>(session, wire::View::queue, shapes);
}

constexpr Option kQueueOptions[] = {kJobFilter,     kProjectFilter, kAgentFilter, kTagFilter,    kStateFilter,
                                    kSinceFilter,   kUntilFilter,   kLimitOption, kCursorOption, kSortOption,
                                    kColumnsOption, kAtOption,      kCsvOption};

}  // namespace

const Command kQueueCommand = {"queue",
                               "Look",
                               "[filters] [--sort FIELD] [--columns FIELD,...] [--limit N] [--at TIME]",
                               "list queued jobs in the order they will start",
                               "",
                               "luzia queue\n"
                               "luzia queue --project web --json",
                               kQueueOptions,
                               {},
                               reading<run_queue>,
                               kNeedsStore,
                               {},
                               {},
                               {},
                               [](std::string_view) { return queue_table({}, 0, Form::data).columns(); }};

}  // namespace luzia
