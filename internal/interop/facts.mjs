// Compares what a client received with the facts a sample states.

import { isDeepStrictEqual } from 'node:util';
import { downgrade, hasStructured, isWrapped } from './revisions.mjs';

// differs returns where got lacks a fact of want, or undefined. Objects may
// have more members than the facts; arrays have their exact length.
export function differs(got, want, path = '') {
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) {
      return `${path || 'value'}: want ${want.length} elements, got ${brief(got)}`;
    }
    return firstOf(want, (item, i) => differs(got[i], item, `${path}[${i}]`));
  }
  if (want !== null && typeof want === 'object') {
    if (got === null || typeof got !== 'object' || Array.isArray(got)) {
      return `${path || 'value'}: want an object, got ${brief(got)}`;
    }
    return firstOf(Object.entries(want), ([key, item]) => differs(got[key], item, path ? `${path}.${key}` : key));
  }
  return Object.is(got, want) ? undefined : `${path || 'value'}: want ${brief(want)}, got ${brief(got)}`;
}

// resultFaults lists what is wrong with the result of a sample that must
// succeed.
export function resultFaults(result, sample, revision) {
  if (result.isError) {
    return [`is an error: ${brief(textOf(result))}`];
  }
  return [
    ...structuredFaults(result, sample, revision),
    ...contentFaults(result, sample, revision),
    ...mentionFaults(textOf(result), sample.mentions),
  ];
}

// errorFaults lists what is wrong with the result of a sample that must come
// back as the tool's own error.
export function errorFaults(result, { mentions, hides = [] }) {
  if (!result.isError) {
    return [`want isError, got ${brief(result)}`];
  }
  const told = hides.filter(word => textOf(result).includes(word)).map(word => `tells ${brief(word)}`);
  return [...told, ...mentionFaults(textOf(result), mentions)];
}

// mentionFaults lists the words that are missing in text.
export function mentionFaults(text, mentions = []) {
  return mentions.filter(word => !text.includes(word)).map(word => `does not mention ${brief(word)}: ${brief(text)}`);
}

// progressFaults lists what is wrong with the progress messages of a sample.
export function progressFaults(steps, { progress }) {
  const faults = [];
  if (progress && steps.length === 0) {
    faults.push('no progress arrived');
  } else if (typeof progress === 'number' && steps.length !== progress) {
    faults.push(`want ${progress} messages of progress, got ${brief(steps)}`);
  }
  if (steps.some((step, i) => i > 0 && step.progress <= steps[i - 1].progress)) {
    faults.push(`progress does not grow: ${brief(steps)}`);
  }
  return faults;
}

function structuredFaults(result, { structured }, revision) {
  const got = result.structuredContent;
  if (structured === undefined) {
    return got === undefined ? [] : [`unexpected structuredContent ${brief(got)}`];
  }
  // A tool that returns a string sends it as the text, any other value as its JSON.
  const read = text => (typeof structured === 'string' ? [{ value: text }] : parsed(text));
  const texts = result.content.filter(block => block.type === 'text').flatMap(block => read(block.text));
  if (!hasStructured(revision)) {
    const misses = texts.map(({ value }) => differs(value, structured, 'JSON text block'));
    return [
      ...(got === undefined ? [] : [`structuredContent does not exist in ${revision}`]),
      ...(texts.length === 0 ? ['no text block is JSON'] : misses.includes(undefined) ? [] : [misses[0]]),
    ];
  }
  const value = isWrapped(structured, revision) ? got?.result : got;
  const miss = differs(value, structured, 'structuredContent');
  if (miss) {
    return [miss];
  }
  return texts.some(text => isDeepStrictEqual(text.value, value))
    ? []
    : ['no text block has the value of structuredContent'];
}

function contentFaults(result, { content = [] }, revision) {
  const faults = [];
  let from = 0;
  for (const want of content.map(block => downgrade(block, revision))) {
    const i = result.content.findIndex((block, at) => at >= from && differs(block, want) === undefined);
    if (i < 0) {
      faults.push(`no content block ${brief(want)} in ${brief(result.content)}`);
      break;
    }
    from = i + 1;
  }
  return faults;
}

export const textOf = result =>
  result.content
    .filter(block => block.type === 'text')
    .map(block => block.text)
    .join('\n');

// brief is a value as short JSON, for one line of a report.
export function brief(value) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

// parsed is the JSON value of text, or nothing.
function parsed(text) {
  try {
    return [{ value: JSON.parse(text) }];
  } catch {
    return [];
  }
}

function firstOf(items, fn) {
  for (const [i, item] of items.entries()) {
    const found = fn(item, i);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
