#include "adapters/git/snapshot.h"

#include <algorithm>

#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::string_view kMaxFile = "max-file: ", kLeftOut = "left-out: ", kTop = "top: ";
constexpr std::string_view kRefs = "refs/luzia/";

/// Escapes a path into one line; names may contain line breaks.
std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool marks = text[i] == '\\' && i + 1 < text.size();
    out += !marks ? text[i] : text[++i] == 'n' ? '\n' : text[i];
  }
  return out;
}

std::string message_of(const std::string& what, const std::string& top, std::uint64_t max_file,
                       const std::set<std::string>& left_out) {
  std::string message = "luzia: " + what + "\n\n";
  message.append(kTop).append(escaped(top)).push_back('\n');
  message.append(kMaxFile).append(std::to_string(max_file)).push_back('\n');
  for (const std::string& path : left_out) message.append(kLeftOut).append(escaped(path)).push_back('\n');
  return message;
}

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

Result<std::uint32_t> count_changes(const Repository& repository, const FilesNow& now) {
  if (now.tree() == repository.tree) return 0;
  const Git::Words words =
      repository.head.empty()
          ? Git::Words{"ls-tree", "-r", "-z", "--name-only", now.tree()}
          : Git::Words{"diff-tree", "-r", "-z", "--name-only", "--no-renames", repository.tree, now.tree()};
  const auto names = LUZIA_TRY(now.git().output(words));
  return static_cast<std::uint32_t>(std::ranges::count(names, '\0'));
}

Result<std::string> make_commit(const Repository& repository, const FilesNow& now,
                                const std::string& message) {
  Git git = now.git();
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    git.set(std::string("GIT_") + who + "_NAME", "luzia");
    git.set(std::string("GIT_") + who + "_EMAIL", "luzia@localhost");
  }
  Git::Words words = {"commit-tree", "--no-gpg-sign", now.tree()};
  if (!repository.head.empty()) words.insert(words.end(), {"-p", repository.head});
  auto commit = git.output(words, message);
  if (commit && commit->ends_with('\n')) commit->pop_back();
  return commit;
}

}  // namespace

std::string snapshot_ref(const std::string& job, const std::string& name) {
  return std::string(kRefs) + job + "/" + name;
}

Result<Snapshot> keep_snapshot(const Repository& repository, const FilesNow& now, std::uint64_t max_file,
                               const std::string& ref, const std::string& what) {
  Snapshot snapshot;
  snapshot.repository = repository.top;
  snapshot.head = repository.head;
  snapshot.branch = repository.branch;
  snapshot.tree = now.tree();
  snapshot.max_file = max_file;
  snapshot.left_out = now.left_out();
  snapshot.files = LUZIA_TRY(count_changes(repository, now));
  auto commit =
      LUZIA_TRY(make_commit(repository, now, message_of(what, repository.top, max_file, snapshot.left_out)));
  snapshot.commit = std::move(commit);
  LUZIA_TRY(point_ref(now.git(), ref, snapshot.commit));
  return snapshot;
}

Result<Snapshot> take_snapshot(const std::string& directory, std::uint64_t max_file, const std::string& ref,
                               const std::string& what, GitDeadline deadline) {
  const auto repository = LUZIA_TRY(find_repository(directory, deadline));
  const auto now = LUZIA_TRY(FilesNow::look(repository, max_file, NewObjects::kept, deadline));
  return keep_snapshot(repository, now, max_file, ref, what);
}

Result<Snapshot> read_snapshot(const Repository& repository, const std::string& ref, GitDeadline deadline) {
  const Git git(repository.top, deadline);
  const auto commit = LUZIA_TRY(commit_of_ref(git, ref));
  if (!commit) {
    return fail(ErrorKind::not_found, "no_snapshot", "there is no snapshot " + ref + " in " + repository.top);
  }
  const auto text = LUZIA_TRY(git.output({"cat-file", "commit", *commit}));
  Snapshot snapshot;
  snapshot.repository = repository.top;
  snapshot.commit = *commit;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    if (line.starts_with("tree ") && snapshot.tree.empty()) snapshot.tree = line.substr(5);
    if (line.starts_with(kMaxFile))
      snapshot.max_file = leading_number<std::uint64_t>(line.substr(kMaxFile.size())).value_or(0);
    if (line.starts_with(kTop)) snapshot.repository = unescaped(line.substr(kTop.size()));
    if (line.starts_with(kLeftOut)) snapshot.left_out.insert(unescaped(line.substr(kLeftOut.size())));
  }
  return snapshot;
}

Result<std::vector<SnapshotRef>> list_snapshots(const Repository& repository, GitDeadline deadline) {
  const auto text =
      LUZIA_TRY(Git(repository.top, deadline)
                    .output({"for-each-ref", "--format=%(objectname) %(creatordate:unix) %(refname)",
                             std::string(kRefs)}));
  std::vector<SnapshotRef> refs;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = next_line(rest);
    SnapshotRef ref;
    ref.commit = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(ref.commit.size() + 1, line.size()));
    ref.taken_s = leading_number<std::int64_t>(line).value_or(0);
    ref.ref = line.substr(std::min(line.find(' '), line.size() - 1) + 1);
    const std::size_t slash = ref.ref.rfind('/');
    if (!ref.ref.starts_with(kRefs) || slash <= kRefs.size()) continue;
    ref.job = ref.ref.substr(kRefs.size(), slash - kRefs.size());
    ref.name = ref.ref.substr(slash + 1);
    refs.push_back(std::move(ref));
  }
  return refs;
}

}  // namespace luzia
