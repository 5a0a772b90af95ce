// A log in memory that grows by random history, the rows that follow from it, and what asks for them as
// luzia-fleet asks a daemon.
#pragma once

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/query.h"
#include "projections/registry.h"
#include "tests/projections/random_history.h"
#include "tools/luzia-fleet/changed_rows.h"

namespace luzia::test {

class GrowingLog {
 public:
  explicit GrowingLog(unsigned seed) : history_(log_, seed) {}

  /// Adds about so many events and brings the rows up to date.
  void grow(std::size_t events) {
    history_.write(events);
    EXPECT_TRUE(catch_up(log_, all_projections(), store_));
  }
  /// Adds one event, as the decider of its domain would not have decided it.
  void add(NewEvent event) {
    LogWriter writer(log_);
    writer.now = history_.now();
    writer.write(1, std::move(event));
    EXPECT_TRUE(catch_up(log_, all_projections(), store_));
  }
  Position tip() const { return log_.tip().position; }
  /// What the events after `after`, up to `until`, have touched.
  Touched touched(Position after, Position until) const {
    Touched touched;
    const auto groups = log_.read_from(after + 1);
    for (auto group = groups->next().value(); group; group = groups->next().value()) {
      for (const schema::Event* event : group->events()) {
        if (event->position() > after && event->position() <= until) touched.add(*event);
      }
      if (group->last_position() >= until) break;
    }
    return touched;
  }
  /// Answers as a daemon does to somebody who may see everything. `most`: rows of a page.
  AskRows ask(std::uint32_t most = kMaxLimit) const {
    return [this, most](wire::QueryT query) {
      query.limit = std::min(query.limit, most);
      return run_query(*store_.snapshot(), {log_, {}, {}}, query);
    };
  }

 private:
  MemoryEventLog log_;
  RandomHistory history_;
  MemoryViewStore store_;
};

}  // namespace luzia::test
