// A client of the official library, connected to `luzia mcp`.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

export async function connected(luzia, env) {
  const client = new Client({ name: "luzia-test", version: "1" });
  await client.connect(new StdioClientTransport({ command: luzia, args: ["mcp"], env }));
  return client;
}

export async function call(client, name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  return { text: result.content[0].text, isError: result.isError === true };
}
