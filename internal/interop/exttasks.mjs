// The official client of the Tasks extension, on top of the TypeScript client, version 2:
// @modelcontextprotocol/ext-tasks. Each row is one call and its task, with a server of its own.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createApplicationInputHandler, createTaskSessionFromClient, DispatchError } from '@modelcontextprotocol/ext-tasks/client';
import { brief, differs, textOf } from './facts.mjs';
import { exitFault } from './host.mjs';
import { modern } from './revisions.mjs';
import { eras as allEras } from './sdk_v2.mjs';
import { transportTo } from './transport.mjs';

export const name = 'ext-tasks';
export const eras = allEras.filter(era => era.name === modern);

const clientInfo = { name: 'mcptool-interop', version: '1.0.0' };
const clientCapabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const requestTimeout = 20_000;
const callOptions = { requestTimeoutMs: requestTimeout };

// lives are the calls and their expected outcomes. outcome holds facts; says is the text of the result. sent are the
// requests of the client; repeated ones are listed once. In the rows with cancelled the client cancels the task, at once or
// while an elicitation is open, which then gets no answer.
export const lives = {
  immediate: {
    tool: 'greet',
    arguments: { name: 'Ada' },
    outcome: { status: 'completed' },
    says: 'Hello, Ada!',
    immediate: true,
    sent: ['tools/call'],
  },
  polled: {
    tool: 'slow_compute',
    arguments: { seconds: 3, label: 'the answer' },
    outcome: { status: 'completed', task: { status: 'completed' } },
    says: 'Computed: the answer',
    sent: ['tools/call', 'tasks/get'],
  },
  resumed: {
    tool: 'slow_compute',
    arguments: { seconds: 3, label: 'the answer' },
    handOver: true,
    outcome: { status: 'completed', task: { status: 'completed' } },
    says: 'Computed: the answer',
    sent: ['tools/call', 'tasks/get'],
  },
  accepted: {
    tool: 'confirm_delete',
    arguments: { filename: 'old.txt' },
    answers: [{ asks: 'Delete old.txt?', answer: { action: 'accept', content: { confirm: true } } }],
    outcome: { status: 'completed', task: { status: 'completed' } },
    says: 'Deleted old.txt',
    sent: ['tools/call', 'tasks/get', 'tasks/update', 'tasks/get'],
  },
  declined: {
    tool: 'confirm_delete',
    arguments: { filename: 'old.txt' },
    answers: [{ asks: 'Delete old.txt?', answer: { action: 'decline' } }],
    outcome: { status: 'completed', result: { isError: true } },
    says: 'the user declined: Delete old.txt?',
    sent: ['tools/call', 'tasks/get', 'tasks/update', 'tasks/get'],
  },
  'asked-twice': {
    tool: 'multi_input',
    arguments: {},
    answers: [
      { asks: 'What is your name?', answer: { action: 'accept', content: { name: 'Ada' } } },
      { asks: 'Are you sure?', answer: { action: 'accept', content: { confirm: true } } },
    ],
    outcome: { status: 'completed' },
    says: 'Thank you, Ada',
    sent: ['tools/call', 'tasks/get', 'tasks/update', 'tasks/get'],
  },
  'failed-by-tool': {
    tool: 'failing_job',
    arguments: {},
    outcome: { status: 'completed', result: { isError: true }, task: { status: 'completed' } },
    says: 'the job failed',
    sent: ['tools/call', 'tasks/get'],
  },
  'failed-by-protocol': {
    tool: 'protocol_error_job',
    arguments: {},
    outcome: { status: 'failed', error: { code: -32021 }, task: { status: 'failed' } },
    sent: ['tools/call', 'tasks/get'],
  },
  cancelled: {
    tool: 'slow_compute',
    arguments: { seconds: 600 },
    cancelled: true,
    sent: ['tools/call', 'tasks/cancel', 'tasks/get'],
  },
  'cancelled-while-asking': {
    tool: 'confirm_delete',
    arguments: { filename: 'old.txt' },
    answers: [{ asks: 'Delete old.txt?' }],
    cancelled: true,
    sent: ['tools/call', 'tasks/get', 'tasks/cancel', 'tasks/get'],
  },
};

// examine runs one row.
export async function examine(server, { life }, era) {
  const session = await open(server, era, life.answers ?? []);
  const faults = life.cancelled ? await cancelled(session, life) : await lived(session, life);
  const sent = session.sent.filter((method, i, all) => method !== all[i - 1]);
  if (brief(sent) !== brief(life.sent)) {
    faults.push(`the client sent ${brief(session.sent)}, want ${brief(life.sent)}`);
  }
  await session.close();
  server.process.stop();
  const exit = exitFault(await server.process.exited);
  return { faults: [...faults, ...session.faults(), ...(exit ? [exit] : [])], calls: session.sent.length };
}

