// Runs Claude Code, with a scripted model, against bench dev.
//
//   node agent.mjs ROOT BENCH [WORD...]

import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agents, run } from '../agents/agents.mjs';
import { startModel } from '../agents/model.mjs';
import { newProject } from './project.mjs';
import { report } from './report.mjs';

const swaps = 10;
const patience = 400_000; // for all swaps, on a busy machine

const agent = agents['Claude Code'];

async function main([root, bench, ...wanted]) {
  const { dependencies } = JSON.parse(await readFile(join(import.meta.dirname, '../agents/package.json'), 'utf8'));
  const rows = ['stdio', 'http'].flatMap(over =>
    agent.revisions.map(revision => ({
      words: ['Claude Code', dependencies[agent.package], over, revision],
      examine: () => examine({ root, bench, over, revision }),
    })),
  );
  return report(rows, wanted);
}

// examine replaces the server before each call of the model but the first one, in one session of the agent.
async function examine({ root, bench, over, revision }) {
  const project = await newProject(root, bench);
  const process_ = over === 'http' ? await project.http() : undefined;
  const home = await mkdtemp(join(process.cwd(), 'home-'));
  // The last call has no swap before it, but time for the agent to list the tools.
  const steps = Array.from({ length: swaps + 2 }, () => ({ tool: 'version', arguments: {} }));
  const replaced = new Map(); // by the number of calls so far
  const model = await startModel(steps, calls => {
    if (calls > 0 && calls <= swaps && !replaced.has(calls)) {
      replaced.set(calls, project.set(calls).then(() => project.ready(calls + 1)));
    }
    return calls === swaps + 1 ? sleep(5000) : replaced.get(calls);
  });
  const faults = [];
  try {
    const server = process_ ? { url: `${process_.origin}/mcp`, headers: {} } : project.stdio();
    const prepared = await agent.prepare({ home, server, model: model.origin, revision });
    const end = await run(prepared, home, patience);
    const versions = model.results.map(text => JSON.parse(text).version);
    if (versions.join() !== [...steps.keys()].map(i => Math.min(i, swaps)).join()) {
      faults.push(`the calls return ${model.results.join(' | ')}`);
    }
    if (!model.offered.includes(`since_${swaps}`)) {
      faults.push(`the agent offers the model ${model.offered.join(', ')} at the end, and not since_${swaps}`);
    }
    faults.push(...model.faults);
    if (end.status !== 0) {
      faults.push(`the agent ended with ${end.status}`);
    }
    if (faults.length > 0) {
      faults.push(`its last output:\n${end.output.slice(-2000)}`);
    }
  } finally {
    model.close();
    process_?.stop();
  }
  if (faults.length > 0) {
    faults.push(`the log of bench:\n${(await project.log()).slice(-3000)}`);
  }
  return faults;
}

process.exit(await main(process.argv.slice(2)));
