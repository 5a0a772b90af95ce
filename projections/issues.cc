#include "projections/issues.h"

#include <algorithm>

#include "engine/event/event.h"
#include "engine/event/take_fact.h"
#include "engine/job/first_cause.h"
#include "engine/queue/day_budgets.h"
#include "projections/removed_jobs.h"

namespace luzia {
namespace {

std::string pattern_key(std::string_view project, std::string_view pattern) {
  return joined_key({project, pattern, ""});
}

std::string fix_key(std::string_view project, std::string_view pattern) {
  return '\1' + joined_key({project, pattern});
}

std::string own_key(std::string_view job, std::string_view pattern) {
  return '\0' + joined_key({job, pattern});
}

/// Whether the output can say why the job failed. Not of an end by Luzia, a person or a limit, whose reason
/// is known; nor if the agent said how it ended: its transcript is full of problems that it has solved.
bool is_explained_by_output(const view::JobT& job) {
  using enum schema::EndReason;
  if (job.state != schema::JobState::failed) return false;
  if (job.reason == verify_failed) return true;
  const bool agent_said =
      job.outcome != schema::AgentOutcome::none && job.outcome != schema::AgentOutcome::completed;
  return !agent_said && (job.reason == exit_code || job.reason == signal);
}

class IssuesReport : public JobReport {
 public:
  explicit IssuesReport(const ViewReaderSource& rows)
      : issues_(kIssuesView, rows), days_(kIssueDaysView, rows) {}
  std::vector<ProjectionInfo> views() const override { return {kIssuesView, kIssueDaysView}; }

  void note(const JobStep& step) override {
    if (!step.job) return;
    if (is_removal(step.event)) return forget_issues(step.job->id);
    if (step.job->removed_us != 0) return;
    if (const auto* issue = step.event.payload_as_IssueEvent()) return note_issue(step, *issue);
    const auto* job = step.event.payload_as_JobEvent();
    const auto* ended = job ? job->fact_as_JobEnded() : nullptr;
    if (!ended) return;
    if (ended->state() == schema::JobState::completed) note_completed(step);
    if (is_explained_by_output(*step.job)) note_failed(*step.job);
  }

  void flush(RowBatch& batch) override {
    issues_.flush(batch);
    days_.flush(batch);
  }

 private:
  void forget_issues(const std::string& job) {
    for (const std::string& from : {issues_key(job, ""), own_key(job, "")}) {
      issues_.erase_range(from, after_prefix(from));
    }
  }

  void note_issue(const JobStep& step, const schema::IssueEvent& issue) {
    take_fact(
        issue, [&](const schema::IssueDetected& fact) { detected(step, fact); },
        [&](const schema::IssueRepeated& fact) { repeated(step, fact); },
        [&](const schema::FixStarted& fact) {
          view::IssueT* row = issues_.edit_existing(issues_key(step.job->id, text(fact.fingerprint())));
          if (!row) return;
          leave_for(*row, view::IssueState::fixing);
          row->fix_job = text(fact.job());
          ++day(*row, step.event.time_us()).fixes_tried;
        },
        [&](const schema::FixEnded& fact) {
          view::IssueT* row = issues_.edit_existing(issues_key(step.job->id, text(fact.fingerprint())));
          if (!row) return;
          if (fact.fixed()) {
            ++day(*row, step.event.time_us()).fixes_helped;
            return fix(*row, step.event.time_us(), true);
          }
          leave_for(*row, view::IssueState::unfixed);
        });
  }

  void detected(const JobStep& step, const schema::IssueDetected& fact) {
    view::IssueT& row = issues_.edit(issues_key(step.job->id, text(fact.fingerprint())));
    const bool is_new = row.position == 0;
    // A new daemon reports again what the last one reported about the attempt: only later attempts count.
    if (is_new || row.attempt < fact.attempt()) {
      ++step.job->issues;
      fact_to_row(fact, row);
    }
    if (is_new) {
      row.project = step.job->project;
      row.job = step.job->id;
      row.first_us = step.event.time_us();
      row.position = step.event.position();
    }
    seen(row, fact.attempt(), step.event.time_us());
    row.last_line_no = fact.line_no();
    row.last_offset = fact.offset();
    ++row.count;
    view::IssueDayT& counts = day(row, step.event.time_us());
    ++counts.occurrences;
    if (!is_new) return;
    row.seen_that_day = counts.issues++;
    row.fixed_that_day = counts.fixed;
    view::IssueT& mine = own(row);
    row.seen_before = mine.seen_before++;
    row.fixed_before = mine.fixed_before;
  }

