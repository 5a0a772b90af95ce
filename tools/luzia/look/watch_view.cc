#include "tools/luzia/look/watch_view.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/base/counted.h"
#include "engine/base/local_time.h"
#include "engine/event/event.h"
#include "projections/rows/harmless.h"
#include "projections/rows/names.h"
#include "projections/rows/pauses.h"
#include "projections/rows/published_text.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

constexpr std::size_t kBarWidth = 20, kNarrowBar = 8, kNoBar = 0;

struct Piece {
  std::string text;
  Colour colour = Colour::none;
};

/// The usual color of a state. Queued jobs are highlighted, because people watch for their start.
Colour job_colour(schema::JobState state) {
  return state == schema::JobState::queued ? Colour::blue : state_colour(state);
}

/// The pieces as one line, cut at the terminal's width.
std::string fitted(const std::vector<Piece>& pieces, const Terminal& terminal) {
  std::string line;
  std::size_t left = terminal.width == 0 ? ~std::size_t{0} : terminal.width;
  for (const Piece& piece : pieces) {
    if (piece.text.empty() || left == 0) continue;
    const std::string cut =
        left == ~std::size_t{0} ? piece.text : fit_width(piece.text, left, terminal.unicode);
    left = left == ~std::size_t{0} ? left : left - std::min(left, display_width(cut));
    line += coloured(cut, piece.colour, terminal.colour);
  }
  return line;
}

/// The columns left in a line after these pieces, at least 1; 0: no limit.
std::size_t room_after(const std::vector<Piece>& pieces, const Terminal& terminal) {
  std::size_t used = 0;
  for (const Piece& piece : pieces) used += display_width(piece.text);
  return terminal.width == 0 ? 0 : used < terminal.width ? terminal.width - used : 1;
}

std::string shown(std::string_view text, bool unicode) {
  return make_harmless(text, {.keep_tabs = false, .unicode = unicode});
}

std::string shown(const flatbuffers::String* text, bool unicode) {
  return text == nullptr ? "" : shown(text->string_view(), unicode);
}

std::string state_words(const view::Job& job) {
  return std::string(state_name(job.state())) + (job.paused() ? " (paused)" : "") +
         (job.held() ? " (held)" : "") + (job.stopping() && !is_terminal(job.state()) ? " (stopping)" : "");
}

std::string elapsed_text(const view::Job& job, TimeUs now) {
  const TimeUs end = job.ended_us() != 0 ? job.ended_us() : now;
  return job.started_us() == 0 ? "" : format_duration(std::max<TimeUs>(0, end - job.started_us()));
}

/// A job's progress in `room` columns (0: no limit). If space is short, the bar is shortened and dropped
/// first, then the step's name is cut. `fits`: there is room for percent and step number.
struct ProgressWords {
  std::string text;
  bool fits = true;
};

ProgressWords progress_words(const view::Job& job, std::size_t room, bool unicode) {
  const view::Progress* progress = job.progress();
  if (progress == nullptr || is_terminal(job.state())) return {};
  std::string steps;
  if (progress->total_steps() > 0) {
    steps = "  " + std::to_string(progress->current_step()) + "/" + std::to_string(progress->total_steps());
  }
  const std::string name = shown(progress->step_name(), unicode);
  const std::string tail = name.empty() ? "" : "  " + name;
  std::string words = steps;
  if (const auto percent = progress->percent()) {
    for (const std::size_t bar : {kBarWidth, kNarrowBar, kNoBar}) {
      words = "  " + progress_bar(*percent, bar, unicode) + steps;
      if (room == 0 || display_width(words) <= room) break;
    }
  }
  return {words + tail, room == 0 || display_width(words) <= room};
}

/// Which command shows what the job asks; empty: it asks nothing.
std::string asking_words(const view::Job& job) {
  if (is_terminal(job.state())) return {};
  if (job.questions_open() > 0) return "  asks: luzia questions";
  return job.approvals_open() > 0 ? "  wants approval: luzia approvals" : std::string();
}

