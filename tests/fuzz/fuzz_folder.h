// A folder for the files of a fuzz target, in memory if possible; removed when the program exits.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_check.h"

namespace luzia {

struct FuzzFolder {
  FuzzFolder() { require(::mkdtemp(path.data()) != nullptr, "a folder for the files"); }
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;

  std::string path =
      std::string(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/luzia-fuzz-XXXXXX";
};

inline void put_file(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  require(fd >= 0 && ::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
          "the file is written");
  ::close(fd);
}

}  // namespace luzia
