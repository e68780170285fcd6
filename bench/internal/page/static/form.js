// Forms made of schemas. A field shows one value: get returns it, or undefined if it is not sent; check shows its mistakes.
// A value that the controls of a schema cannot show exactly is edited as JSON, so that nothing is lost.

import { button, bytes, h, name, newID, prose, shown } from './dom.js';
import { choices, flatten, limit, plain, typeOfSchema, validate, variants, words } from './schema.js';
import { isNumber, isObject, numberOf, parse, read, same, typeOf, write } from './value.js';

const deepest = 12; // of nested fields; what is below is edited as JSON

// changed tells the form that fields were added or removed, as input events do for texts.
const changed = element => element.dispatchEvent(new Event('input', { bubbles: true }));

// editor returns a form for arguments or an answer, with a switch to JSON. In questions, defaults are filled in.
// complete(argument, value, others) returns suggestions.
export function editor(schema, value, { question = false, complete, json: asJSON = false, label = 'Arguments' } = {}) {
  const body = h('div.fields'), context = { root: schema, question, complete, depth: 0, required: true, alone: true, label };
  let current, checked = false;
  context.values = () => current?.get() ?? {};
  const show = value => {
    checked = false;
    current = asJSON ? jsonField(value, context, schema) : field(schema, value, context);
    body.replaceChildren(current.element);
  };
  const change = to => () => {
    if (to === asJSON) return;
    if (asJSON && current.broken()) { current.check(); current.focus(); return; }
    const value = current.get();
    asJSON = to;
    for (const [b, on] of [[forms, !to], [json, to]]) b.setAttribute('aria-pressed', on);
    show(value);
  };
  const forms = button('Form', change(false), { 'aria-pressed': String(!asJSON) }), json = button('JSON', change(true), { 'aria-pressed': String(asJSON) });
  body.addEventListener('input', () => { if (checked) current.check(); });
  show(value);
  return {
    element: body,
    toggle: h('div.segments', { role: 'group', 'aria-label': `${label} as` }, forms, json),
    get: () => current.get(),
    set: show,
    asJSON: () => asJSON,
    // check shows all mistakes and reports whether there are none; broken reports whether the text is not JSON.
    check() { checked = true; return current.check() === 0; },
    broken: () => asJSON && current.broken(),
    focusMistake() { (body.querySelector('[aria-invalid=true]') ?? body.querySelector('.mistake:not([hidden])'))?.focus(); },
  };
}

// field makes the field of a schema: a label, its type, the control, a description, and mistakes.
function field(schema, value, c) {
  const flat = flatten(schema, c.root);
  if (flat === false || c.depth > deepest) return wrap(jsonControl(value, c), {}, value, c);
  if (value === undefined && flat.default !== undefined && (c.required || c.question)) value = flat.default;
  if (value === undefined && c.required && flat.const !== undefined) value = flat.const;
  const attempts = [() => control(flat, value, c), () => textControl(flat, value, c), () => jsonControl(value, c)];
  if (!c.required && value === undefined && lazy(flat, c)) return wrap(undefined, flat, value, c, () => control(flat, undefined, { ...c, required: true }));
  for (const attempt of attempts) {
    const made = attempt();
    if (made && (value === undefined || same(made.get(), value))) return wrap(made, flat, value, c);
  }
  return wrap(jsonControl(value, c), flat, value, c);
}

// lazy reports whether the control is made only when the user wants to send the value: its schema may refer to itself.
const lazy = (flat, c) => kind(flat, c.root) === 'object' || kind(flat, c.root) === 'union';

function kind(flat, root) {
  if (choices(flat)) return 'choice';
  if (variants(flat, root).length > 1) return 'union';
  const type = typeOfSchema(flat);
  if (type === 'object') return flat.properties || flat.additionalProperties !== false ? 'object' : 'empty';
  if (type !== 'string') return type ?? 'any';
  if (flat.contentEncoding === 'base64' || flat.format === 'byte' || flat.format === 'binary' || flat.format === 'base64') return 'file';
  return flat.format === 'date' || flat.format === 'date-time' ? flat.format : 'string';
}

