// What has to be true of the view of examples/chart. Each check gets the same stage, in this order: the page of the host,
// the frame of the view, what the host knows of the tools, and the calls that have reached the server.

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { faultsOf, faultsOfMessage } from './schema.mjs';

const mimeType = 'text/html;profile=mcp-app';
export const question = { series: ['search', 'products', 'cart'], days: 7 };

// drawn returns the marks of the chart as the view's user sees them.
const drawn = view => view.locator('.mark').evaluateAll(marks => marks.map(mark => ({
  series: mark.dataset.series,
  time: mark.dataset.time,
  value: Number(mark.dataset.value),
  x: Number(mark.getAttribute('cx') ?? mark.getAttribute('x')),
  y: Number(mark.getAttribute('cy') ?? mark.getAttribute('y')),
})));

const expected = ({ times, series }) => series.flatMap(({ name, values }) => values.map((value, i) => ({ series: name, time: times[i], value })));

// assertDrawn compares every mark with the data, and its height with its value.
async function assertDrawn(view, chart) {
  const marks = await drawn(view);
  assert.deepEqual(marks.map(({ series, time, value }) => ({ series, time, value })), expected(chart));
  const [lowest, highest] = [Math.min, Math.max].map(choose => marks.find(({ value }) => value === choose(...marks.map(mark => mark.value))));
  const slope = (highest.y - lowest.y) / (highest.value - lowest.value);
  assert.ok(slope < 0, 'more is drawn higher');
  for (const { value, y, series, time } of marks) {
    assert.ok(Math.abs(lowest.y + (value - lowest.value) * slope - y) < 0.01, `${series} at ${time}: ${value} is drawn at ${y}`);
  }
}

const status = view => view.getByRole('status').innerText();

