// Sends one HTTP request. One thread.
#pragma once

#include <string>
#include <vector>

namespace luzia {

struct PostRequest {
  std::string url;
  long timeout_ms = 0;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  std::size_t answer_bytes = 512;  // most bytes kept of the answer
  /// A stranger named the URL: connects to public addresses only, whatever its name resolves to. Where a
  /// proxy is set, all such requests go through it, and it resolves the name.
  bool public_only = false;
};

/// `code`: see adapters/notify/post_request.h. `detail` never contains the URL, whose path is a secret with
/// many services. `answer`: its first bytes.
struct PostResult {
  int code = 0;
  std::string detail;
  std::string answer;
  long status = 0;         // HTTP status; 0: no answer
  long retry_after_s = 0;  // that the server asks for; 0: none
};

/// A 2xx status means delivered. Certificates are verified. Redirects are not followed: the new URL could be
/// anyone's, and the headers may hold secrets. Only http and https are supported.
PostResult post(const PostRequest& request);

}  // namespace luzia
