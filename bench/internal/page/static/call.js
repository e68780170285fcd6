// Cards of calls: what was sent, what happens, what the server asks, and the result.

import { get, post, text } from './api.js';
import { bytes, button, duration, h, long, name, plural, prose, say, time } from './dom.js';
import { editor } from './form.js';
import { resultOf } from './result.js';
import { plain } from './schema.js';
import { isObject, read, write } from './value.js';
import { enter } from './view.js';

const words = { running: 'running', asking: 'asks you', done: 'done', failed: 'failed', cancelled: 'cancelled' };

// card is the card of a call. actions are edit(call), again(call), read(uri) and messages(call).
export function card(call, actions, { named = false, open = false } = {}) {
  const state = h('span.state'), facts = h('span.facts'), body = h('div.body'), parts = new Map();
  const element = h('details.call', { open, 'data-call': call.id },
    h('summary', {}, state, named && h('span.of', {}, name(call.name)), h('span.id', {}, `#${call.id}`), h('span.preview', {}, name(preview(call))), facts), body);
  // part replaces a part of the card only if its data has changed, so that the others keep their state and the focus.
  const part = (key, data, make) => {
    const now = data === undefined || data === null || data === false ? undefined : write(data);
    const old = parts.get(key);
    if (old?.data === now && old) return;
    const made = now === undefined ? h('div', { hidden: true }) : make(), focus = document.activeElement, focused = old?.element.contains(focus);
    if (old) old.element.replaceWith(made); else body.append(made);
    parts.set(key, { data: now, element: made });
    if (focused) ([...made.querySelectorAll('button')].find(b => b.textContent === focus.textContent) ?? element.firstElementChild).focus();
  };
  const bar = progressBar(() => post(`calls/${call.id}/cancel`).catch(fail));
  body.append(bar.element);
  const fail = error => say(error.message);
  const show = () => {
    const active = call.state === 'running' || call.state === 'asking', size = call.resultBytes;
    element.dataset.state = call.state;
    state.textContent = words[call.state] ?? call.state;
    facts.textContent = [active ? '' : duration(Number(call.ms)), size > 0 ? bytes(size) : '', call.task ? `task ${call.task.status}` : '', time(call.started)].filter(Boolean).join(' · ');
    if (!element.open) return;
    if (!active && bar.element.contains(document.activeElement)) element.firstElementChild.focus();
    bar.element.hidden = !active;
    bar.show(call.progress);
    part('question', call.question && { ...call.question, id: call.id }, () => question(call, fail));
    part('error', call.error || undefined, () => prose(call.error, 'pre.error'));
    part('result', !active && (call.result ? { size } : size > 0 && { large: size }), () => call.result
      ? h('div', { class: call.result.isError ? 'failure' : '' }, call.result.isError && h('p.label', {}, 'The tool reports an error'), resultOf(call, actions.read))
      : h('p.large', {}, `The result has ${bytes(size)}. `, size <= 1 << 20 ? button('Show it', () => get(`calls/${call.id}`).then(full => { call = full; show(); }, fail))
        : h('a', { href: `api/calls/${call.id}/result`, target: '_blank', rel: 'noreferrer' }, 'Open it as it is')));
    part('logs', call.logs?.length && call.logs, () => logs(call));
    const lines = parts.get('logs').element.querySelector('ol');
    if (lines && active) lines.scrollTop = lines.scrollHeight;
    part('sent', call.arguments ?? 'large', () => sent(call));
    part('actions', { active, result: size > 0 }, () => h('div.actions', {}, !active && button('Call again', () => again(call, actions).catch(fail)),
      call.arguments && button('Edit', () => actions.edit(call)), copy(call, 'bench', 'bench call', fail), copy(call, 'go', 'Go test', fail),
      size > 0 && h('a.button', { href: `api/calls/${call.id}/result`, target: '_blank', rel: 'noreferrer' }, 'Raw result'),
      button('Messages', () => actions.messages(call))));
  };
  element.addEventListener('toggle', show);
  show();
  return { element, update(to) { call = to; show(); } };
}

const preview = call => {
  const text = call.arguments ? write(call.arguments) : '';
  return text === '{}' ? '' : text.slice(0, 120);
};

async function again(call, actions) {
  const sent = call.arguments ?? await get(`calls/${call.id}/arguments`);
  await actions.again({ kind: call.kind, name: call.name, arguments: sent, task: call.asTask });
}

