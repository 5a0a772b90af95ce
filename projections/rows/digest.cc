#include "projections/rows/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/counted.h"
#include "engine/base/local_time.h"
#include "engine/event/job_state.h"
#include "projections/rows/buckets.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "projections/rows/waiting_text.h"

namespace luzia {
namespace {

using Jobs = std::vector<const view::Job*>;

constexpr std::string_view kShellAgent = "shell";

/// The jobs of a digest by what a reader has to do about them.
struct DigestGroups {
  Jobs completed, failed, stopped, working, parked, queued;
  std::vector<std::pair<std::string, std::string>> waiting;  // job or flow, and what it asks
  std::size_t proved = 0, refuted = 0;
};

struct DigestUse {
  double cost_usd = 0;
  std::uint64_t tokens = 0, run_us = 0;
  bool by_agents = false;  // by others than the shell, which reports no cost
};

double cost_of(const view::Job& job) {
  return job.earlier_cost_usd() + job.cost_usd().value_or(0);
}

std::uint64_t tokens_of(const view::Tokens* tokens) {
  return tokens == nullptr ? 0 : tokens->input() + tokens->output();
}

DigestUse use_of(const Jobs& jobs) {
  DigestUse use;
  for (const view::Job* job : jobs) {
    use.cost_usd += cost_of(*job);
    use.tokens += tokens_of(job->tokens()) + tokens_of(job->earlier_tokens());
    use.run_us += job->run_us();
    use.by_agents = use.by_agents || text(job->agent()) != kShellAgent;
  }
  return use;
}

void add_waiting(const StatusNotes& notes, DigestGroups& groups) {
  for (const view::Question* question : notes.questions)
    groups.waiting.emplace_back(text(question->job()), text(question->question()));
  for (const view::Approval* approval : notes.approvals)
    groups.waiting.emplace_back(asker_of(*approval), "approve " + luzia::subject_of(*approval));
  for (const ManualStep& step : notes.manual_steps)
    groups.waiting.emplace_back(step.flow, manual_step_text(step));
}

void add_ended(const view::Job& job, DigestGroups& groups) {
  if (job.verified()) ++(*job.verified() ? groups.proved : groups.refuted);
  if (job.state() == schema::JobState::completed) {
    groups.completed.push_back(&job);
  } else {
    (ended_badly(job) ? groups.failed : groups.stopped).push_back(&job);
  }
}

/// Whether the job, which has ended, counts. Something may be added to a job long after its end.
bool is_of(const DigestSource& source, const view::Job& job) {
  if (source.last != 0 && job.position() > source.last) return false;
  if (source.after == 0) return job.ended_us() >= source.since;
  return job.position() > source.after && job.ended_us() >= source.since - kDayUs;
}

DigestGroups groups_of(const DigestSource& source) {
  DigestGroups groups;
  for (const view::Job* job : source.jobs) {
    if (is_terminal(job->state())) {
      if (is_of(source, *job)) add_ended(*job, groups);
    } else if (job->state() == schema::JobState::queued) {
      groups.queued.push_back(job);
    } else if (job->state() == schema::JobState::parked) {
      groups.parked.push_back(job);
    } else {
      groups.working.push_back(job);
    }
  }
  add_waiting(source.notes, groups);
  return groups;
}

Jobs ended_jobs(const DigestGroups& groups) {
  Jobs ended = groups.completed;
  ended.insert(ended.end(), groups.failed.begin(), groups.failed.end());
  ended.insert(ended.end(), groups.stopped.begin(), groups.stopped.end());
  return ended;
}

std::string length_text(std::uint64_t us) {
  return format_duration(static_cast<TimeUs>(us));
}

/// The median run of the job's project and agent in microseconds; 0: too few have run to say what is usual.
std::uint64_t usual_run_us(const view::Job& job, const std::vector<const view::Durations*>& durations) {
  constexpr std::uint64_t kFewest = 10;
  for (const view::Durations* row : durations) {
    const bool is_its = text(row->measure()) == "run" && text(row->project()) == text(job.project()) &&
                        text(row->agent()) == text(job.agent());
    if (!is_its || row->count() < kFewest) continue;
    return static_cast<std::uint64_t>(duration_quantile(*row, 0.5) * static_cast<double>(kMillisecondUs));
  }
  return 0;
}

template <class Row>
std::vector<Row> first_of(std::vector<Row> rows, std::size_t most) {
  if (rows.size() > most) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
  return rows;
}

std::string cost_text(double usd) {
  return fmt::format("${:.2f}", usd);
}

// ------------------------------------------------------------------------------------------- for people

void add_count(std::string& words, std::size_t count, std::string_view what) {
  if (count == 0) return;
  words += fmt::format("{}{} {}", words.empty() ? "" : ", ", grouped(count), what);
}

std::string counts_text(const DigestGroups& groups, bool is_cut) {
  std::string words;
  const std::string proved =
      groups.proved == 0 ? "completed" : fmt::format("completed ({} proved)", groups.proved);
  add_count(words, groups.completed.size(), proved);
  add_count(words, groups.failed.size(), "failed");
  add_count(words, groups.stopped.size(), "cancelled or skipped");
  add_count(words, groups.waiting.size(), groups.waiting.size() == 1 ? "waits for you" : "wait for you");
  add_count(words, groups.parked.size(), "parked");
  add_count(words, groups.working.size(), "at work");
  add_count(words, groups.queued.size(), "queued");
  return (is_cut && !words.empty() ? "at least " : "") + words;
}

std::string use_text(const DigestUse& use) {
  std::string words = "ran for " + length_text(use.run_us);
  if (use.tokens > 0) words += fmt::format(", used {} tokens", grouped(use.tokens));
  if (use.cost_usd > 0) words += ", cost " + cost_text(use.cost_usd);
  if (use.cost_usd <= 0 && use.by_agents) words += "; no cost was reported";
  return words;
}

std::string titled_rows(std::string_view title, std::size_t count, Colour colour, const Table& table,
                        const TableStyle& style) {
  if (table.empty()) return {};
  const std::size_t others = count - table.size();
  return "\n" + coloured(fmt::format("{} ({})", title, grouped(count)), colour, style.colour) + "\n" +
         table.text(style) + (others == 0 ? "" : fmt::format("and {} more\n", grouped(others)));
}

Table told_table(const std::vector<std::pair<std::string, std::string>>& rows, const char* title) {
  Table table({{"JOB"}, {.title = title, .min_width = 20, .shrinks = true}});
  for (const auto& [job, words] : rows) table.add({{job}, {words}});
  return table;
}

/// What became of a job: why it failed, or the last thing that it said.
Table ended_table(const Jobs& jobs, const char* title) {
  Table table({{"JOB"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true},
               {.title = "AGENT", .drops = 2},
               {.title = "TASK", .min_width = 12, .shrinks = true},
               {.title = "RAN", .align = Align::right, .drops = 3},
               {.title = title, .min_width = 24, .shrinks = true, .keeps_end = true}});
  for (const view::Job* job : jobs) {
    const std::string detail = end_detail_text(*job);
    table.add({{std::string(text(job->id())), state_colour(job->state())},
               {std::string(text(job->project()))},
               {std::string(text(job->agent()))},
               {std::string(text(job->task()))},
               {job->run_us() == 0 ? "" : length_text(job->run_us())},
               {detail.empty() ? std::string(text(job->last_line())) : detail}});
  }
  return table;
}

Table parked_agents_table(const std::vector<const view::AgentLimit*>& agents, TimeUs now) {
  Table table({{"AGENT"}, {"LIMIT"}, {.title = "UNTIL"}, {.title = "GO ON NOW", .drops = 1}});
  for (const view::AgentLimit* row : agents) {
    const std::string agent(text(row->agent()));
    table.add({{agent},
               {std::string(text(row->limit()))},
               {local_moment(row->until_us(), now)},
               {"luzia resume --agent " + agent}});
  }
  return table;
}

/// The commands that go on, for what there is.
std::string next_text(const DigestSource& source, const DigestGroups& groups, const TableStyle& style) {
  std::string lines;
  const auto add = [&lines](bool wanted, std::string_view command, std::string_view what) {
    if (wanted) lines += fmt::format("  {}\n      {}\n", command, what);
  };
  add(!groups.waiting.empty(), "luzia inbox", "what is asked, and how to answer");
  add(!groups.failed.empty(), "luzia why JOB", "what led to the end of a job");
  const std::string since =
      format_rfc3339(source.since).substr(0, std::size("2026-01-31T14:05:00") - 1) + "Z";
  add(!groups.failed.empty(), "luzia retry --state failed,killed,timed_out,lost --since " + since,
      "list what failed; with --yes also run it again");
  add(!groups.completed.empty(), "luzia diff JOB", "what a job changed");
  return lines.empty() ? lines : "\n" + coloured("Next", Colour::bold, style.colour) + "\n" + lines;
}

/// Whether jobs that ended since then may be missing: the answer has as many as it can.
bool lacks_ends(const Overview& overview, TimeUs since) {
  std::size_t ended = 0;
  TimeUs first = 0;
  for (const view::Job* job : overview.jobs) {
    if (!is_terminal(job->state())) continue;
    ++ended;
    first = first == 0 ? job->ended_us() : std::min(first, job->ended_us());
  }
  return ended >= kMaxLimit && first >= since;
}

}  // namespace

wire::QueryT digest_query(wire::QueryT query) {
  query.limit = kMaxLimit;
  query.filter->since_us = query.filter->until_us = 0;
  query.filter->ended = true;
  query.long_queue = true;
  return query;
}

void take_overview(const Overview& overview, DigestSource& source) {
  source.jobs = overview.jobs;
  source.is_cut = lacks_ends(overview, source.since);
  source.notes = overview.notes;
  source.position = overview.page.position;
}

std::vector<Oddity> oddities(const DigestSource& source) {
  constexpr std::uint64_t kTimesUsual = 3;
  constexpr auto kLeastMoreUs = static_cast<std::uint64_t>(5 * kMinuteUs);
  const Jobs ended = ended_jobs(groups_of(source));
  const double whole_cost = use_of(ended).cost_usd;
  std::vector<Oddity> odd;
  for (const view::Job* job : ended) {
    const std::uint64_t usual = usual_run_us(*job, source.durations);
    const std::uint64_t ran = job->attempts() == 0 ? 0 : job->run_us() / job->attempts();
    if (usual != 0 && ran > kTimesUsual * usual && ran > usual + kLeastMoreUs) {
      odd.push_back({job, fmt::format("ran for {}; half of such jobs need less than {}", length_text(ran),
                                      length_text(usual))});
    }
    if (job->attempts() > 1) odd.push_back({job, fmt::format("needed {} attempts", job->attempts())});
    if (ended.size() > 2 && cost_of(*job) >= 1 && cost_of(*job) * 2 > whole_cost) {
      odd.push_back({job, fmt::format("cost {} of {}", cost_text(cost_of(*job)), cost_text(whole_cost))});
    }
  }
  return odd;
}

std::string digest_json(const DigestSource& source, std::size_t most) {
  const DigestGroups groups = groups_of(source);
  const DigestUse use = use_of(ended_jobs(groups));
  JsonObject json;
  json.time("since", "since_us", source.since);
  json.time("until", "until_us", source.now);
  json.boolean("is_cut", source.is_cut);
  json.begin("counts");
  const std::pair<const char*, std::size_t> counts[] = {{"completed", groups.completed.size()},
                                                        {"proved", groups.proved},
                                                        {"refuted", groups.refuted},
                                                        {"failed", groups.failed.size()},
                                                        {"stopped", groups.stopped.size()},
                                                        {"waiting", groups.waiting.size()},
                                                        {"working", groups.working.size()},
                                                        {"parked", groups.parked.size()},
                                                        {"queued", groups.queued.size()}};
  for (const auto& [name, count] : counts) json.number(name, count);
  json.end();
  json.begin("usage");
  json.number("cost_usd", std::optional<double>(use.cost_usd));
  json.number("tokens", use.tokens);
  json.seconds("run_s", use.run_us);
  json.end();
  json.objects("waiting", first_of(groups.waiting, most), [](JsonObject& each, const auto& asked) {
    each.text("job", asked.first);
    each.text("asks", asked.second);
  });
  const auto row = [&source](const view::Job* job) { return job_json(*job, source.now); };
  json.array("failed", first_of(groups.failed, most), row);
  json.array("completed", first_of(groups.completed, most), row);
  const auto parked = [](JsonObject& each, const view::AgentLimit* limit) {
    each.text("agent", limit->agent());
    each.text("limit", limit->limit());
    each.time("until", limit->until_us());
  };
  json.objects("parked_agents", first_of(source.parked_agents, most), parked);
  json.objects("odd", first_of(oddities(source), most), [](JsonObject& each, const Oddity& odd) {
    each.text("job", odd.job->id());
    each.text("what", odd.what);
  });
  json.number("position", source.position);
  return json.take();
}

std::string digest_text(const DigestSource& source, const TableStyle& style, std::size_t most) {
  const DigestGroups groups = groups_of(source);
  const std::string summary = counts_text(groups, source.is_cut);
  std::string out = coloured(fmt::format("Since {} ({})", local_moment(source.since, source.now),
                                         format_duration(std::max<TimeUs>(0, source.now - source.since))),
                             Colour::bold, style.colour) +
                    "\n  " + (summary.empty() ? "nothing happened" : summary) + "\n";
  const Jobs ended = ended_jobs(groups);
  if (!ended.empty()) out += "  " + use_text(use_of(ended)) + "\n";
  out += titled_rows("Waits for you", groups.waiting.size(), Colour::yellow,
                     told_table(first_of(groups.waiting, most), "ASKS"), style);
  out += titled_rows("Failed", groups.failed.size(), Colour::red,
                     ended_table(first_of(groups.failed, most), "WHY"), style);
  out += titled_rows("Agents that are parked", source.parked_agents.size(), Colour::cyan,
                     parked_agents_table(first_of(source.parked_agents, most), source.now), style);
  out += titled_rows("Completed", groups.completed.size(), Colour::green,
                     ended_table(first_of(groups.completed, most), "LAST LINE"), style);
  std::vector<std::pair<std::string, std::string>> odd;
  for (const Oddity& each : oddities(source)) odd.emplace_back(text(each.job->id()), each.what);
  out +=
      titled_rows("Not as usual", odd.size(), Colour::yellow, told_table(first_of(odd, most), "WHAT"), style);
  return out + next_text(source, groups, style);
}

std::string digest_summary(const DigestSource& source) {
  return counts_text(groups_of(source), source.is_cut);
}

}  // namespace luzia