  /// The last attempt's issues that count for its end, as they were seen, with the keys of their rows.
  struct LastIssues {
    std::vector<std::string> keys;
    std::vector<SeenIssue> seen;
  };

  /// Of a refuted attempt only what its checks printed counts: its own output is about its work.
  LastIssues last_issues(const view::JobT& job) {
    const std::uint64_t from = job.reason == schema::EndReason::verify_failed ? job.checks_from : 0;
    LastIssues last;
    const std::string first = issues_key(job.id, "");
    for (const std::string& key : issues_.keys(first, after_prefix(first))) {
      const view::IssueT* row = issues_.find(key);
      if (!row || row->attempt != job.attempt) continue;
      if (row->first_offset >= from) {
        last.seen.push_back(seen_issue(*row, row->first_line, row->first_offset, row->count));
      } else if (row->last_offset >= from) {
        last.seen.push_back(seen_issue(*row, row->last_line_no, row->last_offset, row->count));
      } else {
        continue;
      }
      last.keys.push_back(key);
    }
    return last;
  }

  /// Marks what fold_issues() says. Returns how many are folded; the job no longer counts them.
  std::uint32_t fold(view::JobT& job, const LastIssues& last, const view::FailureT* failure) {
    const std::vector<IssueFold> folds = fold_issues(last.seen, failure);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      view::IssueT* const row = issues_.edit_existing(last.keys[i]);
      row->folded = folds[i].folded;
      row->similar = folds[i].similar;
      count += folds[i].folded ? 1 : 0;
    }
    job.issues -= std::min(job.issues, count);
    return count;
  }

  void note_failed(view::JobT& job) {
    if (job.issues == 0 && job.attempt <= 1) return;  // it has none, also none of an earlier attempt
    const LastIssues last = last_issues(job);
    auto failure = first_cause(last.seen);
    if (!failure) return;
    failure->folded = fold(job, last, &*failure);
    job.failure = std::make_unique<view::FailureT>(std::move(*failure));
  }

  static void fact_to_row(const schema::IssueDetected& fact, view::IssueT& row) {
    row.pattern = text(fact.pattern());
    row.severity = fact.severity();
    row.rank = fact.rank();
    row.fingerprint = text(fact.fingerprint());
    row.first_line = fact.line_no();
    row.first_offset = fact.offset();
    row.line = text(fact.line());
    row.fix = text(fact.fix());
    row.fix_command = text(fact.fix_command());
    row.auto_fixable = fact.auto_fixable();
    row.description = text(fact.description());
    row.captures.clear();
    if (!fact.captures()) return;
    for (const auto* capture : *fact.captures()) row.captures.emplace_back(capture->UnPack());
  }

  void repeated(const JobStep& step, const schema::IssueRepeated& fact) {
    view::IssueT* row = issues_.edit_existing(issues_key(step.job->id, text(fact.fingerprint())));
    if (!row) return;
    seen(*row, fact.attempt(), step.event.time_us());
    row->last_line_no = fact.last_line_no();
    row->last_offset = fact.last_offset();
    row->count += fact.count();
    day(*row, step.event.time_us()).occurrences += fact.count();
  }

  /// An issue that a later attempt shows again is open again.
  void seen(view::IssueT& row, std::uint32_t attempt, TimeUs time) {
    row.last_us = time;
    if (attempt > row.attempt) {
      row.folded = false;
      row.similar = 0;
      if (row.state != view::IssueState::fixing) leave_for(row, view::IssueState::open);
    }
    row.attempt = std::max(row.attempt, attempt);
  }

