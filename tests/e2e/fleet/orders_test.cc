// Orders from people at one machine to machines of the fleet: who does them, who may not, and what comes
// back.
#include "engine/base/hash.h"
#include "tests/e2e/fleet/orders_fixture.h"
#include "tools/luzia-fleet/order_request.h"

namespace luzia {
namespace {

wire::RequestUnion dispatch_request(const std::string& project, const std::string& id) {
  wire::DispatchJobT job;
  job.project = project;
  job.task = kNotedTask;
  job.command_id = id;
  wire::DispatchT dispatch;
  dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(job)));
  wire::RequestUnion request;
  request.Set(std::move(dispatch));
  return request;
}

TEST_F(OrdersTest, ReachASiteALabelOrAnyMachine) {
  start_both();
  const std::string site = ordered_job("b", kNotedTask), label = ordered_job("large", kNotedTask);
  for (const std::string& job : {site, label}) {
    EXPECT_EQ(b_.ended(job)["state"], "completed");
    expect_known(job);
    EXPECT_EQ(value("SELECT site FROM luzia.jobs WHERE id = '" + job + "'"), "b");
  }
  const std::string any = ordered_job("any", kNotedTask);
  expect_known(any);
  const bool at_a = value("SELECT site FROM luzia.jobs WHERE id = '" + any + "'") == "a";
  EXPECT_EQ((at_a ? a_ : b_).ended(any)["state"], "completed");
  EXPECT_EQ(runs(a_) + runs(b_), 3U);
  const auto queued = b_.events_of(site, "JobQueued");
  ASSERT_EQ(queued.size(), 1U);
  EXPECT_EQ(queued[0]["actor"]["name"], "ana-" + name_ + " (fleet)") << "the log says who ordered it";
  EXPECT_EQ(b_.events_of(site, "JobHeld").size(), 1U);
  EXPECT_EQ(b_.events_of(site, "JobReleased").size(), 1U);
}

TEST_F(OrdersTest, SameOrderTwiceRunsOnce) {
  start_both();
  const std::string first = ordered_job("b", kNotedTask, {"--command-id", "twice"});
  EXPECT_EQ(ordered_job("b", kNotedTask, {"--command-id", "twice"}), first);
  const Finished other = ordered("b", {"dispatch", "demo", "true", "--command-id", "twice"});
  EXPECT_EQ(other.code, 4);
  EXPECT_THAT(other.err, HasSubstr("order twice is there already, and is another one"));
  EXPECT_EQ(b_.ended(first)["state"], "completed");
  EXPECT_EQ(runs(b_), 1U);
}

TEST_F(OrdersTest, OnlyOrdersPassAndWithReason) {
  start_both();
  for (const auto& [words, why] : std::vector<std::pair<Words, std::string>>{
           {{"dispatch", "other", "true"}, "may place no orders in project other"},
           {{"dispatch", "demo", "true", "--user", "root"}, "--user cannot be chosen"},
           {{"dispatch", "demo", "true", "--dir", "/tmp"}, "--dir cannot be chosen"},
           {{"dispatch", "demo", "true", "--dry-run"}, "a dry run is no order"},
           {{"cancel", "0kx8"}, "not the whole id of a job"},
           {{"pause", "--all"}, "is no order"},
           {{"jobs"}, "order"}}) {
    const Finished done = ordered("b", words);
    EXPECT_NE(done.code, 0) << why;
    EXPECT_EQ(error_lines(done.err), 1U) << done.err;
    EXPECT_THAT(done.err, HasSubstr(why));
  }
  EXPECT_THAT(ordered("nowhere", {"demo", "true"}).err,
              HasSubstr("no machine takes an order of the kind dispatch"));
  EXPECT_EQ(value("SELECT count(*) FROM luzia.orders"), "0");
}

TEST_F(OrdersTest, MachineThatTakesNoneIsAskedNothing) {
  FleetMachine plain("b", url_of("luzia-b"));
  a_.start_daemon();
  plain.start_daemon();
  wait_for_takers(1);
  const std::string job = plain.dispatch_until("running", "sleep 600");
  expect_known(job);
  EXPECT_THAT(ordered("b", {"demo", "true"}).err,
              HasSubstr("no machine takes an order of the kind dispatch for b"));
  EXPECT_THAT(ordered("any", {"cancel", job}).err,
              HasSubstr("no machine takes an order of the kind cancel for b"));
  EXPECT_THAT(ordered("a", {"retry", job}).err, HasSubstr("site b takes no order to retry"));
  EXPECT_EQ(plain.state(job), "running");
}

