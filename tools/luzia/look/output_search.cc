#include "tools/luzia/look/output_search.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {

Status OutputSearch::ask(OutputQuestion question) {
  Asked asked;
  asked.question = std::move(question);
  asked_.push_back(std::move(asked));
  return send(asked_.back());
}

Status OutputSearch::send(Asked& asked) {
  wire::TailT tail;
  tail.job = asked.question.job;
  tail.attempt = asked.question.attempt;
  tail.until = asked.question.until;
  tail.offset = asked.from;
  tail.find = words_;
  tail.expression = expression_;
  // One more tells whether there is more.
  tail.limit = most_ + 1 - static_cast<std::uint32_t>(asked.answer.lines.size());
  const wire::RequestUnion request = request_of(std::move(tail));
  const bool is_last = ++posted_ % kAskedTogether == 0;
  asked.request = LUZIA_TRY(is_last ? client_.send(request) : client_.post(request));
  return {};
}

Result<OutputAnswer> OutputSearch::next(const std::function<Status()>& before_waiting) {
  while (!asked_.front().over) {
    const auto* frame = LUZIA_TRY(client_.receive(std::chrono::milliseconds(0)));
    if (frame == nullptr) {
      LUZIA_TRY(before_waiting());
      frame = LUZIA_TRY(client_.receive());
    }
    if (frame != nullptr) LUZIA_TRY(take(*frame));
  }
  OutputAnswer answer = std::move(asked_.front().answer);
  asked_.pop_front();
  return answer;
}

Status OutputSearch::take(const wire::ServerFrame& frame) {
  const auto* refused = frame.reply_as_Refused();
  const auto asked = std::ranges::find(asked_, frame.id(), &Asked::request);
  if (asked == asked_.end())
    return refused != nullptr ? tl::unexpected(client_.error_of(*refused)) : Status();
  if (refused != nullptr) {
    Error error = client_.error_of(*refused);
    const bool of_all = error.kind == ErrorKind::usage || starts_over(error);
    if (of_all) return tl::unexpected(std::move(error));
    asked->answer.unread = std::move(error);
    asked->over = true;
    return {};
  }
  const auto* output = frame.reply_as_Output();
  if (output == nullptr || output->found() == nullptr) {
    return fail(ErrorKind::trouble, "daemon_too_old", "the daemon that runs cannot search output",
                "luzia daemon restart starts the installed version; running jobs are not touched");
  }
  return take_lines(*asked, *output->found());
}

Status OutputSearch::take_lines(Asked& asked, const wire::FoundWords& found) {
  auto& lines = asked.answer.lines;
  if (found.lines() != nullptr) {
    for (const auto* line : *found.lines()) lines.emplace_back(line->UnPack());
  }
  asked.from = found.reached();
  asked.answer.more = lines.size() > most_;
  asked.over = found.over() || asked.answer.more;
  if (asked.answer.more) lines.resize(most_);
  return asked.over ? Status() : send(asked);
}

}  // namespace luzia
