// One job in full, and the events that explain it: as lines instead of columns.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/counted.h"
#include "engine/base/joined_names.h"
#include "engine/base/local_time.h"
#include "engine/base/percent.h"
#include "engine/event/limits_text.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/event_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/names.h"
#include "projections/rows/published_text.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/told_rows.h"
#include "projections/rows/unreadable.h"
#include "projections/rows/wrapped.h"

namespace luzia {
namespace {

constexpr std::size_t kNameWidth = 12;

class Card {
 public:
  explicit Card(const TableStyle& style) : style_(style) {}
  void line(std::string_view name, std::string_view value, Colour colour = Colour::none) {
    if (value.empty()) return;
    std::string shown =
        make_harmless(value, {.keep_newlines = false, .keep_tabs = false, .unicode = style_.unicode});
    if (style_.width > kNameWidth + 8) shown = fit_width(shown, style_.width - kNameWidth, style_.unicode);
    out_ += coloured(name, Colour::dim, style_.colour);
    out_.append(kNameWidth - std::min(kNameWidth, name.size()), ' ');
    out_ += coloured(shown, colour, style_.colour);
    out_ += '\n';
  }
  /// Wrapped instead of cut: its end is often what matters.
  void sentence(std::string_view name, std::string_view value, Colour colour = Colour::none) {
    constexpr std::size_t kMostLines = 8;
    if (style_.width <= kNameWidth + 8) return line(name, value, colour);
    const std::string shown =
        make_harmless(value, {.keep_newlines = false, .keep_tabs = false, .unicode = style_.unicode});
    WrappedText wrapped = wrap_text(shown, style_.width - kNameWidth - 4, kMostLines);
    if (wrapped.is_cut) wrapped.lines.back() += " ...";
    for (const std::string& each : wrapped.lines) line(std::exchange(name, " "), each, colour);
  }
  void line(std::string_view name, const flatbuffers::String* value) { line(name, text(value)); }
  void time(std::string_view name, TimeUs value) {
    if (value != 0) line(name, local_time(value));
  }
  std::string take() { return std::move(out_); }

