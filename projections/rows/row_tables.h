// The tables that people see: one function per kind of row, used by every program. Two forms of each:
// `for_people` has short, rounded cells; `Form::data` has every field in full, for CSV.
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

/// How long the job has waited for people, until now if it does.
TimeUs human_wait(const view::Job& job, TimeUs now);

/// How a job's state looks wherever jobs are listed: its colour; its name with "held", "paused", "stopping".
Colour state_colour(schema::JobState state);
Colour severity_colour(schema::Severity severity);
std::string state_text(const view::Job& job);

/// Why a job has ended, and what is known of it: of one that failed the first known problem that is an error,
/// else its last line. Nothing of one that completed. Not made harmless.
std::string end_detail_text(const view::Job& job);

/// What is known of queued jobs beside their rows, by job; rows and names must outlive it.
using QueueEntries = std::map<std::string_view, const view::QueueEntry*>;
std::vector<std::string> queued_among(const std::vector<const view::Job*>& jobs);
QueueEntries by_job(const std::vector<const view::QueueEntry*>& entries);
/// nullptr: nothing is.
const view::QueueEntry* entry_of(const QueueEntries& queue, const view::Job& job);

/// The columns of the table `jobs` of SQL and exports (export_jobs.cc): Form::data of jobs_table().
Table jobs_data(const std::vector<const view::Job*>& jobs, TimeUs now);
Table jobs_table(const std::vector<const view::Job*>& jobs, TimeUs now, Form form = Form::people,
                 const QueueEntries& queue = {});
Table queue_table(const std::vector<const view::QueueEntry*>& entries, TimeUs now, Form form = Form::people);
Table activity_table(const std::vector<const view::Activity*>& rows, Form form = Form::people);
Table totals_table(const std::vector<const view::ProjectTotals*>& rows, Form form = Form::people);
Table durations_table(const std::vector<const view::Durations*>& rows, Form form = Form::people);
/// `end`: the log's.
Table hooks_table(const std::vector<const view::HookCursor*>& rows, Position end, Form form = Form::people);
Table events_table(const std::vector<const schema::Event*>& events, Form form = Form::people);

/// One job in full, a line per fact, for `job ID`.
std::string job_card(const view::Job& job, TimeUs now, const TableStyle& style,
                     std::string_view waiting = {});

/// What was asked and answered, by the question's id. Events name the question only: its texts can be erased.
struct QuestionWords {
  std::map<std::string, std::string, std::less<>> asked, answered;
};
QuestionWords question_words(const std::vector<const view::Question*>& rows);
/// Whether one of these says that a question was asked or answered, so that its words are worth asking for.
bool tells_of_questions(const std::vector<const schema::Event*>& events);

/// The job whose chain of `why` this is: its causes stand before what they caused.
std::string_view explained_job(const std::vector<const schema::Event*>& events);

/// The chain of `why`: each event with its time, what happened, who did it and how we know. `events` in the
/// order of the log; `before`: positions, rising, of those that stand in the same list before them. Events of
/// other jobs than `job` name theirs, unless it is empty.
std::string why_text(const std::vector<const schema::Event*>& events, const TableStyle& style,
                     const std::vector<Position>& before = {}, const QuestionWords& words = {},
                     std::string_view job = {});

}  // namespace luzia
