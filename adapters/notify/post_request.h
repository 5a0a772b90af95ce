// The protocol between the daemon and luzia-post. The request is on luzia-post's standard input, because
// other users could see a URL or token among its arguments:
//
//   URL line, timeout line (milliseconds), header lines ("Name: value"), empty line, body to the end
//
// luzia-push and luzia-telegram read and exit the same way.
//
// The result is on its standard output: one line that says what happened, without the URL; then the beginning
// of the server's answer.
#pragma once

#include <cstdio>
#include <string>

namespace luzia::post_request {

constexpr int kDelivered = 0;
constexpr int kTryAgain = 1;
constexpr int kNever = 2;  // another try would not help

/// All of standard input: the request.
inline std::string read_input() {
  std::string text;
  char bytes[8192];
  for (std::size_t size = 0; (size = std::fread(bytes, 1, sizeof bytes, stdin)) > 0;)
    text.append(bytes, size);
  return text;
}

}  // namespace luzia::post_request
