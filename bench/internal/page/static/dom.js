// Elements and texts. What a server sends is only ever set as text, never as markup.

// h makes an element of "tag.class.class". Attributes whose names begin with "on" are listeners; undefined, null and false are left out.
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== undefined && child !== null && child !== false && child !== ''));
  return element;
}

export const button = (label, onclick, attributes) => h('button', { type: 'button', onclick, ...attributes }, label);

let ids = 0;
export const newID = () => `e${++ids}`;

// Characters that are invisible, or that reorder the text around them. Joiners belong to words and emoji, but not to names.
const unseen = '\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0' +
  '\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const inProse = new RegExp(`[${unseen}]`, 'gu');
const inNames = new RegExp(`[${unseen}\\t\\n\\u200c\\u200d]`, 'gu');

function escaped(text, pattern) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '\r' && text[match.index + 1] === '\n') continue;
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    nodes.push(text.slice(end, match.index), h('span.escape', { title: `the character U+${code}` }, `U+${code}`));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

// name shows a name on one line, isolated from the direction of the text around it; prose shows a longer text.
export const name = text => h('bdi', {}, escaped(String(text ?? ''), inNames));
export const shown = text => name(text).textContent; // for attributes and titles
export function prose(text, tag = 'p.prose') {
  const shown = String(text ?? ''), scrolls = tag.startsWith('pre') && (shown.length > 800 || shown.split('\n', 9).length > 8);
  return h(tag, { dir: 'auto', tabindex: scrolls && 0 }, escaped(shown, inProse));
}

// long shows the beginning of a text, with a button for the rest.
export function long(text, tag = 'pre', limit = 100_000) {
  if (text.length <= limit) return prose(text, tag);
  const cut = h('div', {}, prose(text.slice(0, limit), tag), button(`Show all of ${bytes(text.length)}`, () => cut.replaceChildren(prose(text, tag))));
  return cut;
}

export const plural = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
export const time = at => new Date(at).toLocaleTimeString('en-GB');

export function bytes(n) {
  if (n < 1000) return plural(n, 'byte');
  const unit = n < 1e6 ? 'KB' : n < 1e9 ? 'MB' : 'GB';
  return `${(n / { KB: 1e3, MB: 1e6, GB: 1e9 }[unit]).toPrecision(3).replace(/\.0+$/, '')} ${unit}`;
}

export const duration = ms => ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;

// say announces a change to screen readers, and shows it for a moment, unless it is visible elsewhere.
let fading;
export function say(text, seen = false) {
  const status = document.getElementById('status');
  status.className = seen ? 'unseen' : '';
  status.replaceChildren(...escaped(text, inNames));
  clearTimeout(fading);
  fading = setTimeout(() => status.replaceChildren(), 6000);
}
