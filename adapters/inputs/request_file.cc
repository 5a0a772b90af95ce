#include "adapters/inputs/request_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "engine/base/descriptor.h"
#include "engine/base/hash.h"

namespace luzia {
namespace {

constexpr auto kWriteAnew =
    "write it again as a regular file, best under another name and renamed into place";

RequestFile without_content(RequestFile::State state, tl::unexpected<Error> why) {
  RequestFile file;
  file.state = state;
  file.error = std::move(why.value());
  return file;
}

RequestFile refused_file(const char* code, const std::string& path, const std::string& why) {
  return without_content(RequestFile::State::refused,
                         fail(ErrorKind::refused, code, "not reading " + path + ": " + why, kWriteAnew));
}

/// What is not of the machine is for the file's owner to fix.
RequestFile failed_call(int error, const std::string& what) {
  return without_content(
      is_of_the_machine(error) ? RequestFile::State::unreadable : RequestFile::State::refused,
      fail_errno(error, "request_unreadable", what, "check the owner and mode of the file and its folder"));
}

template <class Content>
void take_content(RequestFile& file, Result<std::optional<Content>> parsed) {
  if (!parsed) {
    file.state = RequestFile::State::refused;
    file.error = parsed.error();
  } else if (*parsed) {
    file.state = RequestFile::State::whole;
    file.content = std::move(**parsed);
  } else {
    file.state = RequestFile::State::unfinished;
  }
}

/// Only what was parsed shows a value as it is. In the JSON, one may stand in escapes, or seem to stand in
/// keys and escapes, which would no longer parse if they were overwritten.
void black_out_texts(const Redactor& redactor, RequestFile& file) {
  redactor.black_out(file.error.message, false);
  if (auto* gate = std::get_if<GateFile>(&file.content)) {
    for (std::string* text : {&gate->gate, &gate->description, &gate->own_id})
      redactor.black_out(*text, false);
  }
  auto* question = std::get_if<QuestionFile>(&file.content);
  if (question == nullptr) return;
  for (std::string* text : {&question->question, &question->default_answer, &question->own_id})
    redactor.black_out(*text, false);
  for (std::string& option : question->options) redactor.black_out(option, false);
}

RequestFile read_content(const Descriptor& fd, const char* name, const std::string& path,
                         const Redactor* redactor) {
  auto bytes = read_up_to(fd.get(), kMaxRequestFile + 1);
  if (!bytes) {
    return without_content(RequestFile::State::unreadable,
                           fail_errno(errno, "request_unreadable", "reading " + path));
  }
  if (bytes->size() > kMaxRequestFile) {
    return refused_file("request_too_large", path, "it is larger than 64 KiB");
  }
  RequestFile file;
  file.hash = as_text(blake2b({as_bytes(*bytes)}));
  if (std::strcmp(name, kQuestionFile) == 0) {
    take_content(file, parse_question_file(*bytes));
  } else {
    take_content(file, parse_gate_file(*bytes));
  }
  if (redactor != nullptr) black_out_texts(*redactor, file);
  if (file.state == RequestFile::State::unfinished) {
    file.error = {ErrorKind::usage, "request_not_json",
                  path + (bytes->empty() ? " is empty" : " is not JSON, or not to its end"), kWriteAnew};
  } else if (file.state == RequestFile::State::refused) {
    file.error.message = path + ": " + file.error.message;
  }
  return file;
}

}  // namespace

bool is_of_the_machine(int errno_value) {
  return errno_value == EMFILE || errno_value == ENFILE || errno_value == ENOMEM || errno_value == EIO ||
         errno_value == EINTR;
}

std::string own_id_of(const RequestFile& asked) {
  if (const auto* question = std::get_if<QuestionFile>(&asked.content)) return question->own_id;
  if (const auto* gate = std::get_if<GateFile>(&asked.content)) return gate->own_id;
  return {};
}

RequestFile read_request_file(const std::string& job_dir, const char* name, std::uint32_t owner_uid,
                              const Redactor* redactor) {
  const std::string path = job_dir + '/' + name;
  if (redactor != nullptr && redactor->is_blind()) {
    return without_content(RequestFile::State::unreadable,
                           fail(ErrorKind::refused, "secret_unavailable",
                                "not reading " + path + ": the job's secrets cannot be blacked out"));
  }
  const Descriptor directory(::open(job_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) {
    // A missing folder does not mean that the question was withdrawn.
    return without_content(RequestFile::State::unreadable,
                           fail_errno(errno, "request_unreadable", "opening " + job_dir));
  }
  const Descriptor fd(
      ::openat(directory.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT) return {};
    if (errno == ELOOP) return refused_file("request_is_symlink", path, "it is a symbolic link");
    if (errno == ENXIO) return refused_file("request_not_a_file", path, "it is not a regular file");
    return failed_call(errno, "opening " + path);
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return failed_call(errno, "fstat of " + path);
  if (!S_ISREG(status.st_mode)) return refused_file("request_not_a_file", path, "it is not a regular file");
  if (status.st_uid != owner_uid) {
    return refused_file("request_not_owned", path,
                        "it belongs to uid " + std::to_string(status.st_uid) + ", the job runs as uid " +
                            std::to_string(owner_uid));
  }
  if (static_cast<std::uint64_t>(status.st_size) > kMaxRequestFile) {
    return refused_file("request_too_large", path, "it is larger than 64 KiB");
  }
  RequestFile file = read_content(fd, name, path, redactor);
  file.written = std::to_string(status.st_ino) + '.' + std::to_string(status.st_mtim.tv_sec) + '.' +
                 std::to_string(status.st_mtim.tv_nsec);
  file.modified_us = status.st_mtim.tv_sec * kSecondUs + status.st_mtim.tv_nsec / 1'000;
  return file;
}

}  // namespace luzia
