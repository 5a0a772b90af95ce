#include "adapters/inputs/hand_answer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "adapters/inputs/answer_file.h"
#include "adapters/inputs/request_file.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

using HandJson = nlohmann::json;

constexpr auto kBadAnswer = "bad_answer_file";

tl::unexpected<Error> bad_answer(const std::string& why) {
  return fail(ErrorKind::usage, kBadAnswer, why, "luzia answer and luzia approve say what is open");
}

std::string word_of(const HandJson& json, const char* name) {
  const auto it = json.find(name);
  if (it == json.end()) return {};
  if (it->is_string()) return it->get<std::string>();
  if (it->is_boolean()) return it->get<bool>() ? "yes" : "no";
  if (it->is_number()) return it->dump();
  std::string words;
  if (!it->is_array()) return words;
  for (const HandJson& each : *it) {
    if (each.is_string()) words += (words.empty() ? "" : ", ") + each.get<std::string>();
  }
  return words;
}

/// Whether it was approved; nullopt: it does not say.
std::optional<bool> approval_of(const HandJson& json) {
  const auto approved = json.find("approved");
  if (approved != json.end() && approved->is_boolean()) return approved->get<bool>();
  const std::string word = lower_case(word_of(json, "decision"));
  if (word == "approved" || word == "approve" || word == "yes") return true;
  if (word == "denied" || word == "deny" || word == "no" || word == "rejected") return false;
  const bool is_signed = json.contains("approved_by") || json.contains("approved_at");
  return is_signed && word.empty() && approved == json.end() ? std::optional(true) : std::nullopt;
}

/// Reads at most one byte more than an answer may have.
std::string read_some(int fd) {
  std::string bytes(kMaxRequestFile + 1, '\0');
  const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

Result<std::optional<HandAnswer>> read_open_answer(int fd, const char* name, std::uint32_t owner_uid) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return std::optional<HandAnswer>();
  if (status.st_uid != owner_uid && status.st_uid != 0) {
    return fail(ErrorKind::refused, "answer_not_owned",
                "it belongs to uid " + std::to_string(status.st_uid) + ", and only uid " +
                    std::to_string(owner_uid) + " and root may answer",
                "luzia answer and luzia approve answer as yourself");
  }
  // Whoever may write into the folder can give other names to a file of root, and with them other questions.
  if (status.st_uid != owner_uid && status.st_nlink != 1) {
    return fail(ErrorKind::refused, "answer_is_linked",
                "it belongs to root and has further names (hard links)",
                "write it anew, or answer with luzia answer or luzia approve");
  }
  const std::string bytes = read_some(fd);
  if (bytes.size() > kMaxRequestFile) return bad_answer("it is larger than 64 KiB");
  const bool is_response = std::strcmp(name, kResponseFile) == 0;
  auto answer = LUZIA_TRY(is_response ? parse_response_file(bytes) : parse_decision_file(bytes));
  if (!answer) answer.emplace().unfinished = true;
  if ((answer->value + answer->note).find('\0') != std::string::npos) {
    return bad_answer("a text in it contains a NUL character");
  }
  answer->uid = status.st_uid;
  answer->written_us = status.st_mtim.tv_sec * kSecondUs + status.st_mtim.tv_nsec / 1'000;
  return answer;
}

}  // namespace

Result<std::optional<HandAnswer>> parse_response_file(std::string_view bytes) {
  const HandJson json = HandJson::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::optional<HandAnswer>();
  if (!json.is_object()) return bad_answer("the JSON in it is not an object");
  HandAnswer answer;
  answer.id = word_of(json, "question_id");
  for (const char* name : {"choice", "answer", "text", "response", "confirmed", "choices"}) {
    if (answer.value.empty()) answer.value = word_of(json, name);
  }
  if (answer.value.empty()) return bad_answer("there is no \"choice\" in it");
  return answer;
}

Result<std::optional<HandAnswer>> parse_decision_file(std::string_view bytes) {
  const HandJson json = HandJson::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::optional<HandAnswer>();
  if (!json.is_object()) return bad_answer("the JSON in it is not an object");
  const auto approved = approval_of(json);
  if (!approved) return bad_answer("there is no \"approved\", true or false, in it");
  HandAnswer answer;
  answer.approve = *approved;
  answer.id = word_of(json, "approval_id");
  answer.gate = word_of(json, "gate");
  answer.note = word_of(json, "note");
  if (answer.note.empty()) answer.note = word_of(json, "reason");
  return answer;
}

Result<std::optional<HandAnswer>> read_hand_answer(const std::string& job_dir, const char* name,
                                                   std::uint32_t owner_uid) {
  const int directory = ::open(job_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int fd = directory < 0
                     ? -1
                     : ::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const int error = errno;
  if (directory >= 0) ::close(directory);
  if (fd < 0 && error == ENOENT) return std::optional<HandAnswer>();
  if (fd < 0) {
    return fail_errno(error, is_of_the_machine(error) ? kUnreadableAnswer : kBadAnswer,
                      "opening " + job_dir + '/' + name);
  }
  auto answer = read_open_answer(fd, name, owner_uid);
  ::close(fd);
  if (answer) return answer;
  Error named = answer.error();
  named.message = job_dir + '/' + name + ": " + named.message;
  return tl::unexpected(std::move(named));
}

}  // namespace luzia
