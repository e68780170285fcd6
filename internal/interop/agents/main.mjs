// Runs each agent, with a scripted model, against the server of ../toolsearch. See README.md.
//
//   node main.mjs BINARIES CATALOG TOOLS [WORD...]
//
// BINARIES has the servers in the directories stdio and http, and bench; CATALOG is the argument of toolsearch, and TOOLS a file
// for listed.mjs. Only rows with every WORD are run.

import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brief } from '../facts.mjs';
import { host } from '../host.mjs';
import { isModern } from '../revisions.mjs';
import { selectingURL, selections, wordFaults } from '../selection.mjs';
import { agents, run } from './agents.mjs';
import { serverName } from './apis.mjs';
import { viewFaults } from './as.mjs';
import { startModel } from './model.mjs';
import { scriptFor } from './script.mjs';

// waysOf returns the transports, over HTTP the ways to select tools, and whether the agent hides tools from the model at first.
const waysOf = ({ defers }) => [
  { over: 'stdio' },
  ...(defers ? [{ over: 'stdio', deferred: true, words: ['deferred'] }] : []),
  { over: 'http' },
  ...Object.entries(selections).map(([name, selection]) => ({ over: 'http', selection, words: ['select', name] })),
];

const patience = 120_000; // for an agent, on a busy machine

async function main([binaries, catalog, tools, ...wanted]) {
  const { dependencies } = JSON.parse(await readFile(join(import.meta.dirname, 'package.json'), 'utf8'));
  const views = Object.entries({
    shapes: { command: join(binaries, 'stdio', 'shapes'), args: [] },
    tools: { command: process.execPath, args: [join(import.meta.dirname, 'listed.mjs'), tools] },
  });
  const viewed = Object.entries(agents).flatMap(([name, agent]) =>
    views.flatMap(([what, server]) =>
      agent.revisions
        .filter(revision => !isModern(revision) || (agent.usesModern && what === 'shapes'))
        .map(revision => ({
          ...{ agent, over: 'stdio', revision, server },
          bench: join(binaries, 'bench'),
          words: [name, dependencies[agent.package], 'stdio', revision, 'as', what],
        })),
    ),
  );
  const rows = Object.entries(agents)
    .flatMap(([name, agent]) =>
      waysOf(agent).flatMap(({ over, ...way }) =>
        agent.revisions.map(revision => ({
          agent,
          over,
          ...way,
          revision,
          server: { command: join(binaries, over, 'toolsearch'), args: [catalog] },
          words: [name, dependencies[agent.package], over, revision, ...(way.words ?? [])],
        })),
      ),
    )
    .concat(viewed)
    .filter(({ words }) => wanted.every(word => words.includes(word)));
  if (rows.length === 0) {
    console.error(`agents: no row has all of: ${wanted.join(' ')}`);
    return 2;
  }
  let failed = 0;
  for (const row of rows) {
    const { faults, calls } = await (row.bench ? view(row) : examine(row)).catch(error => ({ faults: [error?.stack ?? String(error)], calls: 0 }));
    const [name, version, over, revision, ...way] = row.words;
    const what = `${over.padEnd(5)} ${revision} ${way.join(' ').padEnd(17)}`;
    console.log(`${faults.length > 0 ? 'FAIL' : 'PASS'} ${`${name} ${version}`.padEnd(20)} ${what} ${calls} calls`);
    for (const fault of faults) {
      console.log(`    ${fault.replaceAll('\n', '\n    ')}`);
    }
    failed += faults.length > 0 ? 1 : 0;
  }
  console.log(`\n${rows.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

// examine runs one row. Over HTTP the server is started for it; over stdio the agent starts it.
async function examine({ agent, over, selection, deferred, revision, server }) {
  const { listed, steps } = scriptFor({ ...agent, revision, selection });
  const home = await mkdtemp(join(process.cwd(), 'home-'));
  const process_ = over === 'http' ? await host({ ...server, cwd: home }) : undefined;
  const model = await startModel(steps);
  try {
    const address = process_ ? addressOf(process_, selection) : server;
    const end = await run(await agent.prepare({ home, server: address, model: model.origin, revision, deferred }), home, patience);
    const faults = [...model.faults, ...stepFaults(listed, steps, model)];
    if (model.loaded !== Boolean(deferred)) {
      faults.push(deferred ? 'the tools are in the first request' : 'the tools are not in the first request');
    }
    if (end.status !== 0) {
      faults.push(`the agent ended with ${end.status}`);
    }
    if (faults.length > 0) {
      faults.push(`its last output:\n${end.output.slice(-2000)}`);
    }
    return { faults, calls: model.results.length };
  } finally {
    model.close();
    process_?.kill();
  }
}

// view runs a row that compares the tools that the agent sends to its model with those of bench as.
async function view({ agent, bench, revision, server }) {
  const home = await mkdtemp(join(process.cwd(), 'home-'));
  const model = await startModel([]);
  try {
    const end = await run(await agent.prepare({ home, server, model: model.origin, revision }), home, patience);
    const faults = await viewFaults({ bench, client: agent.view, name: serverName, server, sent: model.definitions, revision });
    return { faults: end.status === 0 ? faults : [...faults, `the agent ended with ${end.status}`], calls: 0 };
  } finally {
    model.close();
  }
}

const addressOf = ({ origin }, selection) =>
  selection ? { url: selectingURL({ origin }, selection).href, headers: selection.headers } : { url: `${origin}/mcp`, headers: {} };

// stepFaults lists what is wrong with the tools that the model was offered, and with the results that it got.
function stepFaults(listed, steps, { offered, results }) {
  const faults = [];
  const names = offered.toSorted();
  if (brief(names) !== brief(listed)) {
    faults.push(`offers ${names.join(', ') || 'no tool'} to the model, want ${listed.join(', ')}`);
  }
  if (results.length !== steps.length) {
    faults.push(`${results.length} calls instead of ${steps.length} had a result`);
  }
  for (const [i, { tool, arguments: args, ...words }] of steps.slice(0, results.length).entries()) {
    faults.push(...wordFaults(results[i], words).map(fault => `${tool} ${brief(args)}: ${fault}`));
  }
  return faults;
}

process.exit(await main(process.argv.slice(2)));
