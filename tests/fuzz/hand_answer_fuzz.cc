// Files response.json and approved.json that anybody may have written by hand: an answer, one that is not
// finished, or refused in one line. Their beginnings are never another answer.
#include <nlohmann/json.hpp>
#include <string_view>

#include "adapters/inputs/hand_answer.h"
#include "engine/base/utf8.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

using Parsed = Result<std::optional<HandAnswer>>;

void check_answer_file(const Parsed& parsed, bool is_decision) {
  if (!parsed) {
    require(parsed.error().code == "bad_answer_file", "the code of a bad answer");
    return require(parsed.error().message.find('\n') == std::string::npos, "a refusal is one line");
  }
  if (!*parsed) return;
  const HandAnswer& answer = **parsed;
  require(!answer.unfinished && answer.uid == 0 && answer.written_us == 0, "a text has no owner");
  for (const std::string* text : {&answer.value, &answer.note, &answer.id, &answer.gate})
    require(bounded_utf8(*text, text->size()) == *text, "texts are valid UTF-8");
  require(is_decision ? answer.value.empty() : !answer.value.empty(), "a response says something");
  require(is_decision || (!answer.approve && answer.note.empty() && answer.gate.empty()),
          "a response approves nothing");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  check_answer_file(parse_response_file(input), false);
  check_answer_file(parse_decision_file(input), true);
  // While a file is written, it is not read as something else.
  if (!nlohmann::json::accept(input)) return;
  const std::string_view object = input.substr(0, input.find_last_of('}') + 1);
  for (std::size_t cut = 0; cut < object.size(); cut += cut / 8 + 1) {
    const std::string_view begun = object.substr(0, cut);
    for (const Parsed& parsed : {parse_response_file(begun), parse_decision_file(begun)})
      require(!parsed || !*parsed, "half an answer is none");
  }
}
