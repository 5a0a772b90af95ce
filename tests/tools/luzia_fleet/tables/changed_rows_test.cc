// On random histories, replacing the rows of what events have touched leaves the rows that follow from the
// whole log.
#include "tools/luzia-fleet/changed_rows.h"

#include "tests/matchers.h"
#include "tests/tools/luzia_fleet/tables/growing_log.h"
#include "tools/luzia-fleet/stored_values.h"

namespace luzia::test {
namespace {

using TableKept = std::map<std::string, ExportRow>;
using TablesKept = std::map<std::string, TableKept>;

/// As write_rows() does it.
void replace_rows(TablesKept& tables, const ReadRows& read) {
  for (const auto& of_table : read.tables) {
    const ExportTable& table = *find_export_table(of_table.first);
    const TableRows& rows = of_table.second;
    TableKept& kept = tables[std::string(table.name)];
    std::erase_if(kept, [&](const auto& row) {
      const bool is_replaced = rows.whole || rows.owners.contains(owner_of(table, row.second));
      return is_replaced && !rows.rows.contains(row.first);
    });
    for (const auto& [key, row] : rows.rows) kept[key] = row.values;
  }
}

TablesKept all_rows(const AskRows& ask) {
  TablesKept tables;
  const Status read = visit_all_rows(ask, 0, [&](const ReadRows& page) -> Status {
    replace_rows(tables, page);
    return {};
  });
  EXPECT_TRUE(read) << read.error().message;
  return tables;
}

std::string shown(const std::string& table, const std::string& key, const char* what) {
  std::string words = table + " " + what + ": " + key;
  std::ranges::replace(words, '\0', ' ');
  return words;
}

/// The rows that differ, and how.
std::vector<std::string> differences(TablesKept kept, TablesKept wanted) {
  std::vector<std::string> found;
  for (const ExportTable& table : export_tables()) {
    const std::string name(table.name);
    for (const auto& [key, row] : kept[name]) {
      const auto it = wanted[name].find(key);
      if (it == wanted[name].end()) {
        found.push_back(shown(name, key, "should be gone"));
      } else if (row != it->second) {
        found.push_back(shown(name, key, "is out of date") + "\n" + export_row_csv(table, row) +
                        export_row_csv(table, it->second));
      }
    }
    for (const auto& [key, row] : wanted[name]) {
      if (!kept[name].contains(key)) found.push_back(shown(name, key, "is missing"));
    }
  }
  return found;
}

class ChangedRowsTest : public testing::TestWithParam<unsigned> {
 protected:
  ReadRows read(const Touched& touched, std::uint32_t most = kMaxLimit) {
    auto rows = changed_rows(log_.ask(most), touched, 0);
    EXPECT_TRUE(rows) << rows.error().message;
    return rows ? std::move(*rows) : ReadRows();
  }

