// What may be an order: the bytes may be anybody's.
#include "tools/luzia-fleet/order_request.h"

#include <functional>

#include "adapters/socket/client.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

const std::string kJob = "0kx8w2c5r1t3a";

wire::RequestUnion dispatch_with(const std::function<void(wire::DispatchJobT&)>& change = {}) {
  wire::DispatchJobT job;
  job.project = "web";
  job.task = "do it";
  job.command_id = "cli-1";
  if (change) change(job);
  wire::DispatchT dispatch;
  dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(job)));
  return request_of(std::move(dispatch));
}

std::string code_of(const wire::RequestUnion& request) {
  const auto order = order_of(request);
  return order ? order->kind : order.error().code;
}

TEST(OrderRequest, KindFollowsFromTheBytes) {
  const auto parsed = parse_order(order_bytes(dispatch_with()));
  ASSERT_TRUE(parsed);
  const auto order = order_of(*parsed);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kind, "dispatch");
  EXPECT_EQ(order->command_id, "cli-1");
  EXPECT_EQ(order->project, "web");
  EXPECT_EQ(order_bytes(*parsed), order_bytes(dispatch_with())) << "the same request has the same bytes";
}

TEST(OrderRequest, OthersAreRefused) {
  EXPECT_EQ(code_of(request_of(wire::ControlT())), "not_an_order");
  EXPECT_EQ(code_of(request_of(wire::QueryT())), "not_an_order");
  EXPECT_EQ(code_of(wire::RequestUnion()), "not_an_order");
  wire::ActOnJobsT hold;
  hold.action = wire::JobAction::hold;
  EXPECT_EQ(code_of(request_of(std::move(hold))), "not_an_order");
  wire::ActOnJobsT cancel;
  cancel.jobs = {"@last"};
  cancel.command_id = "cli-1";
  EXPECT_EQ(code_of(request_of(std::move(cancel))), "bad_order");
  EXPECT_EQ(code_of(request_of(wire::DispatchT())), "bad_order");
}

TEST(OrderRequest, NothingIsChosenForTheMachine) {
  const std::function<void(wire::DispatchJobT&)> changes[] = {
      [](auto& job) { job.user = "root"; },       [](auto& job) { job.dir = "/root"; },
      [](auto& job) { job.flow = "f-1"; },        [](auto& job) { job.parent_job = kJob; },
      [](auto& job) { job.interactive = true; },  [](auto& job) { job.terminal = schema::Terminal::pty; },
      [](auto& job) { job.enqueued_us = 1; },     [](auto& job) { job.order = "o#1"; },
      [](auto& job) { job.project.clear(); },     [](auto& job) { job.command_id = "a#b"; },
      [](auto& job) { job.command_id.clear(); },  [](auto& job) { job.command_id = std::string(101, 'x'); },
      [](auto& job) { job.command_id = "a\nb"; }, [](auto& job) { job.skill_match = "x"; }};
  for (const auto& change : changes) EXPECT_EQ(code_of(dispatch_with(change)), "bad_order");
}

TEST(OrderRequest, DamagedBytesAreRefused) {
  const std::string bytes = order_bytes(dispatch_with());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = parse_order(std::string_view(bytes).substr(0, size));
    if (!cut) {
      EXPECT_EQ(cut.error().code, "bad_order");
    }
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
    const auto parsed = parse_order(damaged);
    if (parsed) (void)order_of(*parsed);
  }
  EXPECT_FALSE(parse_order(std::string(2 << 20, 'x')));
  EXPECT_FALSE(parse_order(std::string(4'096, '\0')));
}

TEST(OrderRequest, RepliesAreThoseToCommands) {
  wire::AcceptedT accepted;
  accepted.ids = {kJob};
  wire::ReplyUnion reply;
  reply.Set(std::move(accepted));
  const auto parsed = parse_reply(reply_bytes(reply));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->AsAccepted()->ids, std::vector<std::string>{kJob});
  accepted.ids = {kJob, "\x1b]0;title\a"};
  reply.Set(std::move(accepted));
  EXPECT_EQ(parse_reply(reply_bytes(reply))->AsAccepted()->ids, std::vector<std::string>{kJob})
      << "a machine may say anything";
  wire::ReplyUnion rows;
  rows.Set(wire::RowsT());
  EXPECT_FALSE(parse_reply(reply_bytes(rows)));
  EXPECT_FALSE(parse_reply("odd"));
  EXPECT_FALSE(parse_reply(""));
}

TEST(OrderRequest, StampMakesEachClaimOneCommand) {
  auto request = dispatch_with([](auto& job) { job.at_terminal = true; });
  stamp_order(request, "cli-1", 7, "ana (fleet)");
  const wire::DispatchJobT& job = *request.AsDispatch()->jobs.front();
  EXPECT_EQ(job.order, "cli-1#7");
  EXPECT_EQ(job.command_id, "fleet.cli-1#7");
  EXPECT_FALSE(job.at_terminal);
  wire::AnswerQuestionT answer;
  answer.person = "root";
  auto answering = request_of(std::move(answer));
  stamp_order(answering, "cli-2", 8, "ana (fleet)");
  EXPECT_EQ(answering.AsAnswerQuestion()->command_id, "fleet.cli-2");
  EXPECT_EQ(answering.AsAnswerQuestion()->person, "ana (fleet)");
  EXPECT_EQ(answering.AsAnswerQuestion()->order, "cli-2");
  auto deciding = request_of(wire::DecideApprovalT());
  stamp_order(deciding, "cli-4", 8, "ana (fleet)");
  EXPECT_EQ(deciding.AsDecideApproval()->order, "cli-4");
  wire::ActOnJobsT retry;
  retry.action = wire::JobAction::retry;
  auto again = request_of(std::move(retry)), once = again;
  stamp_order(again, "cli-3", 9, "ana (fleet)");
  stamp_order(once, "cli-3", 10, "ana (fleet)");
  EXPECT_EQ(again.AsActOnJobs()->order, "cli-3") << "the daemon knows that the fleet asks";
  EXPECT_EQ(order_bytes(again), order_bytes(once)) << "a repeated claim is the same command";
}

TEST(OrderRequest, HexIsReadAsPostgresWritesIt) {
  EXPECT_EQ(bytes_of_hex("00ff6a"), std::string("\0\xffj", 3));
  EXPECT_EQ(bytes_of_hex(""), "");
}

}  // namespace
}  // namespace luzia::test
