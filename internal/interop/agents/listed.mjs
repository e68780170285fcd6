// A server over stdio, of revisions before 2026-07-28, that lists the tools of a file.
//
//   node listed.mjs FILE

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const tools = JSON.parse(await readFile(process.argv[2], 'utf8'));

const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'listed', version: '1' } }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || !method) {
    continue;
  }
  const answer = results[method] ? { result: results[method](params ?? {}) } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
