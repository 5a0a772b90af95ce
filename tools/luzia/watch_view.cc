#include "tools/luzia/watch_view.h"

#include <algorithm>
#include <cmath>

#include "projections/rows/harmless.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

constexpr std::size_t kBarWidth = 20;

struct Piece {
  std::string text;
  Colour colour = Colour::none;
};

Colour colour_of(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::none:
    case JobState::queued:
      return Colour::blue;
    case JobState::starting:
    case JobState::running:
      return Colour::cyan;
    case JobState::waiting:
    case JobState::parked:
      return Colour::yellow;
    case JobState::completed:
      return Colour::green;
    case JobState::failed:
    case JobState::killed:
    case JobState::timed_out:
    case JobState::lost:
      return Colour::red;
  }
  return Colour::none;
}

/// One line of pieces, cut at the terminal's width.
std::string fitted(const std::vector<Piece>& pieces, const Terminal& terminal) {
  std::string line;
  std::size_t left = terminal.width == 0 ? ~std::size_t{0} : terminal.width;
  for (const Piece& piece : pieces) {
    if (piece.text.empty() || left == 0) {
      continue;
    }
    const std::string cut =
        left == ~std::size_t{0} ? piece.text : fit_width(piece.text, left, terminal.unicode);
    left = left == ~std::size_t{0} ? left : left - std::min(left, display_width(cut));
    line += coloured(cut, piece.colour, terminal.colour);
  }
  return line;
}

std::string shown(const flatbuffers::String* text, bool unicode) {
  return text == nullptr ? "" : make_harmless(text->string_view(), {.keep_tabs = false, .unicode = unicode});
}

std::string progress_text(const view::Job& job, const Terminal& terminal) {
  const view::Progress* progress = job.progress();
  if (progress == nullptr) {
    return {};
  }
  std::string text;
  if (const auto percent = progress->percent()) {
    text += "  " + progress_bar(*percent, kBarWidth, terminal.unicode);
  }
  if (progress->total_steps() > 0) {
    text += "  " + std::to_string(progress->current_step()) + "/" + std::to_string(progress->total_steps());
  }
  const std::string step = shown(progress->step_name(), terminal.unicode);
  return text + (step.empty() ? "" : "  " + step);
}

std::string first_line(const view::Job& job, TimeUs now, const Terminal& terminal) {
  const TimeUs end = job.ended_us() != 0 ? job.ended_us() : now;
  const std::string elapsed =
      job.started_us() == 0 ? "" : "  " + format_duration(std::max<TimeUs>(0, end - job.started_us()));
  const bool ended = is_terminal(job.state());
  const std::string flags = std::string(job.paused() ? " (paused)" : "") + (job.held() ? " (held)" : "") +
                            (job.stopping() && !ended ? " (stopping)" : "");
  std::string counts;
  if (job.warnings() > 0) {
    counts += "  " + std::to_string(job.warnings()) + " warnings";
  }
  if (job.errors() > 0) {
    counts += "  " + std::to_string(job.errors()) + " errors";
  }
  return fitted({{shown(job.id(), terminal.unicode), Colour::bold},
                 {"  " + shown(job.project(), terminal.unicode) + "  "},
                 {std::string(state_name(job.state())) + flags, colour_of(job.state())},
                 {elapsed, Colour::dim},
                 {ended ? "  " + make_harmless(end_text(job)) : progress_text(job, terminal)},
                 {counts, Colour::yellow}},
                terminal);
}

}  // namespace

std::string progress_bar(double percent, std::size_t width, bool unicode) {
  const double clean = std::isfinite(percent) ? std::clamp(percent, 0.0, 100.0) : 0.0;
  const auto filled = static_cast<std::size_t>(clean / 100 * static_cast<double>(width) + 0.5);
  std::string bar = unicode ? "" : "[";
  for (std::size_t i = 0; i < width; ++i) {
    bar += unicode ? (i < filled ? "\u2588" : "\u2591") : (i < filled ? "#" : "-");
  }
  bar += unicode ? " " : "] ";
  const std::string number = std::to_string(static_cast<int>(clean));
  return bar + std::string(3 - std::min<std::size_t>(3, number.size()), ' ') + number + "%";
}

std::vector<std::string> watch_lines(const std::vector<const view::Job*>& jobs, TimeUs now,
                                     const Terminal& terminal) {
  // One line stays free for the cursor, one for the note about what did not fit.
  const std::size_t most = std::max<std::size_t>(3, terminal.height) - 2;
  const bool with_output = jobs.size() * 2 <= most;
  std::vector<std::string> lines;
  std::size_t left_out = 0;
  for (const view::Job* job : jobs) {
    if (lines.size() >= most) {
      ++left_out;
      continue;
    }
    lines.push_back(first_line(*job, now, terminal));
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

}  // namespace luzia
