// What the extension's own package has to say of the messages: its closed JSON schemas.

import Ajv2020 from 'ajv/dist/2020.js';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const { $defs } = JSON.parse(await readFile(fileURLToPath(import.meta.resolve('@modelcontextprotocol/ext-apps/schema.json')), 'utf8'));
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });

// faultsOf returns what is wrong with a value for the definition of that name, as lines.
export function faultsOf(name, value) {
  if (!$defs[name]) throw new Error(`the extension has no ${name}`);
  const validate = ajv.compile($defs[name]);
  return validate(value) ? [] : validate.errors.map(error => `${name}${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`);
}

const definitions = {
  'ui/initialize': 'McpUiInitializeRequest',
  'ui/notifications/initialized': 'McpUiInitializedNotification',
  'ui/notifications/size-changed': 'McpUiSizeChangedNotification',
};

// faultsOfMessage is faultsOf for a message that a view has sent: method and params, without what JSON-RPC adds.
export function faultsOfMessage({ jsonrpc, id, ...message }) {
  if (jsonrpc !== '2.0') return [`a message without jsonrpc: ${JSON.stringify(message)}`];
  if (message.method === 'tools/call') return []; // of the protocol itself: the server checks it
  if (message.method === undefined) return message.result === undefined ? [`an answer without a result: ${JSON.stringify(message)}`] : [];
  const name = definitions[message.method];
  return name ? faultsOf(name, message) : [`a message that this view has no reason to send: ${message.method}`];
}
