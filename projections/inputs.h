// Views questions and approvals: what agents asked of people, and what became of it. They stand behind the
// jobs view, which knows the project and the agent of a job: an event about a job of which nothing is known
// never gets here.
//
// Keys of both: "o" position -> the row while it is open; "c" position -> the row once it is over;
//               "i" id -> its position; "j" job, 0x00, position -> its position.
// `position` is the big-endian place of QuestionAsked or ApprovalRequested. Listing what is open is one short
// scan that never meets history. Rejected: one range for both, with an index of the open ones; each of those
// would have to be looked up then.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kQuestionsView{24, 2, "questions", ViewKind::report, 1};
constexpr ProjectionInfo kApprovalsView{25, 2, "approvals", ViewKind::report, 1};

/// Who answered when nobody did in time and the question has a default.
constexpr std::string_view kAnsweredByDefault = "default";

std::unique_ptr<JobReport> make_inputs_report(const ViewReaderSource& rows);

/// The row by its full id, its texts not joined; nullopt when there is none. Any thread.
std::optional<view::QuestionT> find_question_row(const ViewReader& rows, std::string_view id);
std::optional<view::ApprovalT> find_approval_row(const ViewReader& rows, std::string_view id);

}  // namespace luzia