// progressBar is changed in place, so that the focus stays on its button.
function progressBar(cancel) {
  const bar = h('progress', { 'aria-label': 'Progress' }), numbers = h('span.facts'), message = h('span.message');
  return {
    element: h('div.active', {}, bar, numbers, message, button('Cancel', cancel)),
    show(p) {
      const total = Number(write(p?.total ?? null)), at = Number(write(p?.progress ?? null));
      if (total > 0) [bar.max, bar.value] = [total, Math.min(at, total)]; else bar.removeAttribute('value');
      numbers.textContent = p ? total > 0 ? `${Math.round(at / total * 100)} %` : String(at) : '';
      message.replaceChildren(name(p?.message));
    },
  };
}

function question(call, fail) {
  const q = call.question, box = h('div.question', { role: 'group', 'aria-label': 'A question of the server' });
  const answer = (action, content) => post(`calls/${call.id}/answer`, { n: q.n, action, content }).then(() => say('Answered'), fail);
  const decline = button('Decline', () => answer('decline')), cancel = button('Cancel the question', () => answer('cancel'));
  box.append(h('p.label', {}, 'The server asks'), prose(q.message));
  if (q.mode === 'url') {
    let host = '';
    try { const url = new URL(q.url); if (/^https?:$/.test(url.protocol)) host = url.host; } catch { /* not an address to open */ }
    box.append(h('p', {}, host ? ['It asks you to open this address on ', h('strong', {}, name(host)), ':'] : 'It asks you to open an address that is not one of the web:'),
      prose(q.url ?? '', 'pre.address'), h('div.actions', {}, host && button('Open in a new tab', () => {
        window.open(q.url, '_blank', 'noopener,noreferrer');
        answer('accept');
      }, { class: 'primary' }), decline, cancel));
    return box;
  }
  const form = editor(q.schema ?? { type: 'object', properties: {} }, undefined, { question: true, label: 'Answer' });
  const send = h('form', { novalidate: true, onkeydown: enter, onsubmit: event => {
    event.preventDefault();
    if (form.check()) answer('accept', form.get() ?? {});
    else form.focusMistake();
  } }, form.element, h('div.actions', {}, h('button.primary', { type: 'submit' }, 'Answer'), decline, cancel));
  box.append(send);
  return box;
}

function logs(call) {
  const start = new Date(call.started);
  return h('div.logs', { role: 'group', 'aria-label': 'Logs' }, call.logsDropped > 0 && h('p.none', {}, `${plural(call.logsDropped, 'older log')} not kept`),
    h('ol', { tabindex: call.logs.length > 8 && 0 }, call.logs.map(log => h('li', { 'data-level': log.level }, h('span.at', {}, `+${duration(Math.max(0, new Date(log.time) - start))}`),
      h('span.level', {}, name(log.level)), log.logger && h('span.logger', {}, name(log.logger)), prose(logText(log.text), 'span.text'),
      log.shared && h('span.type', { title: 'Several calls ran, and the protocol does not say which one wrote it' }, 'of one of the calls')))));
}

// logText shows a structured record as a line: its message and its attributes.
function logText(text) {
  const record = read(text), key = isObject(record) && ['msg', 'message'].find(key => typeof record[key] === 'string');
  return !key ? text : [record[key], ...Object.entries(record).filter(([k]) => k !== key).map(([k, v]) => `${k}=${plain(v)}`)].join('  ');
}

function sent(call) {
  const text = call.arguments ? write(call.arguments, 2) : '';
  const shown = call.arguments ? long(text, 'pre', 20_000)
    : h('a', { href: `api/calls/${call.id}/arguments`, target: '_blank', rel: 'noreferrer' }, `Open the arguments (${bytes(Number(call.argumentsBytes ?? 0))})`);
  if (text === '{}') return h('div', { hidden: true });
  return h('details.sent', {}, h('summary', {}, 'Arguments'), shown);
}

function copy(call, as, label, fail) {
  return button(`Copy as ${label}`, async event => {
    const from = event.currentTarget;
    try {
      const copied = await text(`calls/${call.id}/copy?as=${as}`);
      try {
        await navigator.clipboard.writeText(copied);
        say(`Copied as ${label}`);
      } catch { // not allowed: it is shown, to be copied by hand
        from.closest('.body').append(h('textarea.copied', { 'aria-label': label, rows: Math.min(12, copied.split('\n').length), readonly: true }, copied));
        from.closest('.body').lastElementChild.select();
      }
    } catch (error) { fail(error); }
  });
}
