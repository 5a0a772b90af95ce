// What luzia-fleet says of orders passes through the status file as it is.
#include "tools/read/order_report.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

using testing::HasSubstr;

OrderReport some_report() {
  OrderReport report;
  report.kinds = {"dispatch", "answer"};
  report.labels = {"gpu"};
  report.people = {"ana (demo)"};
  report.refused = {{"cli-1", "dispatch", "demo", "ana", 60 * kSecondUs, "no user", "set user"}};
  report.error = "no database";
  return report;
}

OrderReport passed(const OrderReport& report) {
  JsonObject object;
  write_order_report(object, report);
  const auto json = parse_json(object.take());
  EXPECT_TRUE(json);
  return read_order_report(*json);
}

TEST(OrderReportTest, IsReadAsItWasWritten) {
  EXPECT_EQ(passed(some_report()), some_report());
  EXPECT_EQ(passed(OrderReport()), OrderReport());
  OrderReport large = some_report();
  large.refused[0].message = std::string(10'000, 'x');
  EXPECT_LE(passed(large).refused[0].message.size(), 500U);
}

TEST(OrderReportTest, OddFilesSayNothing) {
  for (const char* text :
       {"{}", R"({"orders":7})", R"({"orders":{"kinds":"x","refused":[3,null],"error":[]}})"}) {
    EXPECT_EQ(read_order_report(*parse_json(text)), OrderReport()) << text;
  }
  const auto odd = read_order_report(*parse_json("{\"orders\":{\"kinds\":[\"a\\u001b[2J\",7]}}"));
  ASSERT_EQ(odd.kinds.size(), 1U);
  EXPECT_THAT(odd.kinds[0], Not(HasSubstr("\x1b")));
}

TEST(OrderReportTest, TextsSayWhatFromWhomAndWhy) {
  EXPECT_EQ(order_rules_text(OrderReport(), "web1"), "");
  EXPECT_EQ(
      order_rules_text(some_report(), "web1"),
      "fleet: takes orders to dispatch, answer, as web1, gpu or any, from ana (demo), who owns the database");
  EXPECT_EQ(refused_order_text(some_report().refused[0], 360 * kSecondUs),
            "order cli-1 of ana, to dispatch in demo, was refused 5m00s ago: no user");
}

}  // namespace
}  // namespace luzia
