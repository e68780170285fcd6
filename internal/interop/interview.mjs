// A client with a simulated user: it asks the user what the tools ask, and returns the answers.

import { setTimeout as sleep } from 'node:timers/promises';
import { brief, differs, errorFaults, resultFaults } from './facts.mjs';
import { resumedNothing } from './http.mjs';
import { downgradeFields, hasElicitation } from './revisions.mjs';
import { Examination } from './session.mjs';

const patience = 10_000; // for what takes a client a moment, on a busy machine

// User answers the elicitations of one conversation, in their order, and records faults.
export class User {
  asked = 0;
  faults = [];
  #dialog = [];

  constructor({ revision }) {
    this.revision = revision;
  }

  // expect begins a conversation.
  expect(dialog) {
    this.#dialog = [...dialog];
    this.asked = 0;
    this.faults = [];
  }

  // answer gets the params of elicitation/create. An elicitation without an answer stays open until the
  // client withdraws it.
  async answer({ message, requestedSchema }, signal) {
    this.asked++;
    const question = this.#dialog.shift();
    if (!question) {
      this.faults.push(`asked more than there is to ask: ${brief(message)}`);
      return { action: 'cancel' };
    }
    const { asks, fields = {}, answer } = question;
    if (message !== asks) {
      this.faults.push(`asked ${brief(message)}, want ${brief(asks)}`);
    }
    const miss = differs(requestedSchema?.properties, downgradeFields(fields, this.revision), 'requestedSchema.properties');
    if (miss) {
      this.faults.push(miss);
    }
    if (answer) {
      return answer;
    }
    const withdrawn = new Promise(resolve => signal.addEventListener('abort', () => resolve(true), { once: true }));
    if (!signal.aborted && !(await Promise.race([withdrawn, sleep(patience, false)]))) {
      this.faults.push('the question was not withdrawn when the call was');
    }
    return { action: 'cancel' };
  }

  // left is the number of expected elicitations that were not sent.
  get left() {
    return this.#dialog.length;
  }
}

// Interview runs the conversations of an example, one after the other: each begins with the server
// in the state that the one before has left.
export class Interview extends Examination {
  constructor(session, example, era, user) {
    super(session, example, era);
    this.user = user;
  }

  async run() {
    this.identity();
    await this.tools();
    const able = hasElicitation(this.era.revision);
    if (able) {
      if (!this.example.host) {
        await this.abandoned(); // other frameworks answer what was cancelled, and leave questions open
      }
      await this.conversations();
    } else {
      // Whatever the client declares, it is not sent what its revision does not have.
      await this.asking();
      if (this.user.asked > 0) {
        this.fault('asking', `asked the user in ${this.era.revision}`);
      }
    }
    await this.end();
    const skipped = able ? undefined : `${this.era.revision} has no elicitation; calls that need it are refused`;
    return { faults: this.faults, calls: this.calls, skipped };
  }

  async conversations() {
    for (const [tool, { asking }] of Object.entries(this.example.tools)) {
      for (const [i, { dialog, error, ...sample }] of (asking?.conversations ?? []).entries()) {
        const where = `${tool} conversation ${i + 1}`;
        this.user.expect(dialog);
        const result = await this.attempt(where, () => this.call({ tool, ...asking, ...sample }));
        const faults = [...this.user.faults];
        if (this.user.left > 0) {
          faults.push(`${this.user.left} of ${dialog.length} questions were not asked`);
        }
        if (result) {
          faults.push(
            ...(error ? errorFaults(result, { mentions: error }) : resultFaults(result, sample, this.era.revision)),
          );
        }
        this.report(where, faults);
      }
    }
  }

  // abandoned: cancelling the call withdraws its elicitation.
  async abandoned() {
    for (const [tool, { asking }] of Object.entries(this.example.tools)) {
      if (!asking) {
        continue;
      }
      const where = `${tool} abandoned`;
      const [{ asks }] = asking.conversations[0].dialog;
      const giveUp = new AbortController();
      const over = Promise.withResolvers();
      this.user.expect([{ asks }]);
      const answer = this.user.answer.bind(this.user);
      this.user.answer = (params, signal) => {
        const answered = answer(params, signal);
        void answered.then(over.resolve);
        giveUp.abort('given up');
        return answered;
      };
      const outcome = await this.call({ tool, ...asking }, { signal: giveUp.signal }).catch(reason => ({ reason }));
      delete this.user.answer;
      if (!('reason' in outcome)) {
        this.fault(where, `was answered: ${brief(outcome)}`);
      } else if (this.user.asked === 0) {
        this.fault(where, `did not ask: ${outcome.reason}`);
      } else {
        await over.promise;
        this.report(where, this.session.wire ? await resumedNothing(this) : []);
      }
      this.report(where, this.user.faults);
    }
  }
}
