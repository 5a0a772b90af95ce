// The tables of what was learned.
#include "projections/rows/export_fields.h"
#include "view.fb.h"

namespace luzia {
namespace {

constexpr ExportField<view::Solution> kWhatSolutionIs[] = {
    {{"id", kText, "Id of the solution."},
     [](const view::Solution& row, TimeUs) { return text_value(row.id()); }},
    {{"project", kText, "Project that it is for; none: all."},
     [](const view::Solution& row, TimeUs) { return text_value(row.project()); }},
    {{"problem", kText, "What it solves."},
     [](const view::Solution& row, TimeUs) { return text_value(row.problem()); }},
    {{"text", kText, "How."}, [](const view::Solution& row, TimeUs) { return text_value(row.text()); }},
    {{"links", kText, "Where more stands, with commas between."},
     [](const view::Solution& row, TimeUs) { return list_value(row.references()); }},
    {{"tags", kText, "With commas between."},
     [](const view::Solution& row, TimeUs) { return list_value(row.tags()); }},
    {{"confidence", kReal, "0 to 1, after what was tried."},
     [](const view::Solution& row, TimeUs) { return ExportValue(row.confidence()); }},
    {{"helped", kInteger, "How often it did."},
     [](const view::Solution& row, TimeUs) { return count_value(row.helped()); }},
    {{"failed", kInteger, "How often it did not."},
     [](const view::Solution& row, TimeUs) { return count_value(row.failed()); }},
    {{"created_at", kText, "RFC 3339, UTC."},
     [](const view::Solution& row, TimeUs) { return time_value(row.created_us()); }},
    {{"expires_at", kText, "RFC 3339, UTC."},
     [](const view::Solution& row, TimeUs) { return time_value(row.expires_us()); }},
    {{"recorded_by", kText, "Account."},
     [](const view::Solution& row, TimeUs) { return text_value(row.by()); }},
};

constexpr ExportField<view::Fact> kWhatFactIs[] = {
    {{"project", kText, "Project that it is of; empty: all."},
     [](const view::Fact& row, TimeUs) { return ExportValue(std::string(text(row.project()))); }},
    {{"subject", kText, "What it is about."},
     [](const view::Fact& row, TimeUs) { return ExportValue(std::string(text(row.subject()))); }},
    {{"relation", kText, "How both belong together."},
     [](const view::Fact& row, TimeUs) { return ExportValue(std::string(text(row.relation()))); }},
    {{"object", kText, "To what."},
     [](const view::Fact& row, TimeUs) { return ExportValue(std::string(text(row.object()))); }},
    {{"context", kText, "What was said beside it."},
     [](const view::Fact& row, TimeUs) { return text_value(row.context()); }},
    {{"stored_at", kText, "RFC 3339, UTC."},
     [](const view::Fact& row, TimeUs) { return time_value(row.stored_us()); }},
    {{"stored_by", kText, "Account."}, [](const view::Fact& row, TimeUs) { return text_value(row.by()); }},
};

}  // namespace

ExportTable solutions_export_table() {
  return {"solutions",
          "What solved problems before.",
          wire::View::solutions,
          columns_of(kWhatSolutionIs),
          1,
          {"project"},
          append_one<view::Solution, kWhatSolutionIs>};
}

ExportTable facts_export_table() {
  return {"facts",
          "What is known of a project: subject, relation, object.",
          wire::View::facts,
          columns_of(kWhatFactIs),
          4,
          {"subject", "object"},
          append_one<view::Fact, kWhatFactIs>};
}

}  // namespace luzia