  GrowingLog log_{GetParam()};
  TablesKept tables_;
};

TEST_P(ChangedRowsTest, TablesFollowTheLog) {
  std::mt19937 random(GetParam());
  for (Position after = 0; after < 2'000; after = log_.tip()) {
    log_.grow(1 + random() % 120);
    const Touched touched = log_.touched(after, log_.tip());
    const ReadRows rows = read(touched);
    EXPECT_EQ(rows.position, touched.empty() ? 0 : log_.tip());
    replace_rows(tables_, rows);
    ASSERT_THAT(differences(tables_, all_rows(log_.ask())), IsEmpty()) << "after " << after;
  }
}

// The mirror reads rows while the log grows: they are ahead of the events that it has seen.
TEST_P(ChangedRowsTest, RowsAheadOfTheEventsAreRightInTheEnd) {
  std::mt19937 random(GetParam());
  Position after = 0;
  while (log_.tip() < 2'000) {
    log_.grow(1 + random() % 60);
    const Position until = after + random() % (log_.tip() - after + 1);
    replace_rows(tables_, read(log_.touched(after, until)));
    after = until;
  }
  replace_rows(tables_, read(log_.touched(after, log_.tip())));
  EXPECT_THAT(differences(tables_, all_rows(log_.ask())), IsEmpty());
}

TEST_P(ChangedRowsTest, PagesOfAnySizeHaveTheSameRows) {
  log_.grow(500);
  const Touched touched = log_.touched(0, log_.tip());
  replace_rows(tables_, read(touched, 7));
  EXPECT_THAT(differences(tables_, all_rows(log_.ask(3))), IsEmpty());
}

// Events of a newer program may begin a job, flow or solution in a way that this one does not know.
TEST_P(ChangedRowsTest, StreamsWithoutRowsAreNoError) {
  log_.grow(100);
  const Position before = log_.tip();
  replace_rows(tables_, read(log_.touched(0, before)));
  for (const char* stream : {"job/kzzzzzzzzzzzz", "job/not an id", "flow/f-unknown", "solution/s-unknown"}) {
    NewEvent event;
    event.stream = stream;
    log_.add(std::move(event));
  }
  const Touched touched = log_.touched(before, log_.tip());
  EXPECT_EQ(touched.jobs(), 1U);
  EXPECT_FALSE(touched.empty());
  replace_rows(tables_, read(touched));
  EXPECT_THAT(differences(tables_, all_rows(log_.ask())), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChangedRowsTest, testing::Range(1U, 6U));

// A seed's history differs between compilers; together they must reach every table.
TEST(ChangedRowsOfAllSeeds, EveryTableHasRows) {
  std::set<std::string> filled;
  for (unsigned seed = 1; seed < 6; ++seed) {
    GrowingLog log(seed);
    log.grow(2'000);
    for (const auto& [name, rows] : all_rows(log.ask())) {
      if (!rows.empty()) filled.insert(name);
    }
  }
  for (const ExportTable& table : export_tables())
    EXPECT_TRUE(filled.contains(std::string(table.name))) << table.name;
}

TEST(Touched, SystemEventsTouchNothing) {
  Touched touched;
  EXPECT_TRUE(touched.empty());
  MemoryEventLog log;
  LogWriter writer(log);
  schema::SystemFactUnion started;
  started.Set(schema::DaemonStartedT{});
  touched.add(writer.add(new_event("system", std::move(started))));
  EXPECT_TRUE(touched.empty());
  EXPECT_EQ(touched.last_us(), writer.now);
  touched.add(writer.add(queued("k000000000001", "demo")));
  EXPECT_FALSE(touched.empty());
  EXPECT_EQ(touched.jobs(), 1U);
  touched.clear();
  EXPECT_TRUE(touched.empty());
  EXPECT_EQ(touched.last_us(), 0);
}

AskRows failing_with(const std::string& code) {
  return
      [code](const wire::QueryT&) -> Result<RowPage> { return fail(ErrorKind::trouble, code, "it broke"); };
}

TEST(ChangedRows, ErrorsOfTheDaemonAreHandedOn) {
  MemoryEventLog log;
  LogWriter writer(log);
  Touched touched;
  touched.add(writer.add(queued("k000000000001", "demo")));
  const auto rows = changed_rows(failing_with("views_failed"), touched, 0);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, "views_failed");
}

// Only the past says on which day a retried job counted. If that is archived, all days are read.
TEST(ChangedRows, OutcomesAreReadWholeIfThePastIsArchived) {
  MemoryEventLog log;
  LogWriter writer(log);
  for (int i = 0; i < 9; ++i) writer.add(queued("k000000000001", "demo"));
  Touched touched;
  schema::JobRetriedT retried;
  retried.attempt = 2;
  touched.add(writer.add(job_event("k000000000001", std::move(retried))));
  const auto rows = changed_rows(
      [](const wire::QueryT& query) -> Result<RowPage> {
        if (query.at_position != 0) return fail(ErrorKind::refused, "archived", "it is archived");
        return RowPage{.type = {}, .rows = {}, .next = {}, .position = 12};
      },
      touched, 0);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_TRUE(rows->tables.at("outcomes").whole);
  EXPECT_FALSE(rows->tables.at("jobs").whole);
  EXPECT_EQ(rows->position, 12U);
}

}  // namespace
}  // namespace luzia::test