/// The same, or which command says why the job does not start.
std::string next_words(const view::Job& job, TimeUs now, bool unicode) {
  constexpr TimeUs kLongInQueue = 5 * kSecondUs;
  const bool waits_long = job.state() == schema::JobState::queued && now - job.queued_us() > kLongInQueue;
  return waits_long ? "  waits: luzia why " + shown(job.id(), unicode) : asking_words(job);
}

/// The first open question or approval of the job; empty: none is known.
std::string asked_by(const view::Job& job, const AskedNow& asked, bool unicode) {
  if (is_terminal(job.state()) || job.questions_open() + job.approvals_open() == 0) return {};
  for (const view::Question* question : asked.questions) {
    if (text(question->job()) == text(job.id())) return asked_text(*question, unicode);
  }
  for (const view::Approval* approval : asked.approvals) {
    if (text(approval->job()) == text(job.id())) return asked_text(*approval, unicode);
  }
  return {};
}

std::string head_line(const view::Job& job, TimeUs now, const Terminal& terminal, const WatchLook& look) {
  const std::string elapsed = elapsed_text(job, now);
  const bool ended = is_terminal(job.state());
  const std::string task = shown(shown_task(job), terminal.unicode);
  std::string counts;
  if (job.warnings() > 0) counts += "  " + counted(job.warnings(), "warning");
  if (job.errors() > 0) counts += "  " + counted(job.errors(), "error");
  if (job.told_unread() > 0) counts += "  " + counted(job.told_unread(), "message") + " not read";
  std::vector<Piece> pieces = {{shown(job.id(), terminal.unicode), Colour::bold},
                               {"  " + shown(job.project(), terminal.unicode) + "  "},
                               {state_words(job), job_colour(job.state())},
                               {elapsed.empty() ? "" : "  " + elapsed, Colour::dim},
                               {next_words(job, now, terminal.unicode), Colour::yellow}};
  ProgressWords progress;
  if (look.progress && !ended) {
    progress = progress_words(job, room_after(pieces, terminal), terminal.unicode);
    if (!progress.fits) {
      // Progress is more important than the project's name.
      pieces[1].text = "  ";
      progress = progress_words(job, room_after(pieces, terminal), terminal.unicode);
    }
  }
  pieces.push_back({ended ? "  " + make_harmless(end_text(job)) : progress.text});
  pieces.push_back({counts, Colour::yellow});
  pieces.push_back({task.empty() ? "" : "  " + task, Colour::dim});
  return fitted(pieces, terminal);
}

/// Names of the ranks in the overview.
constexpr const char* kWords[] = {"working", "needs input", "parked", "ended", "queued"};

std::size_t rank_of(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::starting:
    case JobState::running:
      return 0;
    case JobState::waiting:
      return 1;
    case JobState::parked:
      return 2;
    case JobState::completed:
    case JobState::failed:
    case JobState::killed:
    case JobState::timed_out:
    case JobState::lost:
    case JobState::skipped:
    case JobState::cancelled:
      return 3;
    case JobState::none:
    case JobState::queued:
      break;
  }
  return 4;
}

/// "3 working, 1 needs input, 12 queued"
std::string summary(const std::vector<const view::Job*>& jobs) {
  std::size_t counts[std::size(kWords)] = {};
  for (const view::Job* job : jobs) ++counts[rank_of(job->state())];
  std::string words;
  for (std::size_t rank = 0; rank < std::size(kWords); ++rank) {
    if (counts[rank] > 0) {
      words += (words.empty() ? "" : ", ") + std::to_string(counts[rank]) + " " + kWords[rank];
    }
  }
  return words.empty() ? "no jobs" : words;
}

std::string short_progress(const view::Job& job, const Terminal& terminal) {
  const view::Progress* progress = job.progress();
  if (progress == nullptr || is_terminal(job.state())) return {};
  std::string words;
  if (const auto percent = progress->percent()) words = progress_bar(*percent, kNarrowBar, terminal.unicode);
  if (progress->total_steps() > 0) {
    words += (words.empty() ? "" : " ") + std::to_string(progress->current_step()) + "/" +
             std::to_string(progress->total_steps());
  }
  return words;
}

