// What every client does over HTTP beside what it does everywhere: connections break,
// sessions end, servers stop.

import { setTimeout as sleep } from 'node:timers/promises';
import { brief, progressFaults } from './facts.mjs';
import { exitFault } from './host.mjs';
import { isModern } from './revisions.mjs';

const patience = 10_000; // for what takes a client a second, on a busy machine

// breakages: connections break while something is under way.
export async function breakages(examination) {
  const { example, era } = examination;
  for (const [tool, { good }] of Object.entries(example.tools)) {
    for (const sample of good.filter(({ progress }) => progress)) {
      const check = isModern(era.revision) ? brokenCall : resumedCall;
      await examination.attempt(`${tool} broken`, () => check(examination, { tool, ...sample }));
    }
    for (const sample of good.filter(({ announces }) => announces)) {
      const check = isModern(era.revision) ? brokenSubscription : brokenStream;
      await examination.attempt(`${tool} broken`, () => check(examination, { tool, ...sample }));
    }
  }
  if (example.resources?.updates) {
    await examination.attempt('updates broken', () => brokenUpdates(examination, example.resources.updates));
  }
}

// brokenUpdates: a client that has subscribed to a resource gets the update that was due while its stream was broken; in the
// modern era it learns that the subscription has ended, and opens another.
async function brokenUpdates(examination, { uri, ...update }) {
  const { session, era } = examination;
  let subscription = await session.follow(uri);
  session.updates.length = 0;
  const faults = [];
  if (isModern(era.revision)) {
    session.wire.breakOpen();
    for (const { closed } of [subscription, session.subscription].filter(Boolean)) {
      const end = await Promise.race([closed, sleep(patience, 'nothing')]);
      faults.push(...(end === 'remote' ? [] : [`of the end of its subscription the client was told ${end}`]));
    }
    if (session.subscription) {
      session.subscription = await session.subscribe();
    }
    subscription = await session.follow(uri);
  } else {
    await breakOnly(session.wire, faults);
  }
  await examination.call(update);
  await until(() => session.updates.length > 0);
  if (brief(session.updates) !== brief([uri])) {
    faults.push(`updates of ${brief(session.updates)} arrived`);
  }
  await subscription.close();
  examination.report('updates broken', faults);
}

// resumedCall: a client that reconnects for the rest of a call gets all of it, once.
async function resumedCall(examination, sample) {
  const { wire, transport } = examination.session;
  const before = transport.progress.steps.length;
  const broken = wire.breakNext();
  const faults = await examination.good(sample, { onprogress: () => {} });
  const steps = transport.progress.steps.slice(before);
  if (!broken.done) {
    faults.push('its answer was no event stream');
  } else if (!wire.exchanges.some(({ method, status, resumed }) => method === 'GET' && status === 200 && resumed === broken.lastId)) {
    faults.push(`the client was not served again after ${broken.lastId}: ${brief(wire.exchanges.slice(-3))}`);
  }
  faults.push(...progressFaults(steps, sample));
  report(examination, sample, faults);
}

// brokenCall: streams of the modern era cannot be resumed. The client gets an error, and nothing else is affected.
async function brokenCall(examination, sample) {
  const { wire } = examination.session;
  const broken = wire.breakNext();
  const [outcome] = await Promise.allSettled([examination.call(sample, { onprogress: () => {}, timeout: 2_000 })]);
  const faults = await examination.good(sample);
  if (!broken.done) {
    faults.push('its answer was no event stream');
  }
  if (outcome.status === 'fulfilled') {
    faults.push(`was answered, with its stream broken: ${brief(outcome.value)}`);
  }
  if (broken.lastId !== undefined) {
    faults.push(`its events have ids, which cannot be resumed from: ${broken.lastId}`);
  }
  report(examination, sample, faults);
}

