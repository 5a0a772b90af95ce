// The files that luzia-run leaves for the daemon: claim and exit record of attempt 1 of job j, whatever their
// bytes are. What is not exactly whole is refused; what passes has not one byte more or less.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "adapters/launcher/launcher.h"
#include "adapters/launcher/run_record.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

/// A folder in memory where there is one.
std::string make_folder() {
  std::string folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  folder += "/luzia-fuzz-XXXXXX";
  require(::mkdtemp(folder.data()) != nullptr, "a folder for the files");
  return folder;
}

struct Folder {
  std::string path = make_folder();
  ~Folder() {
    remove_run_files(path, "j", 1);
    ::rmdir(path.c_str());
  }
};

void put(const std::string& path, const std::uint8_t* bytes, std::size_t size) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  require(fd >= 0 && ::write(fd, bytes, size) == static_cast<ssize_t>(size), "the file is written");
  ::close(fd);
}

void check_claim(const Result<std::optional<Claim>>& claim, std::size_t size) {
  if (!claim) return require(claim.error().code == "claim_unreadable", "the code of a bad claim");
  require(claim->has_value() && size == run_record::kClaimSize, "a claim has its size");
  require((*claim)->runner.pid != 0, "a claim names its luzia-run");
}

void check_record(const Result<std::optional<schema::AttemptEndedT>>& record, std::size_t size) {
  if (!record) {
    return require(record.error().code == "exit_record_unreadable", "the code of a bad exit record");
  }
  require(record->has_value() && size == run_record::kExitRecordSize, "an exit record has its size");
  require((*record)->attempt == 1, "it is of the attempt that was asked about");
  require((*record)->start_error.find('\n') == std::string::npos, "a start error is one line");
}

}  // namespace
}  // namespace luzia

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace luzia;
  const static Folder folder;
  put(claim_path(folder.path, "j", 1), bytes, size);
  check_claim(read_claim(folder.path, "j", 1), size);
  put(exit_record_path(folder.path, "j", 1), bytes, size);
  check_record(read_exit_record(folder.path, "j", 1), size);
  return 0;
}
