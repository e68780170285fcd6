// What every client does with every example, over one connection.

import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import { brief, differs, errorFaults, mentionFaults, progressFaults, resultFaults } from './facts.mjs';
import { exitFault } from './host.mjs';
import { breakages, brokenByTest, ending } from './http.mjs';
import { prompts } from './prompts.mjs';
import { resources } from './resources.mjs';
import { hasStructured, isModern } from './revisions.mjs';
import { families, lostProgress } from './transport.mjs';

const invalidParams = -32602;
const missingCapability = -32021;
const callTimeout = { timeout: 20_000 };

// Examination drives one session through one example's table of samples and
// collects the faults.
export class Examination {
  faults = [];
  calls = 0;
  denied = 0; // calls that need somebody to be asked, where nobody can be

  constructor(session, example, era) {
    this.session = session;
    this.example = example;
    this.era = era;
  }

  async run() {
    this.identity();
    await this.tools();
    await this.samples('alone', sample => this.announced(sample));
    await this.refusals();
    await this.unknownTool();
    await this.asking();
    await prompts(this);
    await resources(this);
    await this.reports();
    await this.cancellation();
    if (this.session.wire) {
      await breakages(this);
    }
    await this.atOnce();
    if (this.session.ping) {
      await this.attempt('ping', () => this.session.ping());
    }
    await this.end();
    return { faults: this.faults, calls: this.calls };
  }

  // identity: the revision is the requested one, and the server sends its name.
  identity() {
    const { revision, server, capabilities } = this.session;
    if (revision !== this.era.revision) {
      this.fault('connect', `negotiated ${revision}, want ${this.era.revision}`);
    }
    if (server?.name !== this.example.name || !server.version) {
      this.fault('connect', `the server calls itself ${brief(server)}`);
    }
    if (!capabilities?.tools) {
      this.fault('connect', `no tools capability in ${brief(capabilities)}`);
    }
    for (const family of isModern(revision) ? families.filter(name => capabilities?.[name]?.listChanged) : []) {
      const honoured = this.session.subscription?.honoredFilter;
      if (!honoured?.[`${family}ListChanged`]) {
        this.fault('connect', `subscriptions/listen was answered with ${brief(honoured)}`);
      }
    }
  }

  // declared: the server declares a capability if the table has what it stands for, and only then.
  declared(name, want) {
    const { capabilities } = this.session;
    if (Boolean(want) !== Boolean(capabilities?.[name])) {
      this.fault('connect', want ? `no ${name} capability in ${brief(capabilities)}` : `the table has nothing for the capability ${name}`);
    }
  }

  // tools: the list is exactly that of the table.
  async tools() {
    const listed = (await this.attempt('tools/list', () => this.session.listTools())) ?? [];
    const names = listed.map(tool => tool.name).sort();
    const want = Object.keys(this.example.tools).sort();
    if (brief(names) !== brief(want)) {
      this.fault('tools/list', `lists ${names.join(', ') || 'nothing'}; the table has ${want.join(', ')}`);
    }
    for (const tool of listed) {
      if (!tool.description) {
        this.fault(tool.name, 'has no description');
      }
      const { good: [sample] = [], calls } = this.example.tools[tool.name] ?? {};
      const wantSchema = sample?.structured !== undefined && !calls && hasStructured(this.era.revision) && !this.example.omitsOutputSchemas;
      if (sample && wantSchema !== (tool.outputSchema !== undefined)) {
        this.fault(tool.name, wantSchema ? 'has no outputSchema' : 'has an outputSchema it should not have here');
      }
    }
  }

  // samples calls each good sample in turn. A client that has listed the tools
  // checks structuredContent against outputSchema by itself, and throws.
  async samples(pass, check) {
    for (const [tool, { good }] of Object.entries(this.example.tools)) {
      for (const [i, sample] of good.entries()) {
        const where = `${tool} ${pass} ${i + 1}`;
        for (const fault of (await this.attempt(where, () => check({ tool, ...sample }))) ?? []) {
          this.fault(where, fault);
        }
      }
    }
  }

  async good(sample, options) {
    const result = await this.call(sample, options);
    return [...resultFaults(result, sample, this.era.revision), ...(await this.reading(result, sample, options))];
  }

  // reading: read_result answers questions about a result that was cut, by its handle.
  async reading(result, { reads = [] }, options) {
    const handle = result._meta?.['io.github.mcptool-go/results']?.handle;
    const faults = reads.length > 0 && !handle ? [`has no handle: ${brief(result._meta)}`] : [];
    for (const { arguments: args, mentions } of handle ? reads : []) {
      const answer = await this.call({ tool: 'read_result', arguments: { handle, ...args } }, options);
      faults.push(...resultFaults(answer, { mentions }, this.era.revision));
    }
    return faults;
  }

  // announced: the client is notified when a call changed a list, and only then.
  async announced(sample) {
    const { changes } = this.session;
    const before = changes.length;
    const faults = await this.good(sample);
    for (let waits = 0; sample.announces && !changes.includes(sample.announces, before) && waits < 200; waits++) {
      await sleep(20);
    }
    if (sample.announces && !changes.includes(sample.announces, before)) {
      faults.push(`no change of the ${sample.announces} was announced`);
    }
    for (const other of changes.slice(before).filter(family => family !== sample.announces)) {
      faults.push(`a change of the ${other} was announced`);
    }
    return faults;
  }

