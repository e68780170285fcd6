// JSON Schemas: how their values are entered, and the mistakes in a value.

import { compare, equal, isNumber, isObject, meaning, read, typeOf, write } from './value.js';

const own = (object, key) => isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;

// resolve follows references within the document. One that leads nowhere allows anything.
export function resolve(schema, root) {
  for (let i = 0; typeof schema?.$ref === 'string'; i++) {
    const { $ref, ...beside } = schema;
    const target = i < 32 ? find($ref, root) : undefined;
    schema = isObject(target) ? { ...target, ...beside } : target === false ? false : beside;
  }
  return schema === undefined || schema === true ? {} : schema;
}

function find(ref, root) {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let at = root, keys;
  try { keys = decodeURIComponent(ref.slice(1)).split('/').slice(1); } catch { return undefined; }
  for (const key of keys) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at) ? at[name] : own(at, name);
  }
  return at;
}

// merge is the schema of values that satisfy both, as far as a form is concerned.
const merge = (a, b) => !isObject(b) ? a : {
  ...a, ...b,
  ...(a.properties || b.properties) && { properties: { ...a.properties, ...b.properties } },
  ...(a.required || b.required) && { required: [...new Set([...a.required ?? [], ...b.required ?? []])] },
};

// flatten resolves a schema and merges its allOf.
export function flatten(schema, root, depth = 0) {
  const { allOf, ...rest } = resolve(schema, root);
  return !Array.isArray(allOf) || depth > 16 ? rest : allOf.reduce((all, part) => merge(all, flatten(part, root, depth + 1)), rest);
}

// choices returns the values of a schema that lists them, as {value, label}, or undefined.
export function choices(schema) {
  if (Array.isArray(schema.enum)) return schema.enum.map((value, i) => ({ value, label: schema.enumNames?.[i] ?? plain(value) }));
  if (own(schema, 'const') !== undefined) return [{ value: schema.const, label: plain(schema.const) }];
  const list = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(list) || !list.length || !list.every(item => own(item, 'const') !== undefined)) return undefined;
  return list.map(item => ({ value: item.const, label: item.title ?? plain(item.const) }));
}

// plain writes a value, a text without quotes, unless it could be read as another value.
export const plain = value => typeof value === 'string' && value.trim() === value && value !== '' && read(value) === undefined ? value : write(value);

// variants are the schemas of which a value satisfies one, as {schema, label}; none if there is only one.
export function variants(schema, root) {
  const { oneOf, anyOf, ...base } = schema;
  let list = [oneOf, anyOf].find(Array.isArray);
  if (!list && Array.isArray(base.type) && base.type.length > 1) list = base.type.map(type => ({ type }));
  if (!list) return [];
  const { title, description, default: _, ...common } = base; // those of the union are shown once
  const seen = new Set();
  return list.map((item, i) => {
    const variant = flatten(item, root);
    let label = labelOf(item, variant) ?? `variant ${i + 1}`;
    if (seen.has(label)) label += ` (${i + 1})`;
    seen.add(label);
    return { schema: isObject(variant) ? merge(common, variant) : variant, label };
  });
}

function labelOf(item, variant) {
  if (variant.title) return variant.title;
  for (const property of Object.values(variant.properties ?? {})) {
    const value = own(property, 'const') ?? (own(property, 'enum')?.length === 1 ? property.enum[0] : undefined);
    if (value !== undefined) return plain(value);
  }
  if (own(item, 'const') !== undefined) return plain(item.const);
  if (typeof item?.$ref === 'string') return item.$ref.split('/').at(-1);
  if (variant.format || typeof variant.type === 'string') return variant.format ?? words[variant.type] ?? variant.type;
  return variant.required?.length ? `with ${variant.required.join(', ')}` : undefined;
}

export const words = { string: 'text', integer: 'integer', number: 'number', boolean: 'true or false', object: 'object', array: 'list', null: 'null' };

// typeOfSchema is the type of the values, also if only other keywords name it; undefined means any.
export function typeOfSchema(schema) {
  const type = Array.isArray(schema.type) && schema.type.length === 1 ? schema.type[0] : schema.type;
  return type ?? (schema.properties ? 'object' : schema.items ? 'array' : undefined);
}

const pattern = source => { try { return new RegExp(source, 'u'); } catch { return undefined; } };
const formats = {
  email: [/^[^\s@]+@[^\s@]+$/, 'an email address'], uri: [/^[a-z][a-z0-9+.-]*:\S+$/i, 'a URI'], date: [/^\d{4}-\d\d-\d\d$/, 'a date'],
  'date-time': [/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i, 'a date and time with an offset from UTC, such as 2026-11-29T16:30:00Z'],
  uuid: [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'a UUID'],
};

