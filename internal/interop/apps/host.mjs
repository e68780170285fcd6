// The host, in the page: the official client of the server, and the official bridge to the view. main.mjs bundles it,
// and calls window.host.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, buildAllowAttribute, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';

const extension = 'io.modelcontextprotocol/ui';
const info = { name: 'mcptool-apps', version: '1.0.0' };

let client;
let view; // the one that is shown: its frame and its bridge
const fromView = []; // the messages of the view, in their order

// connect connects to the server, as a client that renders views or not.
async function connect({ options, views }) {
  client = new Client(info, { ...options, capabilities: views ? { extensions: { [extension]: { mimeTypes: [RESOURCE_MIME_TYPE] } } } : {} });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href)));
  const { tools } = await client.listTools();
  return { revision: client.getNegotiatedProtocolVersion(), capabilities: client.getServerCapabilities(), tools };
}

// read returns what resources/read returns.
const read = uri => client.readResource({ uri });

const call = (name, args) => client.callTool({ name, arguments: args });

// show calls a tool and shows its view, as a host does it: the view is there before the result is.
async function show(name, args, sandbox) {
  const { tools } = await client.listTools();
  const tool = tools.find(other => other.name === name);
  const uri = getToolUiResourceUri(tool);
  const { contents } = await read(uri);
  const [content] = contents;
  if (content.mimeType !== RESOURCE_MIME_TYPE) throw new Error(`${uri} is ${content.mimeType}`);
  const ui = content._meta?.ui ?? {};
  const bridge = await embed(content.text ?? atob(content.blob), ui, sandbox, tool);
  await bridge.sendToolInput({ arguments: args });
  const result = await call(name, args);
  await bridge.sendToolResult(result);
  return { uri, contents, result };
}

// embed returns the bridge to the document, which is then in the page and initialized.
async function embed(html, { csp, permissions }, sandbox, tool) {
  const frame = document.createElement('iframe');
  frame.title = 'Sandbox';
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  frame.allow = buildAllowAttribute(permissions);
  document.body.append(frame);
  const bridge = new AppBridge(client, info, { serverTools: {}, serverResources: {} }, {
    hostContext: { theme: 'light', locale: 'en-GB', displayMode: 'inline', platform: 'web', toolInfo: { tool } },
  });
  view = { frame, bridge };
  const happens = event => new Promise(resolve => bridge.addEventListener(event, resolve));
  const [ready, initialized] = [happens('sandboxready'), happens('initialized')];
  bridge.addEventListener('sizechange', ({ height }) => { frame.style.height = `${height}px`; });
  window.addEventListener('message', ({ source, data }) => {
    if (source === frame.contentWindow && data.method !== 'ui/notifications/sandbox-proxy-ready') fromView.push(data);
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = `${sandbox}?csp=${encodeURIComponent(JSON.stringify(csp ?? {}))}`;
  await ready;
  await bridge.sendSandboxResourceReady({ html, csp, permissions });
  await initialized;
  return bridge;
}

// impersonate posts a message to the view from a window that is not its host: this one, past the sandbox.
function impersonate(message) {
  view.frame.contentWindow.frames[0].postMessage(message, '*');
}

const setContext = context => view.bridge.setHostContext({ theme: 'light', ...context });

// failCalls makes the host refuse the calls of the view.
function failCalls(reason) {
  view.bridge.oncalltool = async () => { throw new Error(reason); };
}

// remove ends the view as the protocol says: it is told, and it answers, before its frame goes.
async function remove() {
  const answer = await view.bridge.teardownResource({});
  await view.bridge.close();
  view.frame.remove();
  return answer;
}

const sendResult = result => view.bridge.sendToolResult(result);
const cancel = reason => view.bridge.sendToolCancelled({ reason });

window.host = { connect, read, call, show, impersonate, setContext, failCalls, sendResult, cancel, remove, messages: () => fromView };
