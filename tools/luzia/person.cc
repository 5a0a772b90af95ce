#include "tools/luzia/person.h"

#include <algorithm>

#include "adapters/socket/readable.h"
#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/cli/start_daemon.h"
#include "tools/luzia/asking.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

tl::unexpected<Error> interrupted() {
  return fail(ErrorKind::refused, "interrupted", "waiting for a person: stopped by a signal",
              "the request stays open: luzia inbox");
}

tl::unexpected<Error> unexpected_answer() {
  return fail(ErrorKind::trouble, "unexpected_reply",
              "waiting for a person: the daemon sent an unexpected answer",
              "luzia daemon restart starts the installed version; running jobs are not affected");
}

tl::unexpected<Error> no_job(const wire::AskQuestionT& /*request*/) {
  return fail(ErrorKind::usage, "no_job", "asking a person: no job given and $LUZIA_JOB_ID is not set",
              "give --job JOB, or ask from inside a job");
}

/// Outside a job, the caller probably wants to open a gate, not to wait at one: the hint says how.
tl::unexpected<Error> no_job(const wire::RequestApprovalT& request) {
  return fail(
      ErrorKind::usage, "no_job",
      "gate '" + request.gate + "': no job given and $LUZIA_JOB_ID is not set, and only jobs wait at gates",
      "to open the gate: luzia approve JOB; to let a job wait at it, give --job JOB");
}

/// Fills in job, attempt and command id if they are missing.
template <class Request>
Status complete_request(Request& request) {
  const OwnJob own = own_job();
  if (request.job.empty()) request.job = own.job;
  if (request.job.empty()) return no_job(request);
  if (request.attempt == 0 && request.job == own.job) {
    // Fencing: a request of a stopped attempt must not be answered as if the next attempt had made it.
    if (!own.attempt) return tl::unexpected(own.attempt.error());
    request.attempt = *own.attempt;
  }
  if (request.command_id.empty()) request.command_id = fresh_command_id();
  return {};
}

/// Whether there is no daemon, or a silent one. Either way another one may start.
bool is_away(const Error& error) {
  return error.code == "no_daemon" || error.code == "daemon_silent";
}

template <class Request>
Result<PutPrompt> put_request(DaemonLink& link, Request request, int stop_fd) {
  LUZIA_TRY(complete_request(request));
  std::string job = request.job;
  const auto accepted = LUZIA_TRY(link.send(request_of(std::move(request)), stop_fd));
  if (accepted.ids.empty()) return unexpected_answer();
  return PutPrompt{std::move(job), accepted.ids.front()};
}

template <class Request>
Status send_about(DaemonLink& link, const PutPrompt& put, Request request) {
  request.job = put.job;
  request.command_id = fresh_command_id();
  LUZIA_TRY(link.send(request_of(std::move(request))));
  return {};
}

template <class Row>
Result<typename Row::NativeTableType> row_of(Result<std::unique_ptr<wire::ServerFrameT>> frame) {
  if (!frame) return tl::unexpected(frame.error());
  if ((*frame)->reply.type != wire::Reply::Rows) return unexpected_answer();
  const Page page(std::move(*frame));
  const auto rows = page.as<Row>();
  if (rows.size() != 1) return unexpected_answer();
  typename Row::NativeTableType row;
  rows.front()->UnPackTo(&row);
  return row;
}

}  // namespace

/// Waits for one request, over as many connections as necessary.
class PromptWait {
 public:
  PromptWait(DaemonLink& link, const PutPrompt& put, const Patience& patience)
      : link_(link), put_(put), patience_(patience), started_(Clock::now()), next_tick_(after_tick()) {}

  Result<std::unique_ptr<wire::ServerFrameT>> run() {
    milliseconds retry = kFirstRetryAfter;
    while (true) {
      auto answer = ask_once();
      const bool away = !answer && is_away(answer.error()) && !is_over();
      if (answer || !(away || is_repeatable(answer.error()))) return answer;
      link_.drop();
      if (away || starts_over(answer.error())) {
        LUZIA_TRY(wait(Clock::now() + retry));
        retry = std::min(retry * 2, kRetryEvery);
      }
    }
  }

 private:
  Clock::time_point deadline() const {
    return patience_.timeout.count() > 0 ? started_ + patience_.timeout : Clock::time_point::max();
  }
  Clock::time_point after_tick() const {
    const bool ticks = patience_.on_tick && patience_.tick.count() > 0;
    return ticks ? Clock::now() + patience_.tick : Clock::time_point::max();
  }
  /// Whether the caller's time limit is over; only it limits the wait for an absent daemon.
  bool is_over() const {
    return deadline() != Clock::time_point::max() && Clock::now() >= deadline() + kPatience;
  }

