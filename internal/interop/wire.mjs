// Records what a client sends and receives over HTTP, and breaks its connections.

import { setTimeout as sleep } from 'node:timers/promises';

// Wire is the fetch of one client.
export class Wire {
  exchanges = []; // every request that was answered: { method, status, resumed, session }
  broken = 0; // event streams that were broken
  #open = new Set(); // event streams that have not ended
  #next; // for the next event stream that answers a POST

  fetch = async (url, init = {}) => {
    const method = init.method ?? 'GET';
    const response = await fetch(url, init);
    this.exchanges.push({
      method,
      status: response.status,
      resumed: new Headers(init.headers).get('last-event-id'),
      session: response.headers.get('mcp-session-id'),
    });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return response;
    }
    const breaking = method === 'POST' ? this.#next : undefined;
    return new Response(this.#watched(response.body.getReader(), breaking), response);
  };

  // breakNext breaks the next event stream that answers a POST and has a message, after the
  // first. What it returns is filled in then: lastId is the id of the last event, if it had one.
  breakNext() {
    this.#next = { lastId: undefined, done: false };
    return this.#next;
  }

  // breakOpen breaks the streams that are open now, and returns their number.
  breakOpen() {
    const streams = [...this.#open];
    for (const stream of streams) {
      stream.break();
    }
    return streams.length;
  }

  get open() {
    return this.#open.size;
  }

  #watched(reader, breaking) {
    const open = this.#open;
    const stream = {};
    const ended = fn => {
      open.delete(stream);
      fn();
    };
    const hangUp = () => void reader.cancel().catch(() => {});
    return new ReadableStream({
      start: controller => {
        open.add(stream);
        stream.break = () => {
          this.broken++;
          ended(() => controller.error(new Error('broken by the test')));
          hangUp();
        };
      },
      pull: async controller => {
        if (breaking && this.#next === breaking) {
          const { first, rest } = await untilFirstMessage(reader);
          if (first === undefined) { // The answer to a cancelled call has none: another stream is broken.
            ended(() => controller.close());
            return;
          }
          if (this.#next === breaking) {
            this.#next = undefined;
            breaking.lastId = [...first.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
            breaking.done = true;
            controller.enqueue(Buffer.from(first, 'latin1'));
            await sleep(50); // An error overtakes what the client has not read yet.
            stream.break();
            return;
          }
          controller.enqueue(Buffer.from(first + rest, 'latin1')); // Another was broken meanwhile.
          return;
        }
        const { value, done } = await reader.read().catch(reason => {
          open.delete(stream); // the client has aborted the request
          throw reason;
        });
        if (done && open.has(stream)) {
          ended(() => controller.close());
        } else if (open.has(stream)) {
          controller.enqueue(value);
        }
      },
      cancel: () => ended(hangUp),
    });
  }
}

// untilFirstMessage reads a stream up to its first message, which is undefined if there is none, and what came with it. One
// character is a byte.
async function untilFirstMessage(reader) {
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    text += Buffer.from(value ?? []).toString('latin1');
    const message = /data: \{.*\n\n/.exec(text);
    if (message) {
      const end = message.index + message[0].length;
      return { first: text.slice(0, end), rest: text.slice(end) };
    }
    if (done) {
      return {};
    }
  }
}
