// What every client does with the prompts of an example, and with completion.

import { brief, differs } from './facts.mjs';
import { downgrade, hasCompletionContext, hasCompletions } from './revisions.mjs';

// prompts lists and gets what the table has, and completes arguments.
export async function prompts(examination) {
  const { example, session } = examination;
  const table = example.prompts ?? {};
  examination.declared('prompts', example.prompts);
  examination.declared('completions', hasCompletions(session.revision) && completesAnything(example));
  if (!example.prompts) {
    return;
  }
  const listed = (await examination.attempt('prompts/list', () => session.listPrompts())) ?? [];
  examination.report('prompts/list', promptListFaults(listed, table));
  for (const [name, { good, refused = [], failing = [], completes = [] }] of Object.entries(table)) {
    for (const [i, sample] of good.entries()) {
      const where = `${name} ${i + 1}`;
      const result = await examination.attempt(where, () => session.getPrompt({ name, arguments: sample.arguments }));
      examination.report(where, result ? promptFaults(result, sample, session.revision) : []);
    }
    for (const [i, sample] of refused.entries()) {
      await examination.rejection(`${name} refused ${i + 1}`, () => session.getPrompt({ name, arguments: sample.arguments }), sample);
    }
    for (const [i, sample] of failing.entries()) {
      await examination.rejection(`${name} failing ${i + 1}`, () => session.getPrompt({ name, arguments: sample.arguments }), sample, -32603);
    }
    await completions(examination, { type: 'ref/prompt', name }, completes);
  }
  const name = 'no_such_prompt';
  await examination.rejection('unknown prompt', () => session.getPrompt({ name }), { mentions: [name] });
  await examination.rejection('unknown prompt', () => session.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: '' } }), {
    mentions: [name],
  });
}

// completions completes an argument of a prompt, or a variable of a template.
export async function completions(examination, ref, samples) {
  const { session } = examination;
  for (const { argument, prefix, others, ...facts } of samples) {
    if (others && !hasCompletionContext(session.revision)) {
      continue;
    }
    const where = `${ref.name ?? ref.uri} completes ${argument}`;
    const params = { ref, argument: { name: argument, value: prefix }, ...(others && { context: { arguments: others } }) };
    const result = await examination.attempt(where, () => session.complete(params));
    const miss = result && differs(result.completion, facts, 'completion');
    examination.report(where, miss ? [miss] : result?.completion.values.length > 100 ? ['has more than 100 values'] : []);
  }
  if (samples.length > 0) {
    const where = `${ref.name ?? ref.uri} completes nothing`;
    const params = { ref, argument: { name: 'no_such_argument', value: '' } };
    const result = await examination.attempt(where, () => session.complete(params));
    const miss = result && differs(result.completion, { values: [] }, 'completion');
    examination.report(where, miss ? [miss] : []);
  }
}

// promptListFaults: the list is exactly that of the table, and the arguments have its facts.
export function promptListFaults(listed, table) {
  const faults = [];
  const names = listed.map(({ name }) => name).sort();
  const want = Object.keys(table).sort();
  if (brief(names) !== brief(want)) {
    faults.push(`lists ${names.join(', ') || 'nothing'}; the table has ${want.join(', ')}`);
  }
  for (const prompt of listed) {
    const miss = differs(prompt.arguments ?? [], table[prompt.name]?.arguments ?? [], `${prompt.name}.arguments`);
    faults.push(...(miss ? [miss] : []), ...(prompt.description ? [] : [`${prompt.name} has no description`]));
  }
  return faults;
}

// promptFaults lists what is wrong with the result of a sample. Content is that of the revision.
export function promptFaults(result, { messages }, revision) {
  const want = messages.map(({ content, ...message }) => ({ ...message, content: downgrade(content, revision) }));
  const miss = differs(result.messages, want, 'messages');
  return miss ? [miss] : [];
}

const completesAnything = ({ prompts = {}, resources: { templates = {} } = {} }) =>
  [...Object.values(prompts), ...Object.values(templates)].some(({ completes }) => completes);
