#include "engine/prompt/prompt.h"

#include <algorithm>

#include "engine/base/percent.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::string_view kCutMark = " [...]";

/// The first `most` characters (not bytes) of a text as valid UTF-8; sets `cut` if that omits something.
std::string first_characters(std::string_view text, std::size_t most, bool& cut) {
  std::string valid = bounded_utf8(text, text.size() * 3);
  std::size_t count = 0, at = 0;
  for (; at < valid.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(valid[at]) & 0xC0) != 0x80;
    if (begins && count++ == most) break;
  }
  if (at == valid.size()) return valid;
  cut = true;
  return valid.substr(0, at).append(kCutMark);
}

struct Section {
  std::string text;
  bool cut = false;
};

Section identity_section(const PromptFacts& facts) {
  if (facts.agent.empty()) return {};
  return {"You are " + facts.agent + ". Luzia runs you in the background" +
          (facts.project.empty() ? std::string() : " for the project " + facts.project) +
          ": nobody watches while you work; people read your output afterwards. $LUZIA_JOB_ID names your "
          "job.\n"};
}

/// What the agent may decide alone, and how it asks, reports, remembers and ends.
Section protocol_section(const PromptFacts& facts) {
  if (facts.agent.empty()) return {};
  Section section;
  section.text =
      "- Decide alone what the task leaves open, if it can be undone. Ask before you do what cannot be "
      "undone, "
      "costs money, affects other people's systems, or changes what the task is about.\n"
      "- Ask a person: luzia ask 'QUESTION' --options A,B (or the tool ask_user). It waits for the answer.\n";
  if (!facts.gates.empty()) {
    section.text +=
        "- Request approval first, with luzia gate GATE 'WHAT' (or the tool request_approval), for: ";
    for (std::size_t i = 0; i < facts.gates.size(); ++i)
      section.text += (i == 0 ? "" : ", ") + facts.gates[i];
    section.text += "\n";
  }
  section.text +=
      "- Report: luzia publish progress --progress-percent 40 --current-step-name 'Run tests', luzia publish "
      "warning --message TEXT (or the tools report_progress, report_warning).\n"
      "- Look up what is known before you search for long, and record what you learn: luzia learn solution "
      "search "
      "WORDS, luzia learn fact list THING, luzia learn fact add SUBJECT RELATION OBJECT (or the tools "
      "search_solutions, query_relations, search_context, store_fact).\n"
      "- Other agents work here, too: luzia todo list shows what they have taken (or the tools list_todos, "
      "take_todo, complete_todo).\n";
  if (!facts.exit_codes.empty()) {
    section.text += "- Your exit code says how it ended: ";
    for (std::size_t i = 0; i < facts.exit_codes.size(); ++i)
      section.text += (i == 0 ? "" : "; ") + facts.exit_codes[i];
    section.text += "; any other code: failed\n";
  }
  return section;
}

Section project_section(const PromptFacts& facts) {
  Section section;
  for (const auto& [name, value] : {std::pair("Project", &facts.project),
                                    {"Directory", &facts.path},
                                    {"Language", &facts.language},
                                    {"Framework", &facts.framework},
                                    {"Build system", &facts.build_system},
                                    {"Focus", &facts.project_focus}}) {
    if (!value->empty()) section.text.append("- ").append(name).append(": ").append(*value).append("\n");
  }
  return section;
}

Section environment_section(const PromptFacts& facts) {
  Section section;
  for (const auto& [name, value] : facts.environment) {
    section.text.append("- ").append(name).append(": ").append(value).append("\n");
  }
  return section;
}

Section focus_section(const PromptFacts& facts, const PromptLimits& limits) {
  Section section;
  for (std::size_t i = 0; i < facts.focus.size(); ++i) {
    if (i == limits.focus) {
      section.cut = true;
      break;
    }
    section.text.append("- ")
        .append(first_characters(facts.focus[i], limits.characters, section.cut))
        .append("\n");
  }
  if (!facts.web_search.empty()) {
    section.text.append("- A web search may help: ").append(facts.web_search).append("\n");
  }
  return section;
}

