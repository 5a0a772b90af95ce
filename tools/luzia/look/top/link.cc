#include "tools/luzia/look/top/link.h"

#include <tuple>

#include "engine/base/local_time.h"
#include "engine/flow/flow.h"
#include "projections/query.h"
#include "projections/rows/event_text.h"
#include "tools/luzia/person.h"

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
  follow.live = follow.watching = true;
  follow.from_now = true;
  send(request_of(std::move(follow)), About::follow);
  while (!lost_orders_.empty()) {
    const auto order = lost_orders_.front();
    lost_orders_.pop_front();
    place(*order);
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

/// Of those that are looked through, however few are shown otherwise.
std::uint32_t TopLink::ended_wanted() const {
  return looks_further_ ? kEndedSearched : std::min(kEndedShown, limits_.history);
}

void TopLink::ask_view(wire::View view, About about, const std::string& job) {
  wire::QueryT query = query_of(view, filter_);
  // The machine's alerts, and what is paused, concern whatever is shown.
  if (about == About::switches || about == About::alerts) {
    *query.filter = wire::FilterT();
    if (about == About::switches) query.filter->projects = filter_.projects;
  }
  if (about == About::jobs) {
    query.limit = ended_wanted();
    query.text = kLongStatus;
  }
  if (about == About::flows) {
    *query.filter = wire::FilterT();
    query.filter->projects = filter_.projects;
    query.text = kFlowsWithManualSteps;
  }
  query.filter->ended = about == About::jobs;
  if (about == About::why) {
    query.filter->jobs = {job};
    query.filter->projects.clear();
    query.filter->ended = true;
  } else {
    ++missing_;
  }
  send(request_of(std::move(query)), about);
}

void TopLink::ask_queue(const std::vector<const view::Job*>& jobs) {
  wire::QueryT query = query_of(wire::View::queue, {});
  query.filter->jobs = queued_among(jobs);
  if (query.filter->jobs.empty()) return;
  ++missing_;
  send(request_of(std::move(query)), About::queue);
}

void TopLink::ask() {
  if (!client_ || coming_) return;
  coming_.emplace();
  missing_ = 0;
  ask_view(wire::View::status, About::jobs);
  ask_view(wire::View::switches, About::switches);
  ask_view(wire::View::alerts, About::alerts);
  ask_view(wire::View::questions, About::questions);
  ask_view(wire::View::approvals, About::approvals);
  // Steps of flows are of no job.
  const bool filters_jobs = !filter_.agents.empty() || !filter_.tags.empty() || !filter_.jobs.empty();
  if (!filters_jobs) ask_view(wire::View::flows, About::flows);
  if (!detail_.job.empty() && !why_missing_) {
    why_missing_ = true;
    ask_view(wire::View::why, About::why, detail_.job);
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
  why_missing_ = !job.empty();
  if (job.empty() || !client_) return;
  ask_view(wire::View::why, About::why, job);
  ask_tail();
}

void TopLink::order(const TopAction& action) {
  const auto order = std::make_shared<Order>();
  const std::string id = fresh_command_id();
  if (action.kind == TopAction::Kind::cancel) {
    wire::ActOnJobsT request;
    request.action = wire::JobAction::cancel;
    request.jobs = {action.job};
    request.command_id = id;
    order->request = request_of(std::move(request));
    order->done = "cancelling " + action.job;
  } else if (action.kind == TopAction::Kind::answer) {
    wire::AnswerQuestionT request;
    request.job = action.job;
    request.question = action.input;
    request.answer = action.answer;
    request.command_id = id;
    order->request = request_of(std::move(request));
    order->done = "answered";
  } else if (const auto step = split_flow_step(action.input)) {
    wire::ActOnFlowT request;
    const bool opens = action.kind == TopAction::Kind::approve;
    request.action = opens ? wire::FlowAction::open_gate : wire::FlowAction::deny_gate;
    std::tie(request.flow, request.step) = *step;
    request.from_job = own_job().job;
    request.command_id = id;
    order->done = opens ? "approved" : "denied";
    order->request = request_of(std::move(request));
  } else {
    wire::DecideApprovalT request;
    request.job = action.job;
    request.gate = action.input;
    request.approve = action.kind == TopAction::Kind::approve;
    request.command_id = id;
    order->done = request.approve ? "approved" : "denied";
    order->request = request_of(std::move(request));
  }
  // An agent does not decide about itself: as the commands do, so that a habit or a mistake does not either.
  if (action.kind != TopAction::Kind::cancel && own_job().job == action.job) {
    said_ = "this runs inside job " + action.job + ", which asked: a person decides, not the agent";
    return;
  }
  if (client_) {
    place(*order);
  } else {
    lost_orders_.push_back(order);
  }
}

void TopLink::place(const Order& order) {
  const auto copy = std::make_shared<Order>(order);
  const auto id = client_->send(copy->request);
  if (!id) {
    lost_orders_.push_back(copy);
    return lose();
  }
  open_[*id] = About::order;
  orders_[*id] = copy;
}

void TopLink::lose() {
  client_.reset();
  open_.clear();
  for (auto& [id, order] : orders_) lost_orders_.push_back(std::move(order));
  orders_.clear();
  coming_.reset();
  missing_ = 0;
  why_missing_ = false;
  probing_ = false;
  tail_ = 0;
  said_ = "the daemon is away";
}

void TopLink::take_rows(About about, Page page) {
  if (about == About::why) return take_why(page);
  if (!coming_) return;
  switch (about) {
    case About::jobs:
      coming_->jobs = page.as<view::Job>();
      ask_queue(coming_->jobs);
      // Totals are counted per project: those of one agent or tag are not known.
      if (filter_.agents.empty() && filter_.tags.empty() &&
          names_some(group_by_attention(coming_->jobs, 0), ended_wanted()))
        ask_view(wire::View::totals, About::totals);
      break;
    case About::queue:
      coming_->notes.queue = by_job(page.as<view::QueueEntry>());
      break;
    case About::totals:
      coming_->totals = page.as<view::ProjectTotals>();
      break;
    case About::switches:
      coming_->notes.pauses = pauses_of(page);
      break;
    case About::alerts:
      coming_->notes.alerts = page.as<view::Alert>();
      break;
    case About::questions:
      coming_->notes.questions = page.as<view::Question>();
      break;
    case About::approvals:
      coming_->notes.approvals = page.as<view::Approval>();
      break;
    case About::flows:
      coming_->notes.manual_steps = manual_steps_of(page.as<view::Flow>());
      break;
    case About::why:
    case About::follow:
    case About::tail:
    case About::order:
    case About::probe:
      break;
  }
  coming_->pages.push_back(std::move(page));
  --missing_;
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
  Error error = error_from(refused);
  if (starts_over(error)) {
    lose();
    return {};
  }
  switch (about) {
    case About::order:
      orders_.erase(id);
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
    case About::jobs:
    case About::follow:
      return tl::unexpected(std::move(error));
    case About::queue:
    case About::totals:
    case About::switches:
    case About::alerts:
    case About::questions:
    case About::approvals:
    case About::flows:
      --missing_;  // of an older daemon, or not for this caller
      return {};
  }
  return {};
}

Status TopLink::take_frame(const wire::ServerFrame& frame, News& news) {
  const auto found = open_.find(frame.id());
  const wire::Refused* refused = frame.reply_as_Refused();
  if (found == open_.end()) {
    if (refused != nullptr && frame.id() == 0) return tl::unexpected(error_from(*refused));
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
  } else if (about == About::order) {
    if (const auto order = orders_.find(frame.id()); order != orders_.end()) {
      news.said = order->second->done;
      orders_.erase(order);
    }
  } else if (frame.reply_type() == wire::Reply::Rows) {
    take_rows(about, Page(std::unique_ptr<wire::ServerFrameT>(frame.UnPack())));
    if (about == About::why) news.detail = detail_;
  } else if (about != About::why) {
    --missing_;
  }
  return {};
}

void TopLink::finish(News& news) {
  if (!coming_ || missing_ > 0) return;
  news.snapshot = std::make_shared<const TopSnapshot>(std::move(*coming_));
  coming_.reset();
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
    if (Status taken = take_frame(**frame, news); !taken) return tl::unexpected(taken.error());
  }
  finish(news);
  if (news.said.empty()) news.said = std::exchange(said_, {});
  return news;
}

}  // namespace luzia