function control(flat, value, c) {
  const make = {
    choice: choiceControl, union: unionControl, object: objectControl, empty: objectControl, array: listControl, boolean: booleanControl, file: fileControl,
    date: dateControl, 'date-time': timeControl, string: textControl, integer: numberControl, number: numberControl, null: () => fixedControl(null),
  }[kind(flat, c.root)];
  return make ? make(flat, value, c) : jsonControl(value, c);
}

// wrap puts a control into its field. Without one the field is absent until the user asks for it.
function wrap(made, flat, value, c, later) {
  const ids = { control: newID(), hint: newID(), mistake: newID() };
  const mistake = h('p.mistake', { id: ids.mistake, hidden: true, tabindex: -1 }), place = h('div.control');
  const group = !made ? true : made.group;
  let send; // the switch of optional values that are not sent when they are empty
  const use = () => {
    place.replaceChildren(made?.element ?? '');
    if (made?.input) {
      made.input.id = ids.control;
      made.input.setAttribute('aria-describedby', `${ids.hint} ${ids.mistake}`);
      if (c.required) made.input.setAttribute('aria-required', 'true');
      if (!c.label) made.input.setAttribute('aria-label', c.spoken);
    }
  };
  if (!c.required && (later || (made.group && !made.boxes) || made.empty)) {
    send = h('input', { type: 'checkbox', 'aria-label': `send ${c.spoken ?? c.label}` });
    send.checked = value !== undefined;
    send.addEventListener('change', () => {
      if (later) made = send.checked ? later() : undefined;
      else if (!send.checked) made.clear?.();
      use();
    });
    place.addEventListener('input', () => { send.checked = true; });
  }
  use();
  const type = c.alone ? '' : describeType(flat, c.root), title = flat.title && flat.title !== c.label ? flat.title : '';
  const text = [c.label && h('span.label', {}, name(c.label)), title && h('span.title', {}, name(title)),
    c.required && !c.alone && c.label ? h('span.required', {}, 'required') : '', type && h('span.type', {}, name(type))];
  const hint = h('div.hint', { id: ids.hint }, flat.description && c.depth && c.alone !== 'item' ? prose(flat.description) : '');
  const head = c.alone ? '' : group ? h('legend', {}, text) : h('label.head', { for: ids.control }, text);
  const element = h(group && !c.alone ? 'fieldset.field' : 'div.field', {}, head, send && h('label.send', {}, send, 'send'), hint, place, mistake);
  element.hidden = made?.hidden === true;
  const get = () => (send && !send.checked) || !made ? undefined : made.get();
  return {
    element, get, focus: () => (made?.input ?? element.querySelector('input, select, textarea, button'))?.focus(),
    // check shows the mistakes here and below, and returns their number.
    check() {
      const now = get(), children = now === undefined ? [] : made.children?.() ?? [];
      let found = now === undefined ? c.required ? ['Required'] : [] : made.own?.() ?? validate(flat, now, c.root)
        .filter(mistake => !made.children || here(mistake, flat))
        .map(({ path, text }) => path ? `${path}: ${text}` : text);
      found = found.slice(0, 5);
      mistake.hidden = found.length === 0;
      mistake.replaceChildren(...found.map(text => h('span', {}, name(text))));
      if (made?.input) made.input.setAttribute('aria-invalid', found.length > 0);
      return found.length + children.reduce((n, child) => n + child.check(), 0);
    },
  };
}

// here reports whether a mistake is one of the group itself, which its fields do not show.
function here({ path, text }, flat) {
  const key = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  return path === '' ? !text.startsWith('Fits') : path.lastIndexOf('/') === 0 && (text === 'Unknown member' || (text.startsWith('Required') && !flat.required?.includes(key)));
}

