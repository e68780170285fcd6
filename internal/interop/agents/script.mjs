// What the model calls, and what it must get: words of the result.

import { listed, selected } from '../selection.mjs';

const owner = { owner: 'o', repo: 'r' };
const merge = { name: 'merge_pull_request', arguments: { ...owner, pull_number: 7 } };
const issue = { name: 'get_issue', arguments: { ...owner, issue_number: 8 } };

// script returns the calls for an agent. asking is in the result of a tool that asks the user; client and revision are what the
// server sees.
const script = ({ asking, client, revision }) => [
  { tool: 'search_tools', arguments: { query: 'merge a pull request', limit: 2 }, mentions: ['merge_pull_request', 'destructive', 'call_tool', 'pull_number'] },
  { tool: 'search_tools', arguments: { query: 'lines of code by language', group: 'others' }, mentions: ['survey_languages', 'call_read_only_tool'] },
  { tool: 'describe_tools', arguments: { names: ['survey_languages', 'get_isue'] }, mentions: ['inputSchema', 'outputSchema', 'didYouMean', 'get_issue'] },
  { tool: 'call_read_only_tool', arguments: issue, mentions: ['get_issue', 'issue_number', '8'] },
  { tool: 'call_read_only_tool', arguments: { name: 'survey_languages', arguments: { repo: 'r' } }, mentions: ['Go', '300'] },
  { tool: 'call_read_only_tool', arguments: { name: 'get_issue', arguments: owner }, mentions: ['issue_number'] },
  { tool: 'call_read_only_tool', arguments: merge, mentions: ['is destructive, so it was not run; call it with call_tool'] },
  { tool: 'call_tool', arguments: merge, mentions: ['merge_pull_request', 'pull_number', '7'] },
  { tool: 'call_tool', arguments: issue, mentions: ['is read-only, so it was not run; call it with call_read_only_tool'] },
  { tool: 'call_tool', arguments: { name: 'erase_build_cache', arguments: { repo: 'r' } }, mentions: [asking] },
  { tool: 'call_read_only_tool', arguments: { name: 'get_connection' }, mentions: [client, revision] },
];

// scriptFor returns the tools that the agent lists, and the calls.
export const scriptFor = ({ selection, ...agent }) =>
  selection ? { listed, steps: selected } : { listed: [...listed, 'call_tool'].sort(), steps: script(agent) };
