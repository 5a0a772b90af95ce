#include "tools/luzia/change/each_job.h"

#include <algorithm>

#include "engine/base/counted.h"
#include "projections/rows/json_object.h"
#include "tools/luzia/change/cancelling.h"
#include "tools/luzia/change/job_parts.h"

namespace luzia {
namespace {

std::string each_json(const EachJob& each) {
  JsonObject object;
  object.strings("ids", each.done.ids);
  object.number("position", each.done.position);
  object.boolean("repeated", each.done.repeated);
  if (!each.refused.empty()) {
    object.objects("refused", each.refused, [](JsonObject& one, const auto& refused) {
      one.text("job", refused.first);
      one.text("code", refused.second.code);
      one.text("message", refused.second.message);
    });
  }
  return object.take();
}

}  // namespace

Result<EachJob> act_on_each(const wire::ActOnJobsT& request, const ActOnOne& act, CommandIds ids) {
  EachJob each;
  each.done.repeated = true;
  std::vector<std::string> seen;
  for (const std::string& job : request.jobs) {
    if (std::ranges::find(seen, job) != seen.end()) continue;
    seen.push_back(job);
    wire::ActOnJobsT one = request;
    one.jobs = {job};
    if (request.jobs.size() > 1 || ids == CommandIds::of_each)
      one.command_id = part_command_id(request.command_id, one.jobs);
    auto accepted = act(one);
    if (accepted) {
      add_part(each.done, *accepted);
      continue;
    }
    Error error = accepted.error();
    if (error.kind == ErrorKind::trouble && seen.size() > 1) {
      error.message += "; before that " + counted(each.done.ids.size(), "job was", "jobs were") + " done";
    }
    if (error.kind == ErrorKind::trouble) return tl::unexpected(std::move(error));
    each.refused.emplace_back(job, std::move(error));
  }
  each.done.repeated = each.done.repeated && !each.done.ids.empty();
  return each;
}

int print_each(const Invocation& invocation, const EachJob& each, const char* done) {
  if (invocation.json()) print_line(each_json(each));
  std::string ids;
  for (const std::string& id : each.done.ids) ids += " " + id;
  if (each.refused.empty() || !ids.empty()) invocation.say(done + ids);
  int code = 0;
  for (const auto& [job, error] : each.refused)
    code = std::max(code, print_error("luzia", error, invocation.json()));
  return code;
}

}  // namespace luzia
