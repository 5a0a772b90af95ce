// Tables for people and data, one function per kind of row, used by every program. Form::people has short,
// rounded cells; Form::data has every field in full, for CSV. Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"
#include "projections/rows/table.h"
#include "view.fb.h"

namespace luzia {

enum class Form { people, data };

/// How long the job has waited for people, including the present wait until `now`.
TimeUs human_wait(const view::Job& job, TimeUs now);
/// Time from dispatch to the first start, the end or `now`; 0 for a tracked job, which was never queued.
TimeUs queue_wait(const view::Job& job, TimeUs now);

/// How lists show a job's state: its color; its name with "held", "paused" or "stopping". A job that
/// completed or failed by the checks of its work is "proved" or "refuted".
Colour state_colour(schema::JobState state);
Colour severity_colour(schema::Severity severity);
std::string state_text(const view::Job& job);

/// What was found in the job's output: "1 error", "2 warnings, 1 error, 1 known issue". Empty: nothing.
std::string findings_text(const view::Job& job);

/// The summary of why the job failed, if a known problem says it; else its last line. Not made harmless, nor
/// are the next two.
std::string_view cause_or_last_line(const view::Job& job);

/// Why a job ended badly, in one line of at most 160 characters: the first cause that its output names, else
/// the recorded reason with the last line, said as such. Empty for other jobs.
std::string failure_summary(const view::Job& job);

/// Why a job has ended, with cause_or_last_line; the cause alone if it says why an agent or a check ended
/// with an exit code. Empty for a completed job.
std::string end_detail_text(const view::Job& job);

/// What is known of queued jobs besides their rows, by job. Rows and names must outlive it.
using QueueEntries = std::map<std::string_view, const view::QueueEntry*>;
std::vector<std::string> queued_among(const std::vector<const view::Job*>& jobs);
QueueEntries by_job(const std::vector<const view::QueueEntry*>& entries);
/// nullptr: nothing is known.
const view::QueueEntry* entry_of(const QueueEntries& queue, const view::Job& job);

/// The columns of the table `jobs` of SQL and exports (export_jobs.cc): Form::data of jobs_table().
Table jobs_data(const std::vector<const view::Job*>& jobs, TimeUs now);
Table jobs_table(const std::vector<const view::Job*>& jobs, TimeUs now, Form form = Form::people,
                 const QueueEntries& queue = {});
Table queue_table(const std::vector<const view::QueueEntry*>& entries, TimeUs now, Form form = Form::people);
Table durations_table(const std::vector<const view::Durations*>& rows);
Table activity_table(const std::vector<const view::Activity*>& rows, Form form = Form::people);
/// `end`: the last position of the log.
Table hooks_table(const std::vector<const view::HookCursor*>& rows, Position end);
Table events_table(const std::vector<const schema::Event*>& events, Form form = Form::people);

/// One job in full, one line per fact, for `job ID`.
std::string job_card(const view::Job& job, TimeUs now, const TableStyle& style,
                     std::string_view waiting = {});

/// What was asked and answered, by the question's id. Events name only the question, because its texts can be
/// erased.
struct QuestionWords {
  std::map<std::string, std::string, std::less<>> asked, answered;
};
QuestionWords question_words(const std::vector<const view::Question*>& rows);
/// Whether one of the events reports a question or an answer, so that the texts are needed.
bool tells_of_questions(const std::vector<const schema::Event*>& events);

/// The job that these events of `why` explain. Its causes precede what they caused.
std::string_view explained_job(const std::vector<const schema::Event*>& events);

/// The events of `why`, each with its time, what happened, who did it and its evidence. `events`: in the
/// order of the log. `before`: ascending positions of the events that the same list shows before them. Events
/// of other jobs than `job` name their job, unless `job` is empty.
std::string why_text(const std::vector<const schema::Event*>& events, const TableStyle& style,
                     const std::vector<Position>& before = {}, const QuestionWords& words = {},
                     std::string_view job = {});

}  // namespace luzia
