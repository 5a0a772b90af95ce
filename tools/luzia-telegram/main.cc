// luzia-telegram: a Telegram bot that sends notifications and accepts answers. Started by luziad; not meant
// to be run by hand.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "adapters/notify/post_request.h"
#include "tools/luzia-telegram/send.h"
#include "tools/luzia-telegram/serve.h"

namespace luzia {
namespace {

constexpr char kUsage[] =
    "luzia-telegram: a Telegram bot that sends notices and takes answers. Started by luziad, not meant to be "
    "typed.\n"
    "\n"
    "  luzia-telegram send   sends one notice, read from standard input; exit status: 0 sent, 1 another try "
    "may\n"
    "                        help, 2 none will\n"
    "  luzia-telegram serve  takes answers until its standard input ends, whose first line are the "
    "settings\n";

/// Reads byte by byte, so that input after the line stays available to wait for.
std::string read_line(int fd) {
  std::string line;
  char byte = 0;
  while (::read(fd, &byte, 1) == 1 && byte != '\n') line += byte;
  return line;
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (word == "--version") return std::puts("luzia-telegram " LUZIA_VERSION) < 0;
  if (word == "send") return send_notice(post_request::read_input());
  if (word == "serve") return serve_bot(read_line(STDIN_FILENO));
  std::fputs(kUsage, word == "--help" ? stdout : stderr);
  return word == "--help" ? 0 : post_request::kNever;
}

}  // namespace
}  // namespace luzia

int main(int argc, char** argv) {
  const int status = luzia::run(argc, argv);
  std::fflush(stdout);
  ::_exit(status);  // another thread may still be polling
}
