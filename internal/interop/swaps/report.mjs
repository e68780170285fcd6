// Runs rows, and prints a line for each.

export async function report(all, wanted) {
  const rows = all.filter(({ words }) => wanted.every(word => words.includes(word)));
  if (rows.length === 0) {
    return 2;
  }
  let failed = 0;
  for (const { words, examine } of rows) {
    const faults = await examine().catch(error => [error?.stack ?? String(error)]);
    const [name, version, over, revision] = words;
    console.log(`${faults.length > 0 ? 'FAIL' : 'PASS'} ${`${name} ${version}`.padEnd(20)} ${over.padEnd(5)} ${revision} 10 swaps`);
    for (const fault of faults) {
      console.log(`    ${fault.replaceAll('\n', '\n    ')}`);
    }
    failed += faults.length > 0 ? 1 : 0;
  }
  console.log(`\n${rows.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
