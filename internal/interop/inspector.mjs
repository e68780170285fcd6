// The MCP Inspector's command line: one process per request.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { brief, errorFaults, resultFaults } from './facts.mjs';
import { completeAndFollow } from './mcpdo.mjs';
import { promptFaults, promptListFaults } from './prompts.mjs';
import { listFaults as uriFaults, readFaults } from './resources.mjs';
import { modern, newestLegacy } from './revisions.mjs';
import { urlOf } from './transport.mjs';

export const name = 'inspector';

export const eras = [
  { name: 'legacy', revision: newestLegacy },
  { name: 'modern', revision: modern },
];

// nobody is the reason why no row asks its user.
export const nobody = 'the command line of the Inspector declares no elicitation; calls that need it are refused';

const launcher = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
const toolFailed = 5; // The Inspector's status for a tool that is an error or does not exist.

// examine lists and calls one example's tools and lists what is wrong.
export async function examine(server, example, era) {
  const faults = [];
  let calls = 0;
  const check = async (where, args, judge) => {
    const out = await inspect(server, era, args);
    faults.push(...judge(out).map(fault => `${where}: ${fault}`));
  };

  await check('tools/list', ['--method', 'tools/list', '--strict'], out => listFaults(out, example));
  for (const [tool, { good, refused = [], failing = [], asking }] of Object.entries(example.tools)) {
    for (const [i, sample] of good.entries()) {
      calls++;
      await check(`${tool} ${i + 1}`, callArgs(tool, sample), out =>
        out.status === 0 ? resultFaults(out.answer.result, sample, era.revision) : [complaint(out)],
      );
    }
    for (const [i, sample] of [...refused, ...failing].entries()) {
      calls++;
      await check(`${tool} refused ${i + 1}`, callArgs(tool, sample), out =>
        out.status === toolFailed && out.answer?.result
          ? errorFaults(out.answer.result, sample)
          : [complaint(out)],
      );
    }
    if (asking) {
      calls++;
      await check(`${tool} asking`, callArgs(tool, asking), out =>
        out.status !== 0 && JSON.stringify(out.answer ?? {}).concat(out.stderr).includes('(elicitation.form)')
          ? []
          : [complaint(out)],
      );
    }
  }
  calls++;
  await check('unknown tool', callArgs('no_such_tool', { arguments: {} }), out =>
    out.status === toolFailed && out.stderr.includes('tool_not_found') ? [] : [complaint(out)],
  );
  await items(example, era, check);
  faults.push(...(await completeAndFollow(server, example, era)));
  return { faults, calls };
}

// items: the Inspector lists, gets and reads. For what this command line lacks, see mcpdo.mjs.
async function items({ prompts, resources }, era, check) {
  const result = (args, judge) =>
    check(args.slice(1).join(' '), args, out => (out.status === 0 && out.answer?.result ? judge(out.answer.result) : [complaint(out)]));
  const refused = (args, words = []) =>
    check(args.slice(1).join(' '), args, out =>
      out.status !== 0 && words.every(word => out.stderr.includes(word)) ? [] : [complaint(out)],
    );
  if (prompts) {
    await result(['--method', 'prompts/list'], ({ prompts: listed }) => promptListFaults(listed, prompts));
    for (const [name, { good, refused: bad = [] }] of Object.entries(prompts)) {
      for (const sample of good) {
        await result(promptArgs(name, sample), got => promptFaults(got, sample, era.revision));
      }
      for (const sample of bad) {
        await refused(promptArgs(name, sample), sample.mentions);
      }
    }
  }
  if (resources) {
    const { listed, templates = {}, reads = [], missing = [] } = resources;
    await result(['--method', 'resources/list'], got => uriFaults(got.resources.map(({ uri }) => uri), listed));
    await result(['--method', 'resources/templates/list'], got =>
      uriFaults(got.resourceTemplates.map(({ uriTemplate }) => uriTemplate), Object.keys(templates)),
    );
    for (const sample of reads) {
      await result(['--method', 'resources/read', '--uri', sample.uri], got => readFaults(got, sample));
    }
    for (const uri of missing) {
      await refused(['--method', 'resources/read', '--uri', uri], ['not found']);
    }
  }
}

const promptArgs = (name, sample) => [
  '--method',
  'prompts/get',
  '--prompt-name',
  name,
  ...Object.entries(sample.arguments ?? {}).flatMap(([key, value]) => ['--prompt-args', `${key}=${value}`]),
];

// listFaults: the tools are those of the table, and the Inspector's check of
// the portability of the schemas (--strict) found nothing.
function listFaults(out, example) {
  if (out.status !== 0 || !out.answer?.result) {
    return [complaint(out)];
  }
  const names = out.answer.result.tools.map(tool => tool.name).sort();
  const want = Object.keys(example.tools).sort();
  return brief(names) === brief(want) ? [] : [`lists ${names.join(', ')}; the table has ${want.join(', ')}`];
}

const callArgs = (tool, sample) => [
  '--method',
  'tools/call',
  '--tool-name',
  tool,
  '--tool-args-json',
  JSON.stringify(sample.arguments),
];

const complaint = out => `status ${out.status}: ${brief(out.answer)} ${out.stderr.trim()}`;

function inspect(server, era, args) {
  const argv = [
    launcher,
    '--cli',
    '--format',
    'json',
    '--quiet',
    '--protocol-era',
    era.name,
    ...(server.over === 'stdio' ? ['--cwd', server.cwd, server.command] : ['--transport', server.over, urlOf(server.process, server.over).href]),
    ...args,
    ...(server.over === 'stdio' && server.args.length > 0 ? ['--', ...server.args] : []),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status: status ?? signal, answer: answerOf(stdout), stderr }));
  });
}

function answerOf(stdout) {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
