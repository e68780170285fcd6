// The tools that an agent sends to its model, compared with those of bench as.

import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { isModern } from '../revisions.mjs';

// viewFaults lists the differences between the definitions that were sent, by their names, and those that bench computes for the
// server.
export async function viewFaults({ bench, client, name, server, sent, revision }) {
  const args = ['as', client, '--json', '--era', isModern(revision) ? 'modern' : 'legacy', '--name', name, '--', server.command, ...server.args];
  const { stdout } = await promisify(execFile)(bench, args, { maxBuffer: 1 << 28 });
  const computed = Object.fromEntries(
    JSON.parse(stdout)
      .tools.filter(({ definition }) => definition)
      .map(({ shown, definition }) => [shown, definition]),
  );
  const names = [...new Set([...Object.keys(sent), ...Object.keys(computed)])].sort();
  return names.flatMap(tool => {
    const [theirs, ours] = [sent[tool], computed[tool]].map(own);
    if (!theirs || !ours) {
      return [`${tool}: ${theirs ? 'bench as leaves it out' : 'the agent does not send it'}`];
    }
    return isDeepStrictEqual(theirs, ours) ? [] : [`${tool}:\nsent     ${JSON.stringify(theirs)}\ncomputed ${JSON.stringify(ours)}`];
  });
}

// own returns the parts of a definition that are compared: all but the description of the argument that Gemini CLI adds.
function own(definition) {
  if (!definition) {
    return undefined;
  }
  const { description = '', inputSchema } = structuredClone(definition);
  delete inputSchema.properties?.wait_for_previous?.description;
  return { description, inputSchema };
}
