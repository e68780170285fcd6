// Checks documents with ajv. Each line of the input has a schema and documents, each a text of JSON; each line of the
// output has, for each document, why it does not fit, or "".
"use strict";

const readline = require("node:readline");
const Ajv2020 = require("ajv/dist/2020").default;
const addFormats = require("ajv-formats").default;

function check({ schema, documents }) {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, logger: false });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  return documents.map((text) => (validate(JSON.parse(text)) ? "" : ajv.errorsText(validate.errors)));
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  let answer;
  try {
    answer = { errors: check(JSON.parse(line)) };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
