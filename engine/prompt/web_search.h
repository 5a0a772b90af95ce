// Whether a web search would help with a task, by rules that can be read: words that ask for what changes
// faster than what is written down, and errors about which nothing is known here. Nothing is searched: the
// words of a search come out, and with a URL template the address. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

struct WebSearchFacts {
  std::string task;
  std::vector<std::string> errors;     // of earlier attempts, the newest first
  std::vector<std::string> knowledge;  // framework, language, build system of the project
  std::size_t solutions = 0;           // that are known for it
};

struct WebSearchAdvice {
  bool helps = false;
  std::vector<std::string> reasons;  // a sentence each
  std::vector<std::string> stack;    // technologies that the task, errors and project name, at most 5
  std::string query;                 // empty where it does not help
};

/// It helps when the task asks for what is new ("latest", "release notes", "upgrade", "deprecated", a CVE
/// number, a version number with a technology), or when there are errors and no solution is known. The query
/// is the first error without what is of this machine alone (paths, addresses, numbers), else the task's
/// words that say something, and the stack; at most 12 words.
WebSearchAdvice web_search_advice(const WebSearchFacts& facts);

/// `url_template` with the query, percent-encoded, in the place of {query}; empty without a template.
std::string web_search_url(std::string_view url_template, std::string_view query);

}  // namespace luzia
