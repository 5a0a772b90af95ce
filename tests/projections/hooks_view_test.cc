// Core view hooks.
#include "projections/hooks.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

class HooksView : public ViewsTest {
 protected:
  HooksView() : ViewsTest(core_projections()) {}

  template <class Fact>
  Position write(Fact fact) {
    return writer_.write(1, new_event("system", std::move(fact)));
  }
  void registered(const std::string& hook, Position position) {
    write(schema::HookRegisteredT{{}, hook, position});
  }
  void told(const std::string& hook, Position position, schema::HookOutcome outcome,
            const std::string& detail = "") {
    schema::HookDeliveredT fact;
    fact.hook = hook;
    fact.position = position;
    fact.outcome = outcome;
    fact.detail = detail;
    write(std::move(fact));
  }
  std::vector<view::HookCursorT> rows() { return hook_cursors(ViewsTest::rows()); }
};

TEST_F(HooksView, CountsOutcomesAndNeverGoesBack) {
  registered("desk", 10);
  registered("chat", 0);
  told("desk", 12, schema::HookOutcome::delivered);
  told("desk", 15, schema::HookOutcome::suppressed, "cooldown");
  told("desk", 17, schema::HookOutcome::given_up, "exit code 1");
  registered("desk", 9);
  const auto hooks = rows();
  ASSERT_EQ(hooks.size(), 2u);
  EXPECT_EQ(hooks[0].hook, "chat");
  const view::HookCursorT& desk = hooks[1];
  EXPECT_EQ(desk.position, 17u);
  EXPECT_EQ(desk.delivered, 1u);
  EXPECT_EQ(desk.suppressed, 1u);
  EXPECT_EQ(desk.given_up, 1u);
  EXPECT_EQ(desk.last_failure, "exit code 1");
  EXPECT_EQ(desk.last_us, writer_.now - 1);
  EXPECT_EQ(desk.failed_us, desk.last_us);
  told("desk", 18, schema::HookOutcome::delivered);
  const auto later = rows();
  EXPECT_EQ(later[1].failed_us, desk.failed_us) << "what went well says nothing about the failure";
  EXPECT_GT(later[1].last_us, later[1].failed_us);
}

TEST_F(HooksView, RegisteringAgainAdvancesWithoutCounting) {
  registered("desk", 10);
  registered("desk", 5000);
  const auto hooks = rows();
  ASSERT_EQ(hooks.size(), 1u);
  EXPECT_EQ(hooks[0].position, 5000u);
  EXPECT_EQ(hooks[0].delivered, 0u);
}

TEST_F(HooksView, OnlyUnrestrictedCallersSeeHooks) {
  registered("desk", 10);
  EXPECT_EQ(rows().size(), 1u);
  wire::QueryT query;
  query.view = wire::View::hooks;
  query.filter = std::make_unique<wire::FilterT>();
  const auto snapshot = store_.snapshot();
  const auto all = run_query(*snapshot, {log_, {}, {}}, query);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->type, wire::RowType::hook);
  EXPECT_EQ(all->rows.size(), 1u);
  const auto some = run_query(*snapshot, {log_, [](std::string_view) { return true; }, {}}, query);
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_TRUE(some->rows.empty());
}

TEST_F(HooksView, KnowsWhenDigestsBeganAndWhichWasToldLast) {
  registered("desk", 10);
  registered("desk/digest", 10);
  auto hooks = rows();
  ASSERT_EQ(hooks.size(), 2u);
  EXPECT_EQ(hooks[0].registered_us, 0) << "only of queues of digests";
  EXPECT_NE(hooks[1].registered_us, 0);
  schema::DigestDueT due;
  due.hook = "desk/digest";
  const Position first = write(due);
  hooks = rows();
  EXPECT_NE(hooks[1].digest_us, 0);
  EXPECT_EQ(hooks[1].digest_told, 0u);
  EXPECT_EQ(hooks[1].position, 10u) << "it is not delivered yet";
  told("desk/digest", first, schema::HookOutcome::delivered);
  told("desk/digest", write(due), schema::HookOutcome::given_up, "no answer");
  EXPECT_EQ(rows()[1].digest_told, first) << "the next one tells that, too";
}

}  // namespace
}  // namespace luzia::test