  // refusals: arguments that do not fit, and calls that fail inside the tool.
  async refusals() {
    for (const [tool, { refused = [], failing = [] }] of Object.entries(this.example.tools)) {
      for (const [i, sample] of failing.entries()) {
        await this.failing(`${tool} failing ${i + 1}`, { tool, ...sample });
      }
      for (const [i, sample] of refused.entries()) {
        await this.failing(`${tool} refused ${i + 1}`, { tool, ...sample });
      }
    }
  }

  // failing: the call ends with an isError result.
  async failing(where, sample) {
    const result = await this.attempt(where, () => this.call(sample));
    for (const fault of result ? errorFaults(result, sample) : []) {
      this.fault(where, fault);
    }
  }

  unknownTool() {
    return this.rejected('unknown tool', { tool: 'no_such_tool', arguments: {}, mentions: ['no_such_tool'] });
  }

  // asking: this client declares no elicitation, and the error names the missing capability.
  async asking() {
    for (const [tool, { asking }] of Object.entries(this.example.tools)) {
      if (!asking) {
        continue;
      }
      this.denied++;
      const sample = { tool, ...asking, mentions: ['elicitation'] };
      if (isModern(this.era.revision)) {
        await this.rejected(`${tool} asking`, sample, missingCapability);
        continue;
      }
      const result = await this.attempt(`${tool} asking`, () => this.call(sample));
      for (const fault of result ? errorFaults(result, sample) : []) {
        this.fault(`${tool} asking`, fault);
      }
    }
  }

  // rejected: the call ends with a JSON-RPC error.
  rejected(where, sample, code) {
    return this.rejection(where, () => this.call(sample), sample, code);
  }

  // rejection: the request ends with a JSON-RPC error, with facts of its data.
  async rejection(where, request, { mentions, hides = [], data }, code = invalidParams) {
    try {
      this.fault(where, `want error ${code}, got ${brief(await request())}`);
    } catch (error) {
      const { message } = error;
      const miss = data && differs(error.data, data, 'data');
      this.report(where, [
        ...(error.code === code ? [] : [`want error ${code}, got ${error.code}: ${message}`]),
        ...(miss ? [miss] : []),
        ...mentionFaults(message, mentions),
        ...hides.filter(word => message.includes(word)).map(word => `tells ${brief(word)}`),
      ]);
    }
  }

  // reports: progress and log messages come before the answer, and in the
  // modern era only if they were requested.
  async reports() {
    if (isModern(this.era.revision) && this.session.logs.length > 0) {
      this.fault('logging', `unasked: ${brief(this.session.logs)}`);
    }
    const logging = Boolean(this.session.capabilities?.logging);
    if (logging) {
      await this.attempt('logging', () => this.session.setLogLevel('debug'));
    }
    const { steps } = this.session.transport.progress;
    await this.samples('reporting', async sample => {
      const [stepsBefore, logsBefore] = [steps.length, this.session.logs.length];
      const faults = await this.good(sample, { onprogress: () => {} });
      await tick();
      faults.push(...progressFaults(steps.slice(stepsBefore), sample));
      // A server may not support log messages for modern clients; then it does not declare them.
      const logs = this.session.logs.length > logsBefore;
      if (sample.logs && !logs && (logging || !isModern(this.era.revision))) {
        faults.push('no log message arrived');
      }
      if (logs && !logging) {
        faults.push('a log message arrived, and the capability is not declared');
      }
      return faults;
    });
  }

  // cancellation: a slow call that was cancelled is not answered. A late answer
  // would reach the client as one to an unknown request.
  async cancellation() {
    for (const [tool, { slow }] of Object.entries(this.example.tools)) {
      if (!slow) {
        continue;
      }
      const began = Date.now();
      const error = await this.call({ tool, ...slow }, { signal: AbortSignal.timeout(200) }).catch(reason => reason);
      if (!(error instanceof Error) && typeof error !== 'string') {
        this.fault(`${tool} slow`, `was answered: ${brief(error)}`);
      }
      if (Date.now() - began > 10_000) {
        this.fault(`${tool} slow`, `took ${Date.now() - began} ms to give up`);
      }
    }
  }

  // atOnce: all good samples concurrently, after everything that failed.
  async atOnce() {
    const runs = Object.entries(this.example.tools).flatMap(([tool, { good }]) =>
      good.map(async (sample, i) => {
        const where = `${tool} together ${i + 1}`;
        for (const fault of (await this.attempt(where, () => this.good({ tool, ...sample }))) ?? []) {
          this.fault(where, fault);
        }
      }),
    );
    await Promise.all(runs);
  }

  // end: the server exits with status 0 when stdin is closed.
  async end() {
    // A client breaks streams of another framework when it closes, and reports that.
    const errors = this.example.host ? [...this.session.errors] : this.session.errors;
    if (this.session.wire && !this.example.host) {
      await ending(this);
    } else {
      await this.session.settled?.();
      await this.session.close();
      this.session.transport.stop?.();
      const fault = exitFault(await this.session.transport.exited);
      if (fault) {
        this.fault('close', fault);
      }
    }
    for (const step of this.session.transport.progress.late) {
      this.fault('progress', `came after the answer: ${brief(step)}`);
    }
    for (const error of errors.filter(message => !lostProgress(message) && !brokenByTest(message))) {
      this.fault('client', error);
    }
  }

  call({ tool, arguments: args }, options) {
    this.calls++;
    return this.session.callTool({ name: tool, arguments: args }, { ...callTimeout, ...options });
  }

  async attempt(where, fn) {
    try {
      return await fn();
    } catch (error) {
      this.fault(where, error?.message ?? String(error));
      return undefined;
    }
  }

  report(where, faults) {
    for (const fault of faults) {
      this.fault(where, fault);
    }
  }

  fault(where, what) {
    this.faults.push(`${where}: ${what}`);
  }
}
