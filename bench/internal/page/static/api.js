// The API of the server of this page, below its own address.

import { parse, write } from './value.js';

export async function get(path) {
  const response = await fetch(`api/${path}`, { cache: 'no-store' });
  return answer(response);
}

export async function post(path, body) {
  const response = await fetch(`api/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: write(body ?? {}) });
  return answer(response);
}

// text is a text of the API, such as a command line.
export async function text(path) {
  const response = await fetch(`api/${path}`, { cache: 'no-store' });
  const body = await response.text();
  if (!response.ok) throw new Error(body.trim() || response.statusText);
  return body;
}

async function answer(response) {
  const body = await response.text();
  if (!response.ok) {
    let message;
    try { message = JSON.parse(body).error; } catch { message = body; }
    throw new Error(String(message ?? '').trim() || `${response.status} ${response.statusText}`);
  }
  return body.trim() ? parse(body) : undefined;
}
