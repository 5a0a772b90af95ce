// A template is either refused with its line, or gives a text that contains the unchanged task.
#include <string>

#include "engine/prompt/prompt.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

/// {{#NAME}} or {{^NAME}}, with any white space before the sign.
bool has_parts(std::string_view text) {
  for (std::size_t at = 0; (at = text.find("{{", at)) != std::string::npos;) {
    at = text.find_first_not_of(" \t\r\n\v\f{", at);
    if (at != std::string::npos && (text[at] == '#' || text[at] == '^')) return true;
  }
  return false;
}

}  // namespace

void luzia::fuzz(std::string_view text) {
  const auto parsed = PromptTemplate::parse(text, "fuzz");
  if (!parsed) {
    require(parsed.error().code == "bad_template", "a refusal has its code");
    require(parsed.error().message.starts_with("template fuzz, line "), "a refusal names the place");
    return;
  }
  PromptFacts facts;
  facts.task = "the task {{tools}}";
  facts.tools = {{"a", "b", "c"}};
  const BuiltPrompt built = build_prompt(*parsed, text, "fuzz", facts);
  require(built.record.bytes == built.text.size(), "the record tells the size");
  require(!built.record.sections.empty(), "a prompt has sections");
  require(built.text.find("the task {{tools}}") != std::string::npos || has_parts(text),
          "outside of parts the task is told as it is");
}
