#include "tools/luzia/look/first_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/read/overview.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kNamed = 3;  // of what waits, and of what failed

constexpr std::string_view kFirstWords =
    "No job has run here yet. To begin, type in the folder of your work:\n"
    "  luzia claude \"TASK\"   give a coding agent a task (claude, codex, gemini)\n"
    "  luzia -- make test    run a command in the background\n"
    "  luzia init            set up agents and notifications\n";

/// One line of what waits or failed: who, what, and the command that answers or explains.
struct Prompt {
  TimeUs since = 0;
  std::string who, what, command;
};

std::string prompt_line(const Prompt& prompt, const TableStyle& style) {
  constexpr std::size_t kIndent = 2, kGap = 2, kLeast = 20;
  std::string what = make_harmless(prompt.what, {.keep_tabs = false, .unicode = style.unicode});
  const std::size_t used = kIndent + display_width(prompt.who) + 2 * kGap + display_width(prompt.command);
  const std::size_t room =
      style.width == 0 ? 60 : std::max(kLeast, style.width - std::min(style.width, used));
  what = fit_width(what, room, style.unicode);
  return fmt::format("  {}  {}  {}\n", coloured(prompt.who, Colour::bold, style.colour), what,
                     coloured(prompt.command, Colour::cyan, style.colour));
}

std::vector<Prompt> prompts_of(const StatusNotes& notes) {
  std::vector<Prompt> prompts;
  for (const view::Question* question : notes.questions) {
    prompts.push_back({question->asked_us(), std::string(text(question->job())),
                       std::string(text(question->question())), answer_command(*question)});
  }
  for (const view::Approval* approval : notes.approvals) {
    prompts.push_back({approval->asked_us(), std::string(asker_of(*approval)),
                       "approve " + subject_of(*approval), approve_command(*approval)});
  }
  for (const ManualStep& step : notes.manual_steps) {
    prompts.push_back({step.since_us, step.flow, manual_step_text(step), complete_command(step)});
  }
  std::ranges::stable_sort(prompts, {}, &Prompt::since);
  return prompts;
}

void add_part(std::string& line, std::uint64_t count, std::string_view word) {
  if (count == 0) return;
  line += fmt::format("{}{} {}", line.empty() ? "" : ", ", grouped(count), word);
}

std::string dim(std::string_view line, const TableStyle& style) {
  return coloured(line, Colour::dim, style.colour) + "\n";
}

/// A heading, the first of its lines, and how many more there are.
std::string section_of(const std::string& heading, const std::vector<Prompt>& lines, const std::string& more,
                       Colour colour, const TableStyle& style) {
  std::string out = coloured(heading, colour, style.colour) + "\n";
  for (std::size_t i = 0; i < std::min(kNamed, lines.size()); ++i) out += prompt_line(lines[i], style);
  return out + (more.empty() ? more : dim("  and " + more, style));
}

/// The jobs that ended badly within kRecentEndsUs.
std::string failures_text(const AttentionGroup& failed, const StatusNotes& notes, TimeUs now,
                          const TableStyle& style) {
  std::vector<Prompt> lines;
  for (const view::Job* job : failed.jobs) {
    if (job->ended_us() <= now - kRecentEndsUs) continue;
    const std::string id(text(job->id()));
    lines.push_back({job->ended_us(), id, end_detail_text(*job), "luzia why " + id});
  }
  const std::uint64_t all = std::max<std::uint64_t>(lines.size(), notes.recent ? bad_ends(*notes.recent) : 0);
  if (all == 0) return {};
  const std::string heading =
      fmt::format("{}{} {}:", notes.recent_is_cut ? "at least " : "", counted(all, "failure"), kRecentWords);
  const std::size_t named = std::min(kNamed, lines.size());
  return section_of(heading, lines,
                    all == named ? "" : fmt::format("{} more: luzia status", grouped(all - named)),
                    Colour::red, style);
}

/// What of the machine or of an agent needs attention, a line each.
std::string alerts_part(const ShownAlerts& alerts, const TableStyle& style) {
  if (alerts.empty()) return {};
  const std::size_t room = style.width == 0 ? 100 : std::max<std::size_t>(style.width, 22) - 2;
  std::string out =
      coloured(counted(alerts.size(), "alert"), Colour::yellow, style.colour) + ": luzia status --alerts\n";
  for (std::size_t i = 0; i < std::min(kNamed, alerts.size()); ++i) {
    const std::string what =
        make_harmless(text(alerts[i]->message()), {.keep_tabs = false, .unicode = style.unicode});
    out += "  " + fit_width(what, room, style.unicode) + "\n";
  }
  return out;
}

