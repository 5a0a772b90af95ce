// Prompts: which template a job's attempts are told by, and what is known when one begins. Templates ship, or
// are files NAME.md of [prompts] folder, or a path in a project's settings (in a dispatch only names: whoever
// dispatches must not have the daemon read any file). Loop thread but where a function says otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/prompt/prompt.h"
#include "tools/luziad/base/parts.h"
#include "tools/luziad/queries/lesson_search.h"

namespace luzia {

/// Builds the prompt of one attempt around its task. Any thread, once; reads rows and files.
using PromptBuild = std::function<Result<BuiltPrompt>(const std::string& task)>;

struct PromptText {
  std::string name;  // as it is recorded
  std::string text;
};

/// The template of that name, as the configuration has it. `from_settings`: it is a project's own word and
/// may be a path. Errors: `unknown_template`, `bad_template`; of a file that is there `template_unreadable`
/// (trouble) and, for want of descriptors or memory, `out_of_resources` (trouble: it may work later). Any
/// thread.
Result<PromptText> find_prompt_template(const std::string& folder, const std::string& name,
                                        bool from_settings);

class Prompts {
 public:
  /// Both outlive it.
  Prompts(Parts& parts, std::shared_ptr<LessonSearch> search) : parts_(parts), search_(std::move(search)) {}

  /// Once the rows have everything that was decided before: `then` with what builds the attempt's prompt.
  void prepare(const JobState& job, std::function<void(PromptBuild)> then) const;
  /// The prompt that a job of this order would get now, as an Output.
  void preview(const RequestId& to, const QueueJob& order) const;

 private:
  PromptBuild build_of(const std::shared_ptr<JobState>& job) const;

  Parts& parts_;
  std::shared_ptr<LessonSearch> search_;
};

}  // namespace luzia
