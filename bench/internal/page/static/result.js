// Results: text, tables, pictures, sound and JSON. None of it is ever markup or script of the page.

import { button, bytes, h, long, name, plural, prose } from './dom.js';
import { isNumber, isObject, read, same, write } from './value.js';

const pictures = /^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i, sounds = /^audio\/[a-z0-9.+-]+$/i;

// resultOf shows the result of a call in its views.
export function resultOf(call, open) {
  const { result } = call, structured = result.structuredContent;
  const shown = h('div.shown');
  const views = { Result: () => parts(call, open), JSON: () => [long(write(result, 2), 'pre')] };
  const rows = table(structured);
  if (structured !== undefined) views.Tree = () => [tree(structured)];
  const buttons = Object.entries(views).map(([label, make]) => button(label, () => {
    buttons.forEach(b => b.setAttribute('aria-pressed', String(b.textContent === label)));
    shown.replaceChildren(...make());
  }, { 'aria-pressed': String(label === 'Result') }));
  shown.append(...parts(call, open, rows));
  return h('div.result', {}, h('div.segments', { role: 'group', 'aria-label': 'Show the result as' }, buttons), shown);
}

function parts({ result }, open) {
  const out = [], structured = result.structuredContent;
  if (structured !== undefined) out.push(value(structured));
  for (const block of result.content ?? []) {
    if (structured !== undefined && block.type === 'text' && same(read(block.text), structured)) continue; // the same, for older clients
    out.push(content(block, open));
  }
  for (const message of result.messages ?? []) {
    const blocks = Array.isArray(message.content) ? message.content : [message.content];
    out.push(h('div.message', {}, h('div.role', {}, name(message.role)), blocks.map(block => content(block ?? {}, open))));
  }
  for (const contents of result.contents ?? []) out.push(resource(contents));
  return out.length ? out : [h('p.none', {}, 'The result is empty.')];
}

// content shows one block. Blocks of other types are shown as JSON.
function content(block, open) {
  switch (block.type) {
    case 'text': return text(block.text);
    case 'image': return media(block.mimeType, block.data, 'picture');
    case 'audio': return media(block.mimeType, block.data, 'sound');
    case 'resource': return resource(block.resource ?? {});
    case 'resource_link': return h('div.link', {}, button(name(block.title ?? block.name ?? block.uri), () => open(block.uri), { title: 'Read this resource' }),
      h('code', {}, name(block.uri)), block.description && prose(block.description));
    default: return tree(block);
  }
}