// validate returns the mistakes in a value, as {path, text}; paths are JSON pointers. It leaves unknown keywords to the server.
export function validate(schema, value, root, path = '', depth = 0) {
  schema = resolve(schema, root);
  const out = [], say = (text, at = path) => { out.push({ path: at, text }); };
  const inner = (part, v = value, at = path) => out.push(...validate(part, v, root, at, depth + 1));
  const fits = part => validate(part, value, root, path, depth + 1).length === 0;
  if (schema === false) return [{ path, text: 'No value is allowed here' }];
  if (!isObject(schema) || depth > 64) return out;
  const type = typeOf(value), allowed = [schema.type ?? []].flat();
  if (allowed.length && !allowed.includes(type) && !(type === 'integer' && allowed.includes('number'))) {
    return [{ path, text: `Must be ${allowed.map(t => words[t] ?? t).join(' or ')}` }];
  }
  if (Array.isArray(schema.enum) && !schema.enum.some(item => equal(item, value))) say(`Must be one of ${schema.enum.map(plain).join(', ')}`);
  if (own(schema, 'const') !== undefined && !equal(schema.const, value)) say(`Must be ${plain(schema.const)}`);
  if (type === 'string') text(schema, value, say);
  if (isNumber(value)) numbers(schema, value, say);
  if (type === 'array') {
    count(schema, 'Items', value.length, say);
    if (schema.uniqueItems === true && new Set(value.map(meaning)).size < value.length) say('Two items are equal');
    value.forEach((item, i) => inner(schema.prefixItems?.[i] ?? schema.items ?? {}, item, `${path}/${i}`));
  }
  if (type === 'object') members(schema, value, path, say, inner);
  for (const part of schema.allOf ?? []) inner(part);
  if (schema.anyOf && !schema.anyOf.some(fits)) say('Fits none of the variants');
  if (schema.oneOf && !schema.oneOf.some(fits)) say('Fits none of the variants'); // only the server knows whether it fits others, too
  if (schema.not !== undefined && isKnown(schema.not) && fits(schema.not)) say('This value is excluded');
  if (schema.if !== undefined && isKnown(schema.if)) inner((fits(schema.if) ? schema.then : schema.else) ?? {});
  return out;
}

// isKnown reports whether validate knows all keywords of a schema, so that a value without mistakes is a valid one.
const isKnown = schema => !/"(\$dynamicRef|unevaluated\w+|dependentSchemas|contains|format|\$ref)":/.test(write(schema));

// limit is a keyword that counts, such as minItems, which may be written as 2.0.
export const limit = (schema, key) => schema[key] === undefined ? undefined : Number(write(schema[key]));

function count(schema, what, n, say) {
  const [least, most] = [limit(schema, `min${what}`), limit(schema, `max${what}`)], noun = { Items: 'items', Length: 'characters', Properties: 'members' }[what];
  if (n < least) say(least === 1 && what === 'Length' ? 'Must not be empty' : `Needs at least ${least} ${noun}`);
  if (n > most) say(`May have at most ${most} ${noun}`);
}

function text(schema, value, say) {
  if (schema.minLength !== undefined || schema.maxLength !== undefined) count(schema, 'Length', [...value].length, say);
  if (schema.pattern !== undefined && pattern(schema.pattern)?.test(value) === false) say(`Must match ${schema.pattern}`);
  const format = own(formats, schema.format);
  if (format && !format[0].test(value)) say(`Must be ${format[1]}`);
}

function numbers(schema, value, say) {
  if (schema.minimum !== undefined && compare(value, schema.minimum) < 0) say(`Must be at least ${write(schema.minimum)}`);
  if (schema.maximum !== undefined && compare(value, schema.maximum) > 0) say(`Must be at most ${write(schema.maximum)}`);
  if (isNumber(schema.exclusiveMinimum) && compare(value, schema.exclusiveMinimum) <= 0) say(`Must be more than ${write(schema.exclusiveMinimum)}`);
  if (isNumber(schema.exclusiveMaximum) && compare(value, schema.exclusiveMaximum) >= 0) say(`Must be less than ${write(schema.exclusiveMaximum)}`);
  const quotient = Number(write(value)) / Number(write(schema.multipleOf ?? 1));
  if (schema.multipleOf !== undefined && Math.abs(quotient - Math.round(quotient)) > 1e-9) say(`Must be a multiple of ${write(schema.multipleOf)}`);
}

function members(schema, value, path, say, inner) {
  const at = key => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) say('Required', at(key));
  for (const [key, needs] of Object.entries(schema.dependentRequired ?? {})) {
    if (Object.hasOwn(value, key)) for (const need of needs) if (!Object.hasOwn(value, need)) say(`Required with ${key}`, at(need));
  }
  const keys = Object.keys(value);
  count(schema, 'Properties', keys.length, say);
  for (const key of keys) {
    const parts = Object.entries(schema.patternProperties ?? {}).filter(([source]) => pattern(source)?.test(key)).map(([, part]) => part);
    if (own(schema.properties, key) !== undefined) parts.push(schema.properties[key]);
    if (!parts.length && schema.additionalProperties === false) say('Unknown member', at(key));
    else for (const part of parts.length ? parts : [schema.additionalProperties ?? {}]) inner(part, value[key], at(key));
    if (schema.propertyNames !== undefined) inner(schema.propertyNames, key, at(key));
  }
}
