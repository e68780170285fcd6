// The messages of the protocol, for those who want them.

import { get } from './api.js';
import { button, bytes, h, long, name, plural } from './dom.js';
import { read, write } from './value.js';

const most = 1000; // shown; the transcript has all that are kept

export function messagesView(hasTranscript) {
  const list = h('ol.messages'), only = h('p.only', { hidden: true }), none = h('p.none', {}, 'There are no messages yet.');
  let last = 0, call, loading, again;
  const item = m => {
    const outgoing = m.direction === 'toServer';
    const details = h('details', { 'data-call': m.call || undefined, ontoggle: () => {
      if (!details.open || details.childElementCount > 1) return;
      const value = read(m.text);
      if (!m.text) details.append(h('p.none', {}, `A message of ${bytes(Number(m.bytes))} is not kept.`));
      else details.append(long(value === undefined ? m.text : write(value, 2), 'pre', 50_000));
    } }, h('summary', {}, h('span.direction', { title: outgoing ? 'to the server' : 'to the client' }, outgoing ? '→' : '←'),
      h('span.unseen', {}, outgoing ? 'to the server: ' : 'to the client: '), h('span.method', {}, name(m.method || 'response')),
      m.call ? h('span.id', {}, `#${m.call}`) : '', h('span.facts', {}, `${bytes(Number(m.bytes))} · `, new Date(m.time).toISOString().slice(11, 23))));
    return h('li', { hidden: call !== undefined && call !== m.call }, details);
  };
  // load fetches what is new, one request at a time.
  const load = async () => {
    if (loading) { again = true; return; }
    loading = true;
    try {
      do {
        again = false;
        const messages = await get(`messages?after=${last}`) ?? [];
        if (messages.length) last = Number(messages.at(-1).n);
        list.append(...messages.slice(-most).map(item));
        while (list.childElementCount > most) list.firstElementChild.remove();
        if (messages.length) again = true;
      } while (again);
      none.hidden = list.childElementCount > 0;
    } finally { loading = false; }
  };
  const filter = id => {
    call = id;
    for (const li of list.children) li.hidden = id !== undefined && li.firstElementChild.dataset.call !== String(id);
    only.hidden = id === undefined;
    only.replaceChildren(`Those of call #${id}. `, button('Show all', () => filter(undefined)));
  };
  const heading = h('h1', { tabindex: -1 }, 'Messages');
  return {
    heading, load, filter,
    element: h('article', {}, h('header', {}, heading, h('p.prose', {}, `What passes between this client and the server; the newest ${plural(most, 'message')}.`),
      hasTranscript && h('p', {}, h('a', { href: 'api/transcript', download: '' }, 'Save as a transcript'))), only, none, list),
  };
}
