#include "tools/luzia/look/top/link.h"

#include <tuple>

#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "engine/flow/flow.h"
#include "projections/query.h"
#include "projections/rows/event_text.h"
#include "tools/luzia/person.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kEndedShown = 20, kEndedSearched = 500, kPageLimit = 1'000;
constexpr std::size_t kOutputBytes = 64 << 10;

wire::QueryT query_of(wire::View view, const wire::FilterT& filter) {
  wire::QueryT query;
  query.view = view;
  query.limit = kPageLimit;
  query.filter = std::make_unique<wire::FilterT>(filter);
  return query;
}

/// "15:05:09+01:00 attempt 1 started (pid 333)"
std::string sentence(const schema::Event& event) {
  return local_clock(event.time_us()) + " " + event_text(event);
}

}  // namespace

TopLink::TopLink(Connect connect, wire::FilterT filter, ShownLimits limits)
    : connect_(std::move(connect)), filter_(std::move(filter)), limits_(limits) {}

void TopLink::try_again() {
  auto client = connect_();
  if (!client) return;
  client_.emplace(std::move(*client));
  wire::FollowT follow;
  follow.filter = std::make_unique<wire::FilterT>(filter_);
  // Events only say when to look: also those of a job that leaves the states or the time that are shown.
  follow.filter->states.clear();
  follow.filter->since_us = follow.filter->until_us = 0;
  follow.live = follow.watching = true;
  follow.from_now = true;
  send(request_of(std::move(follow)), About::follow);
  while (!lost_commands_.empty()) {
    const auto sent = lost_commands_.front();
    lost_commands_.pop_front();
    place(*sent);
  }
  ask();
  if (!detail_.job.empty()) ask_tail();
}

void TopLink::send(const wire::RequestUnion& request, About about) {
  if (!client_) return;
  const auto id = client_->post(request);
  if (!id) return lose();
  open_[*id] = about;
}

/// Of the ended jobs more, if somebody looks through them.
wire::QueryT TopLink::overview_query() const {
  wire::QueryT query = query_of(wire::View::overview, filter_);
  query.limit = looks_further_ ? kEndedSearched : std::min(kEndedShown, limits_.history);
  query.long_queue = true;
  return query;
}

void TopLink::ask_why() {
  why_missing_ = true;
  wire::QueryT query = query_of(wire::View::why, {});
  query.filter->jobs = {detail_.job};
  send(request_of(std::move(query)), About::why);
}

void TopLink::ask() {
  if (!client_ || asking_) return;
  asking_ = true;
  send(request_of(overview_query()), About::overview);
  if (!detail_.job.empty() && !why_missing_) {
    ask_why();
    if (tail_ == 0) ask_tail();
  }
  if (client_ && !client_->flush()) lose();
}

void TopLink::ask_tail() {
  wire::TailT tail;
  tail.job = detail_.job;
  tail.last_lines = limits_.output_lines;
  tail.live = true;
  if (!client_) return;
  detail_.output.clear();
  const auto id = client_->send(request_of(std::move(tail)));
  if (!id) return lose();
  tail_ = *id;
  open_[tail_] = About::tail;
}

void TopLink::probe() {
  if (!client_ || probing_) return;
  probing_ = true;
  send(request_of(wire::ControlT()), About::probe);
  if (client_ && !client_->flush()) lose();
}

void TopLink::show_detail(const std::string& job) {
  if (tail_ != 0 && client_) {
    wire::ForgetT forget;
    forget.request = tail_;
    open_.erase(tail_);
    if (!client_->send(request_of(std::move(forget)))) lose();
  }
  tail_ = 0;
  detail_ = {};
  detail_.job = job;
  why_missing_ = false;
  if (job.empty() || !client_) return;
  ask_why();
  ask_tail();
}

void TopLink::carry_out(const TopAction& action) {
  const auto sent = std::make_shared<Sent>();
  const std::string id = fresh_command_id();
  const bool cancels = action.kind == TopAction::Kind::cancel;
  const bool acts_on_job = cancels || action.kind == TopAction::Kind::retry;
  if (acts_on_job) {
    wire::ActOnJobsT request;
    request.action = cancels ? wire::JobAction::cancel : wire::JobAction::retry;
    request.jobs = {action.job};
    request.command_id = id;
    sent->request = request_of(std::move(request));
    sent->done = (cancels ? "cancelling " : "queued again: ") + action.job;
  } else if (action.kind == TopAction::Kind::answer) {
    wire::AnswerQuestionT request;
    request.job = action.job;
    request.question = action.prompt;
    request.answer = action.answer;
    request.command_id = id;
    sent->request = request_of(std::move(request));
    sent->done = "answered";
  } else if (const auto step = split_flow_step(action.prompt)) {
    wire::ActOnFlowT request;
    const bool opens = action.kind == TopAction::Kind::approve;
    request.action = opens ? wire::FlowAction::open_gate : wire::FlowAction::deny_gate;
    std::tie(request.flow, request.step) = *step;
    request.from_job = own_job().job;
    request.command_id = id;
    sent->done = opens ? "approved" : "denied";
    sent->request = request_of(std::move(request));
  } else {
    wire::DecideApprovalT request;
    request.job = action.job;
    request.gate = action.prompt;
    request.approve = action.kind == TopAction::Kind::approve;
    request.command_id = id;
    sent->done = request.approve ? "approved" : "denied";
    sent->request = request_of(std::move(request));
  }
  // An agent does not decide about itself: as the commands do, so that a habit or a mistake does not either.
  if (!acts_on_job && own_job().job == action.job) {
    said_ = "this runs inside job " + action.job + ", which asked: a person decides, not the agent";
    return;
  }
  if (client_) {
    place(*sent);
  } else {
    lost_commands_.push_back(sent);
  }
}

