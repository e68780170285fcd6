// The official TypeScript client, version 2: @modelcontextprotocol/client.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isModern, legacy, modern } from './revisions.mjs';
import { transportTo, watch } from './transport.mjs';

export const name = 'client';

const logLevelKey = 'io.modelcontextprotocol/logLevel';

// Pinned, the client offers one revision and accepts no other; left alone, it
// asks server/discover and has to end up in the newest.
export const eras = [
  ...legacy.map(revision => ({ name: revision, revision, options: { supportedProtocolVersions: [revision] } })),
  { name: modern, revision: modern, options: { versionNegotiation: { mode: { pin: modern } } } },
  { name: 'auto', revision: modern, options: { versionNegotiation: { mode: 'auto' } } },
];

export async function open(server, { options }, user) {
  const errors = [];
  const logs = [];
  const changes = [];
  const client = new Client(
    { name: 'mcptool-interop', version: '1.0.0' },
    {
      ...options,
      capabilities: user ? { elicitation: { form: {} } } : {},
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes.push('tools') } },
    },
  );
  if (user) {
    // In the modern era the client calls it by itself for what a result asks, and repeats the call with the answers.
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => user.answer(params, mcpReq.signal));
  }
  const { transport, wire, settled } = transportTo(server, {
    Stdio: StdioClientTransport,
    Http: StreamableHTTPClientTransport,
    Sse: SSEClientTransport,
  });
  client.onerror = error => errors.push(error.message);
  client.setNotificationHandler('notifications/message', ({ params }) => logs.push(params));
  await client.connect(transport, { timeout: 30_000 });

  const revision = client.getNegotiatedProtocolVersion();
  let meta;
  return {
    revision,
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    errors,
    logs,
    changes,
    transport: watch(transport, server),
    wire,
    settled,
    listTools: async () => (await client.listTools()).tools, // walks the pages itself
    callTool: (params, callOptions) => client.callTool({ ...params, ...meta }, callOptions),
    async setLogLevel(level) {
      if (isModern(revision)) {
        meta = { _meta: { [logLevelKey]: level } };
      } else {
        await client.setLoggingLevel(level);
      }
    },
    ping: isModern(revision) ? undefined : () => client.ping(),
    // What the server agreed to tell without being asked: the client subscribed
    // while it connected.
    subscription: client.autoOpenedSubscription,
    subscribe: () => client.listen({ toolsListChanged: true }),
    endSession: () => transport.terminateSession(),
    close: () => client.close(),
  };
}
