#include "tools/luzia/run/asked_prompts.h"

#include <cstdio>

#include "engine/event/event.h"
#include "projections/rows/input_rows.h"

namespace luzia {
namespace {

bool tells_of_prompt(const wire::Events& events) {
  for (flatbuffers::uoffset_t i = 0; events.events() != nullptr && i < events.events()->size(); ++i) {
    const auto* data = events.events()->Get(i)->data();
    const auto* event = data == nullptr ? nullptr : verified_row<schema::Event>({data->data(), data->size()});
    const std::string_view type = event == nullptr ? std::string_view() : event_type(*event);
    if (type == "QuestionAsked" || type == "ApprovalRequested") return true;
  }
  return false;
}

/// Takes the rows that are not in `shown` yet.
template <class Row>
std::vector<const Row*> new_rows(const Page& page, std::set<std::string, std::less<>>& shown) {
  std::vector<const Row*> rows = page.as<Row>();
  std::erase_if(rows, [&](const Row* row) { return !shown.emplace(text(row->id())).second; });
  return rows;
}

}  // namespace

wire::QueryT AskedPrompts::query_of(wire::View view) const {
  wire::QueryT query = view_query(view);
  query.filter->jobs = {job_};
  query.filter->ended = false;
  return query;
}

/// If a request cannot be sent, the connection is gone; whoever reads from it finds that out.
void AskedPrompts::ask(Client& client) {
  due_ = false;
  questions_id_ = client.post(request_of(query_of(wire::View::questions))).value_or(0);
  approvals_id_ = client.send(request_of(query_of(wire::View::approvals))).value_or(0);
}

void AskedPrompts::open(Client& client) {
  wire::FollowT follow;
  follow.filter = std::make_unique<wire::FilterT>();
  follow.filter->jobs = {job_};
  follow.live = follow.from_now = true;
  follow_id_ = client.post(request_of(std::move(follow))).value_or(0);
  ask(client);
}

bool AskedPrompts::take(Client& client, const wire::ServerFrame& frame) {
  if (frame.id() == 0) return false;
  if (frame.id() == follow_id_) {
    const auto* events = frame.reply_as_Events();
    due_ = due_ || (events != nullptr && tells_of_prompt(*events));
  } else if (frame.id() == questions_id_ || frame.id() == approvals_id_) {
    (frame.id() == questions_id_ ? questions_id_ : approvals_id_) = 0;
    if (frame.reply_type() == wire::Reply::Rows)
      show(Page(std::unique_ptr<wire::ServerFrameT>(frame.UnPack())));
  } else {
    return false;
  }
  if (due_ && questions_id_ == 0 && approvals_id_ == 0) ask(client);
  return true;
}

void AskedPrompts::show_open(Client& client) {
  for (const wire::View view : {wire::View::questions, wire::View::approvals}) {
    const auto page = ask_rows(invocation_, client, query_of(view));
    if (page) show(*page);
  }
}

void AskedPrompts::show(const Page& page) {
  const TableStyle style{invocation_.terminal().width, false, invocation_.terminal().unicode};
  std::string cards;
  if (page.type() == wire::RowType::question)
    cards = questions_text(new_rows<view::Question>(page, shown_), invocation_.now(), style);
  if (page.type() == wire::RowType::approval)
    cards = approvals_text(new_rows<view::Approval>(page, shown_), invocation_.now(), style);
  if (cards.empty()) return;
  std::fflush(stdout);
  invocation_.say("\n" + cards.substr(0, cards.find_last_not_of('\n') + 1));
}

}  // namespace luzia
