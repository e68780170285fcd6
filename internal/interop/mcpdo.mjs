// The command mcpdo of the Inspector: what its other command line lacks, completion and subscriptions. A daemon keeps the
// connection between two commands; here each row has a daemon of its own.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brief, differs } from './facts.mjs';
import { arrived } from './resources.mjs';
import { isModern } from './revisions.mjs';
import { urlOf } from './transport.mjs';

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js');
const apart = 110; // milliseconds; updates of one URI that are closer may be sent as one
const few = 5; // updates; each takes a run of the command

// completeAndFollow completes what the table completes, follows its updates, and lists what is wrong.
export async function completeAndFollow(server, { prompts = {}, resources: { templates = {}, updates } = {} }, era) {
  const refs = [
    ...Object.entries(prompts).map(([name, { completes }]) => ({ type: 'ref/prompt', ref: name, completes })),
    ...Object.entries(templates).map(([uri, { completes }]) => ({ type: 'ref/resource', ref: uri, completes })),
  ].filter(({ completes }) => completes);
  if (refs.length === 0 && !updates) {
    return [];
  }
  const home = await mkdtemp(join(tmpdir(), 'mcpdo-'));
  const connection = new Connection(home);
  try {
    await connection.open(server, era);
    const faults = [];
    for (const { type, ref, completes } of refs) {
      faults.push(...(await completionFaults(connection, type, ref, completes)));
    }
    return [...faults, ...(updates ? await updateFaults(connection, updates, era) : [])];
  } catch (error) {
    return [`mcpdo: ${error.message}`];
  } finally {
    await connection.run('daemon', 'stop');
    await rm(home, { recursive: true, force: true });
  }
}

async function completionFaults(connection, type, ref, samples) {
  const faults = [];
  for (const { argument, prefix, others, ...facts } of samples.filter(sample => !sample.others)) { // it sends no others
    const got = await connection.answer(
      ['prompts/complete', '--complete-ref-type', type, '--complete-ref', ref],
      ['--complete-arg-name', argument, '--complete-arg-value', prefix],
    );
    const miss = differs(got, facts, 'completion');
    faults.push(...(miss ? [`mcpdo: ${ref} completes ${argument}: ${miss}`] : []));
  }
  return faults;
}

// updateFaults: each of several updates arrives, and before 2026-07-28 a subscription to nothing is refused.
async function updateFaults(connection, { uri, tool, arguments: args = {}, times }, era) {
  const faults = [];
  const seen = connection.start('resources/subscribe', uri);
  const events = type => seen.stdout.split(`"type": "${type}"`).length - 1;
  await arrived(() => events('subscribed') === 1);
  for (let i = 1; i <= Math.min(times, few); i++) {
    await connection.answer(['tools/call', tool, JSON.stringify(args)]);
    await arrived(() => events('resources/updated') >= i);
    if (events('resources/updated') !== i) {
      faults.push(`mcpdo: ${events('resources/updated')} updates arrived instead of ${i}: ${seen.stdout} ${seen.stderr}`);
      break;
    }
    await new Promise(resolve => setTimeout(resolve, apart));
  }
  seen.child.kill('SIGINT');
  await seen.ended;
  if (!isModern(era.revision)) { // There the acknowledgement lacks the URI, which the Inspector does not say.
    const nothing = await connection.run('resources/subscribe', 'none:///none');
    faults.push(...(nothing.stderr.includes('not found') ? [] : [`mcpdo: subscribes to nothing: ${brief(nothing)}`]));
  }
  return faults;
}

// Connection is one to a server, held by a daemon.
class Connection {
  #env;
  #name = [];

  constructor(home) {
    this.#env = {
      ...process.env,
      HOME: home,
      MCP_INSPECTOR_DAEMON_DIR: home,
      MCP_INSPECTOR_DAEMON_TOKEN: randomBytes(32).toString('base64url'),
      MCP_INSPECTOR_SECRET_STORE: 'memory',
    };
  }

  async open({ over, command, args, cwd, process: web }, { name }) {
    const target = over === 'stdio' ? ['--cwd', cwd, '--', command, ...args] : [urlOf(web, over).href];
    const { protocolEra, name: connection } = await this.answer(['connect', '--era', name, '--elicit', 'off', '--transport', over], target);
    if (protocolEra !== name) {
      throw new Error(`connected in the era ${protocolEra}, want ${name}`);
    }
    this.#name = ['--connection', connection];
  }

  // answer runs a command, which has to succeed, and returns its JSON.
  async answer(...words) {
    const { status, stdout, stderr } = await this.run(...words.flat());
    if (status !== 0) {
      throw new Error(`${words.flat().join(' ')}: status ${status}: ${stdout}${stderr}`);
    }
    return JSON.parse(stdout);
  }

  async run(...words) {
    const running = this.start(...words);
    const status = await running.ended;
    return { status, stdout: running.stdout, stderr: running.stderr };
  }

  // start starts a command. What it returns has the output so far.
  start(...words) {
    const child = spawn(process.execPath, [program, '--format', 'json', ...this.#name, ...words], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    const running = { child, stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].on('data', chunk => {
        running[stream] += chunk;
      });
    }
    running.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status, signal) => resolve(status ?? signal));
    });
    return running;
  }
}
