#include "tools/luziad/intake/lessons.h"

#include "projections/learning.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/inputs/input_orders.h"
#include "tools/luziad/intake/intake.h"

namespace luzia {
namespace {

constexpr std::string_view kSolutionIdBegin = "s-";
constexpr const char* kIndexFile = "/search.db";

/// An agent acts through a command of its job; the account that the kernel reports is recorded either way.
template <class Native>
CommandMeta meta_of_lesson(const Caller& caller, const Native& request) {
  return meta_of(caller, request, schema::ActorKind::person);
}

}  // namespace

Lessons::Lessons(const Threads& threads, const Store& store, const Desk& desk, Queries& queries,
                 IdSource& ids)
    : threads_(threads),
      store_(store),
      desk_(desk),
      queries_(queries),
      ids_(ids),
      search_(std::make_shared<LessonSearch>(store.folder + kIndexFile)) {}

Status Lessons::may_teach(const Caller& caller, const std::string& project) const {
  if (project.empty()) {
    if (caller.trusted) return {};
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not say what holds in every project",
                "name a project: --project NAME");
  }
  const auto found = find_project(desk_.config, caller, project);
  return found ? Status() : tl::unexpected(found.error());
}

void Lessons::record(const RequestId& to, const Caller& caller, const wire::RecordSolution& request) {
  wire::RecordSolutionT copy;
  request.UnPackTo(&copy);
  if (auto may = may_teach(caller, copy.project); !may) return refuse(desk_, to, may.error());
  const CommandMeta meta = meta_of_lesson(caller, copy);
  RecordSolution command;
  command.id = std::string(kSolutionIdBegin) + ids_.next(meta.now);
  command.project = std::move(copy.project);
  command.problem = std::move(copy.problem);
  command.text = salted_text(0, std::move(copy.text));
  command.references = std::move(copy.references);
  command.tags = std::move(copy.tags);
  command.confidence = copy.confidence;
  command.lifetime_ms = copy.ttl_ms;
  command.expires_us = copy.expires_us;
  LearningOrder order;
  const std::string stream = solution_stream(command.id);
  order.commands.emplace_back(stream, std::move(command));
  order_and_reply(desk_, to, meta, std::move(order));
}

void Lessons::resolve(const RequestId& to, const Caller& caller, std::vector<std::string> names,
                      std::function<void(std::vector<std::string>)> then) {
  if (names.empty()) {
    return refuse(desk_, to,
                  {ErrorKind::usage, "no_solution", "no solution is named", "give one or more ids"});
  }
  queries_.when_current(
      [this, to, caller, names = std::move(names), then = std::move(then)](const Status& status) {
        if (!status) return refuse(desk_, to, status.error());
        const auto rows = store_.views.snapshot();
        std::vector<std::string> ids;
        for (const std::string& name : names) {
          auto id = resolve_solution(*rows, name, project_filter(desk_.config, caller));
          if (!id) return refuse(desk_, to, id.error());
          if (std::ranges::find(ids, *id) == ids.end()) ids.push_back(std::move(*id));
        }
        then(std::move(ids));
      });
}

void Lessons::judge(const RequestId& to, const Caller& caller, const wire::JudgeSolution& request) {
  auto copy = std::make_shared<wire::JudgeSolutionT>();
  request.UnPackTo(copy.get());
  CommandMeta meta = meta_of_lesson(caller, *copy);
  resolve(to, caller, {copy->solution}, [this, to, caller, copy, meta](std::vector<std::string> ids) {
    auto judge_it = [this, to, copy, meta, id = ids.front()](std::string job) mutable {
      meta.now = wall_now();
      LearningOrder order;
      order.commands.emplace_back(solution_stream(id), JudgeSolution{copy->helped, std::move(job)});
      order_and_reply(desk_, to, meta, std::move(order));
    };
    if (copy->job.empty()) return judge_it({});
    queries_.resolve({copy->job}, caller, [this, to, judge_it](auto jobs) mutable {
      if (!jobs) return refuse(desk_, to, jobs.error());
      judge_it(jobs->front());
    });
  });
}

