// Prompts: finds the template of a job's attempts and the knowledge available when one begins. A template
// ships with Luzia, is a file NAME.md in the [prompts] folder, or is a path in a project's settings. A
// dispatch may only use names, so that it cannot make the daemon read any file. Loop thread except where
// noted.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/prompt/prompt.h"
#include "tools/luziad/base/desk.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"
#include "tools/luziad/queries/learned_search.h"

namespace luzia {

/// Builds the prompt of one attempt from its task. Any thread, once; reads rows and files.
using PromptBuild = std::function<Result<BuiltPrompt>(const std::string& task)>;

struct PromptText {
  std::string name;  // as it is recorded
  std::string text;
};

/// Finds the template of that name in the configuration. `from_settings`: the name comes from a project's
/// settings and may be a path. Errors: `unknown_template`, `bad_template`; for an existing file also
/// `template_unreadable` (trouble) and `out_of_resources` (trouble: a shortage of descriptors or memory, may
/// work later). Any thread.
Result<PromptText> find_prompt_template(const std::string& folder, const std::string& name,
                                        bool from_settings);

/// A program argument may have at most 128 KiB, and people's answers may still be added in front.
inline constexpr std::size_t kMostOfAnArgument = 120 << 10;
/// Whether the prompt is an argument of the command (`{task}`), not its input.
bool takes_prompt_as_argument(const schema::JobSpecT& spec);

class Prompts {
 public:
  /// Both must outlive this.
  Prompts(const Threads& threads, const Store& store, const Desk& desk, std::shared_ptr<LearnedSearch> search)
      : threads_(threads), store_(store), desk_(desk), search_(std::move(search)) {}

  /// Once the rows include everything decided before, calls `then` with the function that builds the
  /// attempt's prompt.
  void prepare(const JobState& job, std::function<void(PromptBuild)> then) const;
  /// Sends the prompt that a job of this command would get now, as an Output.
  void preview(const RequestId& to, const QueueJob& order) const;

 private:
  PromptBuild build_of(const std::shared_ptr<JobState>& job) const;

  Threads threads_;
  Store store_;
  Desk desk_;
  std::shared_ptr<LearnedSearch> search_;
};

}  // namespace luzia
