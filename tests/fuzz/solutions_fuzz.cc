// A file of solutions is either refused with its line, or each solution can be recorded.
#include <string>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/learn/solutions.h"

void luzia::fuzz(std::string_view input) {
  const std::string text(input);
  const auto requests = solutions_from_text(text, "fuzz", 1'767'225'600'000'000);
  if (!requests) {
    require(requests.error().code == "bad_solution", "a refusal has its code");
    require(requests.error().message.starts_with("fuzz:"), "a refusal names the place");
    return;
  }
  for (const auto& each : *requests) {
    require(!each.problem.empty() && !each.text.empty(), "a solution has a problem and a text");
    require(each.command_id.starts_with("import/"), "it is recorded once");
  }
}
