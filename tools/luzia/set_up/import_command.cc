// import: imports the older tool's ended jobs and its queue, and prints its configuration as text.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

#include "adapters/older_tool/older_job.h"
#include "adapters/older_tool/older_queue.h"
#include "engine/base/hash.h"
#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/set_up/import_report.h"

namespace luzia {
namespace {

constexpr std::size_t kJobsAtOnce = 500;
constexpr std::size_t kTaskBytesAtOnce = 4 << 20;
constexpr std::size_t kMaxTag = 64;
constexpr const char* kQueueTag = "imported-queue";

constexpr Option kImportOptions[] = {
    {"-n,--dry-run", ValueKind::flag, "", "show what would be imported, without importing it"},
    {"--project", ValueKind::list, "NAME", "import only jobs of these projects", "", Completes::project},
    {"--agent", ValueKind::text, "NAME", "use this agent for jobs that name none (default: agent)"},
};

/// The names of folders that may be jobs, sorted; without hidden ones and the queue.
std::vector<std::string> folders_in(const std::string& dir) {
  std::vector<std::string> names;
  DIR* stream = ::opendir(dir.c_str());
  if (stream == nullptr) return names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (name.front() == '.' || name == "queue") continue;
    // Keep links to folders: they cannot be imported, and the report must name them.
    struct stat status {};
    if (::fstatat(::dirfd(stream), name.c_str(), &status, 0) == 0 && S_ISDIR(status.st_mode)) {
      names.push_back(name);
    }
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

/// Whether any folder is a job. If not, the user gave the wrong folder; do not report each folder as broken.
bool any_is_a_job(const std::string& dir, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& name) {
    struct stat status {};
    return ::lstat((dir + "/" + name + "/meta.json").c_str(), &status) == 0;
  });
}

/// Adds the tag if it is valid: names can contain characters that tags cannot.
void add_tag(std::vector<std::string>& tags, const std::string& tag) {
  const bool plain =
      std::all_of(tag.begin(), tag.end(), [](char c) { return c > ' ' && c < 0x7f && c != ','; });
  if (plain && tag.size() <= kMaxTag) tags.push_back(tag);
}

std::unique_ptr<wire::ImportedJobT> imported_job(OlderJob job, const std::string& source,
                                                 const std::string& agent) {
  auto request = std::make_unique<wire::ImportedJobT>();
  request->id = job.meta.id;
  request->project = job.meta.project;
  request->task = std::move(job.task);
  request->user = job.user;
  request->agent = job.meta.agent.empty() ? agent : job.meta.agent;
  request->state = job.state;
  request->exit_code = job.exit_code ? flatbuffers::Optional<int>(*job.exit_code) : flatbuffers::nullopt;
  request->queued_us = job.meta.queued_us;
  request->started_us = job.meta.started_us;
  request->ended_us = job.meta.ended_us;
  request->output_bytes = job.output_bytes;
  request->output_lines = job.output_lines;
  request->last_line = job.last_line;
  request->source = source;
  request->uid = job.uid;
  request->gid = job.gid;
  request->tags = {"imported"};
  add_tag(request->tags, "was:" + job.meta.id);
  request->named_us = job.meta.named_us;
  return request;
}

using ImportedJobs = std::vector<std::unique_ptr<wire::ImportedJobT>>;

wire::RequestUnion import_request(ImportedJobs jobs, bool dry_run) {
  wire::ImportJobsT request;
  request.jobs = std::move(jobs);
  request.dry_run = dry_run;
  return request_of(std::move(request));
}

/// Why the daemon refuses the job, without the folder, which the report names anyway.
std::string refusal_of(const std::string& source, const Error& refusal) {
  const std::string named = "importing " + source + ": ";
  return refusal.message.starts_with(named) ? refusal.message.substr(named.size()) : refusal.message;
}

/// Identifies a job of the older queue, to recognize it in later imports. `enqueued`: its time, as written.
std::string queue_digest(const OlderEntry& entry, TimeUs enqueued) {
  std::string key;
  for (const std::string& part : {entry.id, entry.project, entry.prompt, std::to_string(enqueued)}) {
    key += std::to_string(part.size()) + ":" + part;
  }
  return to_hex(blake2b({as_bytes(key)})).substr(0, 24);
}

bool takes_project(const Arguments& args, const std::string& project) {
  const auto wanted = args.list("project");
  return !args.has("project") || std::find(wanted.begin(), wanted.end(), project) != wanted.end();
}

class Import {
 public:
  Import(Invocation& invocation, Client client, std::string dir)
      : invocation_(invocation), client_(std::move(client)), dir_(std::move(dir)) {
    report_.dry_run = invocation.args().has("dry-run");
  }

