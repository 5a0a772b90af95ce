#include "projections/learning.h"

#include "projections/stream_events.h"
#include "projections/streams.h"
#include "projections/todos.h"

namespace luzia {
namespace {

std::string solution_key(std::string_view id) {
  return std::string("s").append(id);
}
std::string pruned_key(std::string_view id) {
  return std::string("p").append(id);
}
std::string fact_owner_key(std::string_view stream) {
  return std::string("h").append(stream);
}
std::string key_of(const Fact& fact) {
  return fact_key(fact.project, fact.subject, fact.relation, fact.object);
}

class LearningProjection : public Projection {
 public:
  explicit LearningProjection(ViewReaderSource rows)
      : solutions_(kSolutionsView, rows), facts_(kFactsView, std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kSolutionsView, kFactsView}; }

  void fold(const schema::Event& event) override {
    const auto* learning = event.payload_as_LearningEvent();
    if (learning == nullptr) return;
    const std::string_view stream = text(event.stream());
    if (const auto id = solution_of_stream(stream); !id.empty()) return fold_solution(id, event);
    if (const auto* stored = learning->fact_as_FactStored()) {
      Lesson lesson;
      evolve(lesson, event);
      const std::string key = key_of(*lesson.fact);
      facts_.put(key, std::make_unique<Fact>(std::move(*lesson.fact)));
      facts_.edit(fact_owner_key(stream)).project = text(stored->project());
    } else if (const auto* gone = learning->fact_as_FactForgotten()) {
      facts_.erase(fact_key(text(gone->project()), text(gone->subject()), text(gone->relation()),
                            text(gone->object())));
    }
  }
  void flush(RowBatch& batch) override {
    solutions_.flush(batch);
    facts_.flush(batch);
  }

 private:
  void fold_solution(std::string_view id, const schema::Event& event) {
    Lesson lesson;
    if (auto known = solutions_.take(solution_key(id))) lesson.solution = std::move(*known);
    std::string project = lesson.solution ? lesson.solution->project : std::string();
    const bool was_known = lesson.solution.has_value();
    evolve(lesson, event);
    if (lesson.solution) {
      solutions_.put(solution_key(id), std::make_unique<Solution>(std::move(*lesson.solution)));
    } else if (was_known) {
      Solution& left = solutions_.edit(pruned_key(id));
      left.id = id;
      left.project = std::move(project);
    }
  }

  RowTable<view::Solution> solutions_;
  RowTable<view::Fact> facts_;
};

template <class Row>
void visit_rows(const ViewReader& rows, const ProjectionInfo& info, char kind,
                const std::function<bool(const Row&)>& visit) {
  rows.scan(row_key(info, std::string(1, kind)), row_key(info, std::string(1, static_cast<char>(kind + 1))),
            [&](std::string_view, std::string_view value) { return visit(*StoredRow<Row>(value)); });
}

}  // namespace

std::unique_ptr<Projection> make_learning_projection(ViewReaderSource rows) {
  return std::make_unique<LearningProjection>(std::move(rows));
}

std::string fact_key(std::string_view project, std::string_view subject, std::string_view relation,
                     std::string_view object) {
  return "f" + joined_key({project, subject, relation, object});
}

std::optional<Solution> find_solution(const ViewReader& rows, std::string_view id) {
  const auto row = read_row<view::Solution>(rows, kSolutionsView, solution_key(id));
  return row ? std::optional<Solution>(row->native()) : std::nullopt;
}

void visit_solutions(const ViewReader& rows, const std::function<bool(const view::Solution&)>& visit) {
  visit_rows(rows, kSolutionsView, 's', visit);
}

void visit_facts(const ViewReader& rows, const std::function<bool(const view::Fact&)>& visit) {
  visit_rows(rows, kFactsView, 'f', visit);
}

Result<Lesson> find_lesson(const ViewReader& rows, const EventLog& log, const std::string& stream) {
  Lesson lesson;
  if (const auto id = solution_of_stream(stream); !id.empty()) {
    lesson.version = last_version(rows, stream);
    lesson.solution = find_solution(rows, id);
    if (lesson.version == 0) return lesson;
    const auto last = stream_positions(rows, stream, lesson.version, 1);
    lesson.position = last.empty() ? 0 : last.back();
    return lesson;
  }
  Status read = visit_events(log, stream_positions(rows, stream), [&](const schema::Event& event, Bytes) {
    evolve(lesson, event);
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return lesson;
}

std::optional<std::string> project_of_lesson(const ViewReader& rows, std::string_view stream) {
  std::string project;
  if (const auto id = solution_of_stream(stream); !id.empty()) {
    auto row = read_row<view::Solution>(rows, kSolutionsView, solution_key(id));
    if (!row) row = read_row<view::Solution>(rows, kSolutionsView, pruned_key(id));
    if (row) project = text((*row)->project());
  } else if (is_fact_stream(stream)) {
    const auto row = read_row<view::Fact>(rows, kFactsView, fact_owner_key(stream));
    if (row) project = text((*row)->project());
  } else if (const auto todo = todo_of_stream(stream); !todo.empty()) {
    if (const auto row = find_todo(rows, todo)) project = row->project;
  }
  return project.empty() ? std::nullopt : std::optional(std::move(project));
}

}  // namespace luzia