function text(text) {
  const parsed = /^\s*[[{]/.test(text) && text.length < 300_000 ? read(text) : undefined;
  if (parsed === undefined) return long(String(text ?? ''), 'pre.text');
  const box = h('div', {}), asText = button('as text', () => box.replaceChildren(long(text, 'pre.text')), { class: 'quiet' });
  box.append(value(parsed), asText);
  return box;
}

const value = v => table(v) ?? tree(v);

function resource(contents) {
  const head = h('div.about', {}, h('code', {}, name(contents.uri)), contents.mimeType && h('span.type', {}, name(contents.mimeType)));
  if (typeof contents.text === 'string') return h('div.resource', {}, head, text(contents.text));
  return h('div.resource', {}, head, media(contents.mimeType ?? '', contents.blob, 'file'));
}

// media shows pictures and sound in elements in which documents run no script. Other data can only be saved.
function media(type, data, noun) {
  const size = Math.floor(String(data ?? '').replace(/=+$/, '').length * 3 / 4), about = `${noun}, ${type}, ${bytes(size)}`;
  const missing = () => shown.replaceChildren(h('p.none', {}, name(`The ${noun} cannot be shown (${type}, ${bytes(size)}).`)));
  const shown = h('div.media');
  if (pictures.test(type)) shown.append(h('img', { src: `data:${type};base64,${data}`, alt: about, onerror: missing }));
  else if (sounds.test(type)) shown.append(h('audio', { controls: true, src: `data:${type};base64,${data}`, 'aria-label': about, onerror: missing }));
  return h('figure', {}, shown, h('figcaption', {}, name(about), ' ', button('Save', () => save(data, type), { class: 'quiet' })));
}

function save(data, type) {
  let binary = '';
  try { binary = atob(String(data ?? '').replace(/\s/g, '')); } catch { /* not base64: an empty file */ }
  const url = URL.createObjectURL(new Blob([Uint8Array.from(binary, c => c.charCodeAt(0))], { type: 'application/octet-stream' }));
  const extension = /^[a-z]+\/([a-z0-9]{1,8})/i.exec(type)?.[1] ?? 'bin';
  h('a', { href: url, download: `result.${extension}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// table shows a list of objects, or an object with one such list, as a table. Other values are not for it.
function table(v) {
  let rows = v, around = [];
  if (isObject(v)) {
    const lists = Object.entries(v).filter(([, item]) => listOfObjects(item));
    if (lists.length !== 1) return undefined;
    rows = lists[0][1];
    around = Object.entries(v).filter(([key]) => key !== lists[0][0]);
  }
  if (!listOfObjects(rows)) return undefined;
  const columns = new Set();
  for (const row of rows.slice(0, 1000)) Object.keys(row).forEach(key => columns.add(key));
  if (columns.size > 30 || columns.size === 0) return undefined;
  const body = h('tbody'), more = h('div');
  let shown = 0;
  const add = () => {
    const next = rows.slice(shown, shown + 200);
    body.append(...next.map(row => h('tr', {}, [...columns].map(key => cell(row, key)))));
    shown += next.length;
    more.replaceChildren(...shown < rows.length ? [button(`Show more of ${plural(rows.length, 'row')}`, add)] : []);
  };
  add();
  return h('div.tabular', {}, around.map(([key, item]) => h('div.pair', {}, h('span.key', {}, name(key)), tree(item))),
    h('div.scroll', { tabindex: 0, role: 'group', 'aria-label': 'Table' },
      h('table', {}, h('thead', {}, h('tr', {}, [...columns].map(key => h(isNumber(rows[0][key]) ? 'th.right' : 'th', { scope: 'col' }, name(key))))), body)), more);
}

const listOfObjects = v => Array.isArray(v) && v.length > 0 && v.every(isObject);

function cell(row, key) {
  if (!Object.hasOwn(row, key)) return h('td');
  const v = row[key];
  if (typeof v === 'string') return h(v.length < 24 ? 'td.short' : 'td', { dir: 'auto' }, prose(v.length > 500 ? `${v.slice(0, 500)}…` : v, 'span'));
  return h(isNumber(v) ? 'td.right' : 'td', {}, tree(v));
}

// tree shows JSON, with nested values made when they are opened.
export function tree(v, label, depth = 0) {
  const key = label === undefined ? '' : h('span.key', {}, name(label), ': ');
  const list = Array.isArray(v), size = list ? v.length : isObject(v) ? Object.keys(v).length : 0;
  if (!size) return h('div.leaf', {}, key, leaf(v));
  const children = h('div.nested');
  let shown = 0;
  const more = () => {
    const entries = (list ? v.slice(shown, shown + 200).map((item, i) => [shown + i, item]) : Object.entries(v).slice(shown, shown + 200));
    children.querySelector(':scope > button')?.remove();
    children.append(...entries.map(([k, item]) => tree(item, k, depth + 1)));
    shown += entries.length;
    if (shown < size) children.append(button(`Show more of ${size.toLocaleString('en')}`, more));
  };
  const details = h('details.tree', { ontoggle: () => { if (details.open && !shown) more(); } },
    h('summary', {}, key, h('span.type', {}, list ? plural(size, 'item') : plural(size, 'member'))), children);
  if (depth < 3 && size <= 50) { details.open = true; more(); }
  return details;
}

function leaf(v) {
  if (typeof v === 'string') return v.length > 2000 ? long(v, 'pre.text', 2000) : prose(v === '' ? '""' : v, 'span.string');
  return h(`span.${isNumber(v) ? 'numeral' : 'word'}`, {}, Array.isArray(v) ? '[]' : isObject(v) ? '{}' : write(v));
}
