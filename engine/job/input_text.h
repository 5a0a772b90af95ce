// What people and agents type about a question, checked and brought into the form that is stored. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "question.fb.h"

namespace luzia {

/// Options and default of a question as asked. Errors: AskQuestion (inputs.h).
Status check_options(schema::QuestionType type, const std::vector<std::string>& options,
                     std::string_view default_answer);

/// The answer in its stored form (inputs.h). Error `bad_answer`, which names what would do.
Result<std::string> normal_answer(schema::QuestionType type, const std::vector<std::string>& options,
                                  std::string_view typed);

/// Index of the one of `names` that `typed` is, ignoring case where that leaves no doubt, or what one alone
/// begins with; npos: none or several.
std::size_t pick_name(const std::vector<std::string>& names, std::string_view typed);

}  // namespace luzia