  Status take_jobs(const std::vector<std::string>& folders) {
    const int parent = ::open(dir_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) return fail_errno(errno, "unreadable", "opening " + dir_);
    const std::string agent = invocation_.args().has("agent") ? invocation_.args().text("agent") : "agent";
    Status sent;
    ImportProgress progress(invocation_, folders.size());
    for (std::size_t i = 0; i < folders.size() && sent; ++i) {
      auto job = read_older_job(parent, folders[i], invocation_.now());
      if (!job) {
        report_.skipped.push_back({dir_ + "/" + folders[i], job.error().message});
      } else if (takes_project(invocation_.args(), job->meta.project)) {
        note(folders[i], job->meta.notes);
        sent = add(imported_job(std::move(*job), dir_ + "/" + folders[i], agent));
      } else {
        ++report_.left_out;
      }
      progress.at(i + 1);
    }
    ::close(parent);
    return sent ? send() : sent;
  }

  Status take_queue(const std::vector<OlderPending>& pending) {
    std::set<std::string> known;
    if (!pending.empty()) {
      known = LUZIA_TRY(known_entries());
    }
    for (const OlderPending& each : pending) {
      if (!each.entry) {
        report_.skipped.push_back({dir_ + "/" + each.path, each.entry.error().message});
      } else if (!takes_project(invocation_.args(), each.entry->project)) {
        ++report_.left_out;
      } else {
        note(each.path, each.entry->notes);
        note_priority(each);
        LUZIA_TRY(queue(each, known));
      }
    }
    return {};
  }

  ImportReport& report() { return report_; }

 private:
  void note(const std::string& below, const std::vector<std::string>& notes) {
    for (const std::string& what : notes) report_.notes.push_back({dir_ + "/" + below, what});
  }

  /// Only a number that contradicts its folder needs a word.
  void note_priority(const OlderPending& pending) {
    const std::string& written = pending.entry->priority;
    const std::string taken = std::to_string(older_priority(written, pending.high));
    const bool is_number = !written.empty() && written.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || written == taken) return;
    note(pending.path, {"priority " + written + " does not fit its folder: taken as " + taken});
  }

  Status add(std::unique_ptr<wire::ImportedJobT> job) {
    const bool is_full = batch_.size() >= kJobsAtOnce || task_bytes_ + job->task.size() > kTaskBytesAtOnce;
    Status sent = is_full ? send() : Status();
    task_bytes_ += job->task.size();
    batch_.push_back(std::move(job));
    return sent;
  }

  Status send() {
    task_bytes_ = 0;
    return batch_.empty() ? Status() : send(std::exchange(batch_, {}));
  }

  /// Sends all jobs at once. If the daemon refuses that, sends them one by one, so that one bad job does not
  /// block the others.
  Status send(ImportedJobs jobs) {
    const std::size_t count = jobs.size();
    wire::RequestUnion request = import_request(std::move(jobs), report_.dry_run);
    const auto reply = client_.ask(request);
    if (!reply && reply.error().kind == ErrorKind::usage) {
      return send_one_by_one(std::move(request.AsImportJobs()->jobs), reply.error());
    }
    if (!reply) return tl::unexpected(reply.error());
    const auto* accepted = (*reply)->reply.AsAccepted();
    const std::size_t fresh = accepted == nullptr ? 0 : accepted->ids.size();
    report_.imported += fresh;
    report_.known += count - std::min(count, fresh);
    return {};
  }

  Status send_one_by_one(ImportedJobs jobs, const Error& refusal) {
    if (jobs.size() == 1) {
      report_.skipped.push_back({jobs.front()->source, refusal_of(jobs.front()->source, refusal)});
      return {};
    }
    Status sent;
    for (std::size_t i = 0; i < jobs.size() && sent; ++i) {
      ImportedJobs one;
      one.push_back(std::move(jobs[i]));
      sent = send(std::move(one));
    }
    return sent;
  }

  /// The tags of jobs of the older queue that were imported before, however long ago.
  Result<std::set<std::string>> known_entries() {
    std::set<std::string> known;
    wire::QueryT query = view_query(wire::View::jobs);
    query.limit = 1'000;
    query.filter->tags = {kQueueTag};
    LUZIA_TRY(for_each_page(invocation_, client_, std::move(query), [&](const Page& page) {
      for (const view::Job* job : page.as<view::Job>()) {
        for (const auto* tag : *job->tags()) known.insert(tag->str());
      }
    }));
    return known;
  }

  Result<bool> is_of_this_store(const OlderEntry& entry) {
    if (!is_job_id(entry.id)) return false;
    wire::QueryT query = view_query(wire::View::jobs);
    query.filter->jobs = {entry.id};
    const auto page = ask_rows(invocation_, client_, query);
    if (!page && page.error().kind == ErrorKind::not_found) return false;
    if (!page) return tl::unexpected(page.error());
    return !page->as<view::Job>().empty();
  }

