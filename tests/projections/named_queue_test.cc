// What it costs to find named jobs in a long queue, counted in rows that are read.
#include <gmock/gmock.h>

#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

/// Counts each row that is looked up or visited.
class CountingReader : public ViewReader {
 public:
  explicit CountingReader(const ViewReader& rows) : rows_(rows) {}
  std::optional<std::string> get(std::string_view key) const override {
    ++read_;
    return rows_.get(key);
  }
  void scan(std::string_view from, std::string_view to, const Visit& visit) const override {
    rows_.scan(from, to, counted(visit));
  }
  void scan_back(std::string_view from, std::string_view to, const Visit& visit) const override {
    rows_.scan_back(from, to, counted(visit));
  }
  ViewCursor cursor() const override { return rows_.cursor(); }
  std::size_t read() const { return read_; }

 private:
  Visit counted(const Visit& visit) const {
    return [this, &visit](std::string_view key, std::string_view value) {
      ++read_;
      return visit(key, value);
    };
  }

  const ViewReader& rows_;
  mutable std::size_t read_ = 0;
};

class NamedQueue : public ViewsTest {
 protected:
  static std::string job_id(int number) { return "k" + std::to_string(100'000'000'000 + number); }

  /// Jobs 1 to `last`, of which each tenth has the priority 7, the others 5.
  void queue_jobs(int first, int last) {
    for (int number = first; number <= last; ++number)
      writer_.write(1, queued(job_id(number), "alpha", "shell", "", number % 10 == 0 ? 7 : 5));
  }
  RowPage ask() {
    const CountingReader counting(rows());
    QuerySources sources{log_, {}, {}};
    sources.scheduler_tells = true;  // as the daemon asks
    auto page = run_query(counting, sources, query_);
    EXPECT_TRUE(page) << page.error().message;
    read_ = counting.read();
    return page ? std::move(*page) : RowPage();
  }
  void name(std::initializer_list<int> numbers) {
    query_.view = wire::View::queue;
    query_.filter = std::make_unique<wire::FilterT>();
    for (const int number : numbers) query_.filter->jobs.push_back(job_id(number));
  }

  wire::QueryT query_;
  std::size_t read_ = 0;
};

TEST_F(NamedQueue, CostsTheSameHoweverLongItIs) {
  queue_jobs(1, 30);
  name({9, 10, 11});
  query_.without_positions = true;
  EXPECT_EQ(ask().rows.size(), 3U);
  const std::size_t beside_few = read_;
  EXPECT_GT(beside_few, 0U);
  queue_jobs(31, 2'000);
  name({1'989, 1'990, 1'991});
  EXPECT_EQ(ask().rows.size(), 3U);
  EXPECT_EQ(read_, beside_few);
}

TEST_F(NamedQueue, AnswersAsThoughTheQueueHadBeenCounted) {
  queue_jobs(1, 40);
  writer_.write(1, started(job_id(12)));
  for (const std::uint32_t limit : {0U, 2U}) {
    name({7, 12, 20, 31, 30, 30});
    query_.limit = limit;
    query_.cursor.clear();
    do {
      query_.without_positions = false;
      const RowPage counted = ask();
      std::vector<std::string> expected;
      for (auto& entry : natives<view::QueueEntry>(counted)) {
        entry.position = 0;
        expected.push_back(row_bytes(entry));
      }
      query_.without_positions = true;
      const RowPage found = ask();
      EXPECT_EQ(found.rows, expected);
      EXPECT_FALSE(expected.empty());
      EXPECT_EQ(found.next, counted.next);
      query_.cursor = counted.next;
    } while (!query_.cursor.empty());
  }
}

TEST_F(NamedQueue, PositionsAreCountedForWhoeverAsks) {
  queue_jobs(1, 40);
  name({7, 20});
  const auto asked = natives<view::QueueEntry>(ask());
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].job, job_id(20));
  EXPECT_EQ(asked[0].position, 2U);
  EXPECT_EQ(asked[1].position, 4U + 7U);
  query_.filter->jobs.clear();
  query_.without_positions = true;  // of no job in particular: the whole queue, which is counted anyway
  EXPECT_EQ(natives<view::QueueEntry>(ask()).back().position, 40U);
}

}  // namespace
}  // namespace luzia::test
