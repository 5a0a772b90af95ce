// Reads solutions from files, and makes command ids for what is said about solutions. Any thread.
#pragma once

#include <string>
#include <vector>

#include "protocol.fb.h"
#include "tools/cli/arguments.h"

namespace luzia {

/// A solution a line, as `luzia solution export` writes them. --project or --everywhere count for all of
/// them, else each line's own. What has expired is left out. Each has a command id made of its content, so
/// that a file that is read twice is recorded once. `bad_solution` (usage) names the line and the mistake.
Result<std::vector<wire::RecordSolutionT>> solutions_from_file(const std::string& path, const Arguments& args,
                                                               TimeUs now);
/// The same from the file's text.
Result<std::vector<wire::RecordSolutionT>> solutions_from_text(const std::string& text,
                                                               const std::string& file_name, TimeUs now);

/// The command id with which a job rates a solution, both by their full ids: repeating it has no effect.
std::string judgement_id(const std::string& solution, const std::string& job, bool helped);

}  // namespace luzia
