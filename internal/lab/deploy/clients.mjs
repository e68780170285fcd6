// Clients with sessions, each calling a tool in a loop; see ../main.go, which starts this.
//
//   node clients.mjs URL [CLIENT]
//
// It writes "connected". For each line of its input the clients that have users ask them, and it writes "asked". When the
// input ends, it writes a line of JSON for each client.

import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';

const [, , url, only] = process.argv;
const name = 'deploytest';
const text = result => (typeof result === 'string' ? result : JSON.stringify(result));

// The libraries log a lot, and stdout is for the report.
for (const level of ['log', 'info', 'debug', 'warn', 'error']) console[level] = () => {};

// Each connects and returns a function that calls a tool. After a 404, all but Mastra fail until they connect again.
const clients = {
  'TypeScript SDK 1': async () => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const client = new Client({ name, version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { confirm: true } }));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const call = (tool, args) => client.callTool({ name: tool, arguments: args });
    return { call, asks: true };
  },
  'AI SDK 1': async () => {
    const { experimental_createMCPClient: connect } = await import('@ai-sdk/mcp');
    const client = await connect({ transport: { type: 'http', url } });
    const tools = await client.tools();
    return { call: (tool, args) => tools[tool].execute(args, { messages: [], toolCallId: '1' }) };
  },
  LangChain: async () => {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
    const client = new MultiServerMCPClient({ mcpServers: { s: { transport: 'http', url } } });
    const tools = await client.getTools();
    return { call: (tool, args) => tools.find(t => t.name === tool).invoke(args) };
  },
  Mastra: async () => {
    const { MCPClient } = await import('@mastra/mcp');
    const client = new MCPClient({ servers: { s: { url: new URL(url) } } });
    const tools = await client.getTools();
    return { call: (tool, args) => tools[`s_${tool}`].execute({ context: args }) };
  },
  Genkit: async () => {
    const { genkit } = await import('genkit');
    const { createMcpClient } = await import('@genkit-ai/mcp');
    const client = createMcpClient({ name: 's', mcpServer: { url } });
    await client.ready();
    const tools = await client.getActiveTools(genkit({}));
    return { call: (tool, args) => tools.find(t => t.__action.name.endsWith(tool))(args) };
  },
  LlamaIndex: async () => {
    const { mcp } = await import('@llamaindex/tools');
    const tools = await mcp({ url, useStreamableHttp: true }).tools();
    return { call: (tool, args) => tools.find(t => t.metadata.name === tool).call(args) };
  },
  'mcp-use': async () => {
    const { MCPClient } = await import('mcp-use');
    const client = MCPClient.fromDict({ mcpServers: { s: { url } } });
    const session = await client.createSession('s');
    return { call: (tool, args) => session.connector.callTool(tool, args) };
  },
  'Gemini CLI': async () => {
    const { McpClient } = await import('@google/gemini-cli-core');
    // The configuration of the program: everything is absent or trusted.
    const config = new Proxy(
      {},
      { get: (_, key) => (key === 'then' ? undefined : () => (/^is|^get.*Enabled/.test(String(key)) ? key === 'isTrustedFolder' : undefined)) },
    );
    const workspace = { getDirectories: () => [], onDirectoriesChanged: () => () => {} };
    const client = new McpClient('s', { httpUrl: url }, workspace, config, false, '1');
    await client.connect();
    const tools = await client.discoverTools(config, undefined);
    return { call: (tool, args) => tools.find(t => t.serverToolName === tool).build(args).execute({ abortSignal: AbortSignal.timeout(20000) }) };
  },
};

const all = [];
for (const [client, connect] of Object.entries(clients)) {
  if (only && only !== client) continue;
  all.push({ ...(await connect()), tally: { client, calls: 0, failed: 0, asked: 0, first: '', working: false } });
}
process.stdout.write('connected\n');

const within = (ms, promise) => {
  let timer;
  const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error(`no result after ${ms} ms`)), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

let ended = false;
const running = all.map(async ({ call, tally }) => {
  for (let n = 0; !ended; n++) {
    const given = `text ${n} of ${tally.client}`;
    tally.calls++;
    try {
      const got = text(await within(20000, call('digest', { text: given })));
      const want = createHash('sha256').update(given).digest('hex');
      if (!got?.includes(want)) throw new Error(`got ${got}`);
      tally.working = true;
    } catch (e) {
      tally.failed++;
      tally.working = false;
      tally.first ||= String(e.message ?? e);
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
});

for await (const _ of createInterface({ input: process.stdin })) {
  for (const { call, asks, tally } of all) {
    if (!asks) continue;
    try {
      const got = text(await within(20000, call('sure', {})));
      if (!got.includes(`${name} is sure`)) throw new Error(`got ${got}`);
      tally.asked++;
    } catch (e) {
      tally.first ||= `sure: ${e.message}`;
    }
  }
  process.stdout.write('asked\n');
}
ended = true;
await Promise.all(running);
for (const { tally } of all) process.stdout.write(`${JSON.stringify(tally)}\n`);
process.exit(0);
