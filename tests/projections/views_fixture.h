// A log in memory, and what the projections make of it.
#pragma once

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/query.h"
#include "projections/registry.h"
#include "projections/rows/row_bytes.h"
#include "tests/matchers.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {

class ViewsTest : public testing::Test {
 protected:
  explicit ViewsTest(const ProjectionRegistry& registry = all_projections()) : registry_(registry) {}

  /// The rows after the last event, valid until the next call.
  const ViewReader& rows() {
    EXPECT_TRUE(catch_up(log_, registry_, store_));
    rows_ = store_.snapshot();
    return *rows_;
  }
  template <class Row>
  static std::vector<typename Row::NativeTableType> natives(const RowPage& page) {
    std::vector<typename Row::NativeTableType> result;
    for (const std::string& bytes : page.rows) {
      const Row* row = verified_row<Row>(as_bytes(bytes));
      EXPECT_NE(row, nullptr);
      if (row != nullptr) row->UnPackTo(&result.emplace_back());
    }
    return result;
  }

  MemoryEventLog log_;
  LogWriter writer_{log_};
  MemoryViewStore store_;
  std::unique_ptr<ViewReader> rows_;

 private:
  const ProjectionRegistry& registry_;
};

}  // namespace luzia::test