/// A header and a line per job, without newlines.
std::vector<std::string> overview_table(const std::vector<const view::Job*>& jobs, TimeUs now,
                                        const Terminal& terminal, const WatchLook& look) {
  Table table({{"JOB"},
               {"STATE"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true, .drops = 3},
               {.title = "TIME", .align = Align::right, .drops = 4},
               {.title = "DONE", .drops = 2},
               {.title = "TASK", .min_width = 10, .shrinks = true},
               {.title = "LAST LINE", .min_width = 12, .shrinks = true, .drops = 1}});
  for (const view::Job* job : jobs) {
    const bool ended = is_terminal(job->state());
    table.add({{std::string(text(job->id())), Colour::bold},
               {state_words(*job), job_colour(job->state())},
               {std::string(text(job->project()))},
               {elapsed_text(*job, now), Colour::dim},
               {look.progress ? short_progress(*job, terminal) : std::string()},
               {shown_task(*job)},
               {ended             ? end_text(*job)
                : look.last_lines ? std::string(text(job->last_line()))
                                  : std::string(),
                Colour::dim}});
  }
  return lines_of(table.text(terminal.style()));
}

/// The words in one line of bounded width, so that a long question does not hide its choices.
std::string bounded_line(std::string_view words, bool unicode) {
  constexpr std::size_t kMostColumns = 120;
  return fit_width(make_harmless(words, {.keep_newlines = false, .keep_tabs = false, .unicode = unicode}),
                   kMostColumns, unicode);
}

}  // namespace

std::string asked_text(const view::Question& question, bool unicode) {
  const std::string options = bounded_line(options_text(question), unicode);
  return bounded_line(text(question.question()), unicode) + (options.empty() ? "" : " (" + options + ")");
}

std::string asked_text(const view::Approval& approval, bool unicode) {
  return "approve " + bounded_line(subject_of(approval), unicode) + "?";
}

