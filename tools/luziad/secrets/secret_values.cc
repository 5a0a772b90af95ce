#include "tools/luziad/secrets/secret_values.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "adapters/launcher/launcher.h"
#include "adapters/notify/delivery.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr std::uint64_t kSecretCommandMs = 10'000;

/// The text, or why there is none.
using SecretText = tl::expected<std::string, std::string>;

tl::unexpected<std::string> no_secret(std::string why) {
  return tl::unexpected<std::string>(std::move(why));
}

SecretText read_secret_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!file) return no_secret(std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return no_secret(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return no_secret("it is not a regular file");
  auto text = read_up_to(file.get(), kMostSecretBytes + 2);
  if (!text) return no_secret(std::strerror(errno));
  return std::move(*text);
}

/// The daemon's own for commands of its user, which may need to reach an agent that holds keys.
std::vector<std::string> secret_command_environment(const schema::JobSpecT& spec) {
  std::vector<std::string> variables;
  if (spec.uid == ::geteuid()) {
    for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
    return variables;
  }
  return {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + spec.home, "USER=" + spec.user,
          "LOGNAME=" + spec.user};
}

SecretText run_secret_command(const std::vector<std::string>& words, const schema::JobSpecT& spec,
                              const SecretSurroundings& around) {
  HookCommand command;
  command.runner = around.runner_program;
  command.command = words;
  command.environment = secret_command_environment(spec);
  command.timeout_ms = kSecretCommandMs;
  command.open_files = around.open_files;
  command.most_output = kMostSecretBytes + 2;
  command.drops_errors = true;  // a warning is no part of a value
  if (spec.uid != ::geteuid()) command.user = runner_user(spec.uid, spec.gid);
  CommandRun ran = run_command(command, {}, {});
  if (ran.exit_code == 0) return std::move(ran.output);
  // Behind this is what to do about a hook.
  return no_secret(ran.end.substr(0, ran.end.find("; install it")));
}

std::string secret_path(const std::string& path, const std::string& home) {
  return path.starts_with("~/") ? home + path.substr(1) : path;
}

SecretText read_source(const schema::SecretSourceT& secret, const schema::JobSpecT& spec,
                       const SecretSurroundings& around) {
  if (secret.source.empty() || secret.source.front().empty()) return no_secret("its place is unknown");
  const std::string& first = secret.source.front();
  switch (secret.kind) {
    case schema::SecretKind::file: {
      const std::string path = secret_path(first, spec.home);
      if (spec.uid == ::geteuid()) return read_secret_file(path);
      SecretText text = run_secret_command({"/bin/cat", "--", path}, spec, around);
      // What cat says about it is dropped, and could name folders that the user may not see.
      if (!text && text.error().starts_with("exit code"))
        return no_secret("it is missing, or that user may not read it");
      return text;
    }
    case schema::SecretKind::command:
      return run_secret_command(secret.source, spec, around);
    case schema::SecretKind::env: {
      const char* value = ::getenv(first.c_str());
      return value != nullptr ? SecretText(value) : no_secret("the daemon has no such variable");
    }
  }
  return no_secret("this program does not know such places");
}

/// Empty: the value is fit for use.
std::string secret_fault(const std::string& value) {
  if (value.empty()) return "it is empty";
  if (value.size() > kMostSecretBytes) return "it is larger than 64 KiB";
  return value.find('\0') == std::string::npos ? "" : "it has a NUL";
}

std::string secret_place_words(const schema::SecretSourceT& secret) {
  const std::string first = secret.source.empty() ? std::string() : secret.source.front();
  switch (secret.kind) {
    case schema::SecretKind::file:
      return "file " + first;
    case schema::SecretKind::command:
      return "command " + first;
    case schema::SecretKind::env:
      return "variable " + first;
  }
  return first;
}

}  // namespace

std::vector<std::string> secret_files(const schema::JobSpecT& spec) {
  std::vector<std::string> files;
  for (const auto& secret : spec.secrets) {
    if (secret->kind == schema::SecretKind::file && !secret->source.empty())
      files.push_back(secret_path(secret->source.front(), spec.home));
  }
  return files;
}

bool runs_programs_for_secrets(const schema::JobSpecT& spec) {
  return std::ranges::any_of(spec.secrets, [&spec](const auto& secret) {
    return secret->kind == schema::SecretKind::command ||
           (secret->kind == schema::SecretKind::file && spec.uid != ::geteuid());
  });
}

Result<std::vector<SecretValue>> read_secrets(const schema::JobSpecT& spec,
                                              const SecretSurroundings& around) {
  std::vector<SecretValue> values;
  for (const auto& secret : spec.secrets) {
    SecretText read = read_source(*secret, spec, around);
    std::string fault = read ? std::string() : read.error();
    if (read) {
      if (read->ends_with('\n')) read->pop_back();
      fault = secret_fault(*read);
    }
    if (!fault.empty()) {
      return fail(ErrorKind::refused, kSecretUnavailable,
                  "secret " + secret->name + " cannot be read from " + secret_place_words(*secret) + " as " +
                      spec.user + ": " + fault,
                  "make it readable there, then: luzia retry JOB; another place in luzia.toml counts for new "
                  "jobs");
    }
    values.push_back({secret->name, std::move(*read)});
  }
  return values;
}

}  // namespace luzia
