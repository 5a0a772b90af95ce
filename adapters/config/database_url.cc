#include "adapters/config/database_url.h"

#include <algorithm>
#include <string>

#include "adapters/config/single_values.h"
#include "engine/base/characters.h"

namespace luzia {
namespace {

constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};
constexpr const char* kHowToWrite = "write postgresql://ROLE@HOST:PORT/DATABASE, or service=NAME";

tl::unexpected<Error> bad_url(std::string message, std::string hint = kHowToWrite) {
  return fail(ErrorKind::usage, "bad_database_url", std::move(message), std::move(hint));
}

tl::unexpected<Error> password_within() {
  return bad_url("has a password in it, which others could read",
                 "put the password into ~/.pgpass of the daemon's user, or into a file of mode 600 that "
                 "[fleet] password_file names");
}

bool is_password(std::string_view name) {
  return name == "password" || name == "sslpassword";
}

/// `rest`: what follows the scheme.
Status check_uri(std::string_view rest) {
  // libpq looks for the @ before it looks for the ?.
  const std::string_view begin = rest.substr(0, rest.find('/'));
  const std::string_view role = begin.substr(0, begin.find('@'));
  if (role.size() < begin.size() && role.find('?') != std::string_view::npos)
    return role.find(':') == std::string_view::npos ? bad_url("has a ? before the @", "write %3F instead")
                                                    : password_within();
  const std::size_t mark = rest.find('?');
  const std::string_view place = rest.substr(0, mark);
  // A password may hold a slash that should have been encoded, so the last @ counts.
  const std::size_t at = place.rfind('@');
  if (at != std::string_view::npos && place.substr(0, at).find(':') != std::string_view::npos)
    return password_within();
  if (place.find(' ') != std::string_view::npos) return bad_url("has a blank in it", "write %20 instead");
  std::string_view query = mark == std::string_view::npos ? std::string_view() : rest.substr(mark + 1);
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    const std::string_view name = pair.substr(0, pair.find('='));
    if (is_password(name)) return password_within();
    // libpq would decode it, perhaps to a password's.
    if (name.find('%') != std::string_view::npos) return bad_url("has an encoded name after the ?");
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
  return {};
}

/// Takes the first value off `rest`, quoted or not. False: its quote does not end.
bool skip_value(std::string_view& rest) {
  const bool is_quoted = rest.starts_with('\'');
  std::size_t i = is_quoted ? 1 : 0;
  for (; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (is_quoted ? rest[i] == '\'' : rest[i] == ' ') {
      break;
    }
  }
  const bool ends = !is_quoted || i < rest.size();
  rest.remove_prefix(std::min(rest.size(), i + 1));
  return ends;
}

Status check_words(std::string_view rest) {
  const auto skip_blanks = [&rest] {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
  };
  for (skip_blanks(); !rest.empty(); skip_blanks()) {
    const std::string_view name = rest.substr(0, rest.find_first_of("= "));
    rest.remove_prefix(name.size());
    skip_blanks();
    if (name.empty() || !rest.starts_with('=')) return bad_url("is no address of a database");
    if (is_password(name)) return password_within();
    rest.remove_prefix(1);
    skip_blanks();
    if (!skip_value(rest)) return bad_url("has a quoted value that does not end", "end it with '");
  }
  return {};
}

}  // namespace

Status check_database_url(std::string_view url) {
  if (url.size() > kMaxUrlBytes) return bad_url("is over " + std::to_string(kMaxUrlBytes) + " bytes long");
  if (has_control_characters(url)) return bad_url("has control characters in it");
  for (const std::string_view scheme : kSchemes) {
    if (url.starts_with(scheme)) return check_uri(url.substr(scheme.size()));
  }
  if (url.find_first_not_of(' ') == std::string_view::npos) return bad_url("is blank");
  return check_words(url);
}

bool is_site_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 63;  // of a name in PostgreSQL
  const auto fits = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= kMostBytes && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, fits);
}

}  // namespace luzia
