#include "tools/luzia/change/dependents.h"

#include <algorithm>
#include <set>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/event/job_state.h"

namespace luzia {
namespace {

using Ids = std::set<std::string, std::less<>>;

constexpr std::uint32_t kRowsAPage = 1'000;

/// Whether the job was skipped because of that one: the end's detail names it.
bool is_skipped_because_of(const view::Job& job, std::string_view dependency) {
  return job.state() == schema::JobState::skipped &&
         text(job.reason_detail()).find(dependency) != std::string_view::npos;
}

/// One step from `jobs` to those that depend on them: `found` gets the skipped ones, `next` all from which
/// the search goes on.
struct Step {
  std::vector<Dependent> found;
  Ids next;
};

void look_at(const view::Job& job, const Ids& jobs, Step& step) {
  if (job.after() == nullptr) return;
  for (const auto* dependency : *job.after()) {
    if (!jobs.contains(dependency->string_view())) continue;
    const bool skipped = is_skipped_because_of(job, dependency->string_view());
    if (!skipped && is_terminal(job.state())) continue;
    if (!step.next.insert(job.id()->str()).second) return;
    if (skipped) step.found.push_back({job.id()->str(), job.queued_position()});
    return;
  }
}

Result<Step> dependents_of(Invocation& invocation, Client& client, const Ids& jobs) {
  wire::QueryT query = view_query(wire::View::jobs);
  query.limit = kRowsAPage;
  query.filter->after.assign(jobs.begin(), jobs.end());
  Step step;
  LUZIA_TRY(for_each_page(invocation, client, std::move(query), [&](const Page& page) {
    for (const view::Job* job : page.as<view::Job>()) look_at(*job, jobs, step);
  }));
  return step;
}

/// Names that mean no job are refused.
Result<std::vector<std::string>> full_ids(Invocation& invocation, Client& client,
                                          const std::vector<std::string>& names, EachJob& each) {
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    auto id = full_id(invocation, client, name);
    if (id) {
      ids.push_back(std::move(*id));
      continue;
    }
    if (id.error().kind == ErrorKind::trouble) return tl::unexpected(id.error());
    each.refused.emplace_back(name, id.error());
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void add_each(EachJob& all, EachJob part) {
  const bool is_first = all.done.ids.empty();
  all.done.repeated = part.done.repeated && (is_first || all.done.repeated);
  all.done.position = std::max(all.done.position, part.done.position);
  all.done.ids.insert(all.done.ids.end(), part.done.ids.begin(), part.done.ids.end());
  std::ranges::move(part.refused, std::back_inserter(all.refused));
}

/// The jobs from which dependents are looked for. Those that have not ended are refused no more where there
/// are some.
Result<std::vector<std::string>> reached_by(Invocation& invocation, Client& client, EachJob& roots) {
  std::vector<std::string> reached = roots.done.ids;
  std::vector<std::pair<std::string, Error>> refused;
  for (auto& [job, error] : roots.refused) {
    bool waits = false;
    if (error.code == "not_ended") {
      const auto dependents = LUZIA_TRY(skipped_because_of(invocation, client, {job}));
      waits = !dependents.empty();
    }
    if (waits) {
      reached.push_back(job);
    } else {
      refused.emplace_back(job, std::move(error));
    }
  }
  roots.refused = std::move(refused);
  return reached;
}

std::string joined(const std::vector<std::string>& ids) {
  std::string words;
  for (const std::string& id : ids) words += " " + id;
  return words;
}

}  // namespace

Result<std::vector<Dependent>> skipped_because_of(Invocation& invocation, Client& client,
                                                  const std::vector<std::string>& jobs) {
  std::vector<Dependent> all;
  Ids known(jobs.begin(), jobs.end());
  Ids level = known;
  while (!level.empty()) {
    auto step = LUZIA_TRY(dependents_of(invocation, client, level));
    for (Dependent& dependent : step.found) {
      if (!known.contains(dependent.id)) all.push_back(std::move(dependent));
    }
    level.clear();
    std::ranges::set_difference(step.next, known, std::inserter(level, level.end()));
    known.insert(level.begin(), level.end());
  }
  std::ranges::sort(all, {}, &Dependent::id);
  return all;
}

Result<EachJob> retry_with_dependents(Invocation& invocation, Client& client, wire::ActOnJobsT request,
                                      const ActOnOne& act) {
  EachJob each;
  auto ids = LUZIA_TRY(full_ids(invocation, client, request.jobs, each));
  request.jobs = std::move(ids);
  auto roots = LUZIA_TRY(act_on_each(request, act, CommandIds::of_each));
  const auto reached = LUZIA_TRY(reached_by(invocation, client, roots));
  auto dependents = LUZIA_TRY(skipped_because_of(invocation, client, reached));
  if (roots.done.repeated) {
    std::erase_if(dependents, [&](const Dependent& one) { return one.queued > roots.done.position; });
  }
  add_each(each, std::move(roots));
  request.jobs.clear();
  for (const Dependent& dependent : dependents) request.jobs.push_back(dependent.id);
  if (request.jobs.empty()) return each;
  auto others = LUZIA_TRY(act_on_each(request, act, CommandIds::of_each));
  add_each(each, std::move(others));
  return each;
}

void report_skipped(Invocation& invocation, Client& client, const std::vector<std::string>& retried) {
  constexpr std::size_t kMostNamed = 8;
  if (retried.empty()) return;
  const auto dependents = skipped_because_of(invocation, client, retried);
  if (!dependents || dependents->empty()) return;
  std::vector<std::string> names;
  for (const Dependent& dependent : *dependents) names.push_back(dependent.id);
  const bool many = names.size() > kMostNamed;
  invocation.say(counted(names.size(), "job was", "jobs were") + " skipped because of " +
                 (retried.size() == 1 ? "it" : "them") + "; luzia retry" +
                 (many ? joined(retried) + " --with-dependents" : joined(names)) +
                 invocation.place_options() + " queues " + (names.size() == 1 ? "it" : "them") + " again" +
                 (many ? "" : " (--with-dependents does both at once)"));
}

}  // namespace luzia
