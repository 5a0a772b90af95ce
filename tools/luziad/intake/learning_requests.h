// Solutions, facts and todos: converts clients' requests to engine commands, and searches. Loop thread; rows
// are read on workers.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/base/ids.h"
#include "tools/luziad/queries/learned_search.h"
#include "tools/luziad/queries/queries.h"
#include "tools/luziad/rights/rights.h"

namespace luzia {

class LearningRequests {
 public:
  LearningRequests(const Threads& threads, const Store& store, const Desk& desk, Rights& rights,
                   Queries& queries, IdSource& ids);

  Status record(const RequestId& to, const Caller& caller, const wire::RecordSolution& request);
  Status judge(const RequestId& to, const Caller& caller, const wire::JudgeSolution& request);
  Status prune(const RequestId& to, const Caller& caller, const wire::PruneSolutions& request);
  Status store(const RequestId& to, const Caller& caller, const wire::StoreFact& request);
  Status forget(const RequestId& to, const Caller& caller, const wire::ForgetFact& request);
  Status act_on_todo(const RequestId& to, const Caller& caller, const wire::ActOnTodo& request);
  /// A text search for solutions or facts, on current rows.
  Status search(const RequestId& to, const Caller& caller, const wire::Query& query);
  static bool is_search(const wire::Query& query);
  const std::shared_ptr<LearnedSearch>& index() const { return search_; }

 private:
  /// Whether the caller may record something for this project; empty: for every project.
  Status may_teach(const Caller& caller, const std::string& project) const;
  /// Resolves the full ids of solutions that the caller may change, on current rows; then calls `then`.
  Status resolve(const RequestId& to, const Caller& caller, std::vector<std::string> names,
                 std::function<Status(std::vector<std::string>)> then);

  Status submit(const RequestId& to, const CommandMeta& meta, std::string stream, LearningCommand command);
  Status submit_solution(const RequestId& to, const CommandMeta& meta, const wire::RecordSolutionT& from);
  /// Whether the caller may act for that job, which is not proven to be its own.
  Status may_name_job(const Caller& caller, const std::string& job);
  /// `too_many_todos` (refused). Counts the project's open ones only when as many were added as there was
  /// room for.
  Status add_todo(const RequestId& to, const Caller& caller, CommandMeta meta,
                  const wire::ActOnTodoT& request);
  Status change_todo(const RequestId& to, const Caller& caller, CommandMeta meta,
                     std::shared_ptr<wire::ActOnTodoT> request);
  Status submit_todo(const RequestId& to, const CommandMeta& meta, const wire::ActOnTodoT& request,
                     std::string id);

  Threads threads_;
  Store store_;
  Desk desk_;
  Rights& rights_;
  Queries& queries_;
  IdSource& ids_;
  std::map<std::string, std::size_t> todo_room_;  // how many may be added, by project as last counted
  std::shared_ptr<LearnedSearch> search_;         // shared with searches in progress
};

}  // namespace luzia