// brokenStream: notifications that were due while the client's stream was broken are sent when it reconnects.
async function brokenStream(examination, sample) {
  const { session } = examination;
  const faults = [];
  await breakOnly(session.wire, faults);
  faults.push(...(await examination.announced(sample)));
  report(examination, sample, faults);
}

// brokenSubscription: the client learns that its subscription has ended, and can open another.
async function brokenSubscription(examination, sample) {
  const { session } = examination;
  const faults = [];
  await breakOnly(session.wire, faults);
  const end = await Promise.race([session.subscription.closed, sleep(patience, 'nothing')]);
  if (end !== 'remote') {
    faults.push(`of the end of its subscription the client was told ${end}`);
  }
  session.subscription = await session.subscribe();
  faults.push(...(await examination.announced(sample)));
  report(examination, sample, faults);
}

// resumedNothing: before the modern era a client reconnects to the stream of a call that it has cancelled
// itself. The answer is that nothing follows, and it does not reconnect again.
export async function resumedNothing({ session, era }) {
  if (isModern(era.revision)) {
    return [];
  }
  const resumed = () => session.wire.exchanges.filter(exchange => exchange.resumed !== null).map(({ status }) => status);
  await until(() => resumed().length > 0);
  await sleep(200);
  return brief(resumed()) === '[204]' ? [] : [`the client asked for the rest of it and was answered with ${brief(resumed())}`];
}

// ending: a session ends when the client ends it; the process and its subscriptions end when its
// stdin is closed.
export async function ending(examination) {
  const { session, era } = examination;
  const [begun, ...others] = session.wire.exchanges.map(exchange => exchange.session).filter(id => id !== null);
  if (isModern(era.revision)) {
    if (begun !== undefined) {
      examination.fault('session', `the server named one: ${begun}`);
    }
    session.transport.stop();
    const end = await Promise.race([session.subscription?.closed, sleep(patience, 'nothing')]);
    if (session.subscription && end !== 'graceful') {
      examination.fault('close', `of the end of its subscription the client was told ${end}`);
    }
    await session.close();
  } else {
    await examination.attempt('session', () => ended(examination, begun));
    session.transport.stop();
  }
  const statuses = session.wire.exchanges.map(({ status }) => status).filter(status => ![200, 202, 204].includes(status));
  const want = isModern(era.revision) ? Array(examination.denied).fill(400) : []; // for the lack of a capability
  if (brief(statuses) !== brief(want)) {
    examination.fault('status', `want ${brief(want)} beside those that mean success, got ${brief(statuses)}`);
  }
  if (others.some(id => id !== begun)) {
    examination.fault('session', 'the server named more than one');
  }
  const fault = exitFault(await session.transport.exited);
  if (fault) {
    examination.fault('close', fault);
  }
}

// ended: the client ends its session, which then no longer exists.
async function ended(examination, id) {
  const { session } = examination;
  if (!id) {
    examination.fault('session', 'the server named none');
  }
  await session.endSession();
  await until(() => session.wire.open === 0);
  if (session.wire.open > 0) {
    examination.fault('session', 'streams are open after its end');
  }
  await session.close();
  const { status } = await fetch(session.transport.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-session-id': id },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  if (status !== 404) {
    examination.fault('session', `the server answers ${status} when it has ended`);
  }
}

// brokenByTest are the errors that a client reports because its streams were broken here.
export const brokenByTest = message => /^SSE stream disconnected: .*broken by the test/.test(message);

// breakOnly breaks the one stream that is open while no call is running.
async function breakOnly(wire, faults) {
  await until(() => wire.open === 1);
  const open = wire.breakOpen();
  if (open !== 1) {
    faults.push(`the client has ${open} streams open instead of one`);
  }
}

function report(examination, { tool }, faults) {
  for (const fault of faults) {
    examination.fault(`${tool} broken`, fault);
  }
}

async function until(condition) {
  for (let waited = 0; !condition() && waited < patience; waited += 20) {
    await sleep(20);
  }
}
