// The API of the server of this page, below its own address.

import { parse, read, write } from './value.js';

// text is a text of the API, such as a command line.
export async function text(path, options) {
  const response = await fetch(`api/${path}`, { cache: 'no-store', ...options }), body = await response.text();
  if (response.ok) return body;
  throw new Error(String(read(body)?.error ?? body).trim() || `${response.status} ${response.statusText}`);
}

export const get = async path => parse(await text(path));
export const post = async (path, body = {}) => parse(await text(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: write(body) }));
