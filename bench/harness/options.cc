#include "bench/harness/options.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>

namespace luzia::bench {
namespace {

tl::unexpected<Error> bad_option(const std::string& what, const std::string& word) {
  return fail(ErrorKind::usage, "bad_option", what + " '" + word + "'", "luzia-bench --help");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

using Take = std::function<Status(const std::string&)>;

template <class Number>
Take count_into(Number& to) {
  return [&to](const std::string& text) -> Status {
    auto count = parse_count(text);
    if (!count) return tl::unexpected(count.error());
    if (*count > 1'000'000'000) return bad_option("too many:", text);
    to = static_cast<Number>(*count);
    return {};
  };
}

Take text_into(std::string& to) {
  return [&to](const std::string& text) -> Status {
    to = text;
    return {};
  };
}

Take seconds_into(double& to) {
  return [&to](const std::string& text) -> Status {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (error != std::errc() || end != text.data() + text.size() || !(to > 0)) {
      return bad_option("not a number of seconds above 0:", text);
    }
    return {};
  };
}

Take sizes_into(std::vector<std::uint64_t>& to) {
  return [&to](const std::string& text) -> Status {
    to.clear();
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      auto count = parse_count(text.substr(at, comma - at));
      if (!count) return tl::unexpected(count.error());
      to.push_back(*count);
      at = comma + 1;
    }
    return {};
  };
}

std::map<std::string, Take> takers(Options& options) {
  Setting& setting = options.setting;
  HistoryShape& shape = options.shape;
  std::map<std::string, Take> all;
  all["--seconds"] = seconds_into(setting.seconds);
  all["--repetitions"] = count_into(setting.repetitions);
  all["--jobs"] = [&](const std::string& text) -> Status {
    ++options.amounts;
    if (Status taken = count_into(setting.jobs)(text); !taken) return taken;
    setting.held.queued = setting.jobs;
    return count_into(shape.jobs)(text);
  };
  all["--events"] = [&](const std::string& text) -> Status {
    ++options.amounts;
    if (Status taken = count_into(setting.events)(text); !taken) return taken;
    return count_into(shape.events)(text);
  };
  all["--clients"] = [&](const std::string& text) -> Status {
    Status taken = count_into(setting.clients)(text);
    if (taken) setting.held.clients = setting.clients;
    return taken;
  };
  all["--outstanding"] = count_into(setting.outstanding);
  all["--live"] = [&](const std::string& text) -> Status {
    Status taken = count_into(setting.live)(text);
    if (taken) setting.held.running = setting.live;
    return taken;
  };
  all["--size"] = [&](const std::string& text) -> Status {
    auto bytes = parse_bytes(text);
    if (!bytes) return tl::unexpected(bytes.error());
    setting.log_bytes = *bytes;
    return {};
  };
  all["--sizes"] = [&](const std::string& text) -> Status {
    Status taken = sizes_into(setting.sizes)(text);
    if (taken) setting.web_sizes = setting.sizes;
    return taken;
  };
  all["--only"] = [&](const std::string& text) -> Status {
    const auto& parts = web_parts();
    if (std::find(parts.begin(), parts.end(), text) == parts.end()) {
      return bad_option("web has no such part (" + joined(parts) + "):", text);
    }
    setting.only = text;
    return {};
  };
  all["--seed"] = count_into(shape.seed);
  all["--group"] = [&](const std::string& text) -> Status {
    if (Status taken = count_into(shape.group)(text); !taken) return taken;
    return shape.group <= kMaxGroupEvents ? Status{} : bad_option("more than a group may hold:", text);
  };
  all["--bin"] = text_into(setting.bin);
  all["--peers"] = text_into(setting.peers);
  all["--scratch"] = text_into(setting.scratch);
  all["--out"] = text_into(options.out);
  return all;
}

void fill_in_folders(Setting& setting) {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  setting.agents = here;
  if (setting.bin.empty()) setting.bin = (here / "../../tools").lexically_normal();
  if (setting.peers.empty()) setting.peers = LUZIA_PEERS;
  // A new folder in the named one, which may hold other files: this one is removed at the end.
  const std::filesystem::path parent = setting.scratch.empty() ? std::filesystem::temp_directory_path()
                                                               : std::filesystem::path(setting.scratch);
  setting.scratch = parent / ("luzia-bench." + std::to_string(getpid()));
}

}  // namespace

Result<std::uint64_t> parse_count(const std::string& text) {
  std::uint64_t count = 0, unit = 1;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, count);
  if (rest != end && rest + 1 == end) {
    unit = *rest == 'k' ? 1'000 : *rest == 'M' ? 1'000'000 : 0;
    ++rest;
  }
  if (error != std::errc() || rest != end || unit == 0 || count == 0 || count > 1'000'000'000'000) {
    return bad_option("not a number above 0 (as 1000, 100k or 1M):", text);
  }
  return count * unit;
}

Result<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t bytes = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, bytes);
  unsigned shift = 0;
  if (rest != end && rest + 1 == end) {
    shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 64;
    ++rest;
  }
  if (error != std::errc() || rest != end || shift == 64 || bytes == 0 || bytes > (1U << 20)) {
    return bad_option("not a size above 0 (as 512K, 256M or 1G):", text);
  }
  return bytes << shift;
}

Result<Options> parse_options(int argc, char** argv) {
  Options options;
  const auto take = takers(options);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
    } else if (word == "--json") {
      options.json = true;
    } else if (word == "--terse") {
      options.shape.terse = true;
    } else if (word == "--no-rows") {
      options.rows = false;
    } else if (!word.starts_with("-")) {
      options.words.push_back(word);
    } else if (const auto it = take.find(word); it == take.end()) {
      return bad_option("unknown option", word);
    } else if (i + 1 >= argc) {
      return bad_option("no value for", word);
    } else if (Status taken = it->second(argv[++i]); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  fill_in_folders(options.setting);
  return options;
}

void print_usage(FILE* to) {
  fputs(
      "luzia-bench: measures Luzia on this machine beside yardsticks of the same run.\n\n"
      "usage: luzia-bench SCENARIO|all [--json] [--out FILE] [--seconds S] [--repetitions N] [--jobs N]\n"
      "                   [--clients N] [--outstanding N] [--live N] [--events N] [--sizes N,N,...]\n"
      "                   [--size BYTES] [--only PART] [--bin DIR] [--peers DIR] [--scratch DIR]\n"
      "       luzia-bench generate (--events N|--jobs N) [--seed S] [--group N] [--terse] [--no-rows] --out "
      "STORE\n"
      "       luzia-bench compare BEFORE.json AFTER.json\n"
      "       luzia-bench table RESULT.json\n"
      "       luzia-bench plot RESULT.json --out PICTURE.svg\n\n",
      to);
  for (const Scenario& scenario : scenarios()) {
    fprintf(to, "  %-10s %s%s\n", scenario.name, scenario.what, scenario.in_all ? "" : " (not in all)");
  }
  fputs("\nexample: luzia-bench dispatch --seconds 5\n", to);
}

}  // namespace luzia::bench
