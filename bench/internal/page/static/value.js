// JSON values whose numbers stay as they were written: 9007199254740993, 1.0 and 1e400 are not those of JavaScript.

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

// parse returns a raw value for a number that JavaScript would write in another way; write writes it unchanged.
export function parse(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === 'number' && context && String(value) !== context.source ? JSON.rawJSON(context.source) : value);
}

export const write = (value, indent) => JSON.stringify(value, null, indent);

// read is parse, or undefined for a text that is not JSON.
export function read(text) {
  try { return parse(text); } catch { return undefined; }
}

// numberOf is the number that a user typed, or the text if it is none.
export const numberOf = text => number.test(text) ? parse(text) : text;
export const isNumber = value => typeof value === 'number' || JSON.isRawJSON?.(value) === true;
export const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumber(value);

export function typeOf(value) {
  if (value === null) return 'null';
  if (isNumber(value)) return isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

const isInteger = value => /^-?\d+$/.test(write(value)) || Number.isInteger(Number(write(value)));

// same reports whether two values are written alike, except for the order of members.
export const same = (a, b) => canonical(a) === canonical(b);

export function canonical(value, number = write) {
  if (Array.isArray(value)) return `[${value.map(item => canonical(item, number)).join()}]`;
  if (isObject(value)) return `{${Object.keys(value).sort().map(key => `${write(key)}:${canonical(value[key], number)}`).join()}}`;
  return String(isNumber(value) ? number(value) : write(value));
}

// equal reports whether two values are equal in JSON Schema, as 1 and 1.0 are.
export const equal = (a, b) => meaning(a) === meaning(b);
export const meaning = value => canonical(value, n => isInteger(n) ? BigInt(/^-?\d+$/.test(write(n)) ? write(n) : Number(write(n))) : Number(write(n)));

// compare orders numbers of any size: integers exactly, others as JavaScript reads them.
export function compare(a, b) {
  const [x, y] = [write(a), write(b)];
  if (/^-?\d+$/.test(x) && /^-?\d+$/.test(y)) return BigInt(x) < BigInt(y) ? -1 : BigInt(x) > BigInt(y) ? 1 : 0;
  return Number(x) - Number(y);
}
