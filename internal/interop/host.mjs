// Starts the servers that speak HTTP, and watches processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

// host starts a server and returns when it has said where it listens.
export async function host({ command, args, cwd }) {
  const env = { ...process.env, MCPTOOL_INTEROP_HTTP: '1' }; // for those that can do both
  const child = spawn(command, args, { cwd, env, stdio: 'pipe' });
  const server = watchProcess(child);
  const said = Promise.withResolvers();
  child.once('error', said.reject);
  createInterface({ input: child.stdout }).once('line', said.resolve);
  void server.exited.then(end => said.reject(new Error(`${exitFault(end) ?? 'the server ended'}: ${server.stderr()}`)));
  return { ...server, origin: await said.promise, stop: () => child.stdin.end() };
}

// hostOwn starts a server that serves HTTP by itself, at -addr, until it is interrupted, and returns when it listens.
export async function hostOwn({ command, args, cwd }) {
  const address = await freeAddress();
  const child = spawn(command, [...args, '-addr', address], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const server = watchProcess(child);
  let end;
  child.once('error', error => (end = error));
  void server.exited.then(exit => (end = new Error(`${exitFault(exit) ?? 'the server ended'}: ${server.stderr()}`)));
  const origin = `http://${address}`;
  for (;;) {
    if (end) {
      throw end;
    }
    if (await fetch(origin).then(() => true, () => false)) {
      return { ...server, origin, stop: () => child.kill('SIGINT') };
    }
    await sleep(20);
  }
}

export async function freeAddress() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return `127.0.0.1:${port}`;
}

// watchProcess keeps the last of what a server says to standard error, and how it ends.
export function watchProcess(child) {
  let stderr = '';
  child.stderr?.on('data', chunk => {
    stderr = (stderr + chunk).slice(-40960);
  });
  return {
    exited: new Promise(resolve => child.once('exit', (code, signal) => resolve({ code, signal }))),
    stderr: () => stderr,
    kill: () => child.kill('SIGKILL'),
  };
}

// exitFault says what is wrong with the end of a server whose stdin was closed,
// or returns undefined: it has to leave by itself, with status 0.
export function exitFault({ code, signal }) {
  if (signal) {
    return `the server had to be ended with ${signal}`;
  }
  return code === 0 ? undefined : `the server exited with status ${code}`;
}
