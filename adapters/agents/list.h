// The coding agents that ship, one per line, in the order in which `luzia run` looks for one. First column:
// the agent's folder and namespace; second: the agent whose output format it prints.
// tools/docs/add-an-agent.md describes the folder's files.
#pragma once

#define LUZIA_AGENTS(AGENT) \
  AGENT(claude, claude)     \
  AGENT(codex, codex)       \
  AGENT(gemini, gemini)     \
  AGENT(opencode, opencode) \
  AGENT(qwen, claude)       \
  AGENT(copilot, copilot)
