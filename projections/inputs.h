// Report views questions and approvals: what agents asked people, and the result. They come after the jobs
// view, which knows the project and agent of a job. Events of unknown jobs are not passed to them.
//
// Keys of both: "o" position -> the row while it is open; "c" position -> the row once it is over;
//               "i" id -> its position; "j" job, 0x00, position -> its position.
// `position` is big-endian and belongs to QuestionAsked or ApprovalRequested. Listing open requests is one
// short scan that never reads history. Rejected: one range for both with an index of the open ones, because
// each would have to be looked up.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kQuestionsView{24, 3, "questions", ViewKind::report, 1};
constexpr ProjectionInfo kApprovalsView{25, 2, "approvals", ViewKind::report, 1};

/// Name of who answered if nobody did in time and the question has a default.
constexpr std::string_view kAnsweredByDefault = "default";

std::unique_ptr<JobReport> make_inputs_report(const ViewReaderSource& rows);

/// The id of the question or approval that the event concerns; empty: none.
std::string_view input_of_event(const schema::Event& event);
/// Applies an event about a request to its row, but for the row's key (id, job, position), its project and
/// its agent. Pure.
void fold_input_row(view::QuestionT& row, const schema::Event& event);
void fold_input_row(view::ApprovalT& row, const schema::Event& event);

/// The row by its full id, without its texts; nullopt: there is none. Any thread.
std::optional<view::QuestionT> find_question_row(const ViewReader& rows, std::string_view id);
std::optional<view::ApprovalT> find_approval_row(const ViewReader& rows, std::string_view id);

}  // namespace luzia
