// The page: what the server has, the view that the address names, and what changes meanwhile.

import { get, post } from './api.js';
import { card } from './call.js';
import { button, h, name, plural, prose, say, shown, time } from './dom.js';
import { messagesView } from './message.js';
import { parse, write } from './value.js';
import { describe, findingsOf, viewOf } from './view.js';

const $ = id => document.getElementById(id);
const sections = { tools: 'Tools', prompts: 'Prompts', resources: 'Resources', history: 'History', messages: 'Messages' };
const sectionOf = { tool: 'tools', prompt: 'prompts', resource: 'resources' };
const calls = new Map(), views = new Map(); // by id, and by section and name
let state = { server: {}, tools: [], prompts: [], resources: [], templates: [], build: null, error: '' };
let lost = false, seenBuild = 0, loads = 0, messages, listed, history;

const entriesOf = section => section === 'resources' ? [...state.resources, ...state.templates] : state[section] ?? [];
const keyOf = entry => entry.uriTemplate ?? entry.uri ?? entry.name;
const address = (section, key) => `#/${section}/${encodeURIComponent(key)}`;

// route is the section and the name in the address.
function route() {
  const [, section = 'tools', ...rest] = location.hash.split('/');
  let key;
  try { key = decodeURIComponent(rest.join('/')); } catch { key = ''; }
  return { section: Object.hasOwn(sections, section) ? section : 'tools', key };
}

// ---- the state of the server

async function load() {
  const n = ++loads;
  try {
    const next = await get('state');
    if (n !== loads) return; // a later request answers, too
    for (const list of ['tools', 'prompts', 'resources', 'templates']) next[list] ??= [];
    next.server ??= {};
    next.findings ??= [];
    state = next;
  } catch (error) {
    state = { ...state, error: error.message };
  }
  top();
  notices();
  show();
}

function top() {
  const { server } = state, called = server.title || server.name || 'Server';
  $('server').replaceChildren(h('strong', {}, name(called)), ' ', server.version ? h('span.type', {}, name(server.version)) : '');
  const built = state.build?.state === 'ok' && `build ${state.build.version}, ${time(state.build.time)}`;
  $('era').replaceChildren(name([server.revision, built].filter(Boolean).join(' · ')));
  tabs();
}

function tabs() {
  const { section } = route();
  const counts = { tools: state.tools.length, prompts: state.prompts.length, resources: state.resources.length + state.templates.length, history: calls.size };
  for (const link of $('tabs').children) {
    const key = link.hash.slice(2);
    link.lastElementChild.textContent = counts[key] ? counts[key].toLocaleString('en') : '';
    if (key === section) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
}

function notices() {
  const { build, error } = state, out = [];
  if (lost) out.push(h('div.notice.bad', {}, h('strong', {}, 'bench does not answer. '), 'It has ended, or this machine was asleep; the page tries again.'));
  if (build?.state === 'building') out.push(h('div.notice.busy', {}, h('strong', {}, 'Building… '), 'Calls wait for the new version.'));
  if (build?.state === 'broken') out.push(h('div.notice.bad', {}, h('strong', {}, 'The build is broken.'), prose(build.text ?? '', 'pre.compiler')));
  if (build?.state === 'ok' && build.changes?.length && seenBuild !== build.version) {
    out.push(h('div.notice', {}, h('strong', {}, `Version ${build.version}, built at ${time(build.time)}, changes what clients see`),
      prose(build.changes.join('\n'), 'pre'), button('Dismiss', () => { seenBuild = build.version; notices(); $('main').focus(); })));
  }
  if (error && build?.state !== 'broken') out.push(h('div.notice.bad', {}, h('strong', {}, 'The server cannot be used. '), prose(error, 'span.error'), ' ', button('Try again', () => post('reconnect').then(load, failure => say(failure.message)))));
  else if (state.connecting && !state.server.name) out.push(h('div.notice.busy', {}, 'Connecting to the server…'));
  const now = out.map(element => element.textContent).join('\n');
  if ($('notices').dataset.text === now) return;
  $('notices').dataset.text = now;
  $('notices').replaceChildren(...out);
}

// ---- the list

function list(section) {
  const of = section in describe ? section : 'tools', entries = entriesOf(of), now = of + write(entries);
  if (listed !== now) {
    listed = now;
    const { scrollTop } = $('list'), focused = $('list').contains(document.activeElement) && document.activeElement.dataset.key;
    $('list').replaceChildren(entries.length ? h('ul', {}, entries.map(entry => item(of, entry))) : h('p.none', {}, `The server has no ${of}.`));
    $('filter').placeholder = `Filter ${plural(entries.length, of.slice(0, -1))}`;
    $('list').scrollTop = scrollTop;
    if (focused) [...$('list').querySelectorAll('a')].find(link => link.dataset.key === focused)?.focus();
  }
  const { key } = route();
  for (const link of $('list').querySelectorAll('a')) {
    const current = section === of && link.dataset.key === key;
    if (current === link.hasAttribute('aria-current')) continue;
    if (current) { link.setAttribute('aria-current', 'page'); link.scrollIntoView({ block: 'nearest' }); } else link.removeAttribute('aria-current');
  }
  filter();
}

function item(section, entry) {
  const key = keyOf(entry), worst = ['error', 'warning'].find(severity => entry.findings?.some(f => f.severity === severity));
  const about = String(entry.description || entry.title || '').slice(0, 300);
  const link = h('a', { href: address(section, key), 'data-key': key, 'data-text': `${key} ${entry.name ?? ''} ${entry.title ?? ''} ${about}`.toLowerCase() },
    h('span.name', {}, name(entry.name ?? key)), worst && h('span.dot', { 'data-severity': worst, title: `${worst} of bench lint` }, h('span.unseen', {}, worst)),
    entry.tokens !== undefined && h('span.cost', { title: 'tokens, estimated' }, Number(entry.tokens).toLocaleString('en')),
    about && h('span.what', {}, name(about.split('\n')[0])));
  return h('li', {}, link);
}

function filter() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const link of $('list').querySelectorAll('a')) {
    const hide = !words.every(word => link.dataset.text.includes(word));
    if (link.parentElement.hidden !== hide) link.parentElement.hidden = hide;
    n += !hide;
  }
  $('matches').textContent = words.length ? `${n} found` : '';
}