Section tools_section(const PromptFacts& facts, const PromptLimits& limits) {
  Section section;
  for (std::size_t i = 0; i < facts.tools.size(); ++i) {
    if (i == limits.tools) {
      section.cut = true;
      break;
    }
    const PromptTool& tool = facts.tools[i];
    section.text.append("- ").append(tool.name);
    if (!tool.about.empty())
      section.text.append(": ").append(first_characters(tool.about, limits.characters, section.cut));
    if (!tool.reason.empty()) section.text.append(" (").append(tool.reason).append(")");
    section.text.append("\n");
  }
  return section;
}

Section practices_section(const PromptFacts& facts, const PromptLimits& limits) {
  Section section;
  for (std::size_t i = 0; i < facts.practices.size(); ++i) {
    if (i == limits.practices) {
      section.cut = true;
      break;
    }
    const PromptPractice& practice = facts.practices[i];
    section.text.append("- ")
        .append(first_characters(practice.problem, limits.characters, section.cut))
        .append(" (solution ")
        .append(practice.solution)
        .append(", trusted to ")
        .append(whole_percent(practice.confidence))
        .append(")\n  ");
    for (const char c : first_characters(practice.text, limits.characters, section.cut)) {
      section.text.push_back(c);
      if (c == '\n') section.text.append("  ");
    }
    section.text.append("\n");
  }
  return section;
}

Section output_section(const PromptFacts& facts) {
  Section section;
  section.text =
      "End with a short summary in this form:\n\nDone: what you did, and in which files\nResult: what came "
      "out, "
      "and how you checked it\nLeft: what is left to do, or nothing\n\n";
  if (!facts.practices.empty()) {
    section.text +=
        "If a solution above helped, or did not, record it: luzia solution helped ID, "
        "luzia solution failed ID.\n";
  }
  section.text +=
      "Record what helped, if others will meet the problem: luzia solution add "
      "PROBLEM SOLUTION.\n";
  if (!facts.flow.empty()) {
    section.text += "This is step " + facts.step + " of flow " + facts.flow +
                    ". Record its result for the later steps: luzia flow complete $LUZIA_FLOW "
                    "$LUZIA_STEP --output TEXT.\n";
  }
  return section;
}

Section section_of(std::string_view name, const PromptFacts& facts, const PromptLimits& limits) {
  if (name == "task") return {facts.task};
  if (name == "identity") return identity_section(facts);
  if (name == "protocol") return protocol_section(facts);
  if (name == "focus") return focus_section(facts, limits);
  if (name == "context") return {facts.context};
  if (name == "practices") return practices_section(facts, limits);
  if (name == "tools") return tools_section(facts, limits);
  if (name == "project") return project_section(facts);
  if (name == "environment") return environment_section(facts);
  return output_section(facts);
}

/// The template provides the newline after a section.
void drop_last_newlines(std::string& text) {
  while (text.ends_with('\n')) text.pop_back();
}

std::vector<std::uint8_t> hash_of(std::string_view text) {
  const Hash hash = blake2b({as_bytes(text)});
  return {hash.begin(), hash.end()};
}

}  // namespace

BuiltPrompt build_prompt(const PromptTemplate& parsed, std::string_view template_text,
                         const std::string& name, const PromptFacts& facts, const PromptLimits& limits) {
  BuiltPrompt built;
  std::map<std::string, std::string, std::less<>> sections;
  std::size_t left = limits.bytes;
  for (const std::string_view each : kPromptSections) {
    if (!parsed.uses(each)) continue;
    Section section = section_of(each, facts, limits);
    drop_last_newlines(section.text);
    if (each != "task") {
      if (section.text.size() > left) {
        section.text = left > kCutMark.size()
                           ? bounded_utf8(section.text, left - kCutMark.size()).append(kCutMark)
                           : std::string();
        section.cut = true;
      }
      left -= std::min(left, section.text.size());
    }
    auto& record = *built.record.sections.emplace_back(std::make_unique<schema::PromptSectionT>());
    record.name = each;
    record.bytes = section.text.size();
    record.hash = hash_of(section.text);
    record.cut = section.cut;
    sections.emplace(each, std::move(section.text));
  }
  if (parsed.uses("tools")) {
    for (std::size_t i = 0; i < std::min(facts.tools.size(), limits.tools); ++i)
      built.record.tools.push_back(facts.tools[i].name);
  }
  built.text = parsed.render(sections);
  built.record.template_ = name;
  built.record.template_hash = hash_of(template_text);
  built.record.bytes = built.text.size();
  return built;
}

}  // namespace luzia
