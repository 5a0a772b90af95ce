// The files that luzia-run leaves for the daemon: claim and exit record of attempt 1 of job j. Anything but a
// whole file is refused; an accepted file has not one byte more or less.
#include <string>

#include "adapters/launcher/launcher.h"
#include "adapters/launcher/run_record.h"
#include "tests/fuzz/fuzz_folder.h"

namespace luzia {
namespace {

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

void luzia::fuzz(std::string_view content) {
  const static FuzzFolder folder;
  put_file(claim_path(folder.path, "j", 1), content);
  check_claim(read_claim(folder.path, "j", 1), content.size());
  put_file(exit_record_path(folder.path, "j", 1), content);
  check_record(read_exit_record(folder.path, "j", 1), content.size());
}