/// Entries for every project may be removed only by callers who may record them.
void Lessons::prune(const RequestId& to, const Caller& caller, const wire::PruneSolutions& request) {
  auto copy = std::make_shared<wire::PruneSolutionsT>();
  request.UnPackTo(copy.get());
  CommandMeta meta = meta_of_lesson(caller, *copy);
  resolve(to, caller, copy->solutions,
          [this, to, caller, copy, meta](const std::vector<std::string>& ids) mutable {
            meta.now = wall_now();
            const auto rows = store_.views.snapshot();
            LearningOrder order;
            for (const std::string& id : ids) {
              const auto solution = find_solution(*rows, id);
              if (solution && solution->project.empty() && !caller.trusted) {
                return refuse(
                    desk_, to,
                    {ErrorKind::refused, "not_allowed",
                     caller.name + " may not prune " + id + ", which is of use in every project", ""});
              }
              order.commands.emplace_back(solution_stream(id), PruneSolution{copy->reason});
            }
            order_and_reply(desk_, to, meta, std::move(order));
          });
}

void Lessons::store(const RequestId& to, const Caller& caller, const wire::StoreFact& request) {
  wire::StoreFactT copy;
  request.UnPackTo(&copy);
  if (auto may = may_teach(caller, copy.project); !may) return refuse(desk_, to, may.error());
  LearningOrder order;
  order.commands.emplace_back(
      fact_stream(copy.project, copy.subject, copy.relation, copy.object),
      StoreFact{copy.subject, copy.relation, copy.object, copy.context, copy.project});
  order_and_reply(desk_, to, meta_of_lesson(caller, copy), std::move(order));
}

void Lessons::forget(const RequestId& to, const Caller& caller, const wire::ForgetFact& request) {
  wire::ForgetFactT copy;
  request.UnPackTo(&copy);
  // Trusted callers may also name a project that is no longer configured.
  if (!caller.trusted) {
    if (auto may = may_teach(caller, copy.project); !may) return refuse(desk_, to, may.error());
  }
  LearningOrder order;
  order.commands.emplace_back(fact_stream(copy.project, copy.subject, copy.relation, copy.object),
                              ForgetFact{copy.reason});
  order_and_reply(desk_, to, meta_of_lesson(caller, copy), std::move(order));
}

bool Lessons::is_search(const wire::Query& query) {
  const bool lessons = query.view() == wire::View::solutions || query.view() == wire::View::facts;
  return lessons && !text(query.text()).empty();
}

void Lessons::search(const RequestId& to, const Caller& caller, const wire::Query& query) {
  if (query.at_position() != 0 || query.at_time_us() != 0) {
    return refuse(desk_, to,
                  {ErrorKind::usage, "only_now", "words are searched in what is known now only",
                   "without words what was known then is listed"});
  }
  struct Work {
    wire::QueryT query;
    std::unique_ptr<ViewReader> rows;
    QuerySources sources;
    TimeUs now;
    Result<RowPage> page = tl::unexpected(Error{});
  };
  auto copy = std::make_shared<wire::QueryT>();
  query.UnPackTo(copy.get());
  queries_.when_current([this, to, caller, copy](const Status& status) {
    if (!status) return refuse(desk_, to, status.error());
    auto work =
        std::make_shared<Work>(Work{std::move(*copy),
                                    store_.views.snapshot(),
                                    {store_.log, project_filter(desk_.config, caller), {}, threads_.stopping},
                                    wall_now()});
    threads_.workers.run(
        [work, search = search_] {
          work->page = search->find(*work->rows, work->sources, work->query, work->now);
        },
        [this, to, work] {
          if (!work->page) return refuse(desk_, to, work->page.error());
          send_reply(desk_, to, rows_reply(*work->page));
        });
  });
}

}  // namespace luzia