  Status queue(const OlderPending& pending, std::set<std::string>& known) {
    const OlderEntry& entry = *pending.entry;
    const std::string digest = queue_digest(entry, entry.named_us);
    // Earlier versions used the time in the importer's time zone, and the export of an entry without a time
    // has one. Without an id, such a match may be another job.
    const bool by_time =
        !entry.id.empty() && (known.contains("older-" + queue_digest(entry, 0)) ||
                              known.contains("older-" + queue_digest(entry, entry.enqueued_us)));
    const auto is_here = LUZIA_TRY(is_of_this_store(entry));
    if (!known.insert("older-" + digest).second || by_time || is_here) {
      ++report_.known;
      return {};
    }
    auto job = std::make_unique<wire::DispatchJobT>();
    job->project = entry.project;
    job->task = entry.prompt;
    job->priority = older_priority(entry.priority, pending.high);
    job->enqueued_us = entry.enqueued_us;
    job->enqueued_by = entry.enqueued_by;
    job->skill_match = entry.skill_match;
    job->tags = {kQueueTag, "older-" + digest};
    add_tag(job->tags, "was:" + entry.id);
    job->command_id = "import-" + digest;
    wire::DispatchT request;
    request.dry_run = report_.dry_run;
    request.jobs.push_back(std::move(job));
    const auto reply = client_.ask(request_of(std::move(request)));
    if (reply) {
      ++report_.queued;
      return {};
    }
    // Other errors concern only this job: skip it and continue.
    if (reply.error().kind == ErrorKind::trouble) return tl::unexpected(reply.error());
    report_.skipped.push_back({dir_ + "/" + pending.path, reply.error().message});
    return {};
  }

  Invocation& invocation_;
  Client client_;
  std::string dir_;
  ImportReport report_;
  ImportedJobs batch_;
  std::size_t task_bytes_ = 0;
};

tl::unexpected<Error> wrong_folder(const std::string& dir, const std::string& why) {
  return fail(
      ErrorKind::usage, "no_older_jobs", "importing " + dir + ": " + why,
      "give the folder that holds the older tool's job folders, such as /var/log/luz-orchestrator/jobs");
}

Result<int> import_folder(Invocation& invocation, const std::string& dir) {
  auto folders = folders_in(dir);
  const auto pending = read_older_queue(dir);
  const auto capacity = older_capacity_lines(dir);
  const bool has_capacity = !capacity || !capacity->empty();
  if (!any_is_a_job(dir, folders)) {
    if (pending.empty() && !has_capacity) {
      return wrong_folder(dir, "it contains neither job folders nor a queue");
    }
    folders.clear();
  }
  auto client = LUZIA_TRY(invocation.connect());
  Import import(invocation, std::move(client), dir);
  Status done = import.take_jobs(folders);
  if (done) done = import.take_queue(pending);
  if (capacity) {
    import.report().capacity = *capacity;
  } else {
    import.report().skipped.push_back({dir + "/capacity.json", capacity.error().message});
  }
  if (!done) {
    // Jobs imported before the error stay imported.
    Error error = done.error();
    if (error.kind == ErrorKind::trouble) error.hint = "run the import again: it imports only the rest";
    return tl::unexpected(std::move(error));
  }
  return report_import(invocation, import.report());
}

Result<int> run_import(Invocation& invocation) {
  const std::string& named = invocation.args().positionals().front();
  char* real = ::realpath(named.c_str(), nullptr);
  if (real == nullptr) return wrong_folder(named, std::string("it cannot be found: ") + std::strerror(errno));
  const std::string path = real;
  std::free(real);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return wrong_folder(named, std::strerror(errno));
  if (S_ISREG(status.st_mode)) {
    return path.ends_with("/capacity.json") ? print_older_capacity(invocation, path)
                                            : print_older_config(invocation, path);
  }
  if (!S_ISDIR(status.st_mode)) return wrong_folder(named, "it is neither a folder nor a file");
  return import_folder(invocation, path);
}

}  // namespace

const Command kImportCommand = {
    "import",
    "Set up",
    "DIR [--project NAME] [--dry-run] | config.json | capacity.json",
    "import jobs, queue and configuration of the older tool",
    "DIR holds the older tool's job folders (meta.json, prompt.txt, output.log). Ended jobs are imported "
    "with their original times and never run; their output stays where it is. Jobs in DIR/queue/pending, or "
    "DIR/pending, are queued with their time, priority, enqueuer and skill. Importing again adds only new "
    "jobs. Members of meta.json that cannot be read are left out, with a note. Jobs that cannot be imported "
    "are reported, one line each, and the exit code is then 1. A config.json or capacity.json is printed as "
    "text for luzia.toml.",
    "luzia import /var/log/luz-orchestrator/jobs --dry-run\n"
    "luzia import /var/log/luz-orchestrator/jobs\n"
    "luzia import ~/.luz/config.json >> ~/.config/luzia/luzia.toml",
    kImportOptions,
    {1, 1, Completes::directory},
    run_import};

}  // namespace luzia
