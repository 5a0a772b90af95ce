#include "engine/learning/learning.h"

#include <algorithm>
#include <cmath>

#include "engine/base/characters.h"
#include "engine/base/utf8.h"
#include "engine/event/take_fact.h"

namespace luzia {
namespace {

using Decided = Result<std::vector<NewEvent>>;

constexpr std::string_view kSolutionStream = "solution/", kFactStream = "fact/", kTodoStream = "todo/";
constexpr std::uint64_t kLongestLifetimeMs = 100ULL * 365 * 24 * 3600 * 1000;

template <class FactOf>
Decided one_event(const std::string& stream, FactOf fact, std::vector<Blob> blobs = {}) {
  std::vector<NewEvent> events;
  events.push_back(new_event(stream, std::move(fact)));
  events.back().blobs = std::move(blobs);
  return events;
}

// ------------------------------------------------------------------------------------------ refusals

/// Whether the text is a valid line: not blank, at most `most` bytes, valid UTF-8, without control
/// characters.
bool is_line(std::string_view text, std::size_t most) {
  return !is_blank(text) && is_plain_line(text, most);
}

Status check_length(std::string_view text, std::size_t most, std::string_view what) {
  if (text.size() <= most) return {};
  return fail(ErrorKind::usage, "text_too_long",
              std::string(what) + " has " + std::to_string(text.size()) + " bytes, more than the " +
                  std::to_string(most) + " that are kept",
              "shorten it, or name a file among the references");
}

Status check_tags(const std::vector<std::string>& tags) {
  if (tags.size() > kMaxSolutionTags) {
    return fail(ErrorKind::usage, "bad_tag",
                std::to_string(tags.size()) + " tags are more than the " + std::to_string(kMaxSolutionTags) +
                    " allowed",
                "name the few that somebody would search for");
  }
  for (const std::string& tag : tags) {
    // The same rules as for jobs.
    if (is_line(tag, kMaxLearningTag) && tag.find_first_of(" ,") == std::string::npos) continue;
    return fail(ErrorKind::usage, "bad_tag",
                "tag '" + bounded_utf8(tag, kMaxLearningTag) + "' is empty, over " +
                    std::to_string(kMaxLearningTag) + " bytes or has spaces or commas",
                "use a short word");
  }
  return {};
}

Status check_references(const std::vector<std::string>& references) {
  const bool sound = references.size() <= kMaxReferences &&
                     std::ranges::all_of(references, [](const auto& r) { return is_line(r, kMaxReference); });
  if (sound) return {};
  return fail(ErrorKind::usage, "bad_reference",
              "a reference is a line of at most " + std::to_string(kMaxReference) + " bytes, at most " +
                  std::to_string(kMaxReferences) + " of them",
              "name files, jobs or addresses, one each");
}

Status check_lifetime(const RecordSolution& command, TimeUs now) {
  const TimeUs last = now + static_cast<TimeUs>(kLongestLifetimeMs) * kMillisecondUs;
  const bool fits =
      command.lifetime_ms <= kLongestLifetimeMs && command.expires_us >= 0 && command.expires_us <= last;
  if (fits) return {};
  return fail(ErrorKind::usage, "bad_lifetime", "the solution would expire in over a hundred years",
              "leave the time out: it is kept for ever then");
}

Status check(const RecordSolution& command, TimeUs now) {
  if (is_blank(command.problem)) {
    return fail(ErrorKind::usage, "no_problem", "the solution names no problem that it solves",
                "say what somebody would search for: an error message, a symptom");
  }
  LUZIA_TRY(check_length(command.problem, kMaxLearningText, "the problem"));
  if (is_blank(command.text.content)) {
    return fail(ErrorKind::usage, "no_text", "the solution is empty", "say what to do about the problem");
  }
  LUZIA_TRY(check_length(command.text.content, kMaxSolutionText, "the solution"));
  if (!std::isfinite(command.confidence) || command.confidence < 0 || command.confidence > 1) {
    return fail(ErrorKind::usage, "bad_confidence", "the confidence is not from 0 to 1",
                "0.5 where nobody knows, 0.9 where it was tried and helped");
  }
  LUZIA_TRY(check_lifetime(command, now));
  LUZIA_TRY(check_tags(command.tags));
  return check_references(command.references);
}

Status check(const StoreFact& command) {
  for (const auto& [name, value] : {std::pair("subject", &command.subject),
                                    {"relation", &command.relation},
                                    {"object", &command.object}}) {
    if (is_line(*value, kMaxFactName)) continue;
    return fail(ErrorKind::usage, "bad_fact",
                std::string("the fact's ") + name + " must be a line of 1 to " +
                    std::to_string(kMaxFactName) + " bytes of text",
                "a fact says three things: subject, relation, object; the rest is its context");
  }
  return check_length(command.context, kMaxLearningText, "the context");
}

tl::unexpected<Error> no_such_solution(const std::string& stream) {
  return fail(ErrorKind::not_found, "no_such_solution",
              "no solution '" + std::string(solution_of_stream(stream)) + "'",
              "luzia solution search finds them; pruned ones are gone");
}

// ------------------------------------------------------------------------------------------ decisions

Decided decide_one(const Lesson& state, const std::string& stream, RecordSolution command, TimeUs now) {
  if (state.version != 0) {
    return fail(ErrorKind::refused, "solution_exists", "solution " + command.id + " is there already");
  }
  LUZIA_TRY(check(command, now));
  schema::SolutionRecordedT fact;
  fact.solution = std::move(command.id);
  fact.project = std::move(command.project);
  fact.problem = bounded_utf8(command.problem, kMaxLearningText);
  fact.text = std::make_unique<schema::BlobRefT>(blob_ref(command.text));
  fact.references = std::move(command.references);
  for (std::string& tag : command.tags) {
    if (std::ranges::find(fact.tags, tag) == fact.tags.end()) fact.tags.push_back(std::move(tag));
  }
  fact.confidence = command.confidence;
  fact.expires_us = command.expires_us;
  if (command.lifetime_ms != 0)
    fact.expires_us = now + static_cast<TimeUs>(command.lifetime_ms) * kMillisecondUs;
  std::vector<Blob> blobs;
  blobs.push_back(std::move(command.text));
  return one_event(stream, std::move(fact), std::move(blobs));
}

Decided decide_one(const Lesson& state, const std::string& stream, const JudgeSolution& command, TimeUs) {
  if (!state.solution) return no_such_solution(stream);
  return one_event(stream, schema::SolutionTriedT{{}, state.solution->id, command.job, command.helped});
}

Decided decide_one(const Lesson& state, const std::string& stream, const PruneSolution& command, TimeUs) {
  if (!state.solution) return no_such_solution(stream);
  LUZIA_TRY(check_length(command.reason, kMaxLearningText, "the reason"));
  return one_event(stream, schema::SolutionPrunedT{{}, state.solution->id, command.reason});
}

Decided decide_one(const Lesson& state, const std::string& stream, const StoreFact& command, TimeUs) {
  LUZIA_TRY(check(command));
  const std::string context = bounded_utf8(command.context, kMaxLearningText);
  if (state.fact && state.fact->context == context) return std::vector<NewEvent>{};
  schema::FactStoredT fact;
  fact.subject = command.subject;
  fact.relation = command.relation;
  fact.object = command.object;
  fact.context = context;
  fact.project = command.project;
  return one_event(stream, std::move(fact));
}

Decided decide_one(const Lesson& state, const std::string& stream, const ForgetFact& command, TimeUs) {
  if (!state.fact) {
    return fail(ErrorKind::not_found, "no_such_fact", "no such fact is known",
                "luzia fact list shows them; subject, relation, object and project must all be the same");
  }
  LUZIA_TRY(check_length(command.reason, kMaxLearningText, "the reason"));
  schema::FactForgottenT fact;
  fact.subject = state.fact->subject;
  fact.relation = state.fact->relation;
  fact.object = state.fact->object;
  fact.project = state.fact->project;
  fact.reason = command.reason;
  return one_event(stream, std::move(fact));
}

/// Refused: there is none.
Result<const Todo*> known_todo(const Lesson& state, const std::string& stream) {
  if (state.todo) return &*state.todo;
  return fail(ErrorKind::not_found, "no_such_todo", "no todo '" + std::string(todo_of_stream(stream)) + "'",
              "luzia todo list shows them");
}

/// Refuses what only its holder may do. A command without a job is a person's.
Status check_holder(const Todo& todo, const std::string& job) {
  if (todo.state != view::TodoState::in_progress || job.empty() || todo.job == job) return {};
  return fail(ErrorKind::refused, "todo_taken", "todo " + todo.todo + " was taken by " + todo.by,
              "take another one: luzia todo list");
}

Status check_by(const std::string& by) {
  if (is_line(by, kMaxFactName)) return {};
  return fail(ErrorKind::usage, "bad_name", "the name of who does it is not a line of text",
              "give a name of at most " + std::to_string(kMaxFactName) + " bytes");
}

Decided decide_one(const Lesson& state, const std::string& stream, TakeTodo command, TimeUs) {
  const Todo* const known = LUZIA_TRY(known_todo(state, stream));
  const Todo& todo = *known;
  LUZIA_TRY(check_by(command.by));
  if (todo.state == view::TodoState::completed) {
    return fail(ErrorKind::refused, "todo_done", "todo " + todo.todo + " was completed by " + todo.by,
                "take another one: luzia todo list");
  }
  if (todo.state == view::TodoState::in_progress) {
    if (todo.by == command.by && todo.job == command.job) return std::vector<NewEvent>{};
    return fail(ErrorKind::refused, "todo_taken", "todo " + todo.todo + " was taken by " + todo.by,
                "take another one (luzia todo list), or have it given back: luzia todo release " + todo.todo);
  }
  schema::TodoTakenT fact;
  fact.todo = todo.todo;
  fact.by = std::move(command.by);
  fact.job = std::move(command.job);
  fact.at_us = command.at;
  return one_event(stream, std::move(fact));
}

Decided decide_one(const Lesson& state, const std::string& stream, const ReleaseTodo& command, TimeUs) {
  const Todo* const known = LUZIA_TRY(known_todo(state, stream));
  const Todo& todo = *known;
  LUZIA_TRY(check_holder(todo, command.job));
  LUZIA_TRY(check_length(command.note, kMaxLearningText, "the note"));
  if (todo.state == view::TodoState::pending) return std::vector<NewEvent>{};
  if (todo.state == view::TodoState::completed) {
    return fail(ErrorKind::refused, "todo_done", "todo " + todo.todo + " was completed by " + todo.by,
                "add a new one: luzia todo add TEXT");
  }
  return one_event(stream, schema::TodoReleasedT{{}, todo.todo, command.note});
}

Decided decide_one(const Lesson& state, const std::string& stream, FinishTodo command, TimeUs) {
  const Todo* const known = LUZIA_TRY(known_todo(state, stream));
  const Todo& todo = *known;
  if (todo.state == view::TodoState::completed) return std::vector<NewEvent>{};
  LUZIA_TRY(check_holder(todo, command.job));
  LUZIA_TRY(check_by(command.by));
  LUZIA_TRY(check_length(command.note, kMaxLearningText, "the note"));
  schema::TodoDoneT fact;
  fact.todo = todo.todo;
  fact.by = std::move(command.by);
  fact.job = std::move(command.job);
  fact.note = std::move(command.note);
  fact.at_us = command.at;
  return one_event(stream, std::move(fact));
}

Decided decide_one(const Lesson& state, const std::string& stream, AddTodo command, TimeUs now) {
  if (state.todo) return std::vector<NewEvent>{};
  if (is_blank(command.text)) {
    return fail(ErrorKind::usage, "no_text", "the todo is empty", "say what is to be done");
  }
  LUZIA_TRY(check_length(command.text, kMaxLearningText, "the todo"));
  Lesson added;
  added.todo.emplace().todo = command.id;
  schema::TodoAddedT fact;
  fact.todo = std::move(command.id);
  fact.project = std::move(command.project);
  fact.text = bounded_utf8(command.text, kMaxLearningText);
  fact.at_us = command.at;
  auto events = one_event(stream, std::move(fact));
  const auto append = [&](Decided more) -> Status {
    if (!more) return tl::unexpected(more.error());
    std::ranges::move(*more, std::back_inserter(*events));
    return {};
  };
  if (command.taken) {
    LUZIA_TRY(append(decide_one(added, stream, std::move(*command.taken), now)));
  }
  if (command.done) {
    LUZIA_TRY(append(decide_one(added, stream, std::move(*command.done), now)));
  }
  return events;
}

// ------------------------------------------------------------------------------------------ evolution

void take(Lesson& state, const schema::SolutionRecorded& fact, const schema::Event& event) {
  Solution& solution = state.solution.emplace();
  solution.id = text(fact.solution());
  solution.project = text(fact.project());
  solution.problem = text(fact.problem());
  solution.references = texts(fact.references());
  solution.tags = texts(fact.tags());
  solution.stated_confidence = solution.confidence = fact.confidence();
  solution.created_us = solution.last_us = event.time_us();
  solution.expires_us = fact.expires_us();
  solution.by = actor_name(event);
  if (fact.text() != nullptr) solution.body.reset(fact.text()->UnPack());
}

void take(Lesson& state, const schema::SolutionTried& fact, const schema::Event& event) {
  if (!state.solution) return;
  Solution& solution = *state.solution;
  ++(fact.helped() ? solution.helped : solution.failed);
  solution.last_us = event.time_us();
  solution.confidence = confidence_after(solution.stated_confidence, solution.helped, solution.failed);
}

void take(Lesson& state, const schema::FactStored& fact, const schema::Event& event) {
  Fact& known = state.fact.emplace();
  known.subject = text(fact.subject());
  known.relation = text(fact.relation());
  known.object = text(fact.object());
  known.context = text(fact.context());
  known.project = text(fact.project());
  known.stored_us = event.time_us();
  known.by = actor_name(event);
  known.position = event.position();
}

TimeUs time_of(TimeUs at, const schema::Event& event) {
  return at != 0 ? at : event.time_us();
}

void take(Lesson& state, const schema::TodoAdded& fact, const schema::Event& event) {
  Todo& todo = state.todo.emplace();
  todo.todo = text(fact.todo());
  todo.project = text(fact.project());
  todo.text = text(fact.text());
  todo.added_by = actor_name(event);
  todo.added_us = time_of(fact.at_us(), event);
  todo.position = event.position();
}

void take(Todo& todo, const schema::TodoTaken& fact, const schema::Event& event) {
  todo.state = view::TodoState::in_progress;
  todo.by = text(fact.by());
  todo.job = text(fact.job());
  todo.taken_us = time_of(fact.at_us(), event);
}

void take(Todo& todo, const schema::TodoReleased& fact, const schema::Event& /*event*/) {
  todo.state = view::TodoState::pending;
  todo.by.clear();
  todo.job.clear();
  todo.taken_us = 0;
  todo.note = text(fact.note());
}

void take(Todo& todo, const schema::TodoDone& fact, const schema::Event& event) {
  todo.state = view::TodoState::completed;
  todo.by = text(fact.by());
  todo.job = text(fact.job());
  todo.note = text(fact.note());
  todo.done_us = time_of(fact.at_us(), event);
}

template <class Fact>
void take_todo(Lesson& state, const Fact& fact, const schema::Event& event) {
  if (!state.todo) return;
  take(*state.todo, fact, event);
  state.todo->position = event.position();
}

}  // namespace

Decided decide(const Lesson& state, const std::string& stream, LearningCommand command, TimeUs now) {
  return std::visit([&](auto& one) { return decide_one(state, stream, std::move(one), now); }, command);
}

void evolve(Lesson& state, const schema::Event& event) {
  state.version = event.version();
  state.position = event.position();
  const auto* learning = event.payload_as_LearningEvent();
  if (learning == nullptr) return;
  take_fact(
      *learning,
      [&](const schema::SolutionRecorded& fact) {
        take(state, fact, event);
        state.solution->position = event.position();
      },
      [&](const schema::SolutionTried& fact) { take(state, fact, event); },
      [&](const schema::SolutionPruned&) { state.solution.reset(); },
      [&](const schema::FactStored& fact) { take(state, fact, event); },
      [&](const schema::FactForgotten&) { state.fact.reset(); },
      [&](const schema::TodoAdded& fact) { take(state, fact, event); },
      [&](const schema::TodoTaken& fact) { take_todo(state, fact, event); },
      [&](const schema::TodoReleased& fact) { take_todo(state, fact, event); },
      [&](const schema::TodoDone& fact) { take_todo(state, fact, event); });
}

double confidence_after(double stated, std::uint64_t helped, std::uint64_t failed) {
  const auto good = static_cast<double>(helped), bad = static_cast<double>(failed);
  return (kStatedWeight * stated + good) / (kStatedWeight + good + bad);
}

bool is_expired(const Solution& solution, TimeUs now) {
  return solution.expires_us != 0 && solution.expires_us <= now;
}

std::string solution_stream(std::string_view solution) {
  return std::string(kSolutionStream).append(solution);
}

std::string_view solution_of_stream(std::string_view stream) {
  return stream.starts_with(kSolutionStream) ? stream.substr(kSolutionStream.size()) : std::string_view{};
}

std::string fact_stream(std::string_view project, std::string_view subject, std::string_view relation,
                        std::string_view object) {
  constexpr std::size_t kHashBytes = 16;
  std::string said;
  // Separates the parts by NUL, which check() allows in no name.
  for (const std::string_view name : {project, subject, relation, object}) {
    said.append(name).push_back('\0');
  }
  const Hash hash = blake2b({as_bytes(said)});
  return std::string(kFactStream).append(to_hex(Bytes(hash).first(kHashBytes)));
}

std::string todo_stream(std::string_view todo) {
  return std::string(kTodoStream).append(todo);
}

std::string_view todo_of_stream(std::string_view stream) {
  return stream.starts_with(kTodoStream) ? stream.substr(kTodoStream.size()) : std::string_view{};
}

bool is_fact_stream(std::string_view stream) {
  return stream.starts_with(kFactStream);
}

}  // namespace luzia
