// Tests of orders: machines a and b of one database, which take orders. People at a may place them.
#pragma once

#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia {

inline constexpr const char* kAllOrders = "\"dispatch\", \"answer\", \"approve\", \"cancel\", \"retry\"";
/// A task that notes that it has run.
inline constexpr const char* kNotedTask = "echo $LUZIA_JOB_ID >> runs";

class OrdersTest : public FleetTest {
 protected:
  OrdersTest()
      : a_("a", url_of("luzia-a"), operator_toml(kAllOrders, "\"small\", \"all\"")),
        b_("b", url_of("luzia-b"), operator_toml(kAllOrders, "\"large\", \"all\"")) {}

  void start_both() {
    a_.start_daemon();
    b_.start_daemon();
    wait_for_takers(2);
  }
  void wait_for_takers(int count) const {
    const std::string sql = "SELECT count(*) FROM luzia.order_takers WHERE cardinality(kinds) > 0";
    EXPECT_TRUE(wait_until([&] { return value(sql) == std::to_string(count); })) << value(sql);
  }
  /// What luzia at machine a says to this order.
  Finished ordered(const std::string& to, const Words& words, const std::string& patience = "60s") const {
    Words all = {"--on", "fleet:" + to, "--patience", patience};
    all.insert(all.end(), words.begin(), words.end());
    return a_.luzia(all);
  }
  /// The job that a dispatch has made there.
  std::string ordered_job(const std::string& to, const std::string& task, const Words& more = {}) const {
    Words words = {"dispatch", "demo", task};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = ordered(to, words);
    EXPECT_EQ(done.code, 0) << done.err;
    return lines_of(done.out).empty() ? "" : lines_of(done.out).front();
  }
  std::string order(const std::string& id, const std::string& column = "state") const {
    return value("SELECT " + column + "::text FROM luzia.orders WHERE id = '" + id + "'");
  }
  bool becomes(const std::string& id, const std::string& state) const {
    return wait_until([&] { return order(id) == state; });
  }
  /// Until the fleet knows the job as it is.
  void expect_known(const std::string& job) const {
    const std::string sql = "SELECT count(*) FROM luzia.jobs WHERE id = '" + job + "'";
    EXPECT_TRUE(wait_until([&] { return value(sql) == "1"; }));
  }
  static std::size_t runs(const FleetMachine& machine) {
    return lines_of(read_text(machine.project() + "/runs")).size();
  }

  FleetMachine a_, b_;
};

}  // namespace luzia
