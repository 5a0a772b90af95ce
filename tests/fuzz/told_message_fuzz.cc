// A comment on lines of a file, as a person types it, and the transcript of an agent's session, as the agent
// writes it. A comment that is read names its lines; written again it is the same. Whether a call shares its
// message is known only of a call that the transcript has. Input: the comment or the call, a line break, the
// transcript.
#include <algorithm>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/agents/hook/message_calls.h"
#include "tools/luzia/ask/told_message.h"

namespace luzia {
namespace {

void check_comment(const std::string& word) {
  const auto comment = parse_comment(word);
  if (!comment) {
    require(comment.error().code == "bad_comment", "the code of a bad comment");
    return;
  }
  require(!comment->file.empty() && !comment->text.empty(), "a comment is about a file and says something");
  require(comment->first > 0 && comment->first <= comment->last, "its lines are in order");
  const auto again = parse_comment(comment->file + ":" + std::to_string(comment->first) + "-" +
                                   std::to_string(comment->last) + ":" + comment->text);
  require(again && again->file == comment->file && again->first == comment->first &&
              again->last == comment->last && again->text == comment->text,
          "a comment is read as itself");
}

void check_transcript(std::string_view transcript, const std::string& call) {
  const auto company = hook::company_of(transcript, call);
  if (company == hook::Company::unknown) return;
  require(!call.empty() && transcript.find(call) != std::string_view::npos, "only a call that is there");
  const std::string more = std::string(transcript) + "\n{\"type\":\"user\"}\nno JSON\n";
  require(hook::company_of(more, call) == company, "other lines change nothing");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string word(input.substr(0, end));
  check_comment(word);
  check_transcript(input.substr(std::min(end + 1, input.size())), word);
}
