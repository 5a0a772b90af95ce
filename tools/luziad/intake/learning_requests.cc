#include "tools/luziad/intake/learning_requests.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "projections/learning.h"
#include "projections/stream_events.h"
#include "projections/streams.h"
#include "projections/todos.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/inputs/prompt_commands.h"
#include "tools/luziad/intake/intake.h"
#include "tools/luziad/intake/web_references.h"

namespace luzia {
namespace {

constexpr std::string_view kSolutionIdBegin = "s-", kTodoIdBegin = "t-";
constexpr std::size_t kMaxTodoId = 64, kMostWebReferences = 10, kMostOpenTodos = 2'000;
constexpr const char* kIndexFile = "/search.db";

/// An agent acts through a command of its job; the account that the kernel reports is recorded either way.
template <class Native>
CommandMeta meta_of_teacher(const Caller& caller, const Native& request) {
  return meta_of(caller, request, schema::ActorKind::person);
}

LearningCommand todo_command(const wire::ActOnTodoT& request, const std::string& id, std::string by) {
  switch (request.action) {
    case wire::TodoAction::add: {
      AddTodo add{id, request.project, request.text, request.at_us};
      if (request.taken) add.taken = TakeTodo{by, {}, request.taken_us};
      if (request.done) add.done = FinishTodo{by, {}, request.note, request.done_us};
      return add;
    }
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
tl::unexpected<Error> too_many_todos(const std::string& project) {
  return fail(ErrorKind::refused, "too_many_todos",
              std::to_string(kMostOpenTodos) + " todos of " +
                  (project.empty() ? "all projects" : "project " + project) + " are open",
              "luzia todo done ID completes one; luzia todo list shows them");
}

bool is_todo_id(const std::string& id) {
  return id.starts_with(kTodoIdBegin) && id.size() <= kMaxTodoId &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
}

}  // namespace

LearningRequests::LearningRequests(const Threads& threads, const Store& store, const Desk& desk,
                                   Rights& rights, Queries& queries, IdSource& ids)
    : threads_(threads),
      store_(store),
      desk_(desk),
      rights_(rights),
      queries_(queries),
      ids_(ids),
      search_(std::make_shared<LearnedSearch>(store.folder + kIndexFile)) {}

Status LearningRequests::may_teach(const Caller& caller, const std::string& project) const {
  if (project.empty()) {
    if (caller.trusted) return {};
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not say what holds in every project",
                "name a project: --project NAME");
  }
  const auto found = find_project(desk_.config, caller, project);
  return found ? Status() : tl::unexpected(found.error());
}

Status LearningRequests::record(const RequestId& to, const Caller& caller,
                                const wire::RecordSolution& request) {
  const std::shared_ptr<wire::RecordSolutionT> copy(request.UnPack());
  LUZIA_TRY(may_teach(caller, copy->project));
  const CommandMeta meta = meta_of_teacher(caller, *copy);
  if (copy->job.empty()) return submit_solution(to, meta, *copy);
  queries_.resolve({copy->job}, caller, [this, to, copy, meta](const auto& jobs) {
    if (!jobs) {  // it only adds what the job has read
      submit_solution(to, meta, *copy);
      return;
    }
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
  return {};
}

Status LearningRequests::submit(const RequestId& to, const CommandMeta& meta, std::string stream,
                                LearningCommand command) {
  ToLearning item;
  item.commands.emplace_back(std::move(stream), std::move(command));
  return submit_and_reply(desk_, to, meta, std::move(item));
}

Status LearningRequests::submit_solution(const RequestId& to, const CommandMeta& meta,
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
  return submit(to, meta, stream, std::move(command));
}

Status LearningRequests::resolve(const RequestId& to, const Caller& caller, std::vector<std::string> names,
                                 std::function<Status(std::vector<std::string>)> then) {
  if (names.empty()) {
    return fail(ErrorKind::usage, "no_solution", "no solution is named", "give one or more ids");
  }
  const auto find = [this, caller, names = std::move(names), then = std::move(then)]() -> Status {
    const auto rows = store_.views.snapshot();
    std::vector<std::string> ids;
    for (const std::string& name : names) {
      auto id = LUZIA_TRY(resolve_solution(*rows, name, project_filter(desk_.config, caller)));
      if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
    }
    return then(std::move(ids));
  };
  return queries_.when_current(to, find);
}

Status LearningRequests::judge(const RequestId& to, const Caller& caller,
                               const wire::JudgeSolution& request) {
  const std::shared_ptr<wire::JudgeSolutionT> copy(request.UnPack());
  CommandMeta meta = meta_of_teacher(caller, *copy);
  return resolve(to, caller, {copy->solution}, [this, to, caller, copy, meta](const auto& ids) {
    auto judge_it = [this, to, copy, meta, id = ids.front()](std::string job) mutable {
      meta.now = wall_now();
      return submit(to, meta, solution_stream(id), JudgeSolution{copy->helped, std::move(job)});
    };
    if (copy->job.empty()) return judge_it({});
    return queries_.resolve(to, {copy->job}, caller,
                            [judge_it](const auto& jobs) mutable { return judge_it(jobs.front()); });
  });
}

/// Entries for every project may be removed only by callers who may record them.
Status LearningRequests::prune(const RequestId& to, const Caller& caller,
                               const wire::PruneSolutions& request) {
  const std::shared_ptr<wire::PruneSolutionsT> copy(request.UnPack());
  CommandMeta meta = meta_of_teacher(caller, *copy);
  const auto submit_all = [this, to, caller, copy, meta](const auto& ids) mutable -> Status {
    meta.now = wall_now();
    const auto rows = store_.views.snapshot();
    ToLearning item;
    for (const std::string& id : ids) {
      const auto solution = find_solution(*rows, id);
      if (solution && solution->project.empty() && !caller.trusted) {
        return fail(ErrorKind::refused, "not_allowed",
                    caller.name + " may not prune " + id + ", which is of use in every project");
      }
      item.commands.emplace_back(solution_stream(id), PruneSolution{copy->reason});
    }
    return submit_and_reply(desk_, to, meta, std::move(item));
  };
  return resolve(to, caller, copy->solutions, submit_all);
}

Status LearningRequests::store(const RequestId& to, const Caller& caller, const wire::StoreFact& request) {
  wire::StoreFactT copy;
  request.UnPackTo(&copy);
  LUZIA_TRY(may_teach(caller, copy.project));
  return submit(to, meta_of_teacher(caller, copy),
                fact_stream(copy.project, copy.subject, copy.relation, copy.object),
                StoreFact{copy.subject, copy.relation, copy.object, copy.context, copy.project});
}

Status LearningRequests::forget(const RequestId& to, const Caller& caller, const wire::ForgetFact& request) {
  wire::ForgetFactT copy;
  request.UnPackTo(&copy);
  // Trusted callers may also name a project that is no longer configured.
  if (!caller.trusted) {
    LUZIA_TRY(may_teach(caller, copy.project));
  }
  return submit(to, meta_of_teacher(caller, copy),
                fact_stream(copy.project, copy.subject, copy.relation, copy.object), ForgetFact{copy.reason});
}

/// Whoever may see a todo's project may change it; those without a project are everybody's, but only trusted
/// callers add them. Other people's names, ids and earlier times are for trusted callers too.
Status LearningRequests::act_on_todo(const RequestId& to, const Caller& caller,
                                     const wire::ActOnTodo& request) {
  const std::shared_ptr<wire::ActOnTodoT> copy(request.UnPack());
  const bool adds = copy->action == wire::TodoAction::add;
  const bool of_others = !copy->by.empty() || copy->at_us != 0 || copy->taken || copy->done;
  if ((!caller.trusted || caller.device) && (of_others || (adds && !copy->todo.empty()))) {
    return fail(ErrorKind::refused, "not_allowed",
                caller.name + " may not say who else changed a todo, or when, or what its id is",
                "leave the name, the time and the id out");
  }
  CommandMeta meta = meta_of_teacher(caller, *copy);
  const auto go_on = [this, to, caller, copy, meta, adds] {
    return adds ? add_todo(to, caller, meta, *copy) : change_todo(to, caller, meta, copy);
  };
  // An agent acts for its own job, also if it does not say so: what another job has taken it leaves alone.
  if (!caller.job.empty() && (copy->job.empty() || copy->job == caller.job)) {
    copy->job = caller.job;
    return go_on();
  }
  if (copy->job.empty()) return go_on();
  queries_.resolve({copy->job}, caller, [this, to, caller, copy, go_on](const auto& jobs) {
    copy->job = jobs ? jobs->front() : std::string();  // a job of another daemon says nothing here
    const Status may = copy->job.empty() ? Status() : may_name_job(caller, copy->job);
    refuse_unless(desk_, to, may ? go_on() : may);
  });
  return {};
}

Status LearningRequests::may_name_job(const Caller& caller, const std::string& job) {
  constexpr auto kWhat = "change todos in the name of";
  if (caller.job.empty()) return rights_.may_go_on(caller, job, kWhat);
  return fail(ErrorKind::refused, "other_job",
              "the agent of job " + caller.job + " may not " + kWhat + " job " + job,
              "leave LUZIA_JOB_ID as it is");
}

Status LearningRequests::add_todo(const RequestId& to, const Caller& caller, CommandMeta meta,
                                  const wire::ActOnTodoT& request) {
  meta.now = wall_now();
  // An import may name a project that is no longer configured.
  const bool is_import = !request.todo.empty();
  if (!is_import) {
    LUZIA_TRY(may_teach(caller, request.project));
  }
  if (is_import && !is_todo_id(request.todo)) {
    return fail(ErrorKind::usage, "bad_id", "'" + request.todo + "' is not the id of a todo",
                "leave it out: the daemon gives one");
  }
  const std::string id = is_import ? request.todo : std::string(kTodoIdBegin) + ids_.next(meta.now);
  const bool is_open = !request.done && !desk_.engine.is_repeated(meta);
  std::size_t& room = todo_room_[request.project];
  if (is_open && room == 0) {
    return queries_.when_current(to, [this, to, meta, id, request]() mutable -> Status {
      const std::size_t open = LUZIA_TRY(count_open_todos(*store_.views.snapshot(), request.project));
      if (open >= kMostOpenTodos) return too_many_todos(request.project);
      todo_room_[request.project] = kMostOpenTodos - open - 1;
      meta.now = wall_now();
      return submit_todo(to, meta, request, std::move(id));
    });
  }
  if (is_open) --room;
  return submit_todo(to, meta, request, id);
}

Status LearningRequests::change_todo(const RequestId& to, const Caller& caller, CommandMeta meta,
                                     std::shared_ptr<wire::ActOnTodoT> request) {
  return queries_.when_current(to, [this, to, caller, request, meta]() mutable -> Status {
    const auto rows = store_.views.snapshot();
    auto id = LUZIA_TRY(resolve_todo(*rows, request->todo, project_filter(desk_.config, caller)));
    meta.now = wall_now();
    return submit_todo(to, meta, *request, std::move(id));
  });
}

Status LearningRequests::submit_todo(const RequestId& to, const CommandMeta& meta,
                                     const wire::ActOnTodoT& request, std::string id) {
  const JobState* job = request.job.empty() ? nullptr : desk_.engine.find_live(request.job);
  std::string by = !request.by.empty() ? request.by : job != nullptr ? job->spec->agent : meta.actor_name;
  return submit(to, meta, todo_stream(id), todo_command(request, id, std::move(by)));
}

bool LearningRequests::is_search(const wire::Query& query) {
  const bool learned = query.view() == wire::View::solutions || query.view() == wire::View::facts;
  return learned && !text(query.text()).empty();
}

Status LearningRequests::search(const RequestId& to, const Caller& caller, const wire::Query& query) {
  if (query.at_position() != 0 || query.at_time_us() != 0) {
    return fail(ErrorKind::usage, "only_now", "words are searched in what is known now only",
                "without words what was known then is listed");
  }
  struct Work {
    wire::QueryT query;
    std::unique_ptr<ViewReader> rows;
    QuerySources sources;
    TimeUs now;
    Result<RowPage> page = tl::unexpected(Error{});
  };
  const std::shared_ptr<wire::QueryT> copy(query.UnPack());
  return queries_.when_current(to, [this, to, caller, copy]() -> Status {
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
    return {};
  });
}

}  // namespace luzia
