// A module with a server that is developed with bench dev, while a client uses it.

import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeAddress, watchProcess } from '../host.mjs';

const patience = 120_000; // for a build, on a busy machine

// newProject makes the module in the working directory. Its server is version 0.
export async function newProject(root, bench) {
  const dir = await mkdtemp(join(process.cwd(), 'project-'));
  const template = await readFile(join(import.meta.dirname, 'server.go.txt'), 'utf8');
  const log = join(dir, 'bench.log');
  const goMod = `module example.com/swaps\n\ngo 1.26.0\n\nrequire github.com/mcptool-go/mcptool v0.0.0\n\nreplace github.com/mcptool-go/mcptool => ${root}\n`;
  const { require = '' } = /^(?<require>require[^]*)/m.exec(await readFile(join(root, 'go.mod'), 'utf8'))?.groups ?? {};
  await writeFile(join(dir, 'go.mod'), goMod + require);
  await copyFile(join(root, 'go.sum'), join(dir, 'go.sum'));
  // dev is a command that runs bench in the module. Its stderr goes to the log.
  const dev = (...words) => ({
    command: 'env',
    args: [...Object.entries(variables).map(([name, value]) => `${name}=${value}`), 'sh', '-c', `cd '${dir}' && exec "$@" 2>>'${log}'`, 'sh', bench, 'dev', ...words],
  });
  const project = {
    // set writes a version, as an editor does: with a new file in place of the old one.
    async set(version) {
      await writeFile(join(dir, 'main.go.new'), template.replaceAll('VERSION', version));
      await rename(join(dir, 'main.go.new'), join(dir, 'main.go'));
    },
    // file is what a call of version i waits for, and end makes it.
    file: i => join(dir, `end-${i}`),
    end: i => writeFile(project.file(i), ''),
    log: () => readFile(log, 'utf8').catch(() => ''),
    // ready returns when bench has built so many versions.
    async ready(builds) {
      for (const end = Date.now() + patience; !(await project.log()).includes(`version ${builds} is ready`); await sleep(20)) {
        if (Date.now() > end) {
          throw new Error(`build ${builds} is not ready after ${patience} ms`);
        }
      }
    },
    // stdio is the command that a client starts.
    stdio: () => dev('--', 'go', 'run', '.'),
    // http starts bench, and returns where it serves.
    async http() {
      const address = await freeAddress();
      const { command, args } = dev('--http', address, '--', 'go', 'run', '.', '{addr}');
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      await project.ready(1);
      return { ...watchProcess(child), origin: `http://${address}`, stop: () => child.kill('SIGINT') };
    },
  };
  await project.set(0);
  return project;
}

// variables are those of the Go command, since clients pass on only some to servers.
const variables = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('GO') || ['HOME', 'PATH'].includes(name))),
  GOFLAGS: '-mod=mod',
  GOWORK: 'off',
};
