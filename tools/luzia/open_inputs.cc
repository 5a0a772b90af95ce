#include "tools/luzia/open_inputs.h"

namespace luzia {
namespace {

constexpr std::uint32_t kMostOpenInPage = 1'000;

/// All pages of a view whose rows are of that type.
template <class Row>
Status collect(Invocation& invocation, Client& client, wire::View view, wire::RowType type,
               const wire::FilterT& filter, std::vector<Page>& pages, std::vector<const Row*>& rows) {
  wire::QueryT query;
  query.view = view;
  query.limit = kMostOpenInPage;
  query.filter = std::make_unique<wire::FilterT>(filter);
  query.filter->ended = false;
  do {
    auto page = ask_rows(invocation, client, query);
    if (!page) {
      return page.error().code == "unknown_view" ? Status() : tl::unexpected(page.error());
    }
    if (page->type() != type) {
      return {};
    }
    const auto of_page = page->as<Row>();
    rows.insert(rows.end(), of_page.begin(), of_page.end());
    query.cursor = page->next();
    pages.push_back(std::move(*page));
  } while (!query.cursor.empty());
  return {};
}

}  // namespace

Result<OpenInputs> ask_open_inputs(Invocation& invocation, Client& client, const wire::FilterT& filter) {
  OpenInputs open;
  Status asked = collect(invocation, client, wire::View::questions, wire::RowType::question, filter,
                         open.pages, open.questions);
  if (asked) {
    asked = collect(invocation, client, wire::View::approvals, wire::RowType::approval, filter, open.pages,
                    open.approvals);
  }
  if (!asked) {
    return tl::unexpected(asked.error());
  }
  return open;
}

Result<OpenInputs> ask_open_inputs(Invocation& invocation, Client& client, const std::string& job) {
  wire::FilterT filter;
  filter.jobs = {job};
  return ask_open_inputs(invocation, client, filter);
}

bool is_input_id(std::string_view word) {
  return word.starts_with("q-") || word.starts_with("a-");
}

Result<OpenInput> find_open_input(Invocation& invocation, Client& client, const std::string& id) {
  const auto open = ask_open_inputs(invocation, client, wire::FilterT());
  if (!open) {
    return tl::unexpected(open.error());
  }
  std::vector<OpenInput> found;
  const auto look_among = [&](const auto& rows) {
    for (const auto* row : rows) {
      if (text(row->id()).starts_with(id)) {
        found.push_back({row->id()->str(), std::string(text(row->job()))});
      }
    }
  };
  look_among(open->questions);
  look_among(open->approvals);
  constexpr auto kListed = "luzia questions and luzia approvals list what is open, each with its job";
  if (found.empty()) {
    return fail(ErrorKind::not_found, "no_such_question",
                "nothing that is open has the id '" + id + "': it was answered, taken back or never asked",
                kListed);
  }
  if (found.size() > 1) {
    return fail(ErrorKind::usage, "which_question",
                "'" + id + "' is the beginning of " + found[0].id + " and " + found[1].id, kListed);
  }
  return std::move(found.front());
}

std::string open_inputs_text(Invocation& invocation, const OpenInputs& inputs) {
  const TableStyle style = invocation.terminal().style();
  const std::string questions = questions_text(inputs.questions, invocation.now(), style);
  const std::string approvals = approvals_text(inputs.approvals, invocation.now(), style);
  return questions + (questions.empty() || approvals.empty() ? "" : "\n") + approvals;
}

}  // namespace luzia