TEST_F(OrdersTest, DaemonOfRootMakesNobodyRoot) {
  if (::geteuid() != 0) return;  // a daemon of root
  FleetMachine plain("b", url_of("luzia-b"), "orders = [" + std::string(kAllOrders) + "]\n");
  a_.start_daemon();
  plain.start_daemon();
  wait_for_takers(2);
  const std::string failed = plain.dispatch("exit 3");
  EXPECT_EQ(plain.ended(failed)["state"], "failed");
  expect_known(failed);
  for (const Words& words : {Words{"dispatch", "demo", kNotedTask}, {"retry", failed}}) {
    const Finished done = ordered("b", words);
    EXPECT_EQ(done.code, 4);
    EXPECT_EQ(error_lines(done.err), 1U) << done.err;
    EXPECT_THAT(done.err, HasSubstr("as root: [projects.demo] names no user"));
  }
  EXPECT_EQ(runs(plain), 0U);
  EXPECT_EQ(plain.state(failed), "failed");
}

/// An answer lets a job go on, so it must be one that the order could have started.
TEST_F(OrdersTest, AnswersLetNoJobOfRootGoOn) {
  if (::geteuid() != 0) return;  // a daemon of root
  FleetMachine plain("b", url_of("luzia-b"), "orders = [" + std::string(kAllOrders) + "]\n");
  a_.start_daemon();
  plain.start_daemon();
  wait_for_takers(2);
  const std::string asks = plain.dispatch_until("waiting", kLuzia + " ask 'Go on?' --options yes,no > said");
  const std::string waits = plain.dispatch_until("waiting", kLuzia + " gate deploy");
  expect_known(asks);
  expect_known(waits);
  for (const Words& words : {Words{"answer", asks, "yes"}, {"approve", waits}, {"deny", waits}}) {
    const Finished done = ordered("b", words);
    EXPECT_EQ(done.code, 4);
    EXPECT_EQ(error_lines(done.err), 1U) << done.err;
    EXPECT_THAT(done.err, HasSubstr("as root: [projects.demo] names no user"));
  }
  EXPECT_EQ(plain.state(asks), "waiting");
  EXPECT_EQ(plain.state(waits), "waiting");
  EXPECT_TRUE(wait_until([&] { return plain.report()["orders"]["refused"].size() == 3; }))
      << "luzia-fleet says it within seconds";
  EXPECT_THAT(plain.luzia({"doctor"}).out, AllOf(HasSubstr("takes orders to dispatch"),
                                                 HasSubstr("names no user"), HasSubstr("set user in")));
  EXPECT_THAT(plain.luzia({"status"}).err, HasSubstr("to approve in demo, was refused"));
  EXPECT_EQ(plain.luzia({"answer", asks, "yes"}).code, 0) << "its own people may";
  EXPECT_EQ(plain.ended(asks)["state"], "completed");
}

