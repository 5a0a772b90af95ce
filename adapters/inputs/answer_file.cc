#include "adapters/inputs/answer_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

namespace luzia {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kBetween = ", ";

std::string file_text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

/// For each position in `answer`, computed from the end: the index of the option with which the rest begins,
/// provided that the whole rest splits into options. The longest option wins; -1: none.
std::vector<int> options_at(std::string_view answer, const std::vector<std::string>& options) {
  std::vector<int> at(answer.size() + 1, -1);
  const auto fits = [&](std::size_t place, const std::string& option) {
    if (option.empty() || !answer.substr(place).starts_with(option)) return false;
    const std::size_t end = place + option.size();
    if (end == answer.size()) return true;
    return answer.substr(end).starts_with(kBetween) && at[end + kBetween.size()] >= 0;
  };
  for (std::size_t place = answer.size(); place-- > 0;) {
    for (std::size_t i = 0; i < options.size(); ++i) {
      const bool longer =
          at[place] < 0 || options[i].size() > options[static_cast<std::size_t>(at[place])].size();
      if (longer && fits(place, options[i])) at[place] = static_cast<int>(i);
    }
  }
  return at;
}

}  // namespace

std::vector<std::string> chosen_options(std::string_view answer, const std::vector<std::string>& options) {
  std::vector<std::string> chosen;
  if (answer.empty()) return chosen;
  const std::vector<int> at = options_at(answer, options);
  for (std::size_t place = 0; place < answer.size();) {
    if (at[place] < 0) return {std::string(answer)};
    chosen.push_back(options[static_cast<std::size_t>(at[place])]);
    place += chosen.back().size() + kBetween.size();
  }
  return chosen;
}

std::string response_json(const AnswerText& answer) {
  OrderedJson json;
  json["choice"] = answer.answer;
  switch (answer.type) {
    case schema::QuestionType::text:
      json["text"] = answer.answer;
      break;
    case schema::QuestionType::choice:
      break;
    case schema::QuestionType::confirm:
      json["confirmed"] = answer.answer == "yes";
      break;
    case schema::QuestionType::multi_select:
      json["choices"] = chosen_options(answer.answer, answer.options);
      break;
  }
  if (!answer.own_id.empty()) json["id"] = answer.own_id;
  json["question_id"] = answer.question;
  json["answered_by"] = answer.by;
  json["answered_at"] = format_rfc3339(answer.at);
  return file_text(json);
}

std::string decision_json(const DecisionText& decision) {
  OrderedJson json;
  json["gate"] = decision.gate;
  if (!decision.own_id.empty()) json["id"] = decision.own_id;
  json["approval_id"] = decision.approval;
  json["decision"] = schema::EnumNameDecision(decision.decision);
  json["approved"] = decision.decision == schema::Decision::approved;
  json["decided_by"] = decision.by;
  json["decided_at"] = format_rfc3339(decision.at);
  json["note"] = decision.note;
  return file_text(json);
}

bool answer_file_stands(const std::string& job_dir, const char* name) {
  struct stat status {};
  return ::lstat((job_dir + '/' + name).c_str(), &status) == 0;
}

Result<bool> remove_answer_file(const std::string& job_dir, const char* name, std::uint32_t owner_uid) {
  constexpr auto kCode = "answer_not_removed";
  const int directory = ::open(job_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return fail_errno(errno, kCode, "opening " + job_dir);
  struct stat status {};
  const bool known =
      ::fstat(directory, &status) == 0 && (status.st_uid == owner_uid || status.st_uid == ::geteuid());
  const bool removed = known && ::unlinkat(directory, name, 0) == 0;
  const int error = known ? errno : EPERM;
  ::close(directory);
  if (removed) return true;
  if (known && (error == ENOENT || error == EISDIR)) return false;
  return fail_errno(error, kCode, "removing " + job_dir + '/' + name,
                    "check the owner and mode of the job directory");
}

}  // namespace luzia