// lived returns the faults of a task that was not cancelled.
async function lived(session, life) {
  let execution = await session.tasks.callTool(life.tool, life.arguments, callOptions);
  const wantKind = life.immediate ? 'immediate' : 'task';
  if (execution.kind !== wantKind) {
    return [`is ${execution.kind}, want ${wantKind}`];
  }
  if (life.handOver) {
    const passed = Promise.withResolvers();
    await execution.handoff(reference => passed.resolve(JSON.stringify(reference)));
    await execution.result(); // A session that is closed before that cancels what was passed on.
    await session.renew();
    execution = await session.tasks.resumeTask(JSON.parse(await passed.promise), callOptions);
  }
  const seen = [];
  const onEvent = ({ type, task }) => type === 'task' && seen.push(task.status);
  const { outcome } = await execution.settle({ onEvent, signal: AbortSignal.timeout(requestTimeout) });

  const faults = [];
  const miss = differs(outcome, life.outcome, 'outcome');
  if (miss) {
    faults.push(`${miss}: ${outcome.error?.message ?? brief(outcome)}`);
  } else if (life.says !== undefined && textOf(outcome.result) !== life.says) {
    faults.push(`says ${brief(textOf(outcome.result))}, want ${brief(life.says)}`);
  }
  const want = life.answers ? ['input_required'] : [];
  const before = seen.filter((status, i) => !['working', outcome.task?.status].includes(status) && status !== seen[i - 1]);
  if (brief(before) !== brief(want)) {
    faults.push(`went through ${brief(seen)}, want ${brief(want)} before its end`);
  }
  return faults;
}

// cancelled returns the faults of a task that the client has cancelled.
async function cancelled({ tasks, asked }, life) {
  const execution = await tasks.callTool(life.tool, life.arguments, callOptions);
  if (life.answers) {
    await Promise.race([asked, sleep(requestTimeout)]);
  }
  await execution.cancel();
  const { outcome } = await execution.settle();
  const { status } = await tasks.task(execution.handle.taskId).snapshot();
  return [outcome.status, status]
    .filter(got => got !== 'cancelled')
    .map(got => `is ${got} when it was cancelled: ${outcome.error?.message ?? brief(outcome)}`);
}

// open connects, and opens a session of the extension's client.
async function open(server, { options, revision }, answers) {
  const faults = [];
  const { transport, wire } = transportTo(server, { Http: StreamableHTTPClientTransport });
  const client = new Client(clientInfo, { ...options, capabilities: clientCapabilities });
  client.onerror = error => faults.push(`client: ${error.message}`);
  await client.connect(transport, { timeout: requestTimeout });
  const { sent, dispatch } = below(transport);

  const questions = [...answers];
  const asked = Promise.withResolvers();
  const elicitation = ({ params }, { delivery, signal }) => {
    asked.resolve();
    const { asks, answer } = questions.shift() ?? {};
    if (params.message !== asks || delivery !== 'task-update') {
      faults.push(`asked ${brief(params.message)} by ${delivery}, want ${brief(asks)}`);
    }
    return answer ?? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  };
  const begin = () =>
    createTaskSessionFromClient(client, {
      endpointId: 'conformance',
      rawDispatch: dispatch,
      v2RequestFraming: { protocolVersion: revision, clientInfo, clientCapabilities },
      onInputRequest: createApplicationInputHandler({ elicitation }),
      onError: error => faults.push(`tasks: ${error.message}`),
    });
  return {
    tasks: begin(),
    sent,
    asked: asked.promise,
    async renew() {
      await this.tasks.close();
      this.tasks = begin();
    },
    async close() {
      await this.tasks.close();
      await client.close();
    },
    faults() {
      const statuses = wire.exchanges.map(({ status }) => status).filter(status => status !== 200);
      return [
        ...faults,
        ...questions.map(({ asks }) => `did not ask ${brief(asks)}`),
        ...(statuses.length > 0 ? [`was answered with ${brief(statuses)}`] : []),
      ];
    },
  };
}

// below sends requests directly over the transport, because the SDK does not support results that are tasks; the
// extension's client needs it. Its ids are those that are strings.
function below(transport) {
  const sent = [];
  const waiting = new Map();
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const answer = waiting.get(message.id);
    if (!answer) {
      deliver(message, extra);
    } else if ('error' in message) {
      answer({ kind: 'error', error: message.error });
    } else {
      answer({ kind: 'result', result: message.result });
    }
  };
  const dispatch = async (request, { signal } = {}) => {
    const id = `below-${sent.push(request.method)}`;
    const limit = AbortSignal.any([AbortSignal.timeout(requestTimeout), ...(signal ? [signal] : [])]);
    const { promise, resolve, reject } = Promise.withResolvers();
    const abort = () => reject(new DispatchError(`${request.method}: ${limit.reason}`));
    limit.addEventListener('abort', abort, { once: true });
    waiting.set(id, resolve);
    try {
      await transport.send({ jsonrpc: '2.0', id, ...request }, { requestSignal: limit });
      return await promise;
    } finally {
      waiting.delete(id);
      limit.removeEventListener('abort', abort);
    }
  };
  return { sent, dispatch };
}
