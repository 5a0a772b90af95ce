#include "engine/job/sandbox_words.h"

#include <vector>

#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::size_t kMostWordBytes = 1'000;

void add_paths(std::string& words, const char* verb, const std::vector<std::string>& paths) {
  const char* before = verb;
  for (const std::string& path : paths) {
    words.append(before).append(path);
    before = ", ";
  }
}

}  // namespace

std::string sandbox_words(const schema::SandboxT* sandbox) {
  if (sandbox == nullptr || sandbox->kind == schema::SandboxKind::off) return {};
  std::string words = sandbox->kind == schema::SandboxKind::strict ? "strict" : "project";
  if (sandbox->only_reads) words += "; only reads the project";
  if (!sandbox->network && sandbox->hosts.empty()) words += "; network: none";
  add_paths(words, "; network: ", sandbox->hosts);
  add_paths(words, "; writes ", sandbox->write);
  add_paths(words, "; reads ", sandbox->read);
  add_paths(words, "; hides ", sandbox->hide);
  return bounded_utf8(words, kMostWordBytes);
}

}  // namespace luzia
