// A scripted model: a server of the APIs of three vendors, which answers each request with the next call of a script.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { apis } from './apis.mjs';

// startModel serves until close is called. It takes the calls of the script in their order: how many an agent has made
// is in the history that each request repeats. So requests that agents send besides, such as one for a title, do no harm.
//
// The return value collects what the agent has sent: offered, the names of the tools of the server in its last request;
// definitions, their definitions by the names that were sent; results, the results of the calls as the model gets them;
// and loaded, whether the model had to search for the tools first.
//
// before, if it is given, gets the number of calls so far, and is awaited before a request is answered.
export async function startModel(script, before) {
  const model = { offered: [], definitions: {}, results: [], faults: [], loaded: false };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const text = await body(request);
    const api = apis.find(({ path }) => path.test(pathname));
    if (request.method !== 'POST' || !api) {
      response.writeHead(404).end('{}');
      return;
    }
    const asked = JSON.parse(text);
    if (process.env.MCPTOOL_AGENTS_DUMP) {
      console.error(text); // to see how a new version of an agent writes its requests
    }
    const tools = api.tools(asked);
    const results = api.results(asked);
    if (tools.length === 0) {
      if (api.load?.(response, asked)) {
        model.loaded = true;
      } else {
        api.say(response, 'ok', asked);
      }
      return;
    }
    model.offered = tools.map(({ name }) => name);
    model.definitions = Object.fromEntries(tools.map(({ sent, definition }) => [sent, definition]));
    model.results = results;
    await before?.(results.length);
    const next = script[results.length];
    const tool = tools.find(({ name }) => name === next?.tool);
    if (next && !tool) {
      model.faults.push(`has no tool ${next.tool} to offer to the model`);
    }
    if (tool) {
      api.call(response, tool, next.arguments, `call_${results.length}`, asked);
    } else {
      api.say(response, 'The script has ended.', asked);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  model.origin = `http://127.0.0.1:${server.address().port}`;
  model.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return model;
}

async function body(request) {
  const chunks = await Array.fromAsync(request);
  return Buffer.concat(chunks).toString('utf8');
}