 private:
  TableStyle style_;
  std::string out_;
};

/// What its agent was told, and whether it knows.
void add_told(Card& card, const view::Job& job) {
  if (job.told_omitted() > 0) card.line("told", counted(job.told_omitted(), "earlier message"));
  if (job.told() == nullptr) return;
  for (const auto* told : *job.told()) {
    const std::string read =
        told->read_us() == 0
            ? "not read yet"
            : fmt::format("{} at {}", read_words(told->attempt(), told->how()), local_time(told->read_us()));
    card.line("told", text(told->text()), told->read_us() == 0 ? Colour::yellow : Colour::none);
    card.line("", fmt::format("by {} at {}; {}", told_by(*told), local_time(told->told_us()), read),
              Colour::dim);
  }
}

void add_times(Card& card, const view::Job& job, TimeUs now) {
  const bool over = is_terminal(job.state());
  if (job.tracked()) {
    card.line("tracked", "since " + local_time(job.started_us()));
  } else {
    card.time("queued", job.queued_us());
    card.time("started", job.started_us());
  }
  if (over) card.time("ended", job.ended_us());
  if (job.started_us() != 0) {
    const TimeUs ran = std::max<TimeUs>(0, (over ? job.ended_us() : now) - job.started_us());
    card.line("time", format_duration(ran));
  }
  if (const TimeUs waited = human_wait(job, now); waited > 0) {
    card.line("waited", format_duration(waited) + " for a person");
  }
}

void add_progress(Card& card, const view::Job& job) {
  const auto* progress = job.progress();
  if (!progress || job.state() == schema::JobState::completed) return;
  std::string out;
  if (const auto percent = progress->percent()) out = whole_percent(*percent / 100);
  if (progress->total_steps() > 0) {
    out += fmt::format("{}step {} of {}", out.empty() ? "" : ", ", progress->current_step(),
                       progress->total_steps());
  }
  if (const auto name = text(progress->step_name()); !name.empty()) {
    out.append(out.empty() ? "" : ": ").append(name);
  }
  card.line("progress", out, Colour::cyan);
}

std::string_view todo_mark(schema::TodoStatus status) {
  switch (status) {
    case schema::TodoStatus::completed:
      return "[x] ";
    case schema::TodoStatus::in_progress:
      return "[>] ";
    case schema::TodoStatus::pending:
    case schema::TodoStatus::removed:
      break;
  }
  return "[ ] ";
}

/// What was published and has no line elsewhere.
void add_reported(Card& card, const view::Job& job) {
  const auto* said = job.reported();
  if (said == nullptr) return;
  card.line("about", said->description());
  card.line("task id", said->task_id());
  if (text(said->project()) != text(job.project())) card.line("for", said->project());
  if (said->estimated_seconds() > 0) card.line("estimate", seconds_text(said->estimated_seconds()));
  if (said->elapsed_seconds() > 0) card.line("elapsed", seconds_text(said->elapsed_seconds()));
  if (const auto left = said->remaining_seconds()) card.line("remaining", "about " + seconds_text(*left));
  card.line("waits", published_place(*said));
  card.line("because", said->reason());
  card.line("alert", published_alert(*said), Colour::yellow);
  card.line("kind", said->warning_type());
  card.line("advice", said->recommendation());
  if (said->retriable() || said->retry_count() > 0) {
    card.line("again",
              fmt::format("{}, {} so far", said->retriable() ? "may be retried" : "not to be retried",
                          counted(said->retry_count(), "retry", "retries")));
  }
}

/// What the agent reported about its own work.
void add_agent(Card& card, const view::Job& job) {
  if (job.todo()) {
    std::string_view name = "todo";
    for (const auto* item : *job.todo()) {
      card.line(std::exchange(name, " "), std::string(todo_mark(item->status())).append(text(item->text())));
    }
  }
  if (job.tool_calls() + job.tool_denials() > 0) {
    card.line("tools", fmt::format("{}, {} failed, {} denied", counted(job.tool_calls(), "call"),
                                   job.tool_failures(), job.tool_denials()));
  }
  if (job.agent_retries() > 0) {
    card.line("retries",
              counted(job.agent_retries(), "request to its service was refused",
                      "requests to its service were refused"),
              Colour::yellow);
  }
  if (job.outcome() != schema::AgentOutcome::none) {
    std::string said(agent_outcome_name(job.outcome()));
    if (const auto words = text(job.outcome_text()); !words.empty()) said.append(": ").append(words);
    card.sentence("agent says", said);
  }
  card.line("limit", text(job.limit()), Colour::yellow);
}

void add_findings(Card& card, const view::Job& job) {
  if (const auto* failure = job.failure()) {
    card.sentence("failure", text(failure->summary()), Colour::red);
    card.line("", fmt::format("line {} of the output, at byte {}", failure->first_line(), failure->offset()));
  }
  if (const std::string found = findings_text(job); !found.empty()) {
    const std::string listed = job.issues() > 0 ? fmt::format(" (luzia issues {})", text(job.id())) : "";
    card.line("found", found + listed, Colour::yellow);
    if (text(job.last_warning()) != text(job.last_line()))
      card.sentence("last found", text(job.last_warning()));
  }
  if (job.findings_omitted() > 0) {
    card.line("", fmt::format("and {} more findings that were counted only; output.log has them",
                              job.findings_omitted()));
  }
  card.line("verdict", published_result(job));
  if (const auto* tokens = job.tokens()) {
    std::string used = fmt::format("{} in, {} out", tokens->input(), tokens->output());
    if (tokens->cache_read() + tokens->cache_write() > 0) {
      used +=
          fmt::format(", {} read from the cache, {} written", tokens->cache_read(), tokens->cache_write());
    }
    card.line("tokens", used + (job.usage_partial() ? ", so far" : ""));
  }
  if (const auto cost = job.cost_usd()) {
    card.line("cost", fmt::format("{:.4f} USD{}", *cost, job.usage_partial() ? ", so far" : ""));
  }
}

Colour card_colour(schema::JobState state) {
  if (!is_terminal(state)) return Colour::cyan;
  if (state == schema::JobState::completed) return Colour::green;
  return state == schema::JobState::killed || never_ran(state) ? Colour::yellow : Colour::red;
}

/// `listed` has the events of one stream; the cause of one of them may be in another stream.
std::string cause_text(const schema::Event& event, const std::vector<const schema::Event*>& listed,
                       const std::vector<Position>& before) {
  if (event.cause() == 0) return {};
  const auto cause =
      std::ranges::lower_bound(listed, event.cause(), {}, [](const auto* each) { return each->position(); });
  const bool is_listed = (cause != listed.end() && (*cause)->position() == event.cause()) ||
                         std::ranges::binary_search(before, event.cause());
  // A finding is caused by its stretch of output, which explains nothing by itself.
  const bool was_read = event.evidence() && event.evidence()->kind() == schema::EvidenceKind::inferred;
  return fmt::format("because of #{}{}; ", event.cause(),
                     is_listed  ? ""
                     : was_read ? " (output that was read)"
                                : " (not in this list)");
}

/// ": Deploy where?" after the sentence that a question was asked, ": staging" after the one that it was
/// answered, if the texts are known.
std::string told_words(const schema::Event& event, const QuestionWords& words, bool unicode) {
  constexpr std::size_t kLongestShown = 200;
  const auto* question = event.payload_as_QuestionEvent();
  if (question == nullptr) return {};
  const auto* asked = question->fact_as_QuestionAsked();
  const auto* answered = question->fact_as_QuestionAnswered();
  if (asked == nullptr && answered == nullptr) return {};
  const auto& texts = asked != nullptr ? words.asked : words.answered;
  const auto found = texts.find(text(asked != nullptr ? asked->question() : answered->question()));
  if (found == texts.end()) return {};
  return ": " + fit_width(make_harmless(found->second,
                                        {.keep_newlines = false, .keep_tabs = false, .unicode = unicode}),
                          kLongestShown, unicode);
}

/// The file that is read as the output of a tracked job, if its first event is listed.
std::string tracked_log(const std::vector<const schema::Event*>& listed) {
  for (const schema::Event* event : listed) {
    const auto* job = event->payload_as_JobEvent();
    const auto* tracked = job != nullptr ? job->fact_as_JobTracked() : nullptr;
    if (tracked != nullptr) return std::string(text(tracked->log()));
  }
  return {};
}

/// Events of its output speak of an output.log, which it does not have.
std::string naming_log(std::string sentence, std::string_view what, const std::string& log) {
  const std::size_t at = log.empty() ? std::string::npos : sentence.find(what);
  return at == std::string::npos ? sentence : sentence.replace(at, what.size(), log);
}

bool began_anew(const schema::Event& event) {
  const auto* output = event.payload_as_OutputEvent();
  return output != nullptr && output->fact_as_OutputRestarted() != nullptr;
}

/// "job 1qfar2zr00c6x: " before an event of another job than `job`.
std::string other_job(const schema::Event& event, std::string_view job) {
  const std::string_view own = job_of_stream(text(event.stream()));
  return job.empty() || own.empty() || own == job ? std::string() : fmt::format("job {}: ", own);
}

}  // namespace

std::string job_card(const view::Job& job, TimeUs now, const TableStyle& style, std::string_view waiting) {
  Card card(style);
  card.line("job", text(job.id()), Colour::bold);
  std::string state(state_name(job.state()));
  if (job.held()) state += ", held";
  if (job.paused()) state += ", paused";
  if (job.removed_us() != 0) state += ", removed";
  if (const std::string why = end_text(job); !why.empty()) state += " (" + why + ")";
  card.sentence("state", state, card_colour(job.state()));
  if (job.verified()) card.line("checks", proof_name(job));
  card.line("project", job.project());
  card.line("agent", std::string(text(job.agent()))
                         .append(text(job.own_agent()).empty() ? "" : ", instead of ")
                         .append(text(job.own_agent())));
  card.line("task", shown_task(job));
  card.line("message", job.message());
  add_told(card, job);
  card.line("user", job.user());
  if (!is_foreign(job)) card.line("priority", std::to_string(job.priority()));
  if (job.attempts() > 1) card.line("attempt", fmt::format("{} of {} so far", job.attempt(), job.attempts()));
  card.sentence("queue", waiting, Colour::yellow);
  card.time("not before", job.not_before_us());
  card.time("parked till", job.parked_until_us());
  card.line("after", joined_names(job.after()));
  card.line("tags", joined_names(job.tags()));
  card.line("queued by", job.enqueued_by());
  card.line("skill", job.skill_match());
  add_times(card, job, now);
  if (job.pid() != 0) card.line("pid", std::to_string(job.pid()));
  add_progress(card, job);
  add_reported(card, job);
  card.line("log", job.log());
  const std::string gone =
      job.files_gone_us() == 0 ? "" : files_gone_text(job.files_gone_us(), text(job.files_gone_rule()));
  card.line("output", counted(job.output_bytes(), "byte") + ", " + counted(job.output_lines(), "line") +
                          (gone.empty() ? "" : "; " + gone));
  card.line("last line", job.last_line());
  add_agent(card, job);
  add_findings(card, job);
  if (job.max_rss_kib() > 0) {
    card.line(
        "used",
        fmt::format("{} user, {} system, peak {} MiB", format_duration(static_cast<TimeUs>(job.user_us())),
                    format_duration(static_cast<TimeUs>(job.system_us())), job.max_rss_kib() / 1024));
  }
  card.line("sandbox", job.sandbox());
  if (job.resident_kib() > 0) card.line("memory", fmt::format("{} MiB now", job.resident_kib() / 1024));
  if (job.limits() != nullptr) {
    schema::AttemptLimitsT limits;
    job.limits()->UnPackTo(&limits);
    card.line("limits", limits_text(limits));
  }
  card.line("session", job.session_id());
  card.line("model", job.model());
  card.line("flow", job.flow());
  card.line("step", job.step());
  card.line("parent", job.parent_job());
  card.line("schedule", job.schedule());
  card.line("folder", job.dir_gone() ? gone : text(job.dir()));
  card.line("runs in", job.working_dir());
  card.line("own tree", job.worktree());
  card.line("snapshot", job.snapshot());
  card.time("removed", job.removed_us());
  return card.take();
}

QuestionWords question_words(const std::vector<const view::Question*>& rows) {
  QuestionWords words;
  for (const view::Question* row : rows) {
    const std::string id(text(row->id()));
    if (!text(row->question()).empty()) words.asked[id] = text(row->question());
    if (!text(row->answer()).empty()) words.answered[id] = text(row->answer());
  }
  return words;
}

bool tells_of_questions(const std::vector<const schema::Event*>& events) {
  return std::ranges::any_of(events, [](const auto* event) {
    const auto* question = event->payload_as_QuestionEvent();
    return question != nullptr && (question->fact_as_QuestionAsked() || question->fact_as_QuestionAnswered());
  });
}

std::string_view explained_job(const std::vector<const schema::Event*>& events) {
  return events.empty() ? std::string_view() : job_of_stream(text(events.back()->stream()));
}

namespace {

/// A sentence of `why` from column `indent` on. On a terminal it is wrapped: its end is often what matters.
std::string why_lines(std::string_view sentence, std::size_t indent, const TableStyle& style) {
  constexpr std::size_t kMostLines = 8;
  std::string one_line =
      make_harmless(sentence, {.keep_newlines = false, .keep_tabs = false, .unicode = style.unicode});
  if (style.width <= indent + 20) return one_line;
  const WrappedText wrapped = wrap_text(one_line, style.width - indent, kMostLines);
  std::string lines;
  for (const std::string& line : wrapped.lines)
    lines += (lines.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  return lines + (wrapped.is_cut ? " ..." : "");
}

}  // namespace

std::string why_text(const std::vector<const schema::Event*>& events, const TableStyle& style,
                     const std::vector<Position>& before, const QuestionWords& words, std::string_view job) {
  std::string out;
  std::size_t number_width = 2;
  for (const schema::Event* event : events) {
    number_width = std::max(number_width, std::to_string(event->position()).size() + 1);
  }
  const std::string log = tracked_log(events);
  for (const schema::Event* event : events) {
    const std::string time = local_time(event->time_us(), TimePart::millisecond);
    const std::string number = fmt::format("#{:<{}}", event->position(), number_width - 1);
    const std::size_t indent = time.size() + 2 + number_width + 2;
    const std::string source = cause_text(*event, events, before) +
                               naming_log(evidence_text(*event), "output.log of attempt 1", log);
    std::string sentence = event_text(*event);
    if (began_anew(*event)) sentence = naming_log(std::move(sentence), "output.log", log);
    out += coloured(time, Colour::dim, style.colour) + "  " + coloured(number, Colour::bold, style.colour) +
           "  " +
           why_lines(other_job(*event, job) + sentence + told_words(*event, words, style.unicode), indent,
                     style) +
           "\n" + std::string(indent, ' ') +
           coloured(why_lines(source, indent, style), Colour::dim, style.colour) + "\n";
  }
  return out;
}

}  // namespace luzia
