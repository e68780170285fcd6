// Runs every client, in every era that it can be pinned to, against every example.
//
//   node main.mjs BINARIES SHELF [WORD...]
//
// BINARIES holds the built servers, in the directories stdio and http; SHELF is where they run. Only
// rows with every WORD are run. samples.json says what to call; a server without an entry ends
// the run.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import * as v1 from './sdk_v1.mjs';
import * as v2 from './sdk_v2.mjs';
import * as extTasks from './exttasks.mjs';
import { host, hostOwn } from './host.mjs';
import * as inspector from './inspector.mjs';
import { Interview, User } from './interview.mjs';
import { hasElicitation, isModern } from './revisions.mjs';
import { selectable, selections, Selecting } from './selection.mjs';
import { Examination } from './session.mjs';

// sse is the transport that Streamable HTTP has replaced; it does not support the modern era.
const transports = ['stdio', 'http', 'sse'];
const speaks = (over, { revision }) => over !== 'sse' || !isModern(revision);
const programs = { stdio: 'stdio', http: 'http', sse: 'http' };
const hosts = ['gosdk', 'mcpgo']; // other frameworks, whose servers serve an example
const rowTimeout = 600_000; // Every step has a shorter one of its own.

async function main([binaries, shelf, ...wanted]) {
  const examples = await json('samples.json');
  const built = (await Promise.all(transports.map(over => readdir(join(binaries, programs[over]))))).flat();
  const unknown = built.filter(name => !(name in examples));
  if (unknown.length > 0) {
    console.error(`interop: no samples for ${unknown.join(', ')}; add them to samples.json`);
    return 2;
  }
  const all = [
    ...(await matrix(examples, binaries, shelf)),
    ...(await hosted(examples, binaries, shelf)),
    ...(await selecting(examples, binaries, shelf)),
    ...(await lives(binaries, shelf)),
  ];
  const rows = all.filter(({ words }) => wanted.every(word => words.includes(word)));
  if (rows.length === 0) {
    console.error(`interop: no row has all of: ${wanted.join(' ')}`);
    return 2;
  }
  const verdicts = await report(rows);
  console.log(`\n${subtotals(rows, verdicts)}`);
  const counted = verdict => verdicts.filter(it => it === verdict).length;
  console.log(`${counted('PASS')} passed, ${counted('FAIL')} failed, ${counted('SKIP')} skipped`);
  return counted('FAIL') === 0 ? 0 : 1;
}

// subtotals is one line for each client and transport. Skipped rows are not counted.
function subtotals(rows, verdicts) {
  const run = [...rows.keys()].filter(i => verdicts[i] !== 'SKIP');
  const groups = Map.groupBy(run, i => {
    const [client, version, over] = rows[i].words;
    return `${client} ${version} over ${over}`;
  });
  return [...groups]
    .map(([name, group]) => `${name}: ${group.filter(i => verdicts[i] === 'PASS').length} of ${group.length} rows passed`)
    .join('\n');
}

// matrix is one row for each client, transport, era and example, and one more, "asked", where the
// example asks the user and the client has one.
async function matrix(examples, binaries, shelf) {
  const { dependencies } = await json('package.json');
  return [v1, v2, inspector].flatMap(client =>
    transports.flatMap(over =>
      client.eras.filter(era => speaks(over, era)).flatMap(era =>
        Object.entries(examples).flatMap(([name, example]) => {
          const row = {
            client,
            era,
            example: { name, ...example },
            words: [client.name, dependencies[`@modelcontextprotocol/${client.name}`], over, era.name, name],
            server: { over, command: join(binaries, programs[over], name), args: example.args ?? [], cwd: shelf },
          };
          const asks = Object.values(example.tools).some(({ asking }) => asking);
          return asks ? [row, { ...row, asked: true, words: [...row.words, 'asked'] }] : [row];
        }),
      ),
    ),
  );
}