void TopLink::place(const Sent& sent) {
  const auto copy = std::make_shared<Sent>(sent);
  const auto id = client_->send(copy->request);
  if (!id) {
    lost_commands_.push_back(copy);
    return lose();
  }
  open_[*id] = About::command;
  commands_[*id] = copy;
}

void TopLink::lose() {
  client_.reset();
  open_.clear();
  for (auto& [id, sent] : commands_) lost_commands_.push_back(std::move(sent));
  commands_.clear();
  asking_ = false;
  why_missing_ = false;
  probing_ = false;
  tail_ = 0;
  said_ = "the daemon is away";
}

void TopLink::hang_up() {
  lose();
  said_.clear();
}

Status TopLink::take_overview(const wire::Rows& rows, News& news) {
  asking_ = false;
  RowPage page;
  append_rows(page, rows);
  Overview overview = LUZIA_TRY(overview_of(std::move(page), overview_query()));
  news.overview = std::make_shared<const Overview>(std::move(overview));
  return {};
}

void TopLink::take_why(const Page& page) {
  why_missing_ = false;
  detail_.why.clear();
  const auto events = page.as<schema::Event>();
  const std::size_t left_out = events.size() - std::min<std::size_t>(events.size(), limits_.history);
  for (std::size_t i = left_out; i < events.size(); ++i) detail_.why.push_back(sentence(*events[i]));
}

void TopLink::take_output(const wire::Output& output, News& news) {
  if (output.note() != nullptr && !output.note()->string_view().empty()) {
    detail_.output.append("\n(").append(output.note()->string_view()).append(")\n");
  }
  if (output.data() != nullptr) {
    detail_.output.append(reinterpret_cast<const char*>(output.data()->data()), output.data()->size());
  }
  if (detail_.output.size() > kOutputBytes) {
    const std::size_t line = detail_.output.find('\n', detail_.output.size() - kOutputBytes);
    detail_.output.erase(0, line == std::string::npos ? detail_.output.size() - kOutputBytes : line + 1);
  }
  news.detail = detail_;
}

Status TopLink::take_refusal(About about, std::uint64_t id, const wire::Refused& refused, News& news) {
  Error error = client_ ? client_->error_of(refused) : error_from(refused);
  if (starts_over(error)) {
    lose();
    return {};
  }
  switch (about) {
    case About::command:
      commands_.erase(id);
      news.said = error.message;
      return {};
    case About::tail:
      tail_ = 0;  // it has no attempt yet
      return {};
    case About::why:
      why_missing_ = false;
      return {};
    case About::probe:
      probing_ = false;
      return {};
    case About::overview:
    case About::follow:
      return tl::unexpected(overview_error(std::move(error)));
  }
  return {};
}

Status TopLink::take_frame(const wire::ServerFrame& frame, News& news) {
  const auto found = open_.find(frame.id());
  const wire::Refused* refused = frame.reply_as_Refused();
  if (found == open_.end()) {
    if (refused != nullptr && frame.id() == 0) return tl::unexpected(client_->error_of(*refused));
    return {};
  }
  const About about = found->second;
  const bool streams = about == About::follow || about == About::tail;
  if (!streams || refused != nullptr) open_.erase(found);
  if (refused != nullptr) return take_refusal(about, frame.id(), *refused, news);
  if (about == About::follow) {
    const auto* events = frame.reply_as_Events();
    news.changed =
        news.changed || (events != nullptr && events->events() != nullptr && events->events()->size() > 0);
  } else if (about == About::tail) {
    if (const auto* output = frame.reply_as_Output()) {
      take_output(*output, news);
      if (output->last()) {
        open_.erase(tail_);
        tail_ = 0;
      }
    }
  } else if (about == About::probe) {
    probing_ = false;
  } else if (about == About::command) {
    if (const auto sent = commands_.find(frame.id()); sent != commands_.end()) {
      news.said = sent->second->done;
      commands_.erase(sent);
    }
  } else if (const auto* rows = frame.reply_as_Rows(); rows != nullptr && about == About::overview) {
    return take_overview(*rows, news);
  } else if (rows != nullptr) {
    take_why(Page(std::unique_ptr<wire::ServerFrameT>(frame.UnPack())));
    news.detail = detail_;
  }
  return {};
}

Result<TopLink::News> TopLink::take() {
  News news;
  while (client_) {
    const auto frame = client_->receive(milliseconds(0));
    if (!frame && frame.error().code != "connection_lost") return tl::unexpected(frame.error());
    if (!frame) {
      lose();
      break;
    }
    if (*frame == nullptr) break;
    news.heard = true;
    LUZIA_TRY(take_frame(**frame, news));
  }
  if (news.said.empty()) news.said = std::exchange(said_, {});
  return news;
}

}  // namespace luzia