function describeType(flat, root) {
  const what = kind(flat, root), w = write, parts = [];
  if (what === 'array') parts.push(`list of ${words[typeOfSchema(flatten(flat.items ?? {}, root) || {})] ?? 'value'}s`.replace('falses', 'false'));
  else if (what !== 'choice' && what !== 'union') parts.push(what === 'string' ? flat.format ?? 'text' : words[what] ?? { any: 'any JSON', empty: 'object', file: 'file' }[what] ?? what);
  const { minimum: a, maximum: b } = flat;
  if (a !== undefined && b !== undefined) parts.push(`${w(a)} to ${w(b)}`);
  else if (a !== undefined || b !== undefined) parts.push(a !== undefined ? `at least ${w(a)}` : `at most ${w(b)}`);
  if (isNumber(flat.exclusiveMinimum)) parts.push(`more than ${w(flat.exclusiveMinimum)}`);
  if (isNumber(flat.exclusiveMaximum)) parts.push(`less than ${w(flat.exclusiveMaximum)}`);
  const [least, most] = (what === 'array' ? ['minItems', 'maxItems'] : ['minLength', 'maxLength']).map(key => limit(flat, key));
  if (least === 1 && most === undefined) parts.push('not empty');
  else if (least || most !== undefined) parts.push(`${least ? most === undefined ? `from ${least}` : `${least} to ${most}` : `up to ${most}`}${what === 'array' ? ' items' : ' characters'}`);
  if (flat.pattern) parts.push(`matches ${flat.pattern}`);
  if (flat.default !== undefined && !isObject(flat.default)) parts.push(`default ${plain(flat.default)}`);
  return parts.join(', ');
}

const example = flat => {
  const value = flat.examples?.[0] ?? flat.default;
  return value === undefined ? undefined : shown(typeof value === 'string' ? value : write(value));
};

function textControl(flat, value, c) {
  if (value !== undefined && typeof value !== 'string') return undefined;
  if (value === undefined && typeOfSchema(flat) !== 'string') return undefined;
  if (c.complete && c.depth === 1 && !/[\r\n]/.test(value ?? '')) return completedControl(value, c);
  const input = h('textarea.text', { rows: 1, placeholder: example(flat), spellcheck: 'false', autocomplete: 'off', enterkeyhint: 'go' });
  input.value = value ?? '';
  let touched = value !== undefined;
  input.addEventListener('input', () => { touched = true; });
  return { element: input, input, empty: true, get: () => input.value || touched || !c.required ? input.value : undefined, clear: () => { input.value = ''; } };
}

// completedControl asks the server for suggestions while the user types.
function completedControl(value, c) {
  const list = h('datalist', { id: newID() }), input = h('input', { type: 'text', list: list.id, autocomplete: 'off', spellcheck: 'false' });
  input.value = value ?? '';
  let timer, asked = 0, touched = value !== undefined;
  const ask = async () => {
    const n = ++asked, { [c.label]: _, ...others } = c.values();
    const found = await c.complete(c.label, input.value, others).catch(() => ({ values: [] }));
    if (n === asked) list.replaceChildren(...(found.values ?? []).map(value => h('option', { value })));
  };
  input.addEventListener('input', () => { touched = true; clearTimeout(timer); timer = setTimeout(ask, 150); });
  input.addEventListener('focus', ask, { once: true });
  return {
    element: h('div', {}, input, list), input, empty: true, get: () => input.value || touched || !c.required ? input.value : undefined,
    clear: () => { input.value = ''; },
  };
}

// Numbers are texts, because number controls of browsers round integers above 2^53 and change with the wheel.
function numberControl(flat, value) {
  const input = h('input.number', { type: 'text', inputmode: typeOfSchema(flat) === 'integer' ? 'numeric' : 'decimal', placeholder: example(flat), autocomplete: 'off' });
  input.value = value === undefined ? '' : write(value);
  return { element: input, input, get: () => input.value.trim() === '' ? undefined : numberOf(input.value.trim()) };
}

