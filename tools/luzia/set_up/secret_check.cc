#include "tools/luzia/set_up/secret_check.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "engine/base/characters.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr std::size_t kMostOfFile = 1 << 20, kMostJobs = 50;

/// A token: this beginning, then at least so many letters, digits, _ and -.
struct TokenForm {
  std::string_view begins;
  std::size_t least;
  std::string_view what;
};
// As their makers and the secret scanners of code hosts describe them.
constexpr auto kTokenForms = std::to_array<TokenForm>({
    {"ghp_", 36, "a GitHub token"},     {"gho_", 36, "a GitHub token"},
    {"ghu_", 36, "a GitHub token"},     {"ghs_", 36, "a GitHub token"},
    {"ghr_", 36, "a GitHub token"},     {"github_pat_", 22, "a GitHub token"},
    {"glpat-", 20, "a GitLab token"},   {"sk-ant-", 20, "an Anthropic key"},
    {"sk-", 32, "an API key (sk-...)"}, {"sk_live_", 16, "a Stripe key"},
    {"rk_live_", 16, "a Stripe key"},   {"xoxb-", 20, "a Slack token"},
    {"xoxp-", 20, "a Slack token"},     {"xoxa-", 20, "a Slack token"},
    {"AKIA", 16, "an AWS access key"},  {"ASIA", 16, "an AWS access key"},
    {"AIza", 35, "a Google API key"},   {"npm_", 36, "an npm token"},
    {"pypi-AgEI", 40, "a PyPI token"},  {"hf_", 30, "a Hugging Face token"},
});
constexpr auto kPrivateNames =
    std::to_array<std::string_view>({"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"});

bool is_of_token(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-';
}

std::size_t token_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_token) - text.begin());
}

std::optional<std::string_view> token_in(std::string_view line) {
  for (const TokenForm& form : kTokenForms) {
    for (std::size_t at = line.find(form.begins); at != std::string_view::npos;
         at = line.find(form.begins, at + 1)) {
      const bool alone = at == 0 || !is_of_token(line[at - 1]);
      if (alone && token_length(line.substr(at + form.begins.size())) >= form.least) return form.what;
    }
  }
  const std::size_t key = line.find("-----BEGIN ");
  if (key != std::string_view::npos && line.find("PRIVATE KEY-----", key) != std::string_view::npos)
    return "a private key";
  return std::nullopt;
}

/// A name in capitals with a literal behind it: NAME = "value", NAME='value' or NAME=value.
std::string named_value_in(std::string_view line) {
  line = trimmed(line);  // so that no blanks are passed over again for each sign
  constexpr std::string_view kOfNames = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  for (std::size_t equals = line.find('='); equals != std::string_view::npos;
       equals = line.find('=', equals + 1)) {
    std::string_view before = line.substr(0, equals);
    before = before.substr(0, before.find_last_not_of(" \t\"'") + 1);
    const std::size_t last = before.find_last_not_of(kOfNames);
    const std::string_view name = before.substr(last == std::string_view::npos ? 0 : last + 1);
    const bool is_private =
        std::ranges::any_of(kPrivateNames, [name](std::string_view end) { return name.ends_with(end); });
    // A lower-case name, such as tls_key, is one of ours and holds a path.
    const bool whole = last == std::string_view::npos || !is_letter_or_digit(before[last]);
    std::string_view value = line.substr(equals + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    if (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.remove_prefix(1);
    constexpr std::string_view kNoLiteral = "\"'{[$#,}";
    if (is_private && whole && !value.empty() && kNoLiteral.find(value.front()) == std::string_view::npos)
      return std::string(name);
  }
  return {};
}

/// Empty: no regular file, or it cannot be read. Its owner may be anybody.
std::string beginning_of(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return read_up_to(file.get(), kMostOfFile).value_or(std::string());
}

std::vector<std::filesystem::path> newest_jobs(const std::string& jobs_root) {
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> jobs;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(jobs_root, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->is_symlink(ignored))
      jobs.emplace_back(at->last_write_time(ignored), at->path());
  }
  std::ranges::sort(jobs, std::ranges::greater());
  jobs.resize(std::min(jobs.size(), kMostJobs));
  std::vector<std::filesystem::path> paths;
  for (auto& [time, path] : jobs) paths.push_back(std::move(path));
  return paths;
}

}  // namespace

std::vector<FoundSecret> secrets_in_text(std::string_view text, const std::string& file) {
  std::vector<FoundSecret> found;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const auto token = token_in(line)) {
      found.push_back({file, number, std::string(*token)});
    } else if (const std::string name = named_value_in(line);
               !name.empty() && !trimmed(line).starts_with('#')) {
      found.push_back({file, number, "the value of " + name});
    }
  }
  return found;
}

std::vector<FoundSecret> secrets_in_files(const std::vector<std::string>& files) {
  std::vector<FoundSecret> found;
  for (const std::string& file : files) {
    for (FoundSecret& secret : secrets_in_text(beginning_of(file), file)) found.push_back(std::move(secret));
  }
  return found;
}

std::vector<FoundSecret> secrets_in_jobs(const std::string& jobs_root) {
  std::vector<std::string> files;
  for (const auto& job : newest_jobs(jobs_root)) {
    for (const char* name : {"prompt.txt", "task.sh", "run.sh", "meta.json"}) files.push_back(job / name);
  }
  return secrets_in_files(files);
}

}  // namespace luzia
