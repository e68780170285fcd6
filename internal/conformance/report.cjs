// Prints what a scenario of the conformance suite found: node report.cjs DIR NAME EXIT, where DIR holds its results and
// log.txt. The form is that of conformance/run in ../shared: a line, with failures and warnings indented below.
"use strict";
const fs = require("fs");
const path = require("path");

const [dir, name, exit] = process.argv.slice(2);
let checks = null;
for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  try {
    checks = JSON.parse(fs.readFileSync(path.join(dir, entry.name, "checks.json"), "utf8"));
  } catch {
    // no results: reported below
  }
}
const of = (status) => (checks ?? []).filter((check) => check.status === status);
const passed = of("SUCCESS").length;
const failed = of("FAILURE").length;
const verdict = !checks || failed > 0 || exit !== "0" ? "FAIL" : passed > 0 ? "PASS" : "SKIP";
console.log(`${verdict} ${name} (${passed}/${passed + failed} checks)`);
const line = (word, check) => console.log(`    ${word} ${check.id}: ${String(check.errorMessage ?? check.description).replace(/\s+/g, " ").slice(0, 400)}`);
for (const check of of("FAILURE")) line("fail", check);
for (const check of of("WARNING")) line("warn", check);
if (!checks) {
  const log = fs.readFileSync(path.join(dir, "log.txt"), "utf8").trim().split("\n");
  console.log(`    no result, exit ${exit}: ${log.slice(-3).join(" | ").slice(0, 400)}`);
}
