// Views of one tool, prompt, resource or template: what it is, the form of its arguments, and its calls.

import { post } from './api.js';
import { button, h, name, plural, prose } from './dom.js';
import { editor } from './form.js';
import { tree } from './result.js';

// describe is what each kind needs: how it is called, and the schema of its arguments.
export const describe = {
  tools: tool => ({ kind: 'tool', name: tool.name, call: 'Call', schema: tool.inputSchema ?? { type: 'object' }, chips: chips(tool) }),
  prompts: prompt => ({
    kind: 'prompt', name: prompt.name, call: 'Get', complete: { prompt: prompt.name }, chips: [],
    schema: textsOf((prompt.arguments ?? []).map(({ name, title, description, required }) => ({ name, title, description, required }))),
  }),
  resources: entry => ({
    kind: 'resource', name: entry.uriTemplate ?? entry.uri, shown: entry.name, call: 'Read', complete: entry.uriTemplate && { template: entry.uriTemplate },
    schema: textsOf(entry.uriTemplate ? variablesOf(entry.uriTemplate) : []), chips: [[entry.mimeType], [entry.size !== undefined && `${entry.size} bytes`]],
  }),
};

const textsOf = list => ({
  type: 'object', additionalProperties: false, required: list.filter(item => item.required).map(item => item.name),
  properties: Object.fromEntries(list.map(({ name, title, description }) => [name, { type: 'string', ...title && { title }, ...description && { description } }])),
});

function variablesOf(template) {
  const variables = new Map();
  for (const [, operator, names] of template.matchAll(/\{([+#./;?&]?)([^{}]+)\}/g)) {
    for (const item of names.split(',')) {
      const name = item.replace(/(\*|:\d+)$/, '');
      variables.set(name, { name, required: !'?&'.includes(operator || '-') });
    }
  }
  return [...variables.values()];
}

function chips({ annotations: a = {}, execution }) {
  const task = execution?.taskSupport;
  return [
    a.readOnlyHint === true ? ['read-only', 'good'] : a.destructiveHint === false ? ['not destructive'] : ['may change or delete', 'bad'],
    a.idempotentHint === true && a.readOnlyHint !== true && ['idempotent'], a.openWorldHint === false && ['closed world'],
    (task === 'optional' || task === 'required') && [`tasks ${task === 'required' ? 'required' : 'supported'}`],
  ].filter(Boolean);
}

// viewOf makes the view of an entry. actions.call sends a call. The form has the value of the old view.
export function viewOf(section, entry, actions, old) {
  const about = describe[section](entry), { tokens, findings, ...listed } = entry;
  const complete = about.complete && ((argument, value, others) => post('complete', { ...about.complete, argument, value, others }));
  const form = editor(about.schema, old?.values(), { complete, json: old?.asJSON() });
  const anyway = button('Call anyway', () => send(), { hidden: true }), calls = h('section.calls', { 'aria-label': 'Calls' });
  const support = entry.execution?.taskSupport, task = h('input', { type: 'checkbox', checked: support === 'required' });
  const send = async () => {
    anyway.hidden = true;
    await actions.call({ kind: about.kind, name: about.name, arguments: form.get() ?? {}, task: task.checked });
  };
  const submit = event => {
    event.preventDefault();
    if (form.check()) { send(); return; }
    anyway.hidden = form.broken();
    form.focusMistake();
  };
  const simple = !Object.keys(about.schema.properties ?? {}).length && section !== 'tools';
  const head = h('div.section', {}, h('h2', {}, 'Arguments'), form.toggle);
  const sheet = h('form.sheet', { novalidate: true, onsubmit: submit, onkeydown: enter }, simple ? '' : [head, form.element],
    h('div.actions', {}, h('button.primary', { type: 'submit', title: 'Control+Enter', 'aria-keyshortcuts': 'Control+Enter' }, about.call), anyway,
      (support === 'optional' || (section === 'tools' && actions.modern() && !support)) && h('label.box', {}, task, 'as a task'), !simple && button('Reset', () => { anyway.hidden = true; form.set(undefined); }, { class: 'quiet' })));
  const title = entry.title ?? entry.annotations?.title;
  const heading = h('h1', { tabindex: -1 }, name(about.shown ?? about.name));
  const element = h('article', {},
    h('header', {}, h('a.back', { href: `#/${section}` }, `← All ${section}`), h('div.heading', {}, heading, title && h('span.title', {}, name(title))),
      about.shown && h('code.uri', {}, name(about.name)),
      h('div.chips', {}, about.chips.filter(([text]) => text).map(([text, mood = '']) => h('span', { class: `chip ${mood}` }, name(text))),
        tokens !== undefined && h('span.type', { title: 'What this entry of the list costs in the context of a model, estimated' }, `≈ ${plural(Number(tokens), 'token')}`)),
      entry.description && prose(entry.description),
      findings?.length > 0 && findingsOf(findings),
      h('details.listed', {}, h('summary', {}, 'As listed by the server'), tree(listed, undefined, 1))),
    h('div.work', {}, sheet, calls));
  return { element, heading, about, calls, values: form.get, set: form.set, broken: form.broken, asJSON: form.asJSON };
}

export function findingsOf(findings) {
  const levels = Map.groupBy(findings, f => f.severity), severe = levels.has('error') || levels.has('warning');
  return h('details.findings', { open: severe && findings.length < 4 }, h('summary', {}, 'bench lint: ', [...levels].map(([level, of]) => level === 'advice' ? `${of.length} ${level}` : plural(of.length, level)).join(', ')),
    h('ul', {}, findings.map(f => h('li', { 'data-severity': f.severity }, h('span.level', {}, name(f.severity)), prose(f.text, 'span'), h('code', {}, name(f.rule))))));
}

// enter sends the form from a text of one line; with Shift it starts a new line, and Control or Command sends from anywhere.
export function enter(event) {
  if (event.key !== 'Enter' || event.isComposing || event.shiftKey) return;
  if (event.ctrlKey || event.metaKey || event.target.matches('textarea.text')) {
    event.preventDefault();
    event.currentTarget.requestSubmit();
  }
}
