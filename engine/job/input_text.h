// Checks what people and agents type about a question and brings it into its stored form. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "question.fb.h"

namespace luzia {

/// Checks the options and the default of a question. Errors: see AskQuestion (inputs.h).
Status check_options(schema::QuestionType type, const std::vector<std::string>& options,
                     std::string_view default_answer);

/// The answer in its stored form (inputs.h). Error `bad_answer`, which lists the valid answers.
Result<std::string> normal_answer(schema::QuestionType type, const std::vector<std::string>& options,
                                  std::string_view typed);

/// The same for a question that takes any other text too. A number that is no option stays an error: it was
/// meant as one.
Result<std::string> free_answer(schema::QuestionType type, const std::vector<std::string>& options,
                                std::string_view typed);

/// Index of the name that `typed` means: the exact name, or without regard to case if that is unambiguous, or
/// the only name that begins with it. npos: none or several.
std::size_t pick_name(const std::vector<std::string>& names, std::string_view typed);

}  // namespace luzia
