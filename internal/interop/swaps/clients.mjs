// Runs the official TypeScript clients against bench dev.
//
//   node clients.mjs ROOT BENCH [WORD...]

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitFault } from '../host.mjs';
import { isModern, modern, newestLegacy } from '../revisions.mjs';
import * as v1 from '../sdk_v1.mjs';
import * as v2 from '../sdk_v2.mjs';
import { newProject } from './project.mjs';
import { report } from './report.mjs';

const swaps = 10;

// Of each client one revision: the newest of its era.
const clients = {
  sdk: { ...v1, package: '@modelcontextprotocol/sdk', revision: newestLegacy },
  client: { ...v2, package: '@modelcontextprotocol/client', revision: modern },
};

async function main([root, bench, ...wanted]) {
  const { dependencies } = JSON.parse(await readFile(createRequire(import.meta.url).resolve('../package.json'), 'utf8'));
  const rows = Object.entries(clients).flatMap(([name, { package: module, revision, eras, open }]) =>
    ['stdio', 'http'].map(over => ({
      words: [name, dependencies[module], over, revision],
      examine: () => examine({ root, bench, over, era: eras.find(era => era.name === revision), open }),
    })),
  );
  return report(rows, wanted);
}

// examine replaces the server ten times under one connection.
async function examine({ root, bench, over, era, open }) {
  const project = await newProject(root, bench);
  const process_ = over === 'http' ? await project.http() : undefined;
  const faults = [];
  try {
    const client = await open({ over, ...(process_ ? { process: process_ } : project.stdio()) }, era);
    const version = async args => {
      const result = await client.callTool({ name: 'version', arguments: args }, { timeout: 120_000 });
      return result.structuredContent?.version ?? JSON.stringify(result);
    };
    await project.ready(1);
    for (let i = 0; i <= swaps; i++) {
      const got = await version({});
      const names = (await client.listTools()).map(({ name }) => name).toSorted();
      if (got !== i || names.join() !== `since_${i},version`) {
        faults.push(`after ${i} swaps a call returns ${got}, and the tools are ${names}`);
      }
      if (i === swaps) {
        break;
      }
      const told = client.changes.length;
      const running = version({ until: project.file(i) }); // it ends in the old process
      await sleep(200);
      await project.set(i + 1);
      await project.ready(i + 2);
      for (const end = Date.now() + 10_000; client.changes.length === told; await sleep(20)) {
        if (Date.now() > end) {
          faults.push(`the client is not told of swap ${i + 1}`);
          break;
        }
      }
      const now = await version({});
      await project.end(i);
      const then = await running;
      if (now !== i + 1 || then !== i) {
        faults.push(`at swap ${i + 1} a new call returns ${now}, and one that was running ${then}`);
      }
    }
    faults.push(...client.errors.map(error => `the client reports: ${error}`));
    if (over === 'http' && !isModern(era.revision)) {
      await client.endSession();
    }
    await client.close();
    process_?.stop();
    const fault = exitFault(await client.transport.exited);
    if (fault && !process_) {
      faults.push(fault);
    }
  } finally {
    process_?.kill();
  }
  if (faults.length > 0) {
    faults.push(`the log of bench:\n${(await project.log()).slice(-3000)}`);
  }
  return faults;
}

process.exit(await main(process.argv.slice(2)));