RowPage overview_page_of(wire::RowsT& rows) {
  RowPage page{rows.type, {}, std::move(rows.next), rows.position, {}};
  for (const auto& row : rows.rows) page.rows.emplace_back(row->data.begin(), row->data.end());
  for (const auto& part : rows.parts) page.parts.push_back(overview_page_of(*part));
  return page;
}

/// Asks for an overview and gives up at the deadline: `daemon_silent`.
Result<Overview> overview_within(Client& client, Clock::time_point deadline) {
  const auto answer =
      LUZIA_TRY(client.ask(request_of(view_query(wire::View::overview)), [&](Client& waiting) -> Status {
        waiting.wait_beside(-1, deadline);
        if (Clock::now() < deadline) return {};
        return fail(ErrorKind::trouble, "daemon_silent", "the daemon did not answer in time");
      }));
  if (wire::RowsT* rows = answer->reply.AsRows())
    return overview_of(overview_page_of(*rows), view_query(wire::View::overview));
  return fail(ErrorKind::trouble, "unexpected_reply", "the daemon sent no rows");
}

std::string asked(Client& client, Clock::time_point deadline, TimeUs now, const TableStyle& style) {
  const auto overview = overview_within(client, deadline);
  if (!overview && overview.error().code == "daemon_silent")
    return dim("The daemon does not answer quickly: luzia status waits for it.", style);
  if (!overview) return dim("The daemon cannot tell now what waits: luzia status says why.", style);
  auto groups = group_by_attention(overview->jobs, now);
  count_all(groups, overview->totals, true);
  return first_look_text(groups, overview->notes, now, style);
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

std::string first_look_text(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                            const TableStyle& style) {
  const std::vector<Prompt> prompts = prompts_of(notes);
  std::string out;
  if (!prompts.empty()) {
    const std::string heading =
        prompts.size() == 1 ? "1 thing waits for you:" : grouped(prompts.size()) + " things wait for you:";
    const std::string more =
        prompts.size() > kNamed ? grouped(prompts.size() - kNamed) + " more: luzia inbox" : "";
    out += section_of(heading, prompts, more, Colour::yellow, style);
  }
  std::string counts;
  std::uint64_t jobs = 0;
  for (const AttentionGroup& group : groups) jobs += group.total;
  for (const AttentionGroup& group : shown_groups(groups, notes)) {
    if (group.key == "needs_input") add_part(counts, group.total, "waiting for a person");
    if (group.key == "failed") out += failures_text(group, notes, now, style);
    if (group.key == "working") add_part(counts, group.total, "running");
    if (group.key == "queued") add_part(counts, group.total, "queued");
    if (group.key == "parked") add_part(counts, group.total, "parked by a usage limit");
  }
  if (!counts.empty()) counts += ": luzia status\n";
  const std::string alerts = alerts_part(notes.alerts, style);
  if (!out.empty() || !counts.empty()) return out + alerts + counts;
  return (jobs == 0 ? std::string(kFirstWords) : "Nothing waits for you, and nothing runs.\n") + alerts;
}

/// Asks the daemon if one listens and says what it answers. If none does: what starts it, or what to type
/// first. If it does not answer in time: one line about that.
std::string first_look(Invocation& invocation) {
  const auto deadline = Clock::now() + kFirstLookPatience;
  const auto place = invocation.place();
  if (!place) return "The configuration cannot be read: luzia config check\n";
  if (place->machine) return "luzia status shows machine " + place->machine->shown() + ".\n";
  if (!exists(place->socket)) {
    return place->store.empty() || !exists(place->store + "/log")
               ? std::string(kFirstWords)
               : "No daemon is running: luzia status starts it and shows what waits.\n";
  }
  invocation.be_patient({kFirstLookPatience, {}});
  const TableStyle style = invocation.terminal().style();
  auto client = invocation.connect(WhenAbsent::complain, WhenMistaken::leave_to_daemon);
  if (client) return asked(*client, deadline, invocation.now(), style);
  if (client.error().code == "no_daemon") {
    return "No daemon is running: luzia status starts it and shows what waits.\n";
  }
  return dim("The daemon does not answer: luzia doctor says why.", style);
}

}  // namespace luzia
