// Rows of hooks as JSON and as tables.
#include "projections/rows/json.h"
#include "projections/rows/row_tables.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

class HookRows : public testing::Test {
 protected:
  const view::HookCursor& row() {
    view::HookCursorT row;
    row.hook = "desk";
    row.position = 40;
    row.delivered = 3;
    row.given_up = 1;
    row.suppressed = 2;
    row.last_us = 1'767'225'600'000'000;
    row.last_failure = "exit code 1: \"no\x1b[2J";
    row.failed_us = 1'767'225'599'000'000;
    builder_.Clear();
    builder_.Finish(view::HookCursor::Pack(builder_, &row));
    return *flatbuffers::GetRoot<view::HookCursor>(builder_.GetBufferPointer());
  }

 private:
  flatbuffers::FlatBufferBuilder builder_;
};

TEST_F(HookRows, JsonNamesEveryField) {
  EXPECT_EQ(hook_json(row(), 42),
            "{\"name\":\"desk\",\"position\":40,\"lag\":2,\"delivered\":3,\"given_up\":1,\"suppressed\":2,"
            "\"last\":\"2026-01-01T00:00:00.000000Z\",\"last_us\":1767225600000000,"
            "\"last_failure\":\"exit code 1: \\\"no\\u001b[2J\","
            "\"last_failed\":\"2025-12-31T23:59:59.000000Z\",\"last_failed_us\":1767225599000000}");
}

TEST_F(HookRows, LagIsNeverNegative) {
  EXPECT_THAT(hook_json(row(), 39), HasSubstr("\"lag\":0,"));
}

TEST_F(HookRows, TableIsSanitized) {
  const std::string text = hooks_table({&row()}, 42).text({});
  EXPECT_THAT(text, HasSubstr("desk"));
  EXPECT_THAT(text, HasSubstr("2026-01-01 00:00:00Z"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace luzia
