// Scanning output: the line splitter and the text decoder over a build's output, as a worker of the daemon
// runs them. Compared with reading and copying the same bytes.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "adapters/agents/text_decoder.h"
#include "adapters/output_log/scanner.h"
#include "bench/harness/driving.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kFileBytes = 64 << 20;
constexpr std::size_t kBlock = 64 * 1024;

/// Compiler and test output; one line in 200 contains a finding.
std::string write_output(const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::string text;
  for (std::uint64_t line = 0; text.size() < kFileBytes; ++line) {
    const std::string number = std::to_string(line);
    if (line % 400 == 0) {
      text += "::warning file=src/part_" + number + ".cc,line=12::unused variable\n";
    } else if (line % 400 == 200) {
      text += "\x1b]9;4;1;" + std::to_string(line / 400 % 100) + "\x07\n";
    } else if (line % 3 == 0) {
      text += "[ RUN      ] Suite" + number + ".KeepsWhatItWasGiven\n";
    } else {
      text +=
          "[" + number + "/90210] Building CXX object engine/CMakeFiles/part.dir/part_" + number + ".cc.o\n";
    }
  }
  std::ofstream(folder + "/output.log", std::ios::binary) << text;
  return folder + "/output.log";
}

double scan_once(const ScanRequest& first, std::uint64_t bytes) {
  ScanRequest request = first;
  const ScanLimits limits;
  ScanBuffer buffer(limits.read_block);
  std::uint64_t findings = 0;
  const double begin = now_seconds();
  for (bool more = true; more;) {
    ScanResult result = scan_step(request, limits, buffer);
    if (result.trouble) give_up(result.trouble->message);
    findings += result.findings.size();
    more = result.more;
    request.checkpoint = result.checkpoint;
  }
  if (findings == 0 || request.checkpoint.scanned_to != bytes) give_up("the scan did not see everything");
  return static_cast<double>(bytes) / (now_seconds() - begin) / 1e9;
}

/// Calls `each(block, bytes)` for every block read.
template <class Each>
double read_once(const std::string& path, Each each) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) give_up("cannot open " + path);
  std::vector<char> block(kBlock);
  double bytes = 0;
  const double begin = now_seconds();
  for (ssize_t got = 0; (got = read(fd, block.data(), block.size())) > 0;) {
    each(block.data(), static_cast<std::size_t>(got));
    bytes += static_cast<double>(got);
  }
  const double took = now_seconds() - begin;
  close(fd);
  return bytes / took / 1e9;
}

double copy_once(std::vector<char>& from, std::vector<char>& to) {
  const double begin = now_seconds();
  memcpy(to.data(), from.data(), from.size());
  from[0] = to[to.size() / 2];  // uses the copy, so that it is not optimized away
  return static_cast<double>(from.size()) / (now_seconds() - begin) / 1e9;
}

}  // namespace

std::vector<Figure> run_scan(const Setting& setting) {
  const std::string folder = setting.scratch + "/scan";
  const std::string path = write_output(folder);
  const auto bytes = std::filesystem::file_size(path);
  auto source = std::make_shared<ScanSource>();
  source->job_dir = folder;
  source->owner_uid = getuid();
  source->attempt = 1;
  source->decoder = std::make_shared<TextDecoder>();
  ScanRequest request;
  request.source = source;

  const auto plain =
      repeated(setting.repetitions, [&] { return read_once(path, [](const char*, std::size_t) {}); });
  std::uint64_t lines = 0;
  const auto split = repeated(setting.repetitions, [&] {
    return read_once(path, [&](const char* block, std::size_t size) {
      for (const char *at = block, *end = block + size; at < end; ++at, ++lines) {
        at = static_cast<const char*>(memchr(at, '\n', static_cast<std::size_t>(end - at)));
        if (at == nullptr) break;
      }
    });
  });
  std::vector<char> from(bytes, 'x'), to(bytes, 'y');
  const auto copy = repeated(setting.repetitions, [&] { return copy_once(from, to); });
  const auto scan = repeated(setting.repetitions, [&] { return scan_once(request, bytes); });
  std::filesystem::remove_all(folder);

  Figure scanned =
      plain_figure("scanning output, splitter and text decoder, read included", scan.first, "GB/s");
  scanned.spread = scan.second;
  scanned.yardstick = "read and memchr of each newline, GB/s";
  scanned.yardstick_value = split.first;
  scanned.goal = ">= 1 GB/s";
  scanned.met = scanned.value >= 1;
  Figure read = plain_figure("reading output in blocks of 64 KiB, nothing else", plain.first, "GB/s");
  read.spread = plain.second;
  read.yardstick = "memcpy, GB/s";
  read.yardstick_value = copy.first;
  read.goal = "(a yardstick)";
  read.met = lines > 0;
  return {scanned, read};
}

}  // namespace luzia::bench
