// A file of solutions is either refused with its line, or each solution can be recorded.
#include <cstdint>
#include <string>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/learn/solutions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace luzia;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto requests = solutions_from_text(text, "fuzz", 1'767'225'600'000'000);
  if (!requests) {
    require(requests.error().code == "bad_solution", "a refusal has its code");
    require(requests.error().message.starts_with("fuzz:"), "a refusal names the place");
    return 0;
  }
  for (const auto& each : *requests) {
    require(!each.problem.empty() && !each.text.empty(), "a solution has a problem and a text");
    require(each.command_id.starts_with("import/"), "it is recorded once");
  }
  return 0;
}
