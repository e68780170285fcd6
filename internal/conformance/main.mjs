// Runs the scenarios of the conformance suite against two servers. See the script run for what is printed.
//
//   node main.mjs PACKAGES DIR [SCENARIO...]
//
// PACKAGES has node_modules with the suite, DIR the built servers and room for results.

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [packages, dir, ...wanted] = process.argv.slice(2);
const suite = join(packages, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

// The list of the suite gives the scenarios of extensions no versions. These are the versions to run them at; where the
// suite would not run one at that version, it is forced.
const extensions = { skills: ['2025-11-25', '2026-07-28'], tasks: ['2026-07-28'] };
const newest = '2026-07-28';

async function main() {
  const pending = readPending();
  const selected = (await scenarios()).filter(({ name }) => wanted.length === 0 || wanted.some(re => new RegExp(re).test(name)));
  if (selected.length === 0) {
    console.error(`conformance: no scenario matches ${wanted.join(' ')}`);
    return 2;
  }
  const runs = selected.flatMap(scenario => scenario.versions.map(version => ({ ...scenario, version })));
  const outcomes = [];
  const workers = [0, 1].map(async () => { // each with servers of its own: scenarios may change the state of a server
    const servers = { conformance: await serve('conformance'), skills: await serve('skills') };
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
      const outcome = await examine(run, servers[run.server].url);
      outcomes.push(outcome);
      print(outcome, pending);
    }
    for (const server of Object.values(servers)) server.stop();
  });
  await Promise.all(workers);

  let failed = outcomes.filter(({ name, bad }) => bad && !pending.has(name)).length;
  for (const [name, reason] of pending) {
    const own = outcomes.filter(outcome => outcome.name === name);
    if (own.length === 0 ? wanted.length === 0 : own.every(({ bad }) => !bad)) {
      console.log(`FAIL ${name}: pending.txt says "${reason}", but it ${own.length === 0 ? 'does not exist' : 'passes'}`);
      failed++;
    }
  }
  const passed = outcomes.filter(({ bad }) => !bad).length;
  const open = outcomes.filter(({ name, bad }) => bad && pending.has(name)).length;
  console.log(`${passed} passed, ${failed} failed, ${open} pending`);
  return failed > 0 ? 1 : 0;
}

// readPending returns the scenarios of pending.txt with their reasons.
function readPending() {
  const text = readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'pending.txt'), 'utf8');
  const rows = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(rows.map(row => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ')).trim()]));
}

// scenarios returns those for servers that the suite lists, with their versions and the server to run them against.
async function scenarios() {
  const { output } = await node(suite, 'list', '--server');
  const found = [...output.matchAll(/^ +- (\S+) \[(.+)\]$/gm)].map(([, name, tags]) => {
    if (tags !== 'extension') return { name, versions: tags.split(','), server: 'conformance' };
    const key = Object.keys(extensions).find(word => name.includes(word));
    if (key === undefined) throw new Error(`the suite has a scenario of an extension that is not known here: ${name}`);
    return { name, versions: extensions[key], server: key === 'skills' ? 'skills' : 'conformance', extension: true };
  });
  if (found.length === 0) throw new Error(`the suite listed no scenarios: ${output}`);
  return found;
}

// serve starts a server on a free port.
async function serve(program) {
  const port = await new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
  const child = spawn(join(dir, program), ['-addr', `127.0.0.1:${port}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', data => (log = (log + data).slice(-10_000)));
  let stopped = false;
  child.on('exit', code => {
    if (stopped) return;
    console.error(`conformance: ${program} has ended with status ${code}:\n${log}`);
    process.exit(1);
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  for (let tries = 0; ; tries++) {
    try {
      await fetch(url);
      break;
    } catch (err) {
      if (tries === 100) throw err;
      await sleep(50);
    }
  }
  return { url, stop: () => { stopped = true; child.kill(); } };
}

// examine runs a scenario at one version, and returns the lines to print about it.
async function examine({ name, version, extension }, url) {
  const results = join(dir, version, name);
  mkdirSync(results, { recursive: true });
  const at = !extension ? ['--spec-version', version] : version === newest ? [] : ['--spec-version', version, '--force'];
  const { status, output } = await node(suite, 'server', '--url', url, '--scenario', name, ...at, '-o', results);
  const checks = readdirSync(results, { withFileTypes: true }).filter(entry => entry.isDirectory())
    .flatMap(entry => JSON.parse(readFileSync(join(results, entry.name, 'checks.json'), 'utf8')));
  const of = word => checks.filter(check => check.status === word);
  const count = of('SUCCESS').length;
  const lines = [...of('FAILURE'), ...of('WARNING')].map(check =>
    `${check.status.toLowerCase()} ${check.id}: ${String(check.errorMessage ?? check.details?.message ?? check.description).replace(/\s+/g, ' ').slice(0, 400)}`);
  if (lines.length === 0 && (status !== 0 || count === 0)) lines.push(`exit status ${status}: ${output.trim().split('\n').slice(-3).join(' | ').slice(0, 400)}`);
  return { name, bad: lines.length > 0, text: `${name}@${version} (${count}/${count + of('FAILURE').length} checks)`, lines };
}

function print({ name, bad, text, lines }, pending) {
  console.log(!bad ? `PASS ${text}` : pending.has(name) ? `PEND ${text}: ${pending.get(name)}` : `FAIL ${text}`);
  for (const line of lines) console.log(`    ${line}`);
}

// node runs a program of the packages.
function node(...args) {
  return new Promise(resolve => {
    execFile(process.execPath, args, { timeout: 120_000, maxBuffer: 1 << 26 }, (err, stdout, stderr) =>
      resolve({ status: err ? (err.code ?? err.signal) : 0, output: stdout + stderr }));
  });
}

process.exitCode = await main();
