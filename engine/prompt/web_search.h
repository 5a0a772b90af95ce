// Decides by readable rules whether a web search would help with a task: words that ask for recent
// information, and errors without a known solution. Does not search: returns the words to search for and,
// with a URL template, the address. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

struct WebSearchFacts {
  std::string task;
  std::vector<std::string> errors;     // of earlier attempts, newest first
  std::vector<std::string> knowledge;  // framework, language, build system of the project
  std::size_t solutions = 0;           // number of known solutions
};

struct WebSearchAdvice {
  bool helps = false;
  std::vector<std::string> reasons;  // one sentence each
  std::vector<std::string> stack;    // technologies named by task, errors and project, at most 5
  std::string query;                 // empty if a search would not help
};

/// A search helps if there are errors and no known solution, or if the task asks for something new: "latest",
/// "release notes", "upgrade", "deprecated", a CVE number, a technology with a version number; or if the task
/// asks for knowledge from outside the project (task_questions.h). The query is
/// the first error without parts specific to this machine (paths, addresses, numbers), or else the
/// significant words of the task, plus the stack; at most 12 words.
WebSearchAdvice web_search_advice(const WebSearchFacts& facts);

/// `url_template` with {query} replaced by the percent-encoded query; empty without a template.
std::string web_search_url(std::string_view url_template, std::string_view query);

}  // namespace luzia
