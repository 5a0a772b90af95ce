#include "tools/luziad/intake/lessons.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "projections/learning.h"
#include "projections/stream_events.h"
#include "projections/streams.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/inputs/input_orders.h"
#include "tools/luziad/intake/intake.h"
#include "tools/luziad/intake/web_references.h"

namespace luzia {
namespace {

constexpr std::string_view kSolutionIdBegin = "s-", kTodoIdBegin = "t-";
constexpr std::size_t kMaxTodoId = 64, kMostWebReferences = 10;
constexpr const char* kIndexFile = "/search.db";

/// An agent acts through a command of its job; the account that the kernel reports is recorded either way.
template <class Native>
CommandMeta meta_of_teacher(const Caller& caller, const Native& request) {
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
  auto copy = std::make_shared<wire::RecordSolutionT>();
  request.UnPackTo(copy.get());
  if (auto may = may_teach(caller, copy->project); !may) return refuse(desk_, to, may.error());
  const CommandMeta meta = meta_of_teacher(caller, *copy);
  if (copy->job.empty()) return submit_solution(to, meta, *copy);
  queries_.resolve({copy->job}, caller, [this, to, copy, meta](const auto& jobs) {
    if (!jobs) return submit_solution(to, meta, *copy);  // it only adds what the job has read
    struct Work {
      std::unique_ptr<ViewReader> rows;
      WebReferences found;
    };
    auto work = std::make_shared<Work>(Work{store_.views.snapshot(), {}});
    const auto read = [work, &log = store_.log, stream = "job/" + jobs->front()] {
      const Status ignored =
          visit_events(log, stream_positions(*work->rows, stream), [&](const schema::Event& event, Bytes) {
            work->found.take(event);
            return true;
          });
      if (!ignored) spdlog::warn("references of a solution: {}", ignored.error().message);
    };
    threads_.workers.run(read, [this, to, copy, meta, work] {
      const std::size_t room = kMaxReferences - std::min(kMaxReferences, copy->references.size());
      for (std::string& each : work->found.newest(std::min(room, kMostWebReferences))) {
        if (std::ranges::find(copy->references, each) == copy->references.end())
          copy->references.push_back(std::move(each));
      }
      submit_solution(to, meta, *copy);
    });
  });
}

void Lessons::submit(const RequestId& to, const CommandMeta& meta, std::string stream,
                     LearningCommand command) {
  LearningOrder order;
  order.commands.emplace_back(std::move(stream), std::move(command));
  order_and_reply(desk_, to, meta, std::move(order));
}

void Lessons::submit_solution(const RequestId& to, const CommandMeta& meta,
                              const wire::RecordSolutionT& from) {
  RecordSolution command;
  command.id = std::string(kSolutionIdBegin) + ids_.next(meta.now);
  command.project = from.project;
  command.problem = from.problem;
  command.text = salted_text(0, from.text);
  command.references = from.references;
  command.tags = from.tags;
  command.confidence = from.confidence;
  command.lifetime_ms = from.ttl_ms;
  command.expires_us = from.expires_us;
  const std::string stream = solution_stream(command.id);
  submit(to, meta, stream, std::move(command));
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
  CommandMeta meta = meta_of_teacher(caller, *copy);
  resolve(to, caller, {copy->solution}, [this, to, caller, copy, meta](std::vector<std::string> ids) {
    auto judge_it = [this, to, copy, meta, id = ids.front()](std::string job) mutable {
      meta.now = wall_now();
      submit(to, meta, solution_stream(id), JudgeSolution{copy->helped, std::move(job)});
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
  CommandMeta meta = meta_of_teacher(caller, *copy);
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
  submit(to, meta_of_teacher(caller, copy),
         fact_stream(copy.project, copy.subject, copy.relation, copy.object),
         StoreFact{copy.subject, copy.relation, copy.object, copy.context, copy.project});
}

void Lessons::forget(const RequestId& to, const Caller& caller, const wire::ForgetFact& request) {
  wire::ForgetFactT copy;
  request.UnPackTo(&copy);
  // Trusted callers may also name a project that is no longer configured.
  if (!caller.trusted) {
    if (auto may = may_teach(caller, copy.project); !may) return refuse(desk_, to, may.error());
  }
  submit(to, meta_of_teacher(caller, copy),
         fact_stream(copy.project, copy.subject, copy.relation, copy.object), ForgetFact{copy.reason});
}

namespace {

LearningCommand todo_command(const wire::ActOnTodoT& request, const std::string& id, std::string by) {
  switch (request.action) {
    case wire::TodoAction::add:
      return AddTodo{id, request.project, request.text, request.at_us};
    case wire::TodoAction::take:
      return TakeTodo{std::move(by), request.job, request.at_us};
    case wire::TodoAction::release:
      return ReleaseTodo{request.job, request.note};
    case wire::TodoAction::done:
      break;
  }
  return FinishTodo{std::move(by), request.job, request.note, request.at_us};
}

/// An id that an import gives, so that importing again adds nothing.
bool is_todo_id(const std::string& id) {
  return id.starts_with(kTodoIdBegin) && id.size() <= kMaxTodoId &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
}

}  // namespace

/// Whoever may see a todo's project may change it. Those of all projects, other people's names and earlier
/// times are for trusted callers.
void Lessons::act_on_todo(const RequestId& to, const Caller& caller, const wire::ActOnTodo& request) {
  auto copy = std::make_shared<wire::ActOnTodoT>();
  request.UnPackTo(copy.get());
  if ((!caller.trusted || caller.device) && (!copy->by.empty() || copy->at_us != 0)) {
    return refuse(
        desk_, to,
        {ErrorKind::refused, "not_allowed", caller.name + " may not say who else changed a todo, or when",
         "leave the name and the time out"});
  }
  CommandMeta meta = meta_of_teacher(caller, *copy);
  if (copy->action == wire::TodoAction::add) {
    // An import may name a project that is no longer configured.
    const bool is_import = caller.trusted && !copy->todo.empty();
    if (auto may = may_teach(caller, copy->project); !is_import && !may)
      return refuse(desk_, to, may.error());
    if (!copy->todo.empty() && !is_todo_id(copy->todo)) {
      return refuse(desk_, to,
                    {ErrorKind::usage, "bad_id", "'" + copy->todo + "' is no id of a todo",
                     "leave it out: the daemon gives one"});
    }
    std::string id = copy->todo.empty() ? std::string(kTodoIdBegin) + ids_.next(meta.now) : copy->todo;
    return submit_todo(to, meta, *copy, std::move(id));
  }
  queries_.when_current([this, to, caller, copy, meta](const Status& status) mutable {
    if (!status) return refuse(desk_, to, status.error());
    const auto rows = store_.views.snapshot();
    auto id = resolve_todo(*rows, copy->todo, project_filter(desk_.config, caller));
    if (!id) return refuse(desk_, to, id.error());
    meta.now = wall_now();
    submit_todo(to, meta, *copy, std::move(*id));
  });
}

void Lessons::submit_todo(const RequestId& to, const CommandMeta& meta, const wire::ActOnTodoT& request,
                          std::string id) {
  const JobState* job = request.job.empty() ? nullptr : desk_.engine.find_live(request.job);
  std::string by = !request.by.empty() ? request.by : job != nullptr ? job->spec->agent : meta.actor_name;
  submit(to, meta, todo_stream(id), todo_command(request, id, std::move(by)));
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
