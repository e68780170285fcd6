// Shows the view of examples/chart in Chromium, as a host of MCP Apps does, in every revision that has views; and calls
// its tool as a client without views. See README.md.
//
//   node main.mjs PROGRAM [SCREENSHOT]
//
// PROGRAM serves the tools over HTTP; SCREENSHOT is a file to write the picture of the view to.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { checks, fallback, question } from './checks.mjs';
import { startHost, startSandbox, startTools } from './servers.mjs';

const [program, screenshot] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

// The revisions, and what the client is told to use them.
const legacy = revision => ({ supportedProtocolVersions: [revision] });
const modern = revision => ({ versionNegotiation: { mode: { pin: revision } } });
const rows = [
  { revision: '2026-07-28', options: modern('2026-07-28'), views: true },
  { revision: '2025-11-25', options: legacy('2025-11-25'), views: true },
  { revision: '2025-06-18', options: legacy('2025-06-18'), views: true },
  { revision: '2026-07-28', options: modern('2026-07-28'), views: false },
  { revision: '2025-11-25', options: legacy('2025-11-25'), views: false },
  { revision: '2025-06-18', options: legacy('2025-06-18'), views: false },
  { revision: '2025-03-26', options: legacy('2025-03-26'), views: true, none: 'the revision has no _meta of tools' },
];

const calls = [];
const tools = await startTools(program);
const host = await startHost(here, tools.url, calls);
const sandbox = await startSandbox(here);
const browser = await chromium.launch({
  executablePath: process.env.MCPTOOL_CHROMIUM ?? '/usr/bin/chromium',
  // All that it loads is on this machine, and ours; root, as in a container, can have no sandbox of processes.
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const count = { passed: 0, failed: 0 };

// check runs one of them, and prints its line.
async function check(row, name, run) {
  let fault;
  try {
    await run();
  } catch (error) {
    fault = error;
  }
  count[fault ? 'failed' : 'passed']++;
  console.log(`${fault ? 'FAIL' : 'PASS'} ${row.revision} ${row.views ? 'views' : 'plain'} ${name}`);
  if (fault) console.log(`${fault.stack ?? fault}`.replace(/^/gm, '    '));
  return !fault;
}

// open opens the page of the host, connected. errors gets what the page and its frames report.
async function open(row, errors) {
  const page = await browser.newPage({ viewport: { width: 808, height: 600 } });
  page.setDefaultTimeout(10_000);
  page.on('console', message => {
    const ofView = message.location().url === 'about:srcdoc'; // the host's own libraries warn of what the host does
    if (message.type() === 'error' || (ofView && message.type() === 'warning')) errors.push(message.text());
  });
  page.on('pageerror', error => errors.push(String(error)));
  await page.goto(host.url);
  const { revision, tools: listed } = await page.evaluate(({ options, views }) => window.host.connect({ options, views }), row);
  if (revision !== row.revision) throw new Error(`the revision is ${revision}`);
  return { page, tools: listed };
}

// stage is what the checks get: the view is in its frame, and has drawn the result.
async function stage(row) {
  const errors = [];
  const { page, tools: listed } = await open(row, errors);
  const shown = await page.evaluate(([args, url]) => window.host.show('show_chart', args, url), [question, sandbox.url]);
  const view = page.frames().find(frame => frame.parentFrame()?.parentFrame());
  await view.locator('.mark').first().waitFor();
  return { page, view, tools: listed, shown, calls, errors, outside: host.url };
}

for (const row of rows) {
  if (!row.views || row.none) {
    await check(row, row.none ?? 'without views the tool is as good in text', async () => {
      const opened = await open(row, []);
      await fallback(opened);
      await opened.page.close();
    });
    continue;
  }
  let on;
  if (!await check(row, 'the view is shown', async () => { on = await stage(row); })) continue;
  if (screenshot && row === rows[0]) await check(row, 'the picture', () => picture(on));
  for (const [name, run] of Object.entries(checks)) await check(row, name, () => run(on));
  await on.page.close();
}

await check({ revision: '-', views: false }, 'opened by itself, the view says what it is', async () => {
  const { page, tools: listed } = await open(rows[0], []);
  const { contents: [{ text }] } = await page.evaluate(uri => window.host.read(uri), listed.find(({ _meta }) => _meta?.ui?.resourceUri)._meta.ui.resourceUri);
  const alone = await browser.newPage();
  await alone.setContent(text);
  await alone.getByText('a host of MCP Apps shows it').waitFor({ timeout: 5000 });
  await alone.close();
  await page.close();
});

// picture writes the screenshot: the requests of each hour, and those of the hours in which nobody could pay.
async function picture({ page, view }) {
  await view.getByRole('button', { name: 'Per hour' }).click();
  await view.getByRole('heading', { name: 'Requests per hour' }).waitFor();
  const { width, height } = await view.locator('#plot').boundingBox();
  await view.locator('#plot').hover({ position: { x: width * (48 + 660 * 84.5 / 168) / 720, y: height / 2 } });
  await page.locator('iframe').screenshot({ path: screenshot });
  await view.getByRole('button', { name: 'Per day' }).click();
  await view.getByRole('heading', { name: 'Requests per day' }).waitFor();
}

await browser.close();
host.stop();
sandbox.stop();
await check({ revision: '-', views: false }, 'the server ends with its input', () => tools.stop());
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed ? 1 : 0;