function select(options, chosen, empty) {
  const input = h('select', {}, empty !== undefined && h('option', { value: '' }, shown(empty)), options.map((label, i) => h('option', { value: i }, shown(label))));
  input.value = chosen < 0 ? empty === undefined ? '0' : '' : String(chosen);
  return input;
}

const unset = (flat, c) => c.required ? 'choose…' : flat.default !== undefined ? `not sent (${plain(flat.default)})` : 'not sent';

function choiceControl(flat, value, c) {
  if (flat.const !== undefined && c.required) return { ...fixedControl(flat.const), hidden: c.variant };
  const list = choices(flat), input = select(list.map(item => item.label), value === undefined ? -1 : list.findIndex(item => same(item.value, value)), unset(flat, c));
  return { element: input, input, get: () => list[input.value || -1]?.value };
}

function booleanControl(flat, value, c) {
  const input = select(['true', 'false'], value === undefined ? -1 : value ? 0 : 1, unset(flat, c));
  return { element: input, input, get: () => [true, false][input.value || -1] };
}

function fixedControl(value) {
  const input = h('output.fixed', { tabindex: -1 }, name(plain(value)));
  return { element: input, input, empty: true, get: () => value };
}

function dateControl(_, value) {
  const input = h('input', { type: 'date' });
  input.value = value ?? '';
  return { element: input, input, get: () => input.value || undefined };
}

function timeControl(_, value) {
  const minutes = -new Date().getTimezoneOffset(), two = n => String(Math.floor(Math.abs(n))).padStart(2, '0');
  const here = minutes ? `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}` : 'Z';
  const [, date = '', offset = here] = /^(.*T.*?)(Z|[+-]\d\d:\d\d)$/.exec(value ?? '') ?? [];
  const input = h('input', { type: 'datetime-local', step: 'any' }), zone = h('input.zone', { type: 'text', 'aria-label': 'offset from UTC', autocomplete: 'off' });
  [input.value, zone.value] = [date, offset];
  const get = () => input.value && `${input.value}${/T\d\d:\d\d$/.test(input.value) ? ':00' : ''}${zone.value.trim()}` || undefined;
  return { element: h('div.row', {}, input, zone), input, get };
}

function fileControl(flat, value) {
  if (value !== undefined && typeof value !== 'string') return undefined;
  let data = value;
  const input = h('input', { type: 'file', accept: flat.contentMediaType }), about = h('output', {});
  const remove = button('Remove', () => { data = undefined; input.value = ''; show(); changed(remove); input.focus(); });
  const show = text => {
    about.replaceChildren(text ?? (data === undefined ? '' : `${bytes(Math.floor(data.replace(/=+$/, '').length * 3 / 4))} to send`));
    remove.hidden = data === undefined;
  };
  input.addEventListener('change', () => {
    const [file] = input.files;
    if (!file) return;
    const reader = new FileReader();
    reader.onload = () => { data = reader.result.slice(reader.result.indexOf(',') + 1); if (!file.size) data = ''; show(`${bytes(file.size)} to send`); changed(input); };
    reader.onerror = () => show(`The file cannot be read: ${reader.error.message}`);
    reader.readAsDataURL(file);
  });
  show();
  return { element: h('div.row', {}, input, about, remove), input, get: () => data };
}

function jsonControl(value, c) {
  const input = h('textarea.json', { rows: 1, spellcheck: 'false', autocomplete: 'off', placeholder: 'JSON' });
  input.value = value === undefined ? '' : write(value, 2);
  return {
    element: input, input, clear: () => { input.value = ''; }, get: () => input.value.trim() === '' ? undefined : read(input.value),
    own() { try { parse(input.value); } catch (error) { return [`Not JSON: ${error.message}`]; } },
  };
}

