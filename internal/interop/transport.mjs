// Watches a client's stdio transport: what the server sent, in its order, and
// how the process ended.

// watch taps a transport whose client has connected. Both SDKs keep the process
// in a private field; their versions are pinned, and a moved field fails here.
export function watch(transport) {
  const child = transport._process;
  if (!child) {
    throw new Error('the transport keeps its process elsewhere now; adapt transport.mjs');
  }
  let stderr = '';
  transport.stderr?.on('data', chunk => {
    stderr = (stderr + chunk).slice(-4096);
  });
  return {
    progress: tapProgress(transport),
    exited: new Promise(resolve => child.once('exit', (code, signal) => resolve({ code, signal }))),
    stderr: () => stderr,
    kill: () => child.kill('SIGKILL'),
  };
}

// lostProgress is how both SDKs complain of a progress message they could not
// hand on. They do so also when the message came before the answer but in the
// same read: notifications are handled one turn later than answers. So what
// arrived is counted here, not by the onprogress callback.
export const lostProgress = message => message.startsWith('Received a progress notification for an unknown token');

// tapProgress collects the progress messages of each request, by its id, which
// is the token both SDKs send, and those that came after the answer.
function tapProgress(transport) {
  const answered = new Set();
  const steps = [];
  const late = [];
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (message.method === 'notifications/progress') {
      (answered.has(message.params.progressToken) ? late : steps).push(message.params);
    } else if (message.method === undefined) {
      answered.add(message.id);
    }
    deliver(message, extra);
  };
  return { steps, late };
}

// exitFault says what is wrong with the end of a server whose stdin was closed,
// or returns undefined: it has to leave by itself, with status 0.
export function exitFault({ code, signal }) {
  if (signal) {
    return `the server had to be ended with ${signal}`;
  }
  return code === 0 ? undefined : `the server exited with status ${code}`;
}
