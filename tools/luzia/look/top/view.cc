#include "tools/luzia/look/top/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/counted.h"
#include "engine/flow/flow.h"
#include "projections/rows/harmless.h"
#include "projections/rows/names.h"
#include "projections/rows/pauses.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/unreadable.h"
#include "projections/rows/wrapped.h"
#include "tools/luzia/look/watch_view.h"

namespace luzia {
namespace {

constexpr std::size_t kMarkWidth = 2;
constexpr std::size_t kMostNotes = 3;
constexpr std::size_t kShortBar = 8, kLongBar = 30;
constexpr std::size_t kWide = 100;  // from here on there is room for bars in the list
constexpr std::string_view kReverse = "\x1b[7m", kPlain = "\x1b[0m";

/// Everything that is drawn goes through here: made harmless, fitted, coloured.
class Sheet {
 public:
  Sheet(const Terminal& terminal, bool numbered) : terminal_(terminal), numbered_(numbered) {}

  std::string harmless(std::string_view words) const {
    return make_harmless(words, {.keep_tabs = false, .unicode = terminal_.unicode});
  }
  std::string line(std::string_view words, Colour colour = Colour::none) const {
    return coloured(fit_width(harmless(words), terminal_.width, terminal_.unicode), colour, terminal_.colour);
  }
  TableStyle style(std::size_t indent) const {
    return {terminal_.width - std::min(terminal_.width - 1, indent), terminal_.colour, terminal_.unicode};
  }
  const Terminal& terminal() const { return terminal_; }
  bool numbered() const { return numbered_; }

