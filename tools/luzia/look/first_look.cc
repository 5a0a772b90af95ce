#include "tools/luzia/look/first_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "engine/base/counted.h"
#include "projections/query.h"
#include "projections/rows/harmless.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostCounted = 100;
constexpr std::size_t kNamed = 3;  // of what waits
constexpr TimeUs kDay = 24 * 3'600 * kSecondUs;

constexpr std::string_view kFirstWords =
    "No job has run here yet. To begin, type in the folder of your work:\n"
    "  luzia claude \"TASK\"   give a coding agent a task (claude, codex, gemini)\n"
    "  luzia -- make test    run a command in the background\n"
    "  luzia init            set up agents and notifications\n";

/// One line of what waits: who asks, what, and the command that answers.
struct Prompt {
  TimeUs since;
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

std::vector<Prompt> prompts_of(const FirstLook& look) {
  std::vector<Prompt> prompts;
  for (const view::Question* question : look.questions) {
    prompts.push_back({question->asked_us(), std::string(text(question->job())),
                       std::string(text(question->question())), answer_command(*question)});
  }
  for (const view::Approval* approval : look.approvals) {
    prompts.push_back({approval->asked_us(), std::string(asker_of(*approval)),
                       "approve " + subject_of(*approval), approve_command(*approval)});
  }
  for (const ManualStep& step : look.steps) {
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

/// Questions to the daemon that are given up at one moment.
class Asker {
 public:
  Asker(Client& client, Clock::time_point deadline) : client_(client), deadline_(deadline) {}

  /// Null: the daemon refused, for instance because it rebuilds these rows, or did not answer in time.
  const Page* ask(wire::QueryT query) {
    if (late_) return nullptr;
    auto page = page_of(client_.ask(request_of(std::move(query)), [this](Client& waiting) -> Status {
      waiting.wait_beside(-1, deadline_);
      if (Clock::now() < deadline_) return {};
      return fail(ErrorKind::trouble, "daemon_silent", "the daemon did not answer in time");
    }));
    if (!page) {
      late_ = late_ || Clock::now() >= deadline_ || page.error().code == "daemon_silent";
      return nullptr;
    }
    pages_.push_back(std::make_unique<Page>(std::move(*page)));
    return pages_.back().get();
  }
  /// The rows of an answer of that type; none otherwise.
  template <class Row>
  std::vector<const Row*> rows(wire::QueryT query, wire::RowType type) {
    const Page* page = ask(std::move(query));
    return page != nullptr && page->type() == type ? page->as<Row>() : std::vector<const Row*>();
  }
  bool is_late() const { return late_; }

 private:
  Client& client_;
  Clock::time_point deadline_;
  bool late_ = false;
  std::vector<std::unique_ptr<Page>> pages_;
};

wire::QueryT query_of(wire::View view) {
  wire::QueryT query = view_query(view);
  query.limit = kMostCounted;
  return query;
}

wire::QueryT open_of(wire::View view) {
  wire::QueryT query = query_of(view);
  query.filter->ended = false;
  return query;
}

void look_at_jobs(Asker& asker, TimeUs now, FirstLook& look) {
  const Page* totals = asker.ask(query_of(wire::View::totals));
  look.never_used = totals != nullptr && totals->size() == 0;
  if (totals == nullptr || totals->type() != wire::RowType::totals) return;
  for (const view::ProjectTotals* row : totals->as<view::ProjectTotals>()) {
    look.queued += row->queued();
    look.running += row->running();
    look.waiting += row->waiting();
    look.parked += row->parked();
  }
  using enum schema::JobState;
  wire::QueryT bad_ends = query_of(wire::View::status);
  bad_ends.filter->states = {failed, timed_out, lost};
  const auto jobs = asker.rows<view::Job>(std::move(bad_ends), wire::RowType::job);
  look.failed = static_cast<std::uint64_t>(
      std::ranges::count_if(jobs, [now](const view::Job* job) { return job->ended_us() > now - kDay; }));
  look.more_failed = look.failed >= kMostCounted;
}

std::string asked(Client& client, Clock::time_point deadline, TimeUs now, const TableStyle& style) {
  Asker asker(client, deadline);
  FirstLook look;
  look.questions = asker.rows<view::Question>(open_of(wire::View::questions), wire::RowType::question);
  look.approvals = asker.rows<view::Approval>(open_of(wire::View::approvals), wire::RowType::approval);
  wire::QueryT manual = open_of(wire::View::flows);
  manual.manual_steps_only = true;
  look.steps = manual_steps_of(asker.rows<view::Flow>(std::move(manual), wire::RowType::flow));
  look_at_jobs(asker, now, look);
  if (asker.is_late()) return dim("The daemon does not answer quickly: luzia status waits for it.", style);
  return first_look_text(look, style);
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

std::string first_look_text(const FirstLook& look, const TableStyle& style) {
  const std::vector<Prompt> prompts = prompts_of(look);
  std::string out;
  if (!prompts.empty()) {
    const std::string heading =
        prompts.size() == 1 ? "1 thing waits for you:" : grouped(prompts.size()) + " things wait for you:";
    out += coloured(heading, Colour::yellow, style.colour) + "\n";
    for (std::size_t i = 0; i < std::min(kNamed, prompts.size()); ++i) out += prompt_line(prompts[i], style);
    if (prompts.size() > kNamed) {
      out += dim(fmt::format("  and {} more: luzia inbox", grouped(prompts.size() - kNamed)), style);
    }
  }
  std::string counts;
  add_part(counts, look.running, "running");
  add_part(counts, look.waiting, "waiting for a person");
  add_part(counts, look.queued, "queued");
  add_part(counts, look.parked, "parked by a usage limit");
  if (!counts.empty()) out += counts + ": luzia status\n";
  if (look.failed > 0) {
    out += coloured(fmt::format("{}{} in the last 24 hours", look.more_failed ? "at least " : "",
                                counted(look.failed, "failure")),
                    Colour::red, style.colour) +
           ": luzia status --alerts\n";
  }
  if (!out.empty()) return out;
  return look.never_used ? std::string(kFirstWords) : "Nothing waits for you, and nothing runs.\n";
}

/// Asks the daemon if one listens and says what it answers. If none does: what starts it, or what to type
/// first. If it does not answer in time: one line about that.
std::string first_look(Invocation& invocation) {
  const auto deadline = Clock::now() + kFirstLookPatience;
  const auto place = invocation.place();
  if (!place) return "The configuration cannot be read: luzia config check\n";
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