// jsonField is the JSON view of a whole form.
function jsonField(value, c, schema) {
  const made = jsonControl(value === undefined ? {} : value, c), broken = () => read(made.input.value) === undefined;
  const wrapped = wrap({ ...made, own: () => broken() ? made.own() : undefined }, schema, value, { ...c, label: '', spoken: `${c.label} as JSON` });
  made.input.classList.add('whole');
  return { ...wrapped, broken };
}

function unionControl(flat, value, c) {
  const list = variants(flat, c.root), place = h('div');
  const faults = list.map(({ schema }) => value === undefined ? 0 : validate(schema, value, c.root).length + (nearest(schema, value) ? 0 : 1000));
  const start = faults.indexOf(Math.min(...faults)), input = select(list.map(item => item.label), start);
  input.classList.add('variant');
  input.setAttribute('aria-label', `variant of ${c.spoken ?? c.label}`);
  let chosen;
  const choose = value => {
    chosen = field(list[input.value].schema, value, { ...c, required: true, alone: true, depth: c.depth + 1, label: '', spoken: c.spoken ?? c.label, variant: true });
    place.replaceChildren(chosen.element);
  };
  input.addEventListener('change', () => choose(undefined));
  choose(value);
  return { element: h('div.union', {}, input, place), group: true, get: () => chosen.get(), children: () => [chosen] };
}

const nearest = (schema, value) => {
  const types = [typeOfSchema(schema) ?? []].flat(), type = typeOf(value);
  return !types.length || types.includes(type) || (type === 'integer' && types.includes('number'));
};

function objectControl(flat, value, c) {
  if (value !== undefined && !isObject(value)) return undefined;
  const properties = flat.properties ?? {}, required = new Set(flat.required ?? []), at = { ...c, alone: false, variant: c.variant && c.alone === true, depth: c.depth + 1, spoken: undefined };
  const known = Object.entries(properties).map(([key, schema]) =>
    [key, field(schema, value && Object.hasOwn(value, key) ? value[key] : undefined, { ...at, required: required.has(key), label: key })]);
  for (const key of required) if (!Object.hasOwn(properties, key)) known.push([key, field({}, value?.[key], { ...at, required: true, label: key })]);
  const extra = Object.entries(value ?? {}).filter(([key]) => !known.some(([k]) => k === key));
  const open = isObject(flat.additionalProperties) || flat.additionalProperties === true || flat.patternProperties || (c.depth > 0 && !Object.keys(properties).length);
  const more = extra.length || (open && flat.additionalProperties !== false) || flat.patternProperties ? members(flat, extra, at) : undefined;
  const fields = h('div.members', {}, known.map(([, child]) => child.element), more?.element);
  if (!known.length && !more) fields.append(h('p.none', {}, 'None'));
  return {
    element: fields, group: true, children: () => [...known.map(([, child]) => child), ...more?.children() ?? []],
    get: () => Object.fromEntries([...known.map(([key, child]) => [key, child.get()]), ...more?.entries() ?? []].filter(([, v]) => v !== undefined)),
  };
}

// members shows the members that the schema does not name, as rows of a key and a value.
function members(flat, entries, c) {
  const patterns = Object.values(flat.patternProperties ?? {}), of = isObject(flat.additionalProperties) ? flat.additionalProperties : patterns.length === 1 ? patterns[0] : {};
  const rows = [], list = h('div.rows');
  const add = (key, value) => {
    const input = h('input', { type: 'text', 'aria-label': 'key', placeholder: 'key', autocomplete: 'off', spellcheck: 'false' });
    input.value = key;
    const exact = input.value === key ? () => input.value : () => key; // line breaks do not fit into an input
    const child = field(of, value, { ...c, required: true, label: '', alone: 'item', variant: false, spoken: 'value' });
    const row = { key: exact, child, input, element: h('div.entry', {}, input, child.element, button('✕', () => {
      rows.splice(rows.indexOf(row), 1);
      row.element.remove();
      changed(list);
      adder.focus();
    }, { 'aria-label': 'Remove the entry' })) };
    rows.push(row);
    list.append(row.element);
    return row;
  };
  const adder = button('Add an entry', () => { add('', undefined).input.focus(); changed(list); }, { class: 'add' });
  for (const [key, value] of entries) add(key, value);
  const mistake = h('p.mistake', { hidden: true });
  const twice = { check: () => {
    mistake.hidden = new Set(rows.map(row => row.key())).size === rows.length;
    mistake.textContent = 'Two entries have the same key';
    return mistake.hidden ? 0 : 1;
  } };
  return { element: h('div', {}, list, mistake, adder), entries: () => rows.map(row => [row.key(), row.child.get()]), children: () => [...rows.map(row => row.child), twice] };
}

