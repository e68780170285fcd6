// What the browser loads: the page of the host, the sandbox of the view from another origin, and the server of tools.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

// startTools starts the program, which internal/interop/overhttp has made serve HTTP, and returns its URL.
export async function startTools(program) {
  const server = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), once(server, 'exit').then(([status]) => { throw new Error(`${program} ended with ${status}`); })]);
  return {
    url: new URL(line),
    async stop() {
      server.stdin.end(); // a server does not outlive its standard input
      const [status] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode];
      if (status !== 0) throw new Error(`the server ended with ${status}`);
    },
  };
}

// startHost serves the page of the host, and passes /mcp on to the tools. calls gets the params of each tools/call.
export async function startHost(directory, tools, calls) {
  const bundle = await build({ entryPoints: [`${directory}/host.mjs`], bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'error' });
  const files = {
    '/': { type: 'text/html; charset=utf-8', body: await readFile(`${directory}/host.html`) },
    '/host.js': { type: 'text/javascript; charset=utf-8', body: bundle.outputFiles[0].contents },
  };
  return listen('127.0.0.1', (request, response) => {
    const file = files[request.url];
    if (file) response.writeHead(200, { 'content-type': file.type }).end(file.body);
    else if (request.url === '/mcp') pass(request, response, new URL('/mcp', tools), calls);
    else response.writeHead(404).end();
  });
}

// startSandbox serves the sandbox, with the policy that the query names.
export async function startSandbox(directory) {
  const page = await readFile(`${directory}/sandbox.html`);
  return listen('localhost', (request, response) => {
    const query = new URL(request.url, 'http://localhost').searchParams;
    const csp = JSON.parse(query.get('csp') ?? '{}');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy(csp) }).end(page);
  });
}

// policy is the Content-Security-Policy of a view, as the specification makes it of what the resource asks for: nothing
// from the network unless it is named.
function policy({ connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] }) {
  const resources = resourceDomains.join(' ');
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resources}`,
    `style-src 'self' 'unsafe-inline' ${resources}`,
    `img-src 'self' data: ${resources}`,
    `media-src 'self' data: ${resources}`,
    `font-src 'self' ${resources}`,
    `connect-src ${connectDomains.join(' ') || "'none'"}`,
    `frame-src ${frameDomains.join(' ') || "'none'"}`,
    `base-uri ${baseUriDomains.join(' ') || "'self'"}`,
    "object-src 'none'",
  ].join('; ');
}

async function listen(name, handle) {
  const server = http.createServer(handle);
  server.listen(0, name);
  await once(server, 'listening');
  return {
    url: `http://${name}:${server.address().port}/`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// pass sends the request on, and the answer back as it comes.
function pass(request, response, to, calls) {
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (body.includes('"tools/call"')) calls.push(JSON.parse(body).params);
    const onward = http.request(to, { method: request.method, headers: { ...request.headers, host: to.host } }, answer => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
}
