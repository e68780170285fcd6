// How agents send tools and results to a model, and how a model calls a tool, in the APIs of three vendors. Answers are
// event streams, and have only what agents need.
//
// Each API has: path, of its requests; tools, the tools of the server that a request offers, by the name
// that the server gave them, each with the name that was sent and its definition; results, the texts of the results in a request; call and say, which write an answer. Messages also
// has load, for tools that are not in requests at first.

import { listed } from '../selection.mjs';

// serverName is the name of the server in the configurations of the agents.
export const serverName = 'hub';

// bare returns the name of a tool of the server without the prefixes that agents add; undefined for other tools.
const bare = name => new RegExp(`^(?:mcp_+)?${serverName}_+(.+)$`).exec(name)?.[1];

const own = tools => tools.map(tool => ({ ...tool, name: bare(tool.sent) })).filter(({ name }) => name);

const textOf = content => (typeof content === 'string' ? content : (content ?? []).map(part => part.text ?? '').join('\n'));

function stream(response, events) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

// The Messages API of Anthropic, for Claude Code.
const messages = {
  path: /^\/v1\/messages$/,
  tools: ({ tools = [] }) => own(tools.map(({ name, description, input_schema: inputSchema }) => ({ sent: name, definition: { description, inputSchema } }))),
  results: ({ messages }) =>
    messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type, tool_use_id: id }) => type === 'tool_result' && id.startsWith('toolu_call_'))
      .map(({ content }) => textOf(content)),
  // load calls the search of the agent, once, and reports whether it did.
  load(response, asked) {
    const query = `select:${listed.concat('call_tool').map(name => `mcp__${serverName}__${name}`)}`;
    const search = (asked.tools ?? []).find(({ name }) => name === 'ToolSearch');
    const isNew = !JSON.stringify(asked.messages).includes('toolu_load');
    if (search && isNew) {
      messages.call(response, { sent: search.name }, { query, max_results: 5 }, 'load', asked);
    }
    return Boolean(search && isNew);
  },
  call: (response, tool, args, id, asked) =>
    messages.answer(response, asked, 'tool_use', { type: 'tool_use', id: `toolu_${id}`, name: tool.sent, input: {} }, {
      type: 'input_json_delta',
      partial_json: JSON.stringify(args),
    }),
  say: (response, text, asked) =>
    messages.answer(response, asked, 'end_turn', { type: 'text', text: '' }, { type: 'text_delta', text }),
  answer: (response, { model }, reason, block, delta) =>
    stream(response, [
      {
        type: 'message_start',
        message: {
          id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]),
};

// The Responses API of OpenAI, for Codex. It may offer the tools of a server as a namespace.
const responses = {
  path: /^\/v1\/responses$/,
  tools: ({ tools = [] }) =>
    own(
      tools.flatMap(tool =>
        tool.type === 'namespace'
          ? tool.tools.map(({ name, description, parameters: inputSchema }) => ({
              sent: `${tool.name}__${name}`,
              item: { namespace: tool.name, name },
              definition: { description, inputSchema },
            }))
          : [{ sent: tool.name ?? '', item: { name: tool.name } }],
      ),
    ),
  results: ({ input }) => input.filter(({ type }) => type === 'function_call_output').map(({ output }) => textOf(output)),
  call: (response, { item }, args, id) =>
    responses.answer(response, { type: 'function_call', id: `fc_${id}`, call_id: id, ...item, arguments: JSON.stringify(args) }),
  say: (response, text) =>
    responses.answer(response, { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] }),
  answer: (response, item) =>
    stream(response, [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item },
      {
        type: 'response.completed',
        response: { id: 'resp_1', usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
      },
    ]),
};

// The API of Gemini, for Gemini CLI.
const generate = {
  path: /^\/v1beta\/models\/[^/]+:(?:streamGenerateContent|generateContent)$/,
  tools: ({ tools = [] }) =>
    own(
      tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, description, parametersJsonSchema: inputSchema }) => ({ sent: name, definition: { description, inputSchema } })),
    ),
  results: ({ contents }) =>
    contents
      .flatMap(({ parts = [] }) => parts)
      .filter(({ functionResponse }) => functionResponse)
      .map(({ functionResponse: { response } }) => (typeof response.output === 'string' ? response.output : JSON.stringify(response))),
  call: (response, { sent }, args) => generate.answer(response, { functionCall: { name: sent, args } }),
  say: (response, text) => generate.answer(response, { text }),
  answer: (response, part) =>
    stream(response, [
      {
        candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      },
    ]),
};

export const apis = [messages, responses, generate];