/// Whoever owns the database can write any row: the machine believes only what the request's bytes say
/// themselves.
TEST_F(OrdersTest, HostileRequestsAreRefused) {
  start_both();
  const std::string running = b_.dispatch_until("running", "sleep 600");
  const auto hex = [](const std::string& bytes) { return "'\\x" + to_hex(as_bytes(bytes)) + "'"; };
  wire::ActOnJobsT cancel;
  cancel.jobs = {running};
  cancel.command_id = "h4";
  wire::RequestUnion action;
  action.Set(std::move(cancel));
  wire::RequestUnion stop;
  stop.Set(wire::ControlT());
  const std::string whole = order_bytes(dispatch_request("demo", "h2"));
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"h1", hex(std::string(2'000, '\xff'))},
      {"h2", hex(whole.substr(0, whole.size() / 2))},
      {"h3", hex(order_bytes(dispatch_request("other", "h3")))},
      {"h4", hex(order_bytes(action))},
      {"h5", hex(order_bytes(stop))},
      {"h6", hex(order_bytes(dispatch_request("demo", "another")))},
      {"h7", "decode(repeat('00', 1000000), 'hex')"}};
  for (const auto& [id, bytes] : rows) {
    (void)value(
        "INSERT INTO luzia.orders (id, site, project, kind, request, placed_by, expires_at) VALUES ('" + id +
        "', 'b', 'demo', 'dispatch', " + bytes + ", 'postgres', now() + interval '1 hour') RETURNING id");
  }
  for (const auto& [id, bytes] : rows) EXPECT_TRUE(becomes(id, "refused")) << id << " " << order(id, "error");
  EXPECT_EQ(b_.state(running), "running");
  EXPECT_EQ(runs(b_), 0U);
}

/// A refusal repeats the name, twice, and has more bytes than an order keeps.
TEST_F(OrdersTest, LongRefusalHoldsUpNoOtherOrder) {
  start_both();
  wire::RequestUnion request = dispatch_request("demo", "long");
  request.AsDispatch()->jobs.front()->agent = std::string(900'000, 'x');
  (void)value(
      "INSERT INTO luzia.orders (id, site, project, kind, request, placed_by, expires_at) VALUES ('long', "
      "'b', 'demo', 'dispatch', '\\x" +
      to_hex(as_bytes(order_bytes(request))) + "', 'postgres', now() + interval '1 hour') RETURNING id");
  EXPECT_TRUE(becomes("long", "refused")) << order("long");
  EXPECT_EQ(b_.ended(ordered_job("b", kNotedTask))["state"], "completed");
  EXPECT_EQ(runs(b_), 1U);
}

TEST_F(OrdersTest, OrderForASilentSiteStandsUntilItExpires) {
  start_both();
  b_.stop_daemon();
  const Finished gone = ordered("b", {"dispatch", "demo", kNotedTask, "--command-id", "late"}, "1s");
  EXPECT_EQ(gone.code, 5);
  EXPECT_THAT(gone.err, AllOf(HasSubstr("no machine has done it yet; gave up after 1"),
                              HasSubstr("the order stands"), HasSubstr("luzia-fleet withdraw late")));
  EXPECT_EQ(order("late"), "open");
  EXPECT_THAT(a_.fleet({"orders"}).out, AllOf(HasSubstr("late"), HasSubstr("open")));
  (void)ordered("b", {"dispatch", "demo", kNotedTask, "--command-id", "back"}, "1s");
  EXPECT_EQ(a_.fleet({"withdraw", "back"}).code, 0);
  EXPECT_EQ(order("back"), "refused");
  (void)ordered("b", {"dispatch", "demo", kNotedTask, "--command-id", "over"}, "1s");
  (void)value("UPDATE luzia.orders SET expires_at = now() WHERE id = 'over' RETURNING id");
  b_.start_daemon();
  EXPECT_TRUE(becomes("late", "done")) << order("late", "error");
  EXPECT_EQ(order("over"), "expired");
  EXPECT_EQ(b_.ended(order("late", "job"))["state"], "completed");
  EXPECT_EQ(runs(b_), 1U);
  EXPECT_THAT(a_.fleet({"withdraw", "late"}).err, HasSubstr("site b has accepted order late already"));
  const Finished again = ordered("b", {"dispatch", "demo", kNotedTask, "--command-id", "over"});
  EXPECT_EQ(again.code, 4);
  EXPECT_THAT(again.err, HasSubstr("order over has expired"));
}

TEST_F(OrdersTest, AnswerIsDecidedOnceByTheLogOfItsJob) {
  start_both();
  const std::string ask = kLuzia + " ask 'Go on?' --options yes,no > said";
  const std::string far = b_.dispatch_until("waiting", ask), near = b_.dispatch_until("waiting", ask);
  expect_known(far);
  expect_known(near);
  const Finished answered = ordered("any", {"answer", far, "yes"});
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_EQ(b_.ended(far)["state"], "completed");
  const auto facts = b_.events_of(far, "QuestionAnswered");
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0]["actor"]["name"], "ana-" + name_ + " (fleet)");
  EXPECT_EQ(b_.luzia({"answer", near, "no"}).code, 0);
  const Finished late = ordered("b", {"answer", near, "yes"});
  EXPECT_EQ(late.code, 4);
  EXPECT_EQ(b_.events_of(near, "QuestionAnswered").size(), 1U);
  EXPECT_THAT(ordered("a", {"answer", near, "yes"}).err, HasSubstr("is of site b, not of a"));
}

TEST_F(OrdersTest, CancelAndRetryReachTheJobsOwnMachine) {
  start_both();
  const std::string job = b_.dispatch_until("running", "sleep 600");
  expect_known(job);
  EXPECT_EQ(ordered("any", {"cancel", job}).code, 0);
  EXPECT_EQ(b_.ended(job)["state"], "killed");
  EXPECT_EQ(ordered("b", {"retry", job}).code, 0);
  EXPECT_TRUE(wait_until([&] { return b_.state(job) == "running"; }));
}

TEST_F(OrdersTest, RetryElsewhereFencesTheOldJob) {
  start_both();
  const std::string job = b_.dispatch_until(
      "running", std::string(kNotedTask) + "; [ $(pwd) = " + a_.project() + " ] || sleep 600",
      {"--tag", "night"});
  expect_known(job);
  const Finished done = ordered("a", {"retry", job});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("are not carried over"));
  const std::string made = value("SELECT job FROM luzia.orders WHERE about = '" + job + "'");
  EXPECT_EQ(a_.ended(made)["state"], "completed");
  EXPECT_THAT(a_.ended(made)["tags"].dump(), AllOf(HasSubstr("night"), HasSubstr("retry-of:" + job)));
  EXPECT_EQ(b_.ended(job)["state"], "killed");
  const auto stops = b_.events_of(job, "StopRequested");
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_THAT(stops[0].dump(), HasSubstr("runs its task on site a"));
  EXPECT_TRUE(wait_until([&] { return value("SELECT result FROM luzia.fenced_jobs") == "cancelled"; }));
}

TEST_F(OrdersTest, PromisesNothingWiderThanConfigured) {
  start_both();
  const Finished done =
      ordered("b", {"dispatch", "demo", "true", "--agent", "claude", "--permissions", "bypass"});
  EXPECT_EQ(done.code, 4);
  EXPECT_THAT(done.err, HasSubstr("allows its agents"));
}

}  // namespace
}  // namespace luzia
