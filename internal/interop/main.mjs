// Runs every client, in every era it can be held to, against every example.
//
//   node main.mjs BINARIES SHELF [WORD...]
//
// BINARIES holds the built servers, SHELF is where they run. Only rows with every
// WORD are run. samples.json says what to call; a server without an entry ends
// the run.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import * as v1 from './sdk_v1.mjs';
import * as v2 from './sdk_v2.mjs';
import * as inspector from './inspector.mjs';
import { Examination } from './session.mjs';

const rowTimeout = 600_000; // Every step has a shorter one of its own.

async function main([binaries, shelf, ...wanted]) {
  const examples = await json('samples.json');
  const built = await readdir(binaries);
  const unknown = built.filter(name => !(name in examples));
  if (unknown.length > 0) {
    console.error(`interop: no samples for ${unknown.join(', ')}; add them to samples.json`);
    return 2;
  }
  const all = await matrix(examples, binaries, shelf);
  const rows = all.filter(({ words }) => wanted.every(word => words.includes(word)));
  if (rows.length === 0) {
    console.error(`interop: no row has all of: ${wanted.join(' ')}`);
    return 2;
  }
  const failed = await report(rows);
  console.log(`${rows.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

// matrix is one row for each client, era and example.
async function matrix(examples, binaries, shelf) {
  const { dependencies } = await json('package.json');
  return [v1, v2, inspector].flatMap(client =>
    client.eras.flatMap(era =>
      Object.entries(examples).map(([name, example]) => ({
        client,
        era,
        example: { name, ...example },
        words: [client.name, dependencies[`@modelcontextprotocol/${client.name}`], era.name, name],
        server: { command: join(binaries, name), args: example.args ?? [], cwd: shelf },
      })),
    ),
  );
}

const json = async name => JSON.parse(await readFile(join(import.meta.dirname, name), 'utf8'));

// report runs a few rows at a time and prints them in their order.
async function report(rows) {
  const pending = rows.entries();
  const outcomes = rows.map(() => Promise.withResolvers());
  const worker = async () => {
    for (const [i, row] of pending) {
      outcomes[i].resolve(await outcomeOf(row));
    }
  };
  for (let i = 0; i < Math.min(4, availableParallelism() + 1); i++) {
    void worker();
  }
  let failed = 0;
  for (const [i, { promise }] of outcomes.entries()) {
    const { faults, calls } = await promise;
    const [client, version, era, example] = rows[i].words;
    const verdict = faults.length === 0 ? 'PASS' : 'FAIL';
    console.log(
      `${verdict} ${`${client} ${version}`.padEnd(17)} ${era.padEnd(10)} ${example.padEnd(10)} ${calls} calls`,
    );
    for (const fault of faults) {
      console.log(`    ${fault.replaceAll('\n', '\n    ')}`);
    }
    failed += faults.length > 0 ? 1 : 0;
  }
  return failed;
}

async function outcomeOf(row) {
  let timer;
  const late = new Promise(resolve => {
    timer = setTimeout(() => resolve({ faults: [`no end after ${rowTimeout / 1000} s`], calls: 0 }), rowTimeout);
  });
  const run = examine(row).catch(error => ({ faults: [error?.stack ?? String(error)], calls: 0 }));
  const outcome = await Promise.race([run, late]);
  clearTimeout(timer);
  return outcome;
}

async function examine({ client, server, example, era }) {
  if (client.examine) {
    return client.examine(server, example, era);
  }
  const session = await client.open(server, era);
  try {
    const outcome = await new Examination(session, example, era).run();
    if (outcome.faults.length > 0 && session.transport.stderr()) {
      outcome.faults.push(
        `the server's last words:\n${session.transport.stderr().trim().split('\n').slice(-5).join('\n')}`,
      );
    }
    return outcome;
  } finally {
    session.transport.kill();
  }
}

process.exit(await main(process.argv.slice(2)));
