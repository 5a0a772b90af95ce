// Rows as PostgreSQL can store them.
#include "tools/luzia-fleet/stored_values.h"

#include "tests/matchers.h"

namespace luzia::test {
namespace {

ExportRow empty_row(const ExportTable& table) {
  return ExportRow(table.columns.size());
}

TEST(StoredValues, TextsLoseWhatPostgresqlRefuses) {
  EXPECT_EQ(storable_text("caf\xC3\xA9 \xF0\x9F\x8C\x8D"), "caf\xC3\xA9 \xF0\x9F\x8C\x8D");
  EXPECT_EQ(storable_text(std::string_view("a\0b", 3)), "ab");
  EXPECT_EQ(storable_text("a\xFF"
                          "b\xC3"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(storable_text(""), "");
}

TEST(StoredValues, LongNamesStayDifferent) {
  const std::string common(kMaxIndexedText, 'x');
  EXPECT_EQ(storable_name(common), common);
  const std::string one = storable_name(common + "1"), other = storable_name(common + "2");
  EXPECT_NE(one, other);
  EXPECT_LE(one.size(), kMaxIndexedText);
  EXPECT_THAT(one, StartsWith("xxx"));
  std::string wide;
  while (wide.size() <= kMaxIndexedText) wide += "\xF0\x9F\x8C\x8D";
  EXPECT_LE(storable_name(wide).size(), kMaxIndexedText);
  EXPECT_EQ(storable_text(storable_name(wide)), storable_name(wide));
}

TEST(StoredValues, NoValueOfAKeyIsMissing) {
  const ExportTable& costs = *find_export_table("costs");
  ExportRow row = empty_row(costs);
  make_storable(costs, row);
  for (std::size_t i = 0; i < costs.key; ++i) EXPECT_EQ(row[i], ExportValue(std::string())) << i;
  EXPECT_EQ(row[costs.key], ExportValue());
}

TEST(StoredValues, LongTextsOutsideOfIndexesStayWhole) {
  const ExportTable& solutions = *find_export_table("solutions");
  ExportRow row = empty_row(solutions);
  row[3] = std::string(5'000, 'y');
  make_storable(solutions, row);
  EXPECT_EQ(std::get<std::string>(row[3]).size(), 5'000U);
}

TEST(StoredValues, TheYearZeroIsOneBeforeChrist) {
  const ExportTable& flows = *find_export_table("flows");
  ExportRow row = empty_row(flows);
  const auto column =
      std::ranges::find(flows.columns, "created_at", &ExportColumn::name) - flows.columns.begin();
  row[static_cast<std::size_t>(column)] = std::string("0000-01-01T00:00:00.000000Z");
  make_storable(flows, row);
  EXPECT_EQ(row[static_cast<std::size_t>(column)],
            ExportValue(std::string("0001-01-01T00:00:00.000000Z BC")));
}

TEST(StoredValues, GatesBelongToTheirFlow) {
  const ExportTable& approvals = *find_export_table("approvals");
  ExportRow gate = empty_row(approvals);
  gate[0] = std::string("f-abc/a/b@17");
  EXPECT_EQ(owner_of(approvals, gate), "f-abc");
  gate[1] = std::string("k000000000001");
  EXPECT_EQ(owner_of(approvals, gate), "k000000000001");
}

TEST(StoredValues, MomentsAreIndexedInsteadOfTheirNumbers) {
  EXPECT_THAT(indexed_columns(*find_export_table("jobs")),
              UnorderedElementsAre("project", "state", "agent", "queued_at", "ended_at"));
  EXPECT_THAT(indexed_columns(*find_export_table("facts")), UnorderedElementsAre("subject", "object"));
}

}  // namespace
}  // namespace luzia::test
