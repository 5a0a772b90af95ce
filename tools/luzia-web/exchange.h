// A request over HTTP and its answer, as plain values. No part of it knows the library that carries them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace luzia::web {

struct Request {
  std::string method;                                       // upper case
  std::string path;                                         // decoded; begins with '/'
  std::vector<std::pair<std::string, std::string>> query;   // decoded, in order
  std::map<std::string, std::string, std::less<>> headers;  // by lower-case name; a repeated one has a comma
  std::string body;
  std::string address;           // of the client, without its port
  std::optional<unsigned> user;  // whose program of this machine has sent it: a client or a proxy

  /// Empty: absent.
  std::string_view header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
  /// The first of that name; null: absent.
  const std::string* parameter(std::string_view name) const {
    for (const auto& [key, value] : query) {
      if (key == name) return &value;
    }
    return nullptr;
  }
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// An error as a problem document (RFC 9457) with our code and hint. `status` 0: that of the error's kind.
Answer problem(const Error& error, int status = 0);
/// JSON, or the problem that kept it from being made.
Answer answer_with(Result<std::string> json);
/// The reason phrase of a status.
std::string_view reason_of(int status);
std::string lower_case_of(std::string_view text);

}  // namespace luzia::web