// hosted is one row for each example in the server of another framework, with each SDK, transport and era that can ask.
async function hosted(examples, binaries, shelf) {
  const { dependencies } = await json('package.json');
  const built = await Promise.all(hosts.map(async host => (await readdir(join(binaries, host))).map(name => ({ host, name }))));
  return [v1, v2].flatMap(client =>
    ['stdio', 'http'].flatMap(over =>
      client.eras.filter(era => hasElicitation(era.revision)).flatMap(era =>
        built.flat().map(({ host, name }) => ({
          client,
          era,
          asked: true,
          example: { name, host, ...examples[name] },
          words: [client.name, dependencies[`@modelcontextprotocol/${client.name}`], over, era.name, name, 'asked', host],
          server: { over, command: join(binaries, host, name), args: examples[name].args ?? [], cwd: shelf },
        })),
      ),
    ),
  );
}

// selecting is one row for each SDK, era and way to select.
async function selecting(examples, binaries, shelf) {
  const { dependencies } = await json('package.json');
  return [v1, v2].flatMap(client =>
    client.eras.flatMap(era =>
      Object.entries(selections).map(([name, selection]) => ({
        client,
        era,
        example: { name: selectable, ...examples[selectable] },
        words: [client.name, dependencies[`@modelcontextprotocol/${client.name}`], 'http', era.name, selectable, 'select', name],
        server: { over: 'http', selection, command: join(binaries, 'http', selectable), args: examples[selectable].args, cwd: shelf },
      })),
    ),
  );
}

// lives is one row for each row of exttasks.mjs. Its example serves HTTP itself.
async function lives(binaries, shelf) {
  const { dependencies } = await json('package.json');
  return extTasks.eras.flatMap(era =>
    Object.entries(extTasks.lives).map(([name, life]) => ({
      client: extTasks,
      era,
      example: { name: 'conformance', life },
      words: [extTasks.name, dependencies['@modelcontextprotocol/ext-tasks'], 'http', era.name, 'conformance', 'tasks', name],
      server: { over: 'http', own: true, command: join(binaries, 'own', 'conformance'), args: [], cwd: shelf },
    })),
  );
}

const json = async name => JSON.parse(await readFile(join(import.meta.dirname, name), 'utf8'));

// report runs a few rows at a time, prints them in their order and returns their verdicts.
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
  const verdicts = [];
  for (const [i, { promise }] of outcomes.entries()) {
    const { faults, calls, skipped } = await promise;
    const [client, version, over, era, ...example] = rows[i].words;
    const verdict = faults.length > 0 ? 'FAIL' : skipped ? 'SKIP' : 'PASS';
    const what = `${over.padEnd(5)} ${era.padEnd(10)} ${example.join(' ').padEnd(13)}`;
    console.log(`${verdict} ${`${client} ${version}`.padEnd(17)} ${what} ${skipped ?? `${calls} calls`}`);
    for (const fault of faults) {
      console.log(`    ${fault.replaceAll('\n', '\n    ')}`);
    }
    verdicts.push(verdict);
  }
  return verdicts;
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

async function examine(row) {
  if (row.asked && row.client.nobody) {
    return { faults: [], calls: 0, skipped: row.client.nobody };
  }
  if (row.server.over === 'stdio') {
    return examineAt(row.server, row);
  }
  const process = await (row.server.own ? hostOwn : host)(row.server);
  try {
    return await examineAt({ ...row.server, process }, row);
  } finally {
    process.kill();
  }
}

async function examineAt(server, { client, example, era, asked }) {
  if (client.examine) {
    return client.examine(server, example, era);
  }
  const user = asked ? new User(era) : undefined;
  const session = await client.open(server, era, user);
  try {
    const outcome = await examinationOf(session, example, era, user, server.selection).run();
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

function examinationOf(session, example, era, user, selection) {
  if (user) {
    return new Interview(session, example, era, user);
  }
  return selection ? new Selecting(session, example, era) : new Examination(session, example, era);
}

process.exit(await main(process.argv.slice(2)));