// Arrow keys move in the list, "/" goes to the filter, and Enter in the filter to the first entry.
function keys(event) {
  const typing = event.target.matches('input, textarea, select');
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    $('filter').focus();
  }
  const links = [...$('list').querySelectorAll('li:not([hidden]) > a')], at = links.indexOf(document.activeElement);
  const inFilter = event.target === $('filter');
  if (inFilter && event.key === 'Enter') links[0]?.click();
  if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || (!inFilter && at < 0)) return;
  event.preventDefault();
  (links[at + (event.key === 'ArrowDown' ? 1 : -1)] ?? $('filter')).focus();
}

// ---- the views

function show(moved = false) {
  const { section, key } = route();
  tabs();
  list(section);
  document.body.dataset.view = key || !(section in describe) ? 'detail' : 'list';
  const view = section === 'history' ? historyView() : section === 'messages' ? messagesOf() : key ? entryView(section, key) : overview(section);
  const before = controls($('main')).indexOf(document.activeElement);
  if ($('main').firstElementChild !== view.element) $('main').replaceChildren(view.element);
  if (!moved && before >= 0 && document.activeElement === document.body) controls(view.element)[before]?.focus(); // the entry has changed
  const title = key || sections[section];
  document.title = shown(`${title} · ${state.server.title || state.server.name || 'bench'}`);
  if (moved) {
    scrollTo(0, 0);
    view.heading?.focus({ preventScroll: true });
  }
}

const controls = element => [...element.querySelectorAll('.sheet :is(input, select, textarea, button)')];

// entryView returns the view of an entry. It makes a new one, with the values of the old one, when the entry has changed.
function entryView(section, key) {
  const id = `${section}/${key}`, old = views.get(id), entry = entriesOf(section).find(entry => keyOf(entry) === key) ?? linked(section, key);
  if (!entry) return { element: h('article', {}, h('h1', {}, name(key)), h('p.none', {}, `The server has no such entry in its ${section}.`)) };
  const now = write(entry);
  if (old && (old.now === now || old.broken())) return old;
  const view = { ...viewOf(section, entry, actions, old), now, cards: new Map() };
  for (const call of calls.values()) place(view, call);
  views.set(id, view);
  return view;
}

// linked returns the entry of a resource that is only known from a link in a result.
const linked = (section, uri) => section === 'resources' && /^[a-z][a-z0-9+.-]*:/i.test(uri) ? { uri, name: uri } : undefined;

// place shows a call in a view, the newest first; the others are closed.
function place(view, call) {
  if (view.about && (view.about.kind !== call.kind || view.about.name !== call.name)) return;
  const shown = view.cards.get(call.id);
  if (shown) { shown.update(call); return; }
  if (view.about) for (const other of view.calls.querySelectorAll(':scope > details[open]')) if (other.dataset.state !== 'asking') other.open = false;
  const made = card(call, actions, view.about ? { open: true } : { named: true });
  view.cards.set(call.id, made);
  view.calls.prepend(made.element);
}

