// What the daemon and luzia-post say to each other. On luzia-post's standard input, so that no other user
// sees the address or a token among the arguments of processes:
//
//   URL line, line of the time allowed in milliseconds, header lines ("Name: value"), empty line, body to the
//   end
//
// On its standard output: one line of what happened, without the address; then the beginning of the answer.
#pragma once

namespace luzia::post_request {

constexpr int kDelivered = 0;
constexpr int kTryAgain = 1;
constexpr int kNever = 2;  // another try would not help

}  // namespace luzia::post_request
