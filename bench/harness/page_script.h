// Runs bench/page/page.mjs: the parts of the scenario web that need a browser. Node's packages are those of
// tests/page, whose lock file it uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace luzia::bench {

class PageScript {
 public:
  /// Installs the packages into `folder`, which tests/page/run keeps for later calls.
  explicit PageScript(std::string folder);
  /// Why nothing can be measured here; empty: a browser is there, as far as is known.
  const std::string& missing() const { return missing_; }
  /// The part's answer; null if missing() says why there is none. A part that fails ends the run (give_up).
  nlohmann::json run(const std::string& part, const nlohmann::json& arguments);

 private:
  int run_node(const std::vector<std::string>& words);

  std::string folder_, missing_;
  std::string answer_;   // the last line of standard output
  std::string trouble_;  // the first one of standard error
};

/// What is at `key` of an answer. If there is no such object, number or numbers, the run ends (give_up).
const nlohmann::json& object_in(const nlohmann::json& answer, const char* key);
double number_in(const nlohmann::json& answer, const char* key);
std::vector<double> numbers_in(const nlohmann::json& answer, const char* key);

}  // namespace luzia::bench
