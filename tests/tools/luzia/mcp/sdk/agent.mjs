// A job's agent: calls each tool, asks people, and prints each result as one line of JSON.
import { call, connected } from "./client.mjs";

const client = await connected(process.argv[2], process.env);
const tell = (what, value) => console.log(JSON.stringify({ what, ...value }));
const day = { timeout: 24 * 3600 * 1000 };

tell("progress", await call(client, "report_progress", { percent: 40, step_name: "Run tests" }));
tell("warning", await call(client, "report_warning", { message: "slower than usual" }));
tell("status", await call(client, "job_status", {}));

// Two questions and an approval wait concurrently; a report is not blocked.
const where = call(client, "ask_user", { question: "Where to?", options: ["production", "staging"] }, day);
const gate = call(client, "request_approval", { gate: "migration", description: "drops a column" }, day);
const prompt = call(
  client,
  "permission_prompt",
  {
    tool_name: "AskUserQuestion",
    input: { questions: [{ question: "Which database?", options: [{ label: "SQLite" }, { label: "PostgreSQL" }] }] },
    tool_use_id: "toolu_1",
  },
  day,
);
tell("meanwhile", await call(client, "report_progress", { percent: 50 }));
tell("where", await where);
tell("gate", await gate);
tell("prompt", await prompt);

// A call that the client cancels is withdrawn.
const stop = new AbortController();
const given_up = call(client, "ask_user", { question: "Never mind?" }, { ...day, signal: stop.signal });
setTimeout(() => stop.abort("enough"), 300);
tell("given_up", await given_up.then(() => ({ text: "answered" }), () => ({ text: "aborted" })));

tell("default", await call(client, "ask_user", { question: "Soon?", type: "confirm", timeout: "1s", default: "yes" }, day));
tell("allowed", await call(client, "permission_prompt", { tool_name: "Bash", input: { command: "ls -l" } }, day));
tell("refused", await call(client, "permission_prompt", { tool_name: "Bash", input: { command: "rm -rf /" } }, day));
// A solution or fact stored by one call is found by another.
const solution = { problem: "port 3000 is in use", solution: "end who listens", tags: ["net"], confidence: 0.9 };
tell("recorded", await call(client, "record_solution", solution));
tell("solutions", await call(client, "search_solutions", { query: "ports in use", min_confidence: 0.5 }));
tell("fact", await call(client, "store_fact", { subject: "web", relation: "uses", object: "postgres" }));
tell("relations", await call(client, "query_relations", { entity: "postgres" }));
tell("context", await call(client, "search_context", { query: "what does web use" }));
tell("tools", await call(client, "list_tools", { task: "look at the database" }));
tell("no_flow", await call(client, "complete_step", { output: "done" }));
await client.close();
