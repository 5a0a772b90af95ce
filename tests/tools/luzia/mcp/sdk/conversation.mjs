// Tests luzia mcp with the official client library: first without a job, then as the tools of a job's agent, whose
// questions a person answers on the command line.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { call, connected } from "./client.mjs";

const [luzia, luziad] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "luzia-mcp-"));
const environment = {
  PATH: process.env.PATH,
  HOME: scratch,
  LUZIA_STORE: join(scratch, "store"),
  LUZIA_CONFIG: join(scratch, "luzia.toml"),
  LUZIA_DAEMON: luziad,
};
const run = (...words) => execFileSync(luzia, words, { env: environment, encoding: "utf8" });
const events = (job) =>
  run("follow", "--since", "0", "--job", job, "--once")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

async function until(what, check) {
  for (let tries = 0; tries < 600; ++tries) {
    const found = check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`it never came to this: ${what}`);
}

async function without_a_job() {
  const client = await connected(luzia, environment);
  assert.equal(client.getServerVersion().name, "luzia");
  assert.ok(client.getServerCapabilities().tools);
  await client.ping();
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [
    "add_todo", "ask_user", "complete_step", "complete_todo", "get_context", "job_status", "list_questions",
    "list_todos", "list_tools", "permission_prompt", "query_relations", "record_solution", "report_progress",
    "report_warning", "request_approval", "search_context", "search_solutions", "store_fact", "take_todo",
  ]);
  for (const tool of tools) assert.ok(tool.title && tool.description && tool.annotations, tool.name);
  const refused = await call(client, "report_progress", { percent: 1 });
  assert.ok(refused.isError);
  assert.match(refused.text, /outside a Luzia job/);
  const wrong = await call(client, "report_progress", { precent: 1 });
  assert.match(wrong.text, /did you mean percent/);
  await assert.rejects(client.callTool({ name: "rm", arguments: {} }), { code: -32602 });
  await assert.rejects(client.listResources(), /resources/);
  const denied = await call(client, "permission_prompt", { tool_name: "Bash", input: { command: "ls" } });
  assert.equal(JSON.parse(denied.text).behavior, "deny");
  await client.close();
}

async function in_a_job() {
  mkdirSync(join(scratch, "demo"));
  writeFileSync(
    environment.LUZIA_CONFIG,
    `[jobs]\nroot = "${scratch}/jobs"\n[projects.demo]\npath = "${scratch}/demo"\n` +
      `[projects.demo.gates]\n"Bash(ls*)" = "always"\n"Bash(rm*)" = "never"\n`,
  );
  const job = run("demo", `"${process.execPath}" "${here}/agent.mjs" "${luzia}"`).trim();
  const asked = (text) => JSON.parse(run("questions", "--json")).questions.find((each) => each.question.includes(text));
  const where = await until("the question where to", () => asked("Where to?"));
  const database = await until("the question of the database", () => asked("Which database?"));
  await until("the gate", () => JSON.parse(run("approvals", "--json")).approvals.length > 0);
  assert.equal(JSON.parse(run("job", "--json", job)).state, "waiting");
  run("approve", job, "migration", "--note", "after the backup");
  run("answer", job, where.id, "staging");
  run("answer", job, database.id, "2");
  run("wait", job);

  const told = new Map();
  for (const line of run("logs", "--raw", job).split("\n").filter((each) => each.startsWith("{"))) {
    const { what, ...value } = JSON.parse(line);
    told.set(what, value);
  }
  const text = (what) => told.get(what)?.text;
  assert.equal(text("progress"), "recorded");
  assert.equal(text("warning"), "recorded");
  assert.equal(text("meanwhile"), "recorded");
  assert.equal(JSON.parse(text("status")).id, job);
  assert.deepEqual(told.get("where"), { text: "staging", isError: false });
  assert.match(text("gate"), /^approved by .*: after the backup$/);
  assert.deepEqual(JSON.parse(text("prompt")).updatedInput.answers, { "Which database?": "PostgreSQL" });
  assert.equal(text("given_up"), "aborted");
  assert.match(text("default"), /^yes\n/);
  assert.deepEqual(JSON.parse(text("allowed")), { behavior: "allow", updatedInput: { command: "ls -l" } });
  assert.equal(JSON.parse(text("refused")).behavior, "deny");
  assert.match(text("recorded"), /^s-/);
  const found = JSON.parse(text("solutions")).solutions;
  assert.equal(found.length, 1);
  assert.equal(found[0].id, text("recorded"));
  assert.equal(found[0].project, "demo");
  assert.deepEqual(found[0].references, [`job ${job}`]);
  assert.equal(text("fact"), "the fact is stored");
  assert.equal(JSON.parse(text("relations")).facts[0].subject, "web");
  assert.equal(JSON.parse(text("context")).facts[0].object, "postgres");
  assert.deepEqual(JSON.parse(text("tools")).tools, []);
  assert.ok(told.get("no_flow").isError);

  const of_type = (type) => events(job).filter((event) => event.type === type);
  assert.equal(of_type("QuestionAsked").length, 4);
  assert.equal(of_type("QuestionCancelled").length, 1);
  assert.equal(of_type("AnswerDelivered").length, 3);
  assert.equal(of_type("DecisionDelivered").length, 3);
  assert.equal(of_type("ProgressReported").length, 2);
  assert.equal(JSON.parse(run("job", "--json", job)).state, "completed");
}

try {
  await without_a_job();
  await in_a_job();
  console.log("luzia mcp: the conversation went as it should");
} finally {
  try {
    run("daemon", "stop");
  } catch {
    // No daemon had been started.
  }
  rmSync(scratch, { recursive: true, force: true });
}