function overview(section) {
  const { server } = state, findings = state.tools.flatMap(tool => tool.findings ?? []).length;
  const facts = [plural(state.tools.length, 'tool'), state.tokens ? `≈ ${plural(Number(state.tokens), 'token')} for the list of tools` : '',
    findings ? plural(findings, 'finding') : '', state.build ? `version ${state.build.version}` : ''].filter(Boolean);
  const heading = h('h1', { tabindex: -1 }, name(server.title || server.name || 'Server'));
  return { heading, element: h('article.overview', {}, heading, h('p.facts', {}, facts.join(' · ')),
    server.instructions && [h('h2', {}, 'Instructions for the model'), prose(server.instructions, 'div.instructions')],
    state.findings?.length > 0 && findingsOf(state.findings), entriesOf(section).length > 0 && h('p.none.choose', {}, `Choose one of the ${section}.`)) };
}

function historyView() {
  if (history) return history;
  const heading = h('h1', { tabindex: -1 }, 'History'), list = h('section.calls', { 'aria-label': 'Calls' });
  history = { heading, calls: list, cards: new Map(), element: h('article', {}, h('header', {}, heading), list, h('p.none.empty', {}, 'Nothing has been called yet.')) };
  for (const call of calls.values()) place(history, call);
  return history;
}

function messagesOf() {
  messages ??= messagesView(state.transcript !== false);
  messages.load().catch(error => say(error.message));
  return messages;
}

// ---- calls

const actions = {
  modern: () => state.server.era === 'modern', // any call may ask for a task
  async call(request) {
    try {
      const call = await post('calls', request);
      if (!calls.has(call.id)) update(call); // else an event with a later state came first
      reveal(calls.get(call.id));
    } catch (error) { say(error.message); }
  },
  async again(request) {
    await actions.call(request);
    if (route().section !== 'history') location.hash = address(sectionOf[request.kind], request.name);
  },
  edit(call) {
    const section = sectionOf[call.kind], there = address(section, call.name);
    entryView(section, call.name).set?.(call.arguments);
    if (location.hash === there) views.get(`${section}/${call.name}`)?.heading.focus(); else location.hash = there;
  },
  read(uri) {
    location.hash = address('resources', uri);
    actions.call({ kind: 'resource', name: uri, arguments: {}, task: false });
  },
  messages(call) {
    messagesOf().filter(call.id);
    location.hash = '#/messages';
  },
};

// update shows the new state of a call wherever it is shown, and announces when it ends or asks.
function update(call) {
  const old = calls.get(call.id);
  calls.set(call.id, call);
  for (const view of views.values()) place(view, call);
  if (history) place(history, call);
  if (!old) tabs();
  if (old?.state !== call.state && (call.state === 'asking' || call.ms < 2000)) reveal(call);
  if (old?.state !== call.state) say({ running: `${call.name} runs`, asking: `${call.name} asks you`, done: `${call.name} is done`, failed: `${call.name} failed`, cancelled: `${call.name} was cancelled` }[call.state] ?? call.state, true);
}

// reveal scrolls to a call, or to its question.
function reveal(call) {
  const shown = document.querySelector(`main [data-call="${call.id}"]${call.state === 'asking' ? ' .question' : ''}`);
  if (route().section !== 'history') shown?.scrollIntoView({ block: innerWidth < 1180 ? 'start' : 'nearest' });
}

async function loadCalls() {
  const before = new Map(calls);
  for (const call of await get('calls')) {
    if (calls.get(call.id) !== before.get(call.id)) continue; // an event with a later state came meanwhile
    calls.set(call.id, call);
    for (const view of views.values()) place(view, call);
    if (history) place(history, call);
  }
  tabs();
}

// listen opens the stream of events. Browsers open at most six connections to an address, so a hidden page has none.
let events;
function listen() {
  events?.close();
  if (document.hidden) return;
  events = new EventSource('api/events');
  events.onopen = () => {
    lost = false;
    load();
    loadCalls().catch(error => say(error.message));
    if (route().section === 'messages') messagesOf();
  };
  events.onerror = () => {
    lost = true;
    notices();
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 3000); // browsers only try again by themselves if nothing answered
  };
  events.addEventListener('state', load);
  events.addEventListener('call', event => update(parse(event.data)));
  events.addEventListener('message', () => { if (route().section === 'messages') messages?.load().catch(() => {}); });
}

document.addEventListener('visibilitychange', listen);
addEventListener('hashchange', () => show(true));
addEventListener('keydown', keys);
$('filter').addEventListener('input', filter);
document.querySelector('.skip').addEventListener('click', event => { event.preventDefault(); $('main').focus(); });
$('tabs').append(...Object.entries(sections).map(([key, label]) => h('a', { href: `#/${key}` }, label, h('span.count'))));
top();
listen();