std::string progress_bar(double percent, std::size_t width, bool unicode) {
  const double clean = std::isfinite(percent) ? std::clamp(percent, 0.0, 100.0) : 0.0;
  if (width == 0) return std::to_string(static_cast<int>(clean)) + "%";
  const auto filled = static_cast<std::size_t>(std::lround(clean / 100 * static_cast<double>(width)));
  std::string bar = unicode ? "" : "[";
  for (std::size_t i = 0; i < width; ++i) {
    bar += unicode ? (i < filled ? "\u2588" : "\u2591") : (i < filled ? "#" : "-");
  }
  bar += unicode ? " " : "] ";
  const std::string number = std::to_string(static_cast<int>(clean));
  return bar + std::string(3 - std::min<std::size_t>(3, number.size()), ' ') + number + "%";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

WatchLook watch_look(const UpdateSettings& settings, bool compact) {
  const bool quiet = settings.verbosity == UpdateSettings::Verbosity::quiet;
  return {.progress = settings.progress && !quiet, .last_lines = !quiet && !compact};
}

std::vector<std::string> watch_lines(const std::vector<const view::Job*>& jobs, TimeUs now,
                                     const Terminal& terminal, const WatchLook& look, const AskedNow& asked) {
  // Keep one line for the cursor and one for the note about jobs that do not fit.
  const std::size_t most = std::max<std::size_t>(3, terminal.height) - 2;
  // Show output only if all jobs fit: jobs that ask something need an additional line.
  const auto published = [&](const view::Job& job) { return shown(published_line(job), terminal.unicode); };
  std::size_t wanted = jobs.size() * 2;
  for (const view::Job* job : jobs) {
    wanted += asked_by(*job, asked, terminal.unicode).empty() ? 0 : 1;
    wanted += published(*job).empty() ? 0 : 1;
  }
  const bool with_output = look.last_lines && wanted <= most;
  std::vector<std::string> lines;
  std::size_t left_out = 0;
  for (const view::Job* job : jobs) {
    if (lines.size() >= most) {
      ++left_out;
      continue;
    }
    lines.push_back(head_line(*job, now, terminal, look));
    const std::string said = published(*job);
    if (with_output && !said.empty() && lines.size() < most) {
      lines.push_back(fitted({{"    " + said}}, terminal));
    }
    const std::string asks = asked_by(*job, asked, terminal.unicode);
    if (!asks.empty() && lines.size() < most) {
      lines.push_back(fitted({{"    " + asks, Colour::yellow}}, terminal));
    }
    const std::string last = shown(job->last_line(), terminal.unicode);
    if (with_output && !last.empty() && lines.size() < most) {
      lines.push_back(fitted({{"    " + last, Colour::dim}}, terminal));
    }
  }
  if (left_out > 0) {
    lines.push_back(fitted({{"and " + std::to_string(left_out) + " more", Colour::dim}}, terminal));
  }
  return lines;
}

std::vector<std::string> overview_lines(const std::vector<const view::Job*>& jobs,
                                        const std::vector<const view::QueueSwitch*>& pauses, TimeUs now,
                                        const Terminal& terminal, const WatchLook& look) {
  const std::size_t most = std::max<std::size_t>(3, terminal.height) - 2;
  std::vector<std::string> lines;
  lines.push_back(fitted({{summary(jobs), Colour::bold}, {"  " + local_clock(now), Colour::dim}}, terminal));
  for (const view::QueueSwitch* pause : pauses) {
    const std::string words = make_harmless(pause_text(*pause, now), {.unicode = terminal.unicode});
    lines.push_back(fitted({{words, Colour::yellow}}, terminal));
  }
  std::vector<const view::Job*> ranked = jobs;
  std::stable_sort(ranked.begin(), ranked.end(), [](const view::Job* a, const view::Job* b) {
    return rank_of(a->state()) < rank_of(b->state());
  });
  // Keep a line for the header and one for the note about jobs that do not fit.
  lines.resize(std::min(lines.size(), most));
  const std::size_t room = most - lines.size();
  const std::size_t fits = ranked.size() < room ? ranked.size() : room > 1 ? room - 2 : 0;
  const std::size_t left_out = ranked.size() - fits;
  ranked.resize(fits);
  if (fits > 0) {
    for (std::string& line : overview_table(ranked, now, terminal, look)) lines.push_back(std::move(line));
  }
  if (left_out > 0) {
    const std::string words = "and " + std::to_string(left_out) + " more";
    if (room == 0) lines.pop_back();
    lines.push_back(fitted({{words, Colour::dim}}, terminal));
  }
  return lines;
}

std::string wait_line(const std::vector<const view::Job*>& jobs, TimeUs now, std::size_t turn,
                      const Terminal& terminal, const WatchLook& look, const AskedNow& asked) {
  static constexpr const char* kGlyphs[kWaitTurns] = {"\u280b", "\u2819", "\u2839", "\u2838", "\u283c",
                                                      "\u2834", "\u2826", "\u2827", "\u2807", "\u280f"};
  static constexpr const char* kLetters[] = {"|", "/", "-", "\\"};
  const char* mark = terminal.unicode ? kGlyphs[turn % kWaitTurns] : kLetters[turn % std::size(kLetters)];
  const auto works =
      std::find_if(jobs.begin(), jobs.end(), [](const view::Job* job) { return rank_of(job->state()) == 0; });
  const view::Job* job = works != jobs.end() ? *works : jobs.empty() ? nullptr : jobs.front();
  std::vector<Piece> pieces = {{std::string(mark) + " ", Colour::cyan}};
  if (jobs.size() > 1) pieces.push_back({summary(jobs) + "  "});
  if (job != nullptr) {
    const std::string elapsed = elapsed_text(*job, now);
    pieces.push_back({shown(job->id(), terminal.unicode), Colour::bold});
    pieces.push_back({"  " + state_words(*job), job_colour(job->state())});
    pieces.push_back({elapsed.empty() ? "" : "  " + elapsed, Colour::dim});
    const std::string asks = asked_by(*job, asked, terminal.unicode);
    pieces.push_back({asks.empty() ? asking_words(*job) : "  asks: " + asks, Colour::yellow});
    if (look.progress) {
      pieces.push_back({progress_words(*job, room_after(pieces, terminal), terminal.unicode).text});
    }
  }
  return fitted(pieces, terminal);
}

}  // namespace luzia
