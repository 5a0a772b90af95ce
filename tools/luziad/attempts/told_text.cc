#include "tools/luziad/attempts/told_text.h"

#include <algorithm>
#include <string_view>

#include "engine/base/utf8.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

/// With the line ends of other systems as newlines. What is left of them is shown as a symbol.
std::string plain_lines(const std::string& words) {
  std::string plain;
  plain.reserve(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool ends_line = words[i] == '\r' && i + 1 < words.size() && words[i + 1] == '\n';
    if (!ends_line) plain.push_back(words[i]);
  }
  return make_harmless(plain, {.keep_newlines = true});
}

}  // namespace

std::string quoted_lines(const std::string& said) {
  const std::string plain = plain_lines(said);
  std::string_view words = plain;
  while (!words.empty() && words.back() == '\n') words.remove_suffix(1);
  std::string text;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find('\n', at), words.size());
    text.append(end == at ? ">" : "> ").append(words.substr(at, end - at)).append("\n");
    at = end + 1;
  }
  return text;
}

std::string handover_text(const Handover& handover) {
  const std::string who = handover.is_itself ? "An earlier session of yours"
                                             : "Another agent, " + make_harmless(handover.from) + ",";
  std::string text = "\n\n## Before you\n\n" + who +
                     " worked on this task and could not go on. What it changed is in the files: look at it "
                     "first.\n";
  if (!handover.words.empty()) text += "The last that it said:\n\n" + quoted_lines(handover.words);
  return text;
}

std::string told_text(const std::vector<Said>& said) {
  std::string text;
  for (const Said& each : said) {
    const std::string who = each.from_job.empty()
                                ? "A person (" + make_harmless(each.from) + ") says"
                                : "The agent of job " + make_harmless(each.from_job) + " says";
    text.append(text.empty() ? "" : "\n")
        .append(who)
        .append(" to you about this job")
        .append(each.may_be_read ? " (may have been read):\n" : ":\n")
        .append(quoted_lines(each.words));
  }
  return text;
}

std::string bounded_told(std::string text, std::size_t most, const std::string& job) {
  if (text.size() <= most) return text;
  const std::string note = "\n\nThis is cut. Read the whole before you go on: luzia job " + job + "\n";
  return bounded_utf8(text, most - std::min(most, note.size())) + note;
}

}  // namespace luzia
