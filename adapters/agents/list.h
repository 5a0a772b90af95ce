// The coding agents that ship, a line each, in the order in which `luzia run` looks for one: the agent's
// folder and namespace, and the one whose output it prints. tools/docs/add-an-agent.md says what the folder
// holds.
#pragma once

#define LUZIA_AGENTS(AGENT) \
  AGENT(claude, claude)     \
  AGENT(codex, codex)       \
  AGENT(gemini, gemini)     \
  AGENT(opencode, opencode) \
  AGENT(qwen, claude)       \
  AGENT(copilot, copilot)
