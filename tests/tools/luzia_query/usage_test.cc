// tools and cost: sums of agents' tool calls and usage.
#include "tests/matchers.h"
#include "tests/tools/luzia_query/run_query.h"
#include "tests/tools/luzia_query/small_store.h"

namespace luzia::test {
namespace {

const std::string kJob = "0abf000000005";

/// The small store plus an agent's reports.
class UsageStore {
 public:
  UsageStore() {
    const auto log = store_.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    writer.write(kSecondUs, queued(kJob, "web", "claude"));
    writer.write(kSecondUs, starting(kJob));
    schema::ToolCalledT call;
    call.attempt = 1;
    call.call_id = "a";
    call.tool = "Bash";
    writer.write(kSecondUs, job_event(kJob, std::move(call)));
    schema::UsageReportedT usage;
    usage.attempt = 1;
    usage.model = "large";
    usage.output_tokens = 40;
    usage.cost_usd = 0.25;
    writer.write(kSecondUs, job_event(kJob, std::move(usage)));
  }
  const SmallStore& store() const { return store_; }

 private:
  SmallStore store_;
};

TEST(Usage, SumsHaveEveryFormat) {
  const UsageStore usage;
  const Json tools = ask(usage.store(), {"tools", "--json"}).json().at("tools");
  ASSERT_EQ(tools.size(), 1u);
  EXPECT_EQ(tools[0].at("name"), "Bash");
  EXPECT_EQ(tools[0].at("agent"), "claude");
  EXPECT_EQ(tools[0].at("project"), "web");
  EXPECT_EQ(tools[0].at("calls"), 1);
  const Json costs = ask(usage.store(), {"cost", "--json"}).json().at("costs");
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].at("key"), "large");
  EXPECT_EQ(costs[0].at("tokens").at("output"), 40);
  EXPECT_EQ(ask(usage.store(), {"cost", "--by", "project", "--csv"}).out,
            "key,jobs,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost_usd\r\n"
            "web,1,0,40,0,0,0.25\r\n");
  EXPECT_THAT(ask(usage.store(), {"tools", "--by", "day"}).out, StartsWith("DAY"));
  EXPECT_EQ(ask(usage.store(), {"job", kJob, "--json"}).json().at("cost_usd"), 0.25);
}

TEST(Usage, PastAndOtherProjectsHaveNone) {
  const UsageStore usage;
  const std::string before = std::to_string(kLast);
  EXPECT_EQ(ask(usage.store(), {"cost", "--json", "--at", before}).json().at("costs"), Json::array());
  EXPECT_EQ(ask(usage.store(), {"tools", "--json", "--project", "api"}).json().at("tools"), Json::array());
  Circumstances later;
  later.now = kEpoch + 30 * kDayUs;
  EXPECT_THAT(ask(usage.store(), {"tools", "--since", "2026-01-02"}, later).err,
              HasSubstr("no tool was called"));
  EXPECT_EQ(ask(usage.store(), {"cost", "--by", "tool"}).code, 2);
}

}  // namespace
}  // namespace luzia::test
