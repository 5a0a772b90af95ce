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
#include <optional>
#include <string>
#include <string_view>

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

/// The exit code of a program that was started with words: --help and --version are answered, others refused.
/// nullopt: there are none. `version`: "luzia-post 0.1.0".
inline std::optional<int> answer_words(int argc, char** argv, const char* version, const char* usage) {
  if (argc <= 1) return std::nullopt;
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (word == "--version") return std::puts(version) < 0 ? 1 : 0;
  std::fputs(usage, word == "--help" ? stdout : stderr);
  return word == "--help" ? 0 : kNever;
}

}  // namespace luzia::post_request
