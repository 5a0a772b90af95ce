#include "tests/scenarios/scenario_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/paths.h"

namespace luzia {
namespace {

Step parse_step(const std::string& text, int line) {
  Step step;
  step.line = line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      step.words.push_back(word);
    } else {
      std::string value = word.substr(equals + 1);
      if (value.starts_with('"') && value.ends_with('"') &&
          value.size() > 1) {  // quoted values have _ for each blank
        value = value.substr(1, value.size() - 2);
        std::replace(value.begin(), value.end(), '_', ' ');
      }
      step.values[word.substr(0, equals)] = std::move(value);
    }
  }
  return step;
}

}  // namespace

void PrintTo(const Scenario& scenario, std::ostream* out) {
  *out << scenario.file << ": " << scenario.name;
}

std::vector<Scenario> read_scenarios() {
  std::vector<Scenario> scenarios;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/scenarios"))) {
    if (entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const std::size_t start = line.find_first_not_of(" \t");
      if (start == std::string::npos || line[start] == '#') continue;
      line = line.substr(start);
      if (line.starts_with("scenario ")) {
        scenarios.push_back({file.stem().string(), line.substr(9), {}});
      } else {
        scenarios.back().steps.push_back(parse_step(line, number));
      }
    }
  }
  return scenarios;
}

}  // namespace luzia
