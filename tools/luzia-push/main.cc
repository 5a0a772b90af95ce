// luzia-push: sends one push to a browser. Started by luziad through luzia-run, which kills it at its
// timeout; not meant to be run by hand. Its protocol: adapters/notify/push.h.
#include <chrono>
#include <cstdio>
#include <string_view>

#include "adapters/notify/post_request.h"
#include "tools/luzia-push/push.h"

namespace luzia {
namespace {

constexpr char kPushUsage[] =
    "luzia-push: sends one push to a browser. Started by luziad, not meant to be typed.\n"
    "\n"
    "Reads from standard input: a line of JSON that says where to and how, then the text for the browser. "
    "Exit\n"
    "status: 0 delivered, 1 another try may help, 2 none will.\n";

TimeUs push_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

int run_push(int argc, char** argv) {
  if (const auto code = post_request::answer_words(argc, argv, "luzia-push " LUZIA_VERSION, kPushUsage))
    return *code;
  const std::string input = post_request::read_input();
  const std::string_view line = std::string_view(input).substr(0, input.find('\n'));
  const auto order = parse_push_order(line);
  if (!order || line.size() == input.size()) {
    std::puts("the order is not whole");
    return post_request::kNever;
  }
  const PushResult result = send_push(*order, std::string_view(input).substr(line.size() + 1), push_clock());
  std::fputs(result.said.c_str(), stdout);
  return result.code;
}

}  // namespace
}  // namespace luzia

int main(int argc, char** argv) {
  return luzia::run_push(argc, argv);
}
