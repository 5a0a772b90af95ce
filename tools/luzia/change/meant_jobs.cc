#include "tools/luzia/change/meant_jobs.h"

#include <algorithm>
#include <array>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/json.h"
#include "projections/rows/row_tables.h"

namespace luzia {
namespace {

void show(Invocation& invocation, const std::vector<const view::Job*>& jobs, Position position) {
  if (!invocation.json()) {
    return print(jobs_table(jobs, invocation.now()).text(invocation.terminal().style()));
  }
  std::vector<std::string> objects;
  for (const view::Job* job : jobs) objects.push_back(job_json(*job, invocation.now()));
  print_line(list_json("jobs", objects, position, ""));
}

wire::QueryT query_of(const Invocation& invocation, Meant meant) {
  wire::QueryT query = view_query(wire::View::jobs, filter_of(invocation.args()));
  query.limit = 1'000;
  query.filter->ended = meant == Meant::failed;
  if (meant == Meant::failed && !invocation.args().has("state")) {
    query.filter->states = {schema::JobState::failed, schema::JobState::timed_out, schema::JobState::lost};
  }
  return query;
}

}  // namespace

bool means_jobs_by_options(const Arguments& args) {
  constexpr std::array kOptions = {"project", "agent", "tag", "state", "since"};
  return std::ranges::any_of(kOptions, [&](const char* option) { return args.has(option); });
}

Result<MeantJobs> jobs_meant_by_options(Invocation& invocation, Client& client, Meant meant,
                                        const char* verb) {
  MeantJobs found;
  std::vector<Page> pages;
  std::vector<const view::Job*> jobs;
  LUZIA_TRY(for_each_page(invocation, client, query_of(invocation, meant), [&](Page page) {
    const auto rows = page.as<view::Job>();
    jobs.insert(jobs.end(), rows.begin(), rows.end());
    found.position = page.position();
    pages.push_back(std::move(page));
  }));
  for (const view::Job* job : jobs) found.ids.push_back(job->id()->str());
  if (!jobs.empty() && !invocation.args().has("yes")) {
    show(invocation, jobs, found.position);
    return fail(ErrorKind::refused, "needs_yes",
                std::string("this would ") + verb + " " + counted(jobs.size(), "job"), "add --yes to do it");
  }
  return found;
}

}  // namespace luzia
