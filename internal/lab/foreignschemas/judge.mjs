// Validates values with ajv. It reads one JSON object per line from standard input, {"schema":…,"values":["JSON",…],"ours":[true,…]},
// and writes one per line: {"error":"…"} if ajv refuses the schema, otherwise {"verdicts":[…]} with an object for each value,
// and with refused if ajv refuses the schema for its nullable, without which it is compiled then:
//
//   valid        the verdict of ajv; the others are set only if it is not ours
//   notNullable  the verdict for the schema without the keyword nullable
//   noFormats    the same without formats
//   formats      the formats that the value does not have, by the schema without nullable
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const { default: Ajv7 } = require('ajv');
const { default: Ajv2020 } = require('ajv/dist/2020.js');
const { default: addFormats } = require('ajv-formats');

function compile(schema, options) {
  const Ajv = /draft-07/.test(schema.$schema ?? '') ? Ajv7 : Ajv2020;
  const attempt = unicodeRegExp => addFormats(new Ajv({ strict: false, allErrors: true, logger: false, unicodeRegExp, ...options })).compile(schema);
  try {
    return attempt(true);
  } catch { // an escape that JavaScript does not allow with the flag u
    return attempt(false);
  }
}

// without removes the nullable of every schema; a property of that name has a schema as its value, not true.
function without(value) {
  if (Array.isArray(value)) return value.map(without);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([name, v]) => name !== 'nullable' || typeof v !== 'boolean').map(([name, v]) => [name, without(v)]));
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const { schema, values, ours } = JSON.parse(line);
    let asIs, refused;
    try {
      asIs = compile(schema, {});
    } catch (e) {
      if (!/"nullable" cannot be used/.test(e.message)) throw e;
      [asIs, refused] = [compile(without(schema), {}), e.message];
    }
    let notNullable, noFormats; // compiling takes longer than validating
    answer = { refused, verdicts: values.map((text, i) => {
      const value = JSON.parse(text);
      const verdict = { valid: asIs(value) };
      if (verdict.valid === ours[i]) return verdict;
      notNullable ??= compile(without(schema), {});
      noFormats ??= compile(without(schema), { validateFormats: false });
      Object.assign(verdict, { notNullable: notNullable(value), noFormats: noFormats(value) });
      verdict.formats = [...new Set((notNullable.errors ?? []).filter(e => e.keyword === 'format').map(e => e.params.format))];
      return verdict;
    }) };
  } catch (e) {
    answer = { error: String(e.message) };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
