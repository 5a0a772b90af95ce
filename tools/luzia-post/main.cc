// luzia-post: sends one webhook. Started by luziad through luzia-run, which kills it at its timeout; not
// meant to be run by hand. Its protocol: adapters/notify/post_request.h.
#include <cstdio>
#include <string_view>

#include "adapters/notify/post_request.h"
#include "engine/base/whole_number.h"
#include "tools/luzia-post/post.h"

namespace luzia {
namespace {

constexpr char kUsage[] =
    "luzia-post: sends one webhook. Started by luziad, not meant to be typed.\n"
    "\n"
    "Reads from standard input: a line with the URL, one with the time allowed in milliseconds, lines with "
    "headers,\n"
    "an empty line, the body. Exit status: 0 delivered, 1 another try may help, 2 none will.\n";

/// Takes the next line, without its line end; false if there is none.
bool take_line(std::string_view& rest, std::string_view& line) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return false;
  line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

bool parse(std::string_view text, PostRequest& request) {
  std::string_view line;
  if (!take_line(text, line) || line.empty()) return false;
  request.url = line;
  if (!take_line(text, line)) return false;
  request.timeout_ms = parse_number<long>(line).value_or(0);
  if (request.timeout_ms <= 0) return false;
  while (take_line(text, line)) {
    if (line.empty()) {
      request.body = text;
      return true;
    }
    request.headers.emplace_back(line);
  }
  return false;
}

int run(int argc, char** argv) {
  if (const auto code = post_request::answer_words(argc, argv, "luzia-post " LUZIA_VERSION, kUsage))
    return *code;
  PostRequest request;
  if (!parse(post_request::read_input(), request)) {
    std::puts("the request is not whole");
    return post_request::kNever;
  }
  const PostResult result = post(request);
  std::puts(result.detail.c_str());
  std::fwrite(result.answer.data(), 1, result.answer.size(), stdout);
  return result.code;
}

}  // namespace
}  // namespace luzia

int main(int argc, char** argv) {
  return luzia::run(argc, argv);
}