  Result<std::unique_ptr<wire::ServerFrameT>> ask_once() {
    auto client = LUZIA_TRY(link_.client());
    wire::AwaitInputT request;
    request.job = put_.job;
    request.id = put_.id;
    if (deadline() != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<milliseconds>(deadline() - Clock::now()).count();
      request.timeout_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(left, 1));
    }
    bool stopped = false;
    auto answer = client->ask(request_of(std::move(request)), [&](Client& waiting) {
      waiting.wait_beside(patience_.stop_fd, next_tick_);
      Status waited = look_around();
      stopped = !waited;
      return waited;
    });
    if (stopped) {
      // Closing the connection tells the daemon that nobody waits any more.
      link_.drop();
    }
    return answer;
  }

  Status wait(Clock::time_point until) {
    wait_readable(-1, patience_.stop_fd, std::min(until, next_tick_));
    return look_around();
  }

  Status look_around() {
    if (is_readable(patience_.stop_fd)) return interrupted();
    if (Clock::now() >= next_tick_) {
      patience_.on_tick();
      next_tick_ = after_tick();
    }
    return {};
  }

  DaemonLink& link_;
  const PutPrompt& put_;
  const Patience& patience_;
  const Clock::time_point started_;
  Clock::time_point next_tick_;
};

DaemonLink DaemonLink::of(Invocation& invocation) {
  return DaemonLink([&invocation] {
    const bool in_job = !own_job().job.empty();
    return invocation.connect(in_job ? WhenAbsent::complain : WhenAbsent::start);
  });
}

Result<Client*> DaemonLink::client() {
  if (!client_) {
    auto fresh = LUZIA_TRY(connect_());
    client_ = std::move(fresh);
  }
  return &*client_;
}

Result<std::unique_ptr<wire::ServerFrameT>> DaemonLink::ask(const wire::RequestUnion& request, int stop_fd) {
  const auto deadline = Clock::now() + kPatienceWhileStarting;
  milliseconds retry = kFirstRetryAfter;
  while (true) {
    const auto reached = client();
    auto answer = reached ? (*reached)->ask(request) : tl::unexpected(reached.error());
    const bool away = !answer && answer.error().code == "no_daemon";
    if (answer || Clock::now() >= deadline || !(away || is_repeatable(answer.error()))) return answer;
    drop();
    if (away || starts_over(answer.error())) {
      wait_readable(-1, stop_fd, Clock::now() + retry);
      retry = std::min(retry * 2, kRetryEvery);
    }
    if (is_readable(stop_fd)) return interrupted();
  }
}

Result<wire::AcceptedT> DaemonLink::send(const wire::RequestUnion& request, int stop_fd) {
  auto answer = LUZIA_TRY(ask(request, stop_fd));
  if (answer->reply.type != wire::Reply::Accepted) return unexpected_answer();
  return std::move(*answer->reply.AsAccepted());
}

Result<std::string> DaemonLink::full_id(const std::string& job) {
  if (is_job_id(job)) return job;
  wire::QueryT query = view_query(wire::View::jobs);
  query.filter->jobs = {job};
  auto frame = ask(request_of(std::move(query)), -1);
  if (frame && (*frame)->reply.type == wire::Reply::Rows && (*frame)->reply.AsRows()->rows.empty()) {
    return fail(ErrorKind::not_found, "no_such_job", "no job '" + job + "'", "luzia jobs --all lists them");
  }
  const auto row = LUZIA_TRY(row_of<view::Job>(std::move(frame)));
  return row.id;
}

OwnJob own_job() {
  return {environment_variable("LUZIA_JOB_ID"), attempt_in(environment_variable("LUZIA_ATTEMPT"))};
}

Result<std::uint32_t> attempt_in(const std::string& variable) {
  if (variable.empty()) return 0;
  const auto number = parse_whole_number(variable);
  if (!number) {
    return fail(ErrorKind::usage, "bad_value",
                "$LUZIA_ATTEMPT: '" + variable + "' is not a whole number from 0",
                "leave it as luzia set it for the job");
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, ~0U));
}

Result<PutPrompt> put_question(DaemonLink& link, wire::AskQuestionT request, int stop_fd) {
  return put_request(link, std::move(request), stop_fd);
}

Result<PutPrompt> put_approval(DaemonLink& link, wire::RequestApprovalT request, int stop_fd) {
  return put_request(link, std::move(request), stop_fd);
}

Result<view::QuestionT> await_question(DaemonLink& link, const PutPrompt& put, const Patience& patience) {
  return row_of<view::Question>(PromptWait(link, put, patience).run());
}

Result<view::ApprovalT> await_approval(DaemonLink& link, const PutPrompt& put, const Patience& patience) {
  return row_of<view::Approval>(PromptWait(link, put, patience).run());
}

Status confirm_delivery(DaemonLink& link, const PutPrompt& put) {
  wire::ConfirmDeliveryT request;
  request.id = put.id;
  request.channel = "client";
  return send_about(link, put, std::move(request));
}

Status cancel_question(DaemonLink& link, const PutPrompt& put, const std::string& reason) {
  wire::CancelQuestionT request;
  request.question = put.id;
  request.reason = reason;
  return send_about(link, put, std::move(request));
}

Status cancel_approval(DaemonLink& link, const PutPrompt& put, const std::string& reason) {
  wire::CancelApprovalT request;
  request.approval = put.id;
  request.reason = reason;
  return send_about(link, put, std::move(request));
}

}  // namespace luzia
