#include "tools/read/row_order.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <numeric>
#include <optional>

#include "adapters/config/nearest.h"
#include "engine/base/lower_case.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

/// "starts_in" of "STARTS IN (s)".
std::string word_of(std::string_view heading) {
  std::string word = lower_case(heading.substr(0, heading.find(" (")));
  std::ranges::replace(word, ' ', '_');
  return word;
}

/// The fields that a word names, at least one.
Result<std::vector<std::string>> fields_named(const Command& command, std::string_view option,
                                              const std::vector<Column>& columns,
                                              const std::string& written) {
  std::vector<std::string> fields;
  for (const Column& column : columns) fields.push_back(column.title);
  const std::string word = word_of(written);
  if (std::ranges::find(fields, word) != fields.end()) return std::vector{word};
  for (const Column& column : columns) {
    if (word_of(column.heading) == word) return std::vector{column.title};
  }
  const auto begun =
      std::ranges::find_if(fields, [&](const std::string& field) { return field.starts_with(word + "_"); });
  if (begun != fields.end() && !word.empty()) return std::vector{*begun};
  std::vector<std::string> ended;
  std::ranges::copy_if(fields, std::back_inserter(ended),
                       [&](const std::string& field) { return field.ends_with("_" + word); });
  if (!ended.empty() && !word.empty()) return ended;
  std::vector<std::string> names = fields;
  for (const std::string& field : fields) names.push_back(field.substr(0, field.rfind('_')));
  std::string hint = nearest_name(word, names);
  if (!hint.empty()) {
    hint = "did you mean " + hint + "?";
  } else {
    for (const std::string& field : fields) hint += (hint.empty() ? "the fields are " : ", ") + field;
  }
  return fail(
      ErrorKind::usage, "bad_value",
      "--" + std::string(option) + ": " + std::string(command.name) + " has no field '" + written + "'",
      std::move(hint));
}

std::optional<double> number_of(const std::string& text) {
  const auto number = parse_number<double>(text);
  return number && *number == *number ? number : std::nullopt;
}

/// The values of one field, ready to be compared.
class SortColumn {
 public:
  SortColumn(std::vector<std::string> texts, bool descending)
      : texts_(std::move(texts)), descending_(descending) {
    for (const std::string& text : texts_) {
      const auto number = number_of(text);
      if (!text.empty() && !number) {
        numbers_.clear();
        return;
      }
      numbers_.push_back(number.value_or(0));
    }
  }

  std::weak_ordering compare(std::size_t a, std::size_t b) const {
    if (texts_[a].empty() != texts_[b].empty()) return texts_[a].empty() <=> texts_[b].empty();
    if (descending_) std::swap(a, b);
    if (numbers_.empty()) return texts_[a].compare(texts_[b]) <=> 0;
    return std::weak_order(numbers_[a], numbers_[b]);
  }

 private:
  std::vector<std::string> texts_;
  std::vector<double> numbers_;  // empty: compared as texts
  bool descending_;
};

/// The words of the option. `bad_value`: it was given without any.
Result<std::vector<std::string>> words_of_option(const std::vector<Column>& columns, const Arguments& args,
                                                 std::string_view option) {
  std::vector<std::string> words = args.list(option);
  if (!words.empty() || !args.has(option)) return words;
  return fail(ErrorKind::usage, "bad_value", "--" + std::string(option) + " names no field",
              "the fields are those of --csv: --" + std::string(option) + " " + columns.front().title);
}

}  // namespace

Result<std::vector<SortKey>> sort_keys_of(const Command& command, const Arguments& args) {
  const auto columns = command.fields(args.text("by"));
  const auto words = LUZIA_TRY(words_of_option(columns, args, "sort"));
  std::vector<SortKey> keys;
  for (std::string word : words) {
    const bool descending = word.starts_with('-');
    if (descending) word.erase(0, 1);
    const auto fields = LUZIA_TRY(fields_named(command, "sort", columns, word));
    keys.push_back({fields.front(), descending});
  }
  return keys;
}

Result<std::vector<std::string>> shown_columns_of(const Command& command, const Arguments& args) {
  const auto columns = command.fields(args.text("by"));
  const auto words = LUZIA_TRY(words_of_option(columns, args, "columns"));
  std::vector<std::string> chosen;
  for (const std::string& word : words) {
    const auto fields = LUZIA_TRY(fields_named(command, "columns", columns, word));
    chosen.insert(chosen.end(), fields.begin(), fields.end());
  }
  return chosen;
}

std::vector<std::size_t> sorted_places(const Table& keys, const std::vector<SortKey>& order) {
  std::vector<SortColumn> columns;
  for (const SortKey& key : order) columns.emplace_back(keys.column(key.field), key.descending);
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    for (const SortColumn& column : columns) {
      const auto compared = column.compare(a, b);
      if (compared != 0) return compared < 0;
    }
    return false;
  });
  return places;
}

}  // namespace luzia
