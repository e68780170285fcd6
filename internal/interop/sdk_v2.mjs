// The official TypeScript client, version 2: @modelcontextprotocol/client.

import { Client, ResourceNotFoundError, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isModern, legacy, modern } from './revisions.mjs';
import { listChanged, transportTo, watch } from './transport.mjs';

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
  const updates = [];
  const client = new Client(
    { name: 'mcptool-interop', version: '1.0.0' },
    {
      ...options,
      capabilities: user ? { elicitation: { form: {} } } : {},
      listChanged: listChanged(changes),
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
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => updates.push(params.uri));
  await client.connect(transport, { timeout: 30_000 });

  const revision = client.getNegotiatedProtocolVersion();
  const watched = watch(transport, server);
  // To this client a resource that does not exist is one error in all revisions; here it has the code that was received.
  const withCode = error => {
    throw error instanceof ResourceNotFoundError ? Object.assign(error, { code: watched.refusals.at(-1).code }) : error;
  };
  let meta;
  return {
    revision,
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    errors,
    logs,
    changes,
    updates,
    transport: watched,
    wire,
    settled,
    listTools: async () => (await client.listTools()).tools, // walks the pages itself
    listPrompts: async () => (await client.listPrompts()).prompts,
    listResources: async () => (await client.listResources()).resources,
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    getPrompt: params => client.getPrompt(params),
    complete: params => client.complete(params),
    readResource: params => client.readResource(params).catch(withCode),
    async follow(uri) {
      if (isModern(revision)) {
        return client.listen({ resourceSubscriptions: [uri] });
      }
      await client.subscribeResource({ uri }).catch(withCode);
      return { close: () => client.unsubscribeResource({ uri }) };
    },
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
    subscribe: () => client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }),
    endSession: () => transport.terminateSession(),
    close: () => client.close(),
  };
}
