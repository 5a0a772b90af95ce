// Runs luzia-query in this process: takes its words, returns exit code and both output streams.
#pragma once

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/luzia_query/small_store.h"
#include "tools/cli/program.h"
#include "tools/luzia-query/commands.h"

namespace luzia::test {

using Json = nlohmann::json;

struct Ran {
  int code = -1;
  std::string out, err;

  Json json() const { return Json::parse(out); }
  std::vector<Json> json_lines() const {
    std::vector<Json> lines;
    for (std::size_t at = 0; at < out.size();) {
      const std::size_t end = out.find('\n', at);
      lines.push_back(Json::parse(out.substr(at, end - at)));
      at = end + 1;
    }
    return lines;
  }
  std::vector<std::string> text_lines() const {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < out.size();) {
      const std::size_t end = std::min(out.find('\n', at), out.size());
      lines.push_back(out.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }
};

struct Circumstances {
  std::map<std::string, std::string> environment;
  TimeUs now = time_at(100);
  StreamTraits out_stream, err_stream;
  std::string out_file, err_file;  // if set, output goes to these files; written at once, like standard error
};

inline Ran run_query_program(const std::vector<std::string>& words, const Circumstances& circumstances = {}) {
  Ran ran;
  char *out_text = nullptr, *err_text = nullptr;
  std::size_t out_size = 0, err_size = 0;
  Surroundings surroundings;
  surroundings.arguments = words;
  surroundings.environment = [&](const char* name) -> const char* {
    const auto it = circumstances.environment.find(name);
    return it == circumstances.environment.end() ? nullptr : it->second.c_str();
  };
  surroundings.now = circumstances.now;
  surroundings.out = circumstances.out_file.empty() ? open_memstream(&out_text, &out_size)
                                                    : fopen(circumstances.out_file.c_str(), "w");
  surroundings.err = circumstances.err_file.empty() ? open_memstream(&err_text, &err_size)
                                                    : fopen(circumstances.err_file.c_str(), "w");
  if (!circumstances.err_file.empty()) setvbuf(surroundings.err, nullptr, _IONBF, 0);
  surroundings.out_stream = circumstances.out_stream;
  surroundings.err_stream = circumstances.err_stream;
  ran.code = run_program(kLuziaQuery, surroundings);
  fclose(surroundings.out);
  fclose(surroundings.err);
  if (out_text != nullptr) ran.out.assign(out_text, out_size);
  if (err_text != nullptr) ran.err.assign(err_text, err_size);
  free(out_text);
  free(err_text);
  return ran;
}

/// The same on a store, without contacting a daemon.
inline Ran ask(const SmallStore& store, std::vector<std::string> words,
               const Circumstances& circumstances = {}) {
  words.insert(words.end(), {"--store", store.path()});
  return run_query_program(words, circumstances);
}

}  // namespace luzia::test
