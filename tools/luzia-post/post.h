// One HTTP request. One thread.
#pragma once

#include <string>
#include <vector>

namespace luzia {

struct PostRequest {
  std::string url;
  long timeout_ms = 0;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  std::size_t answer_bytes = 512;  // kept of the answer
};

/// `code`: of adapters/notify/post_request.h. `detail` never contains the address, whose path is a secret
/// with many services. `answer`: the first bytes.
struct PostResult {
  int code = 0;
  std::string detail;
  std::string answer;
  long status = 0;  // of HTTP; 0: none came
};

/// Delivered = 2xx. Certificates are checked, redirects are not followed (the new address may be anybody's,
/// and the headers may hold secrets), other schemes than http and https are not spoken.
PostResult post(const PostRequest& request);

}  // namespace luzia
