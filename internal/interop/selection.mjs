// Clients that select a part of the tools of toolsearch/ over HTTP, with headers or with parameters of the URL.

import { brief, mentionFaults, textOf } from './facts.mjs';
import { Examination } from './session.mjs';

// selections are the ways to select the read-only tools of one group. A group that does not exist selects nothing.
export const selections = {
  headers: { headers: { 'X-MCP-Toolsets': 'pulls, none', 'X-MCP-Readonly': 'true' } },
  parameters: { headers: {}, search: '?toolsets=pulls,none&readonly=true' },
};

// selectingURL is where a server lets clients select.
export const selectingURL = ({ origin }, { search = '' }) => new URL(`/select${search}`, origin);

// selectable is the server, by its name in samples.json.
export const selectable = 'toolsearch';

// listed are the tools that a client lists which has selected.
export const listed = ['call_read_only_tool', 'describe_tools', 'search_tools'];
const pull = { owner: 'o', repo: 'r', pull_number: 7 };
const hidden = { merge_pull_request: pull, get_issue: { owner: 'o', repo: 'r', issue_number: 8 } };

// selected are the calls for a client that has selected: mentions and hides are words of the result.
export const selected = [
  { tool: 'search_tools', arguments: { query: 'merge a pull request', limit: 50 }, mentions: ['get_pull_request'], hides: ['merge_pull_request', 'call_tool'] },
  { tool: 'call_read_only_tool', arguments: { name: 'get_pull_request', arguments: pull }, mentions: ['get_pull_request', 'pull_number'] },
  ...Object.entries(hidden).flatMap(([name, args]) => [
    { tool: 'describe_tools', arguments: { names: [name] }, mentions: ['missing'], hides: ['inputSchema'] },
    { tool: 'call_read_only_tool', arguments: { name, arguments: args }, mentions: ['there is no tool', name], hides: ['call_tool'] },
  ]),
];

// Selecting checks that a client gets what it has selected, and that nothing else exists for it.
export class Selecting extends Examination {
  async run() {
    this.identity();
    const names = ((await this.attempt('tools/list', () => this.session.listTools())) ?? []).map(({ name }) => name).sort();
    if (brief(names) !== brief(listed)) {
      this.fault('tools/list', `lists ${names.join(', ') || 'nothing'}, want ${listed.join(', ')}`);
    }
    for (const { mentions, hides, ...call } of selected) {
      const result = await this.attempt(call.tool, () => this.call(call));
      this.report(call.tool, result ? wordFaults(textOf(result), { mentions, hides }) : []);
    }
    await this.direct();
    await this.end();
    return { faults: this.faults, calls: this.calls };
  }

  // direct: the selected tools can be called by their own names as well, and the others are unknown.
  async direct() {
    const sample = { tool: 'get_pull_request', arguments: pull, structured: { tool: 'get_pull_request', arguments: pull } };
    this.report('get_pull_request', (await this.attempt('get_pull_request', () => this.good(sample))) ?? []);
    for (const [tool, args] of Object.entries(hidden)) {
      await this.rejected(tool, { tool, arguments: args, mentions: [tool] });
    }
    await this.rejected('call_tool', { tool: 'call_tool', arguments: { name: 'merge_pull_request', arguments: pull }, mentions: ['call_tool'] });
  }
}

// wordFaults lists the words that text lacks, and those that it must not have.
export const wordFaults = (text, { mentions, hides = [] }) => [
  ...mentionFaults(text, mentions),
  ...hides.filter(word => text.includes(word)).map(word => `mentions ${brief(word)}: ${brief(text)}`),
];
