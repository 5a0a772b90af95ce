// The protocol between the daemon and luzia-post. The request is on luzia-post's standard input, because
// other users could see a URL or token among its arguments:
//
//   URL line, timeout line (milliseconds), header lines ("Name: value"), empty line, body to the end
//
// The result is on its standard output: one line that says what happened, without the URL; then the beginning
// of the server's answer.
#pragma once

namespace luzia::post_request {

constexpr int kDelivered = 0;
constexpr int kTryAgain = 1;
constexpr int kNever = 2;  // another try would not help

}  // namespace luzia::post_request
