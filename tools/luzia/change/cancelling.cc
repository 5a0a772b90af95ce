#include "tools/luzia/change/cancelling.h"

#include <algorithm>
#include <deque>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "tools/luzia/change/job_parts.h"

namespace luzia {
namespace {

using Jobs = std::vector<std::string>;

constexpr std::size_t kJobsInPart = 500;

Result<Jobs> not_ended(Invocation& invocation, Client& client, const Jobs& jobs) {
  wire::QueryT query = view_query(wire::View::jobs);
  query.limit = kJobsInPart;
  query.filter->jobs = jobs;
  query.filter->ended = false;
  const auto page = LUZIA_TRY(ask_rows(invocation, client, query));
  Jobs left;
  for (const view::Job* job : page.as<view::Job>()) left.push_back(job->id()->str());
  return left;
}

/// The parts to send instead of one that was refused; the refusal itself if that would not help.
Result<std::deque<Jobs>> instead_of(Invocation& invocation, Client& client, const Jobs& part,
                                    const Error& refusal) {
  if (refusal.code == "command_too_large" && part.size() > 1) return halves_of(part);
  if (refusal.code != "already_ended") return tl::unexpected(refusal);
  auto left = LUZIA_TRY(not_ended(invocation, client, part));
  if (left.size() >= part.size()) return tl::unexpected(refusal);
  return left.empty() ? std::deque<Jobs>() : std::deque<Jobs>{std::move(left)};
}

Error after(Error error, const wire::AcceptedT& done) {
  if (!done.ids.empty()) {
    error.message += "; before that " + counted(done.ids.size(), "job was cancelled", "jobs were cancelled");
  }
  if (error.kind == ErrorKind::trouble) error.hint = "repeat the command: it cancels the rest";
  return error;
}

}  // namespace

void add_part(wire::AcceptedT& all, const wire::AcceptedT& part) {
  all.ids.insert(all.ids.end(), part.ids.begin(), part.ids.end());
  all.position = std::max(all.position, part.position);
  all.repeated = all.repeated && part.repeated;
}

Result<wire::AcceptedT> cancel_in_parts(Invocation& invocation, Client& client,
                                        const wire::ActOnJobsT& request) {
  wire::AcceptedT all;
  all.repeated = true;
  std::deque<Jobs> parts = job_parts(request.jobs, kJobsInPart);
  while (!parts.empty()) {
    wire::ActOnJobsT part = request;
    part.jobs = std::move(parts.front());
    parts.pop_front();
    part.command_id = part_command_id(request.command_id, part.jobs);
    auto accepted = send_command(invocation, client, request_of(wire::ActOnJobsT(part)));
    if (accepted) {
      add_part(all, *accepted);
      continue;
    }
    auto smaller = instead_of(invocation, client, part.jobs, accepted.error());
    if (!smaller) return tl::unexpected(after(smaller.error(), all));
    parts.insert(parts.begin(), smaller->begin(), smaller->end());
  }
  all.repeated = all.repeated && !all.ids.empty();
  return all;
}

}  // namespace luzia