function listControl(flat, value, c) {
  if (value !== undefined && !Array.isArray(value)) return undefined;
  const options = choices(flatten(flat.items ?? {}, c.root) || {});
  if (options && options.length <= 20 && (flat.uniqueItems === true || c.question)) {
    const boxes = boxesControl(options, value, c);
    if (value === undefined || same(boxes.get(), value)) return boxes;
  }
  const rows = [], list = h('ol.rows');
  const renumber = () => rows.forEach((row, i) => {
    row.element.querySelectorAll(':scope > .tools > button').forEach((b, k) => {
      b.setAttribute('aria-label', `${['Move up', 'Move down', 'Remove'][k]}: item ${i + 1}`);
      b.disabled = (k === 0 && i === 0) || (k === 1 && i === rows.length - 1);
    });
  });
  const move = (row, by) => () => {
    const from = rows.indexOf(row), to = from + by, used = document.activeElement;
    rows.splice(to, 0, ...rows.splice(from, 1));
    list.insertBefore(row.element, rows[to + 1]?.element ?? null);
    renumber();
    changed(list);
    (used.disabled ? row.element.querySelector(':scope > .tools > button:not(:disabled)') : used).focus();
  };
  const add = item => {
    const schema = flat.prefixItems?.[rows.length] ?? flat.items ?? {};
    const child = field(schema, item, { ...c, required: true, alone: 'item', variant: false, depth: c.depth + 1, label: '', spoken: `item of ${c.spoken ?? c.label}` });
    const row = { child, element: h('li.item', {}, child.element) };
    row.element.append(h('div.tools', {}, button('↑', move(row, -1)), button('↓', move(row, 1)), button('✕', () => {
      rows.splice(rows.indexOf(row), 1);
      row.element.remove();
      renumber();
      changed(list);
      adder.focus();
    })));
    rows.push(row);
    list.append(row.element);
    return child;
  };
  const adder = button('Add an item', () => { const child = add(undefined); renumber(); child.focus(); changed(list); }, { class: 'add' });
  for (const item of value ?? []) add(item);
  if (value === undefined && c.required) for (let i = 0; i < Math.min(limit(flat, 'minItems') ?? 0, 10); i++) add(undefined);
  renumber();
  return {
    element: h('div', {}, list, adder), group: true, children: () => rows.map(row => row.child),
    get: () => rows.map(row => row.child.get() ?? null), clear: () => { rows.length = 0; list.replaceChildren(); },
  };
}

// boxesControl sends no list if no box of an optional one is checked.
function boxesControl(options, value, c) {
  const boxes = options.map(option => {
    const box = h('input', { type: 'checkbox' });
    box.checked = value?.some(item => same(item, option.value)) ?? false;
    return { box, option, element: h('label.box', {}, box, name(option.label)) };
  });
  return {
    element: h('div.boxes', {}, boxes.map(b => b.element)), group: true, boxes: true, children: () => [],
    get() {
      const chosen = boxes.filter(b => b.box.checked).map(b => b.option.value);
      return chosen.length || c.required ? chosen : undefined;
    },
  };
}
