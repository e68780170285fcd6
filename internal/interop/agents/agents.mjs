// How each agent is started without a terminal, with one server and a model of its vendor's API.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isModern } from '../revisions.mjs';
import { serverName } from './apis.mjs';

const resolve = createRequire(import.meta.url).resolve;
const prompt = 'Do what the script says.';

// Each agent writes its configuration to home, and returns the command, its arguments and variables. server is { command, args }
// or { url, headers }; model is the origin of the model.
export const agents = {
  'Claude Code': {
    package: '@anthropic-ai/claude-code',
    client: 'claude-code',
    view: 'claude-code', // its name in bench as
    usesModern: true, // without being told to
    defers: true,
    revisions: ['2025-11-25', '2026-07-28'],
    asking: '"repo":"r"', // a hook answers the question
    async prepare({ home, server, model, revision, deferred }) {
      const config = join(home, 'mcp.json');
      const settings = join(home, 'settings.json');
      // Tools that are deferred are not in requests until the model has found them with the search of the agent.
      const entry = { type: server.url ? 'http' : 'stdio', ...server, alwaysLoad: !deferred };
      await writeFile(config, JSON.stringify({ mcpServers: { [serverName]: entry } }));
      const answer = { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content: { confirm: true } } };
      const hook = { type: 'command', command: `echo '${JSON.stringify(answer)}'` };
      await writeFile(settings, JSON.stringify({ hooks: { Elicitation: [{ hooks: [hook] }] } }));
      return {
        command: resolve(`@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
        args: [
          ...['-p', prompt, '--mcp-config', config, '--strict-mcp-config', '--allowedTools', `mcp__${serverName}`],
          ...['--settings', settings, '--output-format', 'json'],
        ],
        env: {
          ANTHROPIC_BASE_URL: model,
          ANTHROPIC_API_KEY: 'none',
          CLAUDE_CONFIG_DIR: join(home, '.claude'),
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          MCP_PROTOCOL_NEGOTIATION: isModern(revision) ? 'auto' : 'legacy',
        },
      };
    },
  },
  Codex: {
    package: '@openai/codex',
    client: 'codex-mcp-client',
    view: 'codex',
    revisions: ['2025-06-18', '2026-07-28'],
    asking: 'the user declined', // it has no terminal where it could ask
    async prepare({ home, server, model, revision }) {
      const dir = join(home, '.codex');
      const modern = isModern(revision); // which is a feature under development
      const env = modern ? { CODEX_MCP_PROTOCOL_VERSION: revision } : {};
      const entry = server.url
        ? [`url = ${toml(server.url)}`, `http_headers = ${inlineTable(server.headers)}`]
        : [`command = ${toml(server.command)}`, `args = ${toml(server.args)}`, `env = ${inlineTable(env)}`];
      const config = [
        'model = "gpt-5"',
        'model_provider = "script"',
        'approval_policy = "never"',
        'sandbox_mode = "read-only"',
        'check_for_update_on_startup = false',
        `features.mcp_2026_07_28 = ${modern}`,
        '[model_providers.script]',
        'name = "script"',
        `base_url = ${toml(`${model}/v1`)}`,
        'wire_api = "responses"',
        `[mcp_servers.${serverName}]`,
        ...entry,
        // Without this it does not run what is not annotated as read-only: there is no terminal where it could ask.
        `[mcp_servers.${serverName}.tools.call_tool]`,
        'approval_mode = "approve"',
      ];
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, 'config.toml'), `${config.join('\n')}\n`);
      return {
        command: process.execPath,
        args: [resolve('@openai/codex/bin/codex.js'), 'exec', '--skip-git-repo-check', '--json', prompt],
        env: { CODEX_HOME: dir },
      };
    },
  },
  'Gemini CLI': {
    package: '@google/gemini-cli',
    client: 'gemini-cli',
    view: 'gemini-cli',
    revisions: ['2025-06-18'], // it has no later one
    asking: '(elicitation.form)', // it cannot show forms
    async prepare({ home, server, model }) {
      const { url, ...rest } = server;
      const settings = {
        mcpServers: { [serverName]: { ...(url ? { httpUrl: url } : {}), ...rest, trust: true } },
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
      };
      await mkdir(join(home, '.gemini'), { recursive: true });
      await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
      return {
        command: process.execPath,
        args: [resolve('@google/gemini-cli/bundle/gemini.js'), '--yolo', '--skip-trust', '-m', 'gemini-2.5-flash', '--output-format', 'json', '-p', prompt],
        env: { GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: 'none' },
      };
    },
  },
};

// A JSON string or array of strings is one of TOML as well.
const toml = JSON.stringify;
const inlineTable = object => `{ ${Object.entries(object).map(([key, value]) => `${toml(key)} = ${toml(value)}`).join(', ')} }`;

// run runs what prepare has returned to its end, and kills it after patience, in milliseconds. It gets no variables but its own:
// others could have it call a model that costs money.
export function run({ command, args, env }, home, patience) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: patience,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.on('data', chunk => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status: status ?? signal, output }));
  });
}
