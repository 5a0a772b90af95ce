#include "engine/prompt/search_words.h"

#include <algorithm>
#include <array>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

constexpr std::size_t kLookedInText = 16 * 1024;

constexpr std::array<std::string_view, 115> kTechnologies = {
    "angular",    "ansible",   "apache",        "astro",      "aws",        "azure",      "babel",
    "bash",       "bazel",     "cargo",         "cassandra",  "celery",     "certbot",    "clang",
    "cmake",      "conan",     "css",           "cypress",    "dart",       "debian",     "django",
    "docker",     "dotnet",    "elasticsearch", "electron",   "elixir",     "eslint",     "express",
    "fastapi",    "firebase",  "flask",         "flutter",    "gcc",        "git",        "github",
    "gitlab",     "go",        "gradle",        "grafana",    "graphql",    "grpc",       "haproxy",
    "haskell",    "helm",      "heroku",        "hibernate",  "java",       "jenkins",    "jest",
    "kafka",      "kerberos",  "kotlin",        "kubernetes", "laravel",    "ldap",       "letsencrypt",
    "linux",      "mariadb",   "maven",         "mongodb",    "mysql",      "nestjs",     "netlify",
    "nextjs",     "nginx",     "node",          "npm",        "numpy",      "nuxt",       "oauth",
    "opencv",     "openssl",   "pandas",        "php",        "playwright", "podman",     "postgres",
    "postgresql", "prettier",  "prometheus",    "pytest",     "python",     "pytorch",    "qt",
    "rabbitmq",   "rails",     "react",         "redis",      "redux",      "remix",      "rollup",
    "ruby",       "rust",      "saml",          "scala",      "spring",     "sqlalchemy", "sqlite",
    "storybook",  "supabase",  "svelte",        "swift",      "symfony",    "systemd",    "tailwind",
    "tensorflow", "terraform", "traefik",       "typescript", "vagrant",    "vercel",     "vite",
    "vue",        "webpack",   "wordpress"};

bool is_of_word(char c) {
  return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto close = [&] {
    while (!word.empty() && (word.back() == '.' || word.back() == '-')) word.pop_back();
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (const char c : lower_case(text.substr(0, kLookedInText))) {
    const bool joins = !word.empty() && (c == '.' || c == '-' || c == '+' || c == '_');
    if (is_of_word(c) || joins) {
      word.push_back(c);
    } else {
      close();
    }
  }
  close();
  return words;
}

bool is_technology(std::string_view word) {
  return std::ranges::binary_search(kTechnologies, word);
}

}  // namespace luzia
