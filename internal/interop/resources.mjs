// What every client does with the resources of an example, and with their updates.

import { setTimeout as sleep } from 'node:timers/promises';
import { brief, differs } from './facts.mjs';
import { isModern } from './revisions.mjs';
import { completions } from './prompts.mjs';

const patience = 10_000; // for what takes a client a moment, on a busy machine
const apart = 110; // milliseconds; updates of one URI that are closer may be sent as one

// resources lists and reads what the table has, and what is listed, and completes variables.
export async function resources(examination) {
  const { example, session } = examination;
  examination.declared('resources', example.resources);
  if (!example.resources) {
    return;
  }
  const { listed, templates = {}, reads = [], missing = [], refused = [], failing = [], updates } = example.resources;
  const found = (await examination.attempt('resources/list', () => session.listResources())) ?? [];
  examination.report('resources/list', listFaults(found.map(({ uri }) => uri), listed));
  const broken = failing.map(({ uri }) => uri);
  for (const { uri } of found.filter(({ uri }) => !broken.includes(uri))) {
    const result = await examination.attempt(uri, () => session.readResource({ uri }));
    examination.report(uri, result ? readFaults(result, {}) : []);
  }
  for (const sample of reads) {
    const result = await examination.attempt(sample.uri, () => session.readResource({ uri: sample.uri }));
    examination.report(sample.uri, result ? readFaults(result, sample) : []);
  }
  for (const uri of missing) {
    await examination.rejection(uri, () => session.readResource({ uri }), { data: { uri } }, notFound(session.revision));
  }
  for (const sample of refused) {
    await examination.rejection(sample.uri, () => session.readResource({ uri: sample.uri }), sample);
  }
  for (const sample of failing) {
    await examination.rejection(sample.uri, () => session.readResource({ uri: sample.uri }), sample, -32603);
  }
  const shown = (await examination.attempt('resources/templates/list', () => session.listTemplates())) ?? [];
  examination.report('resources/templates/list', listFaults(shown.map(({ uriTemplate }) => uriTemplate), Object.keys(templates)));
  for (const [uri, { completes = [] }] of Object.entries(templates)) {
    await completions(examination, { type: 'ref/resource', uri }, completes);
  }
  if (updates) {
    await examination.attempt('updates', () => followed(examination, updates));
  }
}

// followed: a client that has subscribed gets each update, and the last of many at once, and none before and after.
async function followed(examination, { uri, tool, arguments: args, times, burst }) {
  const { session } = examination;
  const fault = what => examination.fault('updates', what);
  const update = also => examination.call({ tool, arguments: { ...args, ...also } });
  const none = async when => {
    const before = session.updates.length;
    await update();
    await sleep(3 * apart);
    if (session.updates.length > before) {
      fault(`${session.updates.length - before} arrived ${when}`);
    }
  };
  await none('before the client has subscribed');
  const subscription = await session.follow(uri);
  session.updates.length = 0;
  for (let i = 1; i <= times; i++) {
    await update();
    await arrived(() => session.updates.length >= i);
    if (session.updates.length !== i) {
      fault(`${session.updates.length} arrived instead of ${i}`);
      break;
    }
    await sleep(apart);
  }
  if (burst) {
    await burstRead(examination, { uri, update, burst });
  }
  if (session.updates.some(it => it !== uri)) {
    fault(`of other resources: ${brief(session.updates)}`);
  }
  await subscription.close();
  await sleep(apart);
  await none('after the client has unsubscribed');
  await followNothing(examination);
}

// burstRead: who reads whenever it is notified, while a value changes faster than it is notified, has read the last value in
// the end.
async function burstRead(examination, { uri, update, burst }) {
  const { session } = examination;
  const value = async () => (await session.readResource({ uri })).contents[0].text;
  session.updates.length = 0;
  const want = String(Number(await value()) + burst.adds);
  const done = update(burst.arguments);
  let read;
  for (let seen = 0; read !== want; seen = session.updates.length) {
    await arrived(() => session.updates.length > seen);
    if (session.updates.length <= seen) {
      examination.fault('updates', `notified ${seen} times while a value changed ${burst.adds} times, the client has read ${read} instead of ${want}`);
      break;
    }
    read = await value();
  }
  await done;
}

// followNothing: a client cannot subscribe to what does not exist.
async function followNothing(examination) {
  const { session } = examination;
  const uri = 'none:///none';
  if (!isModern(session.revision)) {
    await examination.rejection('subscribe to nothing', () => session.follow(uri), { data: { uri } }, notFound(session.revision));
    return;
  }
  const subscription = await session.follow(uri);
  if (subscription.honoredFilter.resourceSubscriptions?.length > 0) {
    examination.fault('subscribe to nothing', `was acknowledged: ${brief(subscription.honoredFilter)}`);
  }
  await subscription.close();
}

export async function arrived(condition) {
  for (let waited = 0; !condition() && waited < patience; waited += 10) {
    await sleep(10);
  }
}

const notFound = revision => (isModern(revision) ? -32602 : -32002);

// listFaults: what is listed is exactly what the table has; * there stands for any text.
export function listFaults(listed, want) {
  const fits = (uri, pattern) => {
    const [begin, end] = pattern.split('*');
    return end === undefined ? uri === pattern : uri.startsWith(begin) && uri.endsWith(end);
  };
  const [got, sorted] = [[...listed].sort(), [...want].sort()];
  return got.length === sorted.length && got.every((uri, i) => fits(uri, sorted[i]))
    ? []
    : [`lists ${got.join(', ') || 'nothing'}; the table has ${sorted.join(', ')}`];
}

// readFaults lists what is wrong with what was read. Every part is text or a blob.
export function readFaults(result, { contents }) {
  const miss = contents && differs(result.contents, contents, 'contents');
  const odd = result.contents.filter(({ text, blob }) => (text === undefined) === (blob === undefined));
  return [...(miss ? [miss] : []), ...odd.map(part => `neither text nor a blob, or both: ${brief(part)}`)];
}
