#include "tools/cli/surroundings.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace luzia {

TimeUs wall_clock() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<TimeUs>(time.tv_sec) * kSecondUs + time.tv_nsec / 1'000;
}

StreamTraits traits_of(int fd) {
  StreamTraits traits;
  traits.terminal = ::isatty(fd) == 1;
  winsize size{};
  if (traits.terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0) {
    traits.columns = size.ws_col;
    traits.rows = size.ws_row;
  }
  return traits;
}

/// As much as a pipe takes at once.
constexpr std::size_t kOutputBuffer = 64 << 10;

Surroundings process_surroundings(std::vector<std::string> arguments) {
  Surroundings surroundings;
  surroundings.arguments = std::move(arguments);
  surroundings.environment = [](const char* name) -> const char* { return std::getenv(name); };
  surroundings.out = stdout;
  surroundings.err = stderr;
  surroundings.in_stream = traits_of(STDIN_FILENO);
  surroundings.out_stream = traits_of(STDOUT_FILENO);
  // Without a buffer of the caller's, glibc ignores the size.
  static std::array<char, kOutputBuffer> output_buffer;
  if (!surroundings.out_stream.terminal)
    std::setvbuf(stdout, output_buffer.data(), _IOFBF, output_buffer.size());
  surroundings.err_stream = traits_of(STDERR_FILENO);
  return surroundings;
}

std::string variable(const Surroundings& surroundings, const char* name) {
  const char* value = surroundings.environment ? surroundings.environment(name) : nullptr;
  return value == nullptr ? std::string() : value;
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::string absolute_path(const std::string& path) {
  std::error_code ignored;
  return path.empty() ? path : std::filesystem::absolute(path, ignored).lexically_normal().string();
}

}  // namespace luzia
