#include "bench/harness/issue_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bench/harness/driving.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kLogBlock = 64 * 1024;

/// `#` stands for the line's number.
constexpr std::array<const char*, 10> kOrdinary = {
    "[#/90210] Building CXX object engine/CMakeFiles/part.dir/part_#.cc.o",
    "[ RUN      ] Suite#.KeepsWhatItWasGiven",
    "[       OK ] Suite#.KeepsWhatItWasGiven (3 ms)",
    "2026-11-22T10:00:00.#Z INFO request method=GET path=/api/v1/items/# status=200 user=alice",
    "  File \"/usr/lib/python3/dist-packages/app/module_#.py\", line #, in handle",
    "g++ -O2 -Wall -Werror -Isrc/include -std=c++20 -c src/part_#.cc -o build/part_#.o",
    "I will now look at the tests of module # and change the function that computes the total.",
    "+    if (value_# > limit) return make_result(value_#, kLimit);",
    "tests/test_part_#.py::test_keeps_what_it_was_given PASSED                     [ 42%]",
    "Get:# http://deb.debian.org/debian bookworm/main amd64 libfoo# amd64 1.2.3 [12.3 kB]"};

}  // namespace

std::vector<std::string> usual_issues() {
  return {"cp: cannot create regular file '/etc/part_#': Permission denied",
          "src/part_#.cc:12:5: error: 'foo' was not declared in this scope",
          "Error: connect ECONNREFUSED 127.0.0.1:5432", "ModuleNotFoundError: No module named 'part_#'"};
}

std::string write_issue_log(const std::string& folder, std::uint64_t bytes,
                            const std::vector<std::string>& issues) {
  std::filesystem::create_directories(folder);
  std::string path = folder + "/output.log";
  std::ofstream file(path, std::ios::binary);
  std::string text;
  std::uint64_t written = 0;
  for (std::size_t line = 0; written + text.size() < bytes; ++line) {
    const std::string_view shape = line % 1'000 == 0 ? std::string_view(issues[line / 1'000 % issues.size()])
                                                     : kOrdinary[line % kOrdinary.size()];
    const std::string number = std::to_string(line);
    for (const char c : shape) c == '#' ? text += number : text += c;
    text += '\n';
    if (text.size() < (1 << 20)) continue;
    file << text;
    written += text.size();
    text.clear();
  }
  file << text << std::flush;
  if (!file) give_up("cannot write " + path);
  return path;
}

double over_issue_log(const std::string& path, std::uint64_t most,
                      const std::function<void(std::string_view)>& each) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) give_up("cannot open " + path);
  std::vector<char> buffer(2 * kLogBlock);
  std::size_t kept = 0;
  std::uint64_t bytes = 0;
  const double begin = now_seconds();
  for (ssize_t got = 0; bytes < most && (got = read(fd, buffer.data() + kept, kLogBlock)) > 0;) {
    const std::string_view text(buffer.data(), kept + static_cast<std::size_t>(got));
    const std::size_t whole = text.rfind('\n') + 1;
    each(text.substr(0, whole));
    bytes += whole;
    kept = text.size() - whole;
    memmove(buffer.data(), buffer.data() + whole, kept);
  }
  const double took = now_seconds() - begin;
  close(fd);
  return static_cast<double>(bytes) / took / 1e9;
}

}  // namespace luzia::bench