  /// Folds what the completed attempt went on after, and marks issues as fixed that it did not show.
  void note_completed(const JobStep& step) {
    fold(*step.job, last_issues(*step.job), nullptr);
    if (step.job->attempt <= 1) return;
    const std::string from = issues_key(step.job->id, "");
    for (const std::string& key : issues_.keys(from, after_prefix(from))) {
      const view::IssueT* known = issues_.find(key);
      const bool gone =
          known && known->attempt < step.job->attempt && known->state != view::IssueState::fixed;
      if (gone) fix(*issues_.edit_existing(key), step.event.time_us(), false);
    }
  }

  /// The row of the job's own counts of the pattern (own_key; see the header).
  view::IssueT& own(const view::IssueT& issue) {
    view::IssueT& row = issues_.edit(own_key(issue.job, issue.pattern));
    row.job = issue.job;
    row.project = issue.project;
    row.pattern = issue.pattern;
    return row;
  }

  /// Changes to a state other than fixed.
  void leave_for(view::IssueT& row, view::IssueState state) {
    if (row.state == view::IssueState::fixed) {
      view::IssueT& mine = own(row);
      if (mine.count > 0) --mine.count;  // rows of an older version have no count
    }
    row.state = state;
  }

  void fix(view::IssueT& row, TimeUs time, bool by_fix) {
    const bool is_fixed_now = row.state != view::IssueState::fixed;
    row.state = view::IssueState::fixed;
    view::IssueT& last = issues_.edit(fix_key(row.project, row.pattern));
    last.project = row.project;
    last.pattern = row.pattern;
    last.job = row.job;
    last.fix_job = by_fix ? row.fix_job : std::string();
    last.fix_command = by_fix ? row.fix_command : std::string();
    last.last_us = time;
    if (!is_fixed_now) return;
    // An issue that came again and is fixed again was already counted.
    view::IssueT& mine = own(row);
    if (++mine.count <= mine.fixed_before) return;
    mine.fixed_before = mine.count;
    view::IssueDayT& counts = day(row, time);
    ++counts.fixed;
    counts.fix_time_us += static_cast<std::uint64_t>(std::max<TimeUs>(0, time - row.first_us));
  }

  view::IssueDayT& day(const view::IssueT& issue, TimeUs time) {
    const std::uint32_t number = day_of(time);
    view::IssueDayT& row = days_.edit(pattern_key(issue.project, issue.pattern) + big_endian_32(number));
    row.day = number;
    row.project = issue.project;
    row.pattern = issue.pattern;
    row.severity = issue.severity;
    row.last_us = time;
    return row;
  }

  RowTable<view::Issue> issues_;
  RowTable<view::IssueDay> days_;
};

}  // namespace

std::string issues_key(std::string_view job, std::string_view fingerprint) {
  return joined_key({job, fingerprint});
}

LastFix last_fix(const ViewReader& rows, std::string_view project, std::string_view pattern) {
  const auto value = rows.get(row_key(kIssuesView, fix_key(project, pattern)));
  if (!value) return {};
  const StoredRow<view::Issue> row(*value);
  const bool by_fix = !text(row->fix_job()).empty();
  return {std::string(text(row->fix_command())), std::string(text(by_fix ? row->fix_job() : row->job()))};
}

IssueHistory issue_history(const ViewReader& rows, std::string_view project, std::string_view pattern,
                           TimeUs before) {
  IssueHistory history;
  const std::string prefix = pattern_key(project, pattern);
  rows.scan(row_key(kIssueDaysView, prefix), row_key(kIssueDaysView, prefix + big_endian_32(day_of(before))),
            [&](std::string_view, std::string_view value) {
              const StoredRow<view::IssueDay> row(value);
              history.issues += row->issues();
              history.fixed += row->fixed();
              history.fixes_tried += row->fixes_tried();
              return true;
            });
  return history;
}

std::unique_ptr<JobReport> make_issues_report(const ViewReaderSource& rows) {
  return std::make_unique<IssuesReport>(rows);
}

}  // namespace luzia