// until waits for what becomes true.
async function until(what, holds) {
  for (let tries = 0; tries < 100; tries++) {
    if (await holds()) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  assert.fail(`after 5 seconds not: ${what}`);
}

const without = (chart, name) => ({ ...chart, series: chart.series.filter(series => series.name !== name) });

export const checks = {
  'the tool names its view, and the resource is one'({ tools, shown }) {
    const tool = tools.find(({ name }) => name === 'show_chart');
    assert.deepEqual(faultsOf('McpUiToolMeta', tool._meta.ui), []);
    assert.match(shown.uri, /^ui:\/\/chart\/chart-[0-9a-f]{8,}\.html$/);
    assert.equal(tool._meta.ui.resourceUri, shown.uri);
    assert.equal(tool._meta['ui/resourceUri'], shown.uri);
    assert.equal(shown.contents.length, 1);
    const [{ uri, mimeType: type, text, _meta }] = shown.contents;
    assert.equal(uri, shown.uri);
    assert.equal(type, mimeType);
    assert.match(text, /^<!doctype html>/i);
    assert.deepEqual(faultsOf('McpUiResourceMeta', _meta.ui), []);
    assert.deepEqual(_meta.ui, { prefersBorder: true });
  },

  'the other tool is for views only'({ tools }) {
    const tool = tools.find(({ name }) => name === 'chart_points');
    assert.deepEqual(faultsOf('McpUiToolMeta', tool._meta.ui), []);
    assert.deepEqual(tool._meta, { ui: { visibility: ['app'] } });
  },

  'the points that are drawn are those of structuredContent'({ view, shown }) {
    return assertDrawn(view, shown.result.structuredContent);
  },

  'the result reads as text, too'({ shown }) {
    assert.match(shown.result.content[0].text, /^Requests per day, 7 days to 29 March 2026 \(UTC\):\n- search: \d+ in all/);
  },

  async 'the keyboard shows the values of each time, and says them'({ view, shown: { result: { structuredContent: chart } } }) {
    await view.getByRole('group', { name: 'Requests per day' }).press('ArrowRight');
    const said = await status(view);
    for (const { name, values } of chart.series) assert.ok(said.includes(`${name} ${values[0].toLocaleString('en-GB')}`), said);
    await view.locator('#plot').press('End');
    assert.ok((await view.locator('#values').innerText()).includes(chart.series[0].values.at(-1).toLocaleString('en-GB')));
    await view.locator('#plot').press('Escape');
    assert.ok(await view.locator('#values').isHidden());
  },

  async 'the pointer shows the values of its time'({ view, shown: { result: { structuredContent: chart } } }) {
    const { width, height } = await view.locator('#plot').boundingBox();
    await view.locator('#plot').hover({ position: { x: width * (48 + 660 * 2.5 / 7) / 720, y: height / 2 } });
    const values = await view.locator('#values').innerText();
    for (const series of chart.series) assert.ok(values.includes(series.values[2].toLocaleString('en-GB')), values);
  },

  async 'the legend hides a series and shows it again'({ view, shown: { result: { structuredContent: chart } } }) {
    const button = view.getByRole('button', { name: 'products' });
    await button.click();
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
    await assertDrawn(view, without(chart, 'products'));
    await button.press('Enter');
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    await assertDrawn(view, chart);
  },

  async 'it draws bars, and lines again'({ view, shown: { result: { structuredContent: chart } } }) {
    await view.getByRole('button', { name: 'Bars' }).click();
    assert.equal(await view.locator('rect.mark').count(), 21);
    await assertDrawn(view, chart);
    await view.getByRole('button', { name: 'Lines' }).click();
    assert.equal(await view.locator('circle.mark').count(), 21);
  },

  async 'it follows the theme of the host'({ page, view }) {
    const color = () => view.locator('body').evaluate(body => getComputedStyle(body).backgroundColor);
    const light = await color();
    await page.evaluate(() => window.host.setContext({ theme: 'dark' }));
    await until('dark', async () => await color() === 'rgb(22, 24, 29)');
    await page.evaluate(() => window.host.setContext({ theme: 'light' }));
    await until('light', async () => await color() === light);
  },

  async 'a click calls the tool for views, and what it returns is drawn'({ page, view, calls }) {
    const before = calls.length;
    await view.getByRole('button', { name: 'Per hour' }).click();
    await until('168 points of each series', async () => await view.locator('.mark').count() === 3 * 168);
    const asked = { days: 7, per: 'hour', series: question.series };
    assert.deepEqual(calls.slice(before).map(({ name, arguments: args }) => ({ name, args })), [{ name: 'chart_points', args: asked }]);
    const again = await page.evaluate(args => window.host.call('chart_points', args), asked);
    await assertDrawn(view, again.structuredContent);
    assert.equal(await view.getByRole('heading').innerText(), 'Requests per hour');
    assert.equal(await view.getByRole('button', { name: 'Per hour' }).getAttribute('aria-pressed'), 'true');
  },

  async 'only its host can tell it something'({ page, view }) {
    const before = await drawn(view);
    await page.evaluate(() => window.host.impersonate({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { content: [{ type: 'text', text: 'Not the host' }], isError: true } }));
    await new Promise(resolve => setTimeout(resolve, 200));
    assert.deepEqual(await drawn(view), before);
    assert.ok(!(await status(view)).includes('Not the host'));
  },

  async 'it says why a call failed, and keeps the chart'({ page, view }) {
    const before = await drawn(view);
    await page.evaluate(() => window.host.failCalls('the user said no'));
    await view.getByRole('button', { name: 'Per day' }).click();
    await until('the reason is shown', async () => (await status(view)).includes('the user said no'));
    assert.deepEqual(await drawn(view), before);
  },

  async 'it shows an error of the tool, and that the call was cancelled'({ page, view }) {
    await page.evaluate(() => window.host.sendResult({ isError: true, content: [{ type: 'text', text: 'the log is gone' }] }));
    await until('the error is shown', async () => await status(view) === 'the log is gone');
    await page.evaluate(() => window.host.cancel('you pressed Stop'));
    await until('the reason is shown', async () => await status(view) === 'Cancelled: you pressed Stop.');
  },

  async 'what it is sent is text, and no HTML'({ page, view, shown: { result } }) {
    const name = '<img src=x onerror="throw 1">';
    const { structuredContent: chart } = result;
    const hostile = { ...chart, title: name, series: [{ ...chart.series[0], name }] };
    await page.evaluate(content => window.host.sendResult({ content: [], structuredContent: content }), hostile);
    await view.getByRole('heading', { name }).waitFor();
    await view.locator('#plot').press('Home');
    await assertDrawn(view, hostile);
    assert.equal(await view.locator('img').count(), 0);
  },

  async 'every message of the view fits the schemas of the extension'({ page }) {
    const messages = await page.evaluate(() => window.host.messages());
    assert.deepEqual(messages.flatMap(faultsOfMessage), []);
    const methods = messages.map(({ method }) => method);
    assert.deepEqual(methods.slice(0, 2), ['ui/initialize', 'ui/notifications/initialized']);
    for (const method of ['ui/notifications/size-changed', 'tools/call']) assert.ok(methods.includes(method), `no ${method}`);
  },

  // The last but one: until here nothing may have been refused, and this shows that it would have been seen.
  async 'no errors; the policy is in force'({ view, errors, outside }) {
    assert.deepEqual(errors.splice(0), []);
    const answers = await view.evaluate(url => fetch(url).then(() => 'loaded', () => 'refused'), outside);
    assert.equal(answers, 'refused');
    await until('the console has the violation', () => errors.some(error => error.includes('Content Security Policy')));
    errors.splice(0);
  },

  async 'it ends when the host says so'({ page, errors }) {
    const answer = await page.evaluate(() => window.host.remove());
    assert.ok(isDeepStrictEqual(answer, {}), JSON.stringify(answer));
    assert.deepEqual(faultsOf('McpUiResourceTeardownResult', answer), []);
    assert.equal(await page.locator('iframe').count(), 0);
    assert.deepEqual(errors, []);
  },
};

// fallback is what has to be true of a client that renders no views, or of a revision that has none.
export async function fallback({ page, tools }) {
  for (const { name, _meta } of tools) {
    assert.equal(_meta?.ui, undefined, `${name} has _meta.ui`);
    assert.equal(_meta?.['ui/resourceUri'], undefined, `${name} has the flat key`);
  }
  const { content, isError } = await page.evaluate(args => window.host.call('show_chart', args), question);
  assert.notEqual(isError, true);
  const [{ text }] = content;
  for (const name of question.series) assert.ok(text.includes(`- ${name}: `), text);
}
