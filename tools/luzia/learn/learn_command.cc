// learn: what jobs have taught, in one place. Its parts are also commands of their own, as they were called
// before.
#include "tools/luzia/families.h"
#include "tools/read/commands.h"

namespace luzia {
namespace {

Command under_learn(const Command& command, std::string_view name) {
  Command part = command;
  part.name = name;
  return part;
}

const Command kLearnParts[] = {
    under_learn(kSolutionCommand, "learn solution"),
    under_learn(kFactCommand, "learn fact"),
    under_learn(kToolsCommand, "learn tools"),
    under_learn(kPromptCommand, "learn prompt"),
};

constexpr Option kLearnOptions[] = {
    kProjectFilter, kLearnedAgent,
    kLearnedTag,    {"--since", ValueKind::moment, "TIME", "learned then or later"},
    kUntilFilter,   kLearnedLimit,
    kAtOption};

}  // namespace

const Command kLearnCommand = {
    "learn",
    "Learn",
    "[filters] [--at TIME]\n"
    "solution add|search|list|show|helped|failed|prune|export|import ...\n"
    "fact add|list|search|forget ...\n"
    "tools [list|suggest|web] ...\n"
    "prompt preview|list|show|check ...",
    "show what was learned; keep solutions, facts, tools and prompts",
    "Without a further word it shows what was learned, as luzia learning does. solution: what to do about a "
    "problem. fact: what is known, as subject, relation, object. tools: what agents could call. prompt: what "
    "agents are told around their tasks. Each has its own help: luzia learn solution --help. The shorter "
    "luzia solution, fact, tools and prompt mean the same.",
    "luzia learn --project web\n"
    "luzia learn solution search port in use\n"
    "luzia learn fact add web uses postgres --project web\n"
    "luzia learn tools suggest 'run the database migrations'\n"
    "luzia learn prompt preview web 'fix the login'",
    kLearnOptions,
    {},
    kLearningCommand.run,
    kNeedsStore,
    kOfProjects,
    {},
    {},
    nullptr,
    kLearnParts};

}  // namespace luzia