 private:
  const Terminal& terminal_;
  bool numbered_;
};

std::string time_text(const view::Job& job, TimeUs now) {
  const bool queued = job.state() == schema::JobState::queued;
  const TimeUs from = queued ? job.queued_us() : job.started_us();
  const TimeUs to = job.ended_us() != 0 ? job.ended_us() : now;
  return from == 0 ? "" : format_duration(std::max<TimeUs>(0, to - from));
}

std::string done_text(const view::Job& job, const Terminal& terminal) {
  const view::Progress* progress = job.progress();
  if (progress == nullptr || is_terminal(job.state())) return {};
  if (const auto percent = progress->percent()) {
    const double done = std::isfinite(*percent) ? std::clamp(*percent, 0.0, 100.0) : 0;
    return terminal.width < kWide ? fmt::format("{:.0f}%", std::floor(done))
                                  : progress_bar(*percent, kShortBar, terminal.unicode);
  }
  return progress->total_steps() == 0
             ? std::string()
             : fmt::format("{}/{}", progress->current_step(), progress->total_steps());
}

/// What to know of it now: what it asks, how it ended, what it printed last.
std::string now_text(const TopModel& model, const TopGroup& group, const view::Job& job) {
  if (is_terminal(job.state())) return end_detail_text(job);
  if (const auto* entry = entry_of(model.rows().notes().queue, job))
    return group.reason.empty() ? std::string(text(entry->blocked_why())) : std::string();
  for (const view::Question* question : model.rows().notes().questions) {
    if (text(question->job()) == text(job.id())) return "? " + std::string(text(question->question()));
  }
  for (const view::Approval* approval : model.rows().notes().approvals) {
    if (row_id_of(*approval) != text(job.id())) continue;
    // What a flow's gate is about stands where a job has its task.
    if (is_flow_step(job)) return fmt::format("? approve {}", text(approval->gate()));
    return "? approve " + subject_of(*approval);
  }
  if (is_flow_step(job)) return "! done by a person";
  if (!findings_text(job).empty() && job.last_warning() != nullptr) {
    return fmt::format("! {}", text(job.last_warning()));
  }
  return std::string(text(job.last_line()));
}

/// The job's or the flow's id; the step that waits stands behind it.
std::string id_cell(const view::Job& row) {
  const auto gate = split_flow_step(text(row.id()));
  return gate ? gate->first : std::string(text(row.id()));
}

/// Then its column would only take room from the tasks.
bool has_one_project(const TopModel& model) {
  std::set<std::string_view> projects;
  for (const TopGroup& group : model.groups()) {
    for (const view::Job* job : group.jobs) projects.insert(text(job->project()));
  }
  return projects.size() <= 1;
}

Table table_of(const TopModel& model, TimeUs now, const Terminal& terminal) {
  const bool one_project = has_one_project(model);
  std::vector<Column> columns = {{"JOB"},
                                 {"STATE"},
                                 {.title = "PROJECT", .min_width = 5, .shrinks = true, .drops = 3},
                                 {.title = "TIME", .align = Align::right, .drops = 4},
                                 {.title = "DONE", .align = Align::right, .drops = 2},
                                 {.title = "TASK", .min_width = 10, .shrinks = true},
                                 {.title = "NOW", .min_width = 12, .shrinks = true, .drops = 1}};
  if (one_project) columns.erase(columns.begin() + 2);
  Table table(std::move(columns));
  for (const TopGroup& group : model.groups()) {
    for (const view::Job* job : group.jobs) {
      std::vector<Cell> cells = {{id_cell(*job), Colour::bold},
                                 {state_text(*job), state_colour(job->state())},
                                 {std::string(text(job->project()))},
                                 {time_text(*job, now), Colour::dim},
                                 {done_text(*job, terminal)},
                                 {shown_task(*job)},
                                 {now_text(model, group, *job), Colour::dim}};
      if (one_project) cells.erase(cells.begin() + 2);
      table.add(std::move(cells));
    }
  }
  return table;
}

/// The open jobs of other machines, those that need a person first; at most so many.
Table far_table(const TopModel& model, TimeUs now, std::size_t most) {
  Table table({{"MACHINE"},
               {"JOB"},
               {"STATE"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true, .drops = 3},
               {.title = "TIME", .align = Align::right, .drops = 4},
               {.title = "TASK", .min_width = 10, .shrinks = true}});
  std::size_t left = most;
  for (const std::string_view key : {"needs_input", "working", "queued"}) {
    for (const TopFar& far : model.far()) {
      for (const AttentionGroup& group : group_by_attention(far.seen->jobs, now)) {
        for (const view::Job* job : group.key == key ? group.jobs : std::vector<const view::Job*>()) {
          if (left == 0) return table;
          --left;
          const Colour dim = far.is_old ? Colour::dim : Colour::none;
          table.add({{far.machine, dim},
                     {id_cell(*job), far.is_old ? dim : Colour::bold},
                     {state_text(*job), far.is_old ? dim : state_colour(job->state())},
                     {std::string(text(job->project())), dim},
                     {time_text(*job, now), Colour::dim},
                     {shown_task(*job), dim}});
        }
      }
    }
  }
  return table;
}

/// Below the own rows. No key acts on them.
void append_far(const TopModel& model, TimeUs now, const Sheet& page, std::vector<std::string>& lines) {
  constexpr std::size_t kMostFarRows = 12;
  const Table table = far_table(model, now, kMostFarRows);
  if (table.empty()) return;
  lines.push_back(page.line("On other machines: luzia --on MACHINE top acts there", Colour::cyan));
  for (const std::string& row : lines_of(table.text(page.style(kMarkWidth)))) {
    lines.push_back(std::string(kMarkWidth, ' ') + row);
  }
}

/// The rows below their groups' titles, and which of the lines is the selected job's.
struct Body {
  std::string header;
  std::vector<std::string> lines;
  std::size_t selected = 0;
};

Body body_of(const TopModel& model, TimeUs now, const Sheet& page) {
  const Table table = table_of(model, now, page.terminal());
  JobRows numbers, same_numbers;
  TableStyle style = page.style(kMarkWidth);
  if (page.numbered()) style.jobs = &numbers;
  const auto rows = lines_of(table.text(style));
  style.colour = false;
  if (page.numbered()) style.jobs = &same_numbers;
  const auto plain = lines_of(table.text(style));
  Body body;
  if (table.empty()) return body;
  body.header = std::string(kMarkWidth, ' ') + rows.front();
  const view::OutcomeDay* const ends = model.filter().empty() ? model.rows().notes().recent : nullptr;
  const std::string recent =
      ends == nullptr ? "" : recent_ends_text(*ends, model.rows().notes().recent_is_cut);
  std::size_t row = 0;
  for (const TopGroup& group : model.groups()) {
    std::string title = fmt::format("{} ({})", group.title, group.count);
    if (!group.reason.empty()) title += fmt::format(": {}", group.reason);
    if (group.title == "Ended" && !recent.empty()) title += "; " + recent;
    body.lines.push_back(page.line(title, group.colour));
    for (const view::Job* job : group.jobs) {
      if (++row >= rows.size()) break;
      if (job != model.selected()) {
        body.lines.push_back(std::string(kMarkWidth, ' ') + rows[row]);
        continue;
      }
      body.selected = body.lines.size();
      const std::string marked = "> " + plain[row];
      body.lines.push_back(page.terminal().colour ? std::string(kReverse) + marked + std::string(kPlain)
                                                  : marked);
    }
    if (!group.hint.empty()) body.lines.push_back(page.line("  " + group.hint, Colour::dim));
  }
  return body;
}

/// "3 working, 1 needs input, 12 queued"
std::string summary_of(const TopModel& model) {
  std::string words;
  for (const TopGroup& group : model.groups()) {
    std::string title(group.title);
    title.front() = static_cast<char>(title.front() | 0x20);
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", grouped(group.total), title);
  }
  if (!words.empty()) return words;
  if (model.rows().is_empty()) return "asking the daemon ...";
  return model.filter().empty() ? "no jobs yet" : "nothing like that; older ones: luzia jobs --all";
}

std::vector<std::string> head_of(const TopModel& model, TimeUs now, const Sheet& page) {
  std::string title = summary_of(model);
  if (!model.filter().empty()) title += "  /" + model.filter();
  std::vector<std::string> lines = {page.line(title, Colour::bold)};
  std::size_t left = kMostNotes;
  for (const view::Alert* alert : model.rows().notes().alerts) {
    if (left == 0) break;
    --left;
    lines.push_back(page.line(fmt::format("alert: {}", text(alert->message())), Colour::red));
  }
  for (const view::QueueSwitch* pause : model.rows().notes().pauses) {
    if (left == 0) break;
    --left;
    lines.push_back(page.line(pause_text(*pause, now), Colour::yellow));
  }
  return lines;
}

/// The keys that do something now. Where they are too wide, the least important are left out.
std::string keys_of(const TopModel& model, std::size_t width) {
  struct Hint {
    std::string_view words;
    bool shown;
    int drops;  // lowest first; 0: never
  };
  const view::Job* job = model.selected();
  const bool list = model.mode() == TopModel::Mode::list;
  const bool is_job = job != nullptr && !is_flow_step(*job);
  const bool ended = is_job && is_terminal(job->state());
  std::vector<Hint> hints = {{"q back", !list, 0},
                             {"1-9 answer", model.needs().question != nullptr, 0},
                             {"a approve", model.needs().approval != nullptr, 0},
                             {"d deny", model.needs().approval != nullptr, 0},
                             {"l logs", list && job != nullptr, 3},
                             {"t attach", is_job, 4},
                             {"r retry", ended, 5},
                             {"c cancel", is_job && !ended, 5},
                             {"/ filter", list, 2},
                             {"j k move", true, 1},
                             {"? help", true, 6},
                             {"q quit", list, 0}};
  constexpr int kMostDrops = 6;
  std::string keys;
  for (int dropped = 0; dropped <= kMostDrops; ++dropped) {
    keys.clear();
    for (const Hint& hint : hints) {
      if (!hint.shown || (hint.drops != 0 && hint.drops <= dropped)) continue;
      keys.append(keys.empty() ? "" : "  ").append(hint.words);
    }
    if (keys.size() <= width) break;
  }
  return keys;
}

std::string foot_of(const TopModel& model, const Sheet& page) {
  switch (model.mode()) {
    case TopModel::Mode::confirm:
      return page.line(model.question() + "?  y yes, any other key no", Colour::yellow);
    case TopModel::Mode::filter:
      return page.line("/" + model.filter() + "_", Colour::bold);
    case TopModel::Mode::help:
      return page.line("any key goes back", Colour::dim);
    case TopModel::Mode::list:
    case TopModel::Mode::detail:
      break;
  }
  if (!model.message().empty()) return page.line(model.message(), Colour::yellow);
  return page.line(keys_of(model, page.terminal().width), Colour::dim);
}

/// What the selected job asks, as luzia questions shows it.
std::vector<std::string> card_of(const TopModel& model, TimeUs now, const Sheet& page, std::size_t most) {
  TableStyle style = page.style(0);
  style.colour = false;
  std::string words;
  if (const view::Question* question = model.needs().question) words = questions_text({question}, now, style);
  if (const view::Approval* gate = model.needs().approval) {
    words += (words.empty() ? "" : "\n") + approvals_text({gate}, now, style);
  }
  if (const ManualStep* step = model.needs().step) words = manual_step_card(*step, style);
  auto lines = lines_of(words);
  if (lines.size() > most) lines.resize(most);
  for (std::string& line : lines)
    line = page.line(line, line.starts_with(' ') ? Colour::none : Colour::yellow);
  return lines;
}

void append(std::vector<std::string>& to, std::vector<std::string> lines) {
  for (std::string& line : lines) to.push_back(std::move(line));
}

std::vector<std::string> list_lines(const TopModel& model, TimeUs now, const Sheet& page,
                                    std::size_t height) {
  std::vector<std::string> lines = head_of(model, now, page);
  if (!model.machines().empty()) lines.push_back(page.line(model.machines(), Colour::cyan));
  std::vector<std::string> card = card_of(model, now, page, height / 3);
  Body body = body_of(model, now, page);
  append_far(model, now, page, body.lines);
  if (!body.header.empty()) lines.push_back(body.header);
  const std::size_t around = lines.size() + card.size() + (card.empty() ? 0 : 1);
  const std::size_t room = height > around ? height - around : 0;
  // The selected row in the middle, but for the first and last pages.
  const std::size_t most = body.lines.size() > room ? body.lines.size() - room : 0;
  const std::size_t first = std::min(most, body.selected - std::min(body.selected, room / 2));
  for (std::size_t i = first; i < std::min(body.lines.size(), first + room); ++i)
    lines.push_back(body.lines[i]);
  if (!card.empty()) {
    lines.resize(std::max(lines.size(), height - std::min(height, card.size())));
    append(lines, std::move(card));
  }
  return lines;
}

/// The last lines of what was printed that fit.
std::vector<std::string> output_lines(const std::string& output, const Sheet& page, std::size_t most) {
  const auto all = lines_of(output);
  std::vector<std::string> lines;
  for (std::size_t i = all.size() - std::min(all.size(), most); i < all.size(); ++i) {
    lines.push_back(page.line("  " + without_terminal_marks(all[i])));
  }
  return lines;
}

std::vector<std::string> detail_head(const view::Job& job, TimeUs now, const Sheet& page) {
  constexpr std::size_t kMostTaskLines = 3;
  std::string title =
      fmt::format("{}  {}  {}  {}", text(job.id()), text(job.project()), text(job.agent()), state_text(job));
  if (const std::string time = time_text(job, now); !time.empty()) title += "  " + time;
  if (const std::string why = end_text(job); !why.empty()) title += "  " + why;
  std::vector<std::string> lines = {page.line(title, state_colour(job.state()))};
  const WrappedText task = wrap_text(page.harmless(shown_task(job)), page.terminal().width, kMostTaskLines);
  append(lines, task.lines);
  const view::Progress* progress = job.progress();
  if (progress != nullptr && !is_terminal(job.state())) {
    std::string words;
    if (const auto percent = progress->percent())
      words = progress_bar(*percent, kLongBar, page.terminal().unicode);
    if (progress->total_steps() > 0) {
      words += fmt::format("  {}/{}", progress->current_step(), progress->total_steps());
    }
    lines.push_back(page.line(words + "  " + std::string(text(progress->step_name())), Colour::cyan));
  }
  return lines;
}

std::vector<std::string> detail_lines(const TopModel& model, TimeUs now, const Sheet& page,
                                      std::size_t height) {
  const view::Job* job = model.selected();
  if (job == nullptr) {
    const bool of_flow = split_flow_step(model.detail().job).has_value();
    return {page.line(model.detail().job + (of_flow ? " no longer waits: luzia flow history shows it"
                                                    : " is not listed any more: luzia job shows it"))};
  }
  std::vector<std::string> lines = detail_head(*job, now, page);
  if (const auto* entry = entry_of(model.rows().notes().queue, *job))
    lines.push_back(page.line(text(entry->blocked_why()), Colour::yellow));
  append(lines, card_of(model, now, page, height / 3));
  const auto& why = model.detail().why;
  const std::size_t left = height > lines.size() ? height - lines.size() : 0;
  const std::size_t causes = std::min(why.size(), left / 2 > 1 ? left / 2 - 1 : 0);
  if (causes > 0) {
    lines.push_back(page.line("Why", Colour::bold));
    for (std::size_t i = why.size() - causes; i < why.size(); ++i) lines.push_back(page.line("  " + why[i]));
  }
  if (lines.size() + 1 < height && !is_flow_step(*job)) {
    const std::string gone =
        job->files_gone_us() == 0
            ? "No output yet"
            : "Output " + files_gone_text(job->files_gone_us(), text(job->files_gone_rule()));
    lines.push_back(page.line(model.detail().output.empty() ? gone : "Output", Colour::bold));
    append(lines, output_lines(model.detail().output, page, height - lines.size()));
  }
  return lines;
}

std::vector<std::string> help_lines(const Sheet& page) {
  static constexpr const char* kHelp[] = {
      "j k, arrows      the next job, the one before; PgUp PgDn Home End",
      "l, Enter         the logs of a job, and why it is as it is",
      "1 to 9           answer the selected job's question with that option",
      "a d              approve or deny what the selected job or flow waits for",
      "r c              retry the selected job once it has ended, or cancel it",
      "t                attach to its terminal, or open its agent's session in one;",
      "                 Ctrl-\\ d comes back",
      "/                only jobs with these letters in id, project, agent, task,",
      "                 state or last line, the last 500 that ended among them;",
      "                 Esc shows all of them again",
      "Ctrl-L           redraw the screen",
      "q, Esc           back from a job; in the list: out",
      "",
      "Before anything is changed you are asked. After an answer the next row that",
      "needs you is selected. What needs you comes first in the list, then what",
      "failed, works, is queued (the first 5 until one is selected), is parked, and has",
      "ended. %3 names row 3 in the next command, such as luzia logs %3.",
  };
  std::vector<std::string> lines = {page.line("Keys", Colour::bold)};
  for (const char* line : kHelp) lines.push_back(page.line(line));
  return lines;
}

std::vector<std::string> content_of(const TopModel& model, TimeUs now, const Sheet& page,
                                    std::size_t height) {
  if (model.mode() == TopModel::Mode::help) return help_lines(page);
  return model.shows_detail() ? detail_lines(model, now, page, height) : list_lines(model, now, page, height);
}

}  // namespace

std::vector<std::string> top_lines(const TopModel& model, TimeUs now, const Terminal& terminal,
                                   bool numbered) {
  const Sheet page(terminal, numbered);
  constexpr std::size_t kLeastWidth = 20, kLeastHeight = 4;
  const std::size_t height = std::max<std::size_t>(1, terminal.height);
  if (terminal.width < kLeastWidth || height < kLeastHeight) {
    std::vector<std::string> lines(height);
    lines.front() = page.line("too small");
    return lines;
  }
  std::vector<std::string> lines = content_of(model, now, page, height - 1);
  lines.resize(height - 1);
  lines.push_back(foot_of(model, page));
  return lines;
}

std::optional<std::vector<std::string>> top_rows(const TopModel& model) {
  if (model.mode() == TopModel::Mode::help || model.shows_detail()) return std::nullopt;
  std::vector<std::string> rows;
  for (const TopGroup& group : model.groups()) {
    for (const view::Job* job : group.jobs) rows.push_back(id_cell(*job));
  }
  return rows;
}

std::size_t top_page(const Terminal& terminal) {
  constexpr std::size_t kAround = 4;
  return terminal.height > kAround ? terminal.height - kAround : 1;
}

}  // namespace luzia
