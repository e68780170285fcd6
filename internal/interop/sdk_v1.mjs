// The official TypeScript client, version 1: @modelcontextprotocol/sdk.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { legacy, newestLegacy } from './revisions.mjs';
import { listChanged, transportTo, watch } from './transport.mjs';

export const name = 'sdk';

// The client always offers its newest revision and takes what the server
// answers. So that it is answered with an older one, the offer is changed on
// its way out; the last row is an offer the server does not know.
export const eras = [
  ...legacy.map(revision => ({ name: revision, revision, offer: revision })),
  {
    name: 'unknown',
    revision: newestLegacy,
    offer: '2024-10-07',
  },
];

export async function open(server, { offer }, user) {
  const changes = [];
  const updates = [];
  const client = new Client(
    { name: 'mcptool-interop', version: '1.0.0' },
    {
      capabilities: user ? { elicitation: {} } : {}, // which means forms, from before there was a choice
      listChanged: listChanged(changes),
    },
  );
  if (user) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => user.answer(params, signal));
  }
  const { transport, wire, settled } = transportTo(server, {
    Stdio: StdioClientTransport,
    Http: StreamableHTTPClientTransport,
    Sse: SSEClientTransport,
  });
  const send = transport.send.bind(transport);
  const tell = transport.setProtocolVersion?.bind(transport);
  let revision;
  transport.send = (message, options) =>
    send(
      message.method === 'initialize' ? { ...message, params: { ...message.params, protocolVersion: offer } } : message,
      options,
    );
  transport.setProtocolVersion = negotiated => {
    revision = negotiated;
    tell?.(negotiated);
  };

  const errors = [];
  const logs = [];
  client.onerror = error => errors.push(error.message);
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.push(params));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updates.push(params.uri));
  await client.connect(transport, { timeout: 30_000 });
  return {
    revision,
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    errors,
    logs,
    changes,
    updates,
    transport: watch(transport, server),
    wire,
    settled,
    listTools: () => pages('tools', params => client.listTools(params)),
    listPrompts: () => pages('prompts', params => client.listPrompts(params)),
    listResources: () => pages('resources', params => client.listResources(params)),
    listTemplates: () => pages('resourceTemplates', params => client.listResourceTemplates(params)),
    getPrompt: params => client.getPrompt(params),
    complete: params => client.complete(params),
    readResource: params => client.readResource(params),
    async follow(uri) {
      await client.subscribeResource({ uri });
      return { close: () => client.unsubscribeResource({ uri }) };
    },
    callTool: (params, options) => client.callTool(params, undefined, options),
    setLogLevel: level => client.setLoggingLevel(level),
    ping: () => client.ping(),
    endSession: () => transport.terminateSession(),
    close: () => client.close(),
  };
}

async function pages(member, list) {
  const items = [];
  let cursor;
  do {
    const page = await list(cursor === undefined ? undefined : { cursor });
    items.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
