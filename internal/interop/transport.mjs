// Makes a client's transport, and records what the server sends over it, in order.

import { watchProcess } from './host.mjs';
import { selectingURL } from './selection.mjs';
import { Wire } from './wire.mjs';

// Both are short, since everything is on the same machine; a server may ask for more.
const reconnectionOptions = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 50,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 2,
};

// transportTo makes a transport of the client's own class: one that starts the server, or
// one to the server that was started.
export function transportTo(server, { Stdio, Http, Sse }) {
  const { over, command, args, cwd, process, selection } = server;
  switch (over) {
    case 'stdio':
      return { transport: new Stdio({ command, args, cwd, stderr: 'pipe' }) };
    case 'sse': {
      // An answer may arrive on the stream before the status of its POST; a client that closes between complains.
      const posts = new Set();
      const watched = (url, init) => {
        const response = fetch(url, init);
        if (init?.method === 'POST') {
          posts.add(response);
        }
        return response;
      };
      const settled = () => Promise.allSettled(posts);
      return { transport: new Sse(urlOf(process, over), { fetch: watched }), settled };
    }
    default: {
      const wire = new Wire();
      return { transport: new Http(endpointOf(server), { fetch: wire.fetch, reconnectionOptions, requestInit: { headers: selection?.headers } }), wire };
    }
  }
}

// listChanged is the option of a client that makes it add to changes what has changed.
export const listChanged = changes =>
  Object.fromEntries(families.map(family => [family, { autoRefresh: false, debounceMs: 0, onChanged: () => changes.push(family) }]));

// families are the lists that change.
export const families = ['tools', 'prompts', 'resources'];

// urlOf is where a server is served over http or sse.
export const urlOf = ({ origin }, over) => new URL(over === 'sse' ? '/sse' : '/mcp', origin);

// endpointOf is where a server is served over http to clients that select tools, or to others.
const endpointOf = ({ process, selection }) => (selection ? selectingURL(process, selection) : urlOf(process, 'http'));

// watch taps a transport whose client has connected. Both SDKs keep the process
// in a private field; their versions are pinned, and a moved field fails here.
export function watch(transport, server) {
  if (!server.process && !transport._process) {
    throw new Error('the transport keeps its process elsewhere now; adapt transport.mjs');
  }
  return { ...tap(transport), ...(server.process ?? watchProcess(transport._process)), endpoint: server.process && endpointOf(server) };
}

// lostProgress is the error of both SDKs about a progress message that they
// could not deliver. It also occurs when the message came before the answer but
// in the same read: notifications are handled one turn later than answers. So
// messages are counted here, not by the onprogress callback.
export const lostProgress = message => message.startsWith('Received a progress notification for an unknown token');

// tap collects the progress messages of each request, by its id, which is the token both SDKs send, and those that came
// after the answer; and the errors that requests are answered with.
function tap(transport) {
  const answered = new Set();
  const steps = [];
  const late = [];
  const refusals = [];
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (message.method === 'notifications/progress') {
      (answered.has(message.params.progressToken) ? late : steps).push(message.params);
    } else if (message.method === undefined) {
      answered.add(message.id);
      refusals.push(...(message.error ? [message.error] : []));
    }
    deliver(message, extra);
  };
  return { progress: { steps, late }, refusals };
}
