// Logs in to a server with the official client, calls a tool, refreshes and revokes the tokens.
//
//   node login.mjs SERVER VERSION [DOCUMENT]
//
// VERSION is the major version of the TypeScript SDK, DOCUMENT the URL of the metadata of the client;
// without it the client registers. The packages are in the directory MCPTOOL_THIRDPARTY_MODULES.
// Each line of output is JSON. After {"authorize": URL} the script reads the query of the redirect.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [server, version, clientMetadataUrl] = process.argv.slice(2);
const require = createRequire(`${process.env.MCPTOOL_THIRDPARTY_MODULES}/x.js`);
const { Client, StreamableHTTPClientTransport } = version === '2'
  ? require('@modelcontextprotocol/client')
  : { ...require('@modelcontextprotocol/sdk/client/index.js'), ...require('@modelcontextprotocol/sdk/client/streamableHttp.js') };

const redirect = 'http://127.0.0.1:3000/callback';
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const print = value => console.log(JSON.stringify(value));

let client, tokens, codeVerifier, authorizeURL, discovery;
const provider = {
  redirectUrl: redirect,
  clientMetadataUrl,
  clientMetadata: { client_name: 'Script', redirect_uris: [redirect], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
  state: () => 'state-of-script',
  clientInformation: () => client,
  saveClientInformation: c => { client = c; },
  tokens: () => tokens,
  saveTokens: t => { tokens = t; },
  codeVerifier: () => codeVerifier,
  saveCodeVerifier: v => { codeVerifier = v; },
  redirectToAuthorization: url => { authorizeURL = url.href; },
  saveDiscoveryState: d => { discovery = d; },
  discoveryState: () => discovery,
  invalidateCredentials: scope => {
    if (scope === 'all' || scope === 'tokens') tokens = undefined;
    if (scope === 'all' || scope === 'client') client = undefined;
  },
};

const transport = () => new StreamableHTTPClientTransport(new URL(server), { authProvider: provider });

// whoami calls the tool in a new connection, and returns its principal, or undefined if the user has to log in.
async function whoami() {
  authorizeURL = undefined;
  const connection = new Client({ name: 'script', version: '1.0.0' });
  try {
    await connection.connect(transport());
    return (await connection.callTool({ name: 'whoami', arguments: {} })).structuredContent.principal;
  } catch (error) {
    if (!authorizeURL) throw error;
  } finally {
    await connection.close();
  }
}

if (await whoami()) throw new Error('no login was needed');
print({ authorize: authorizeURL });
const query = new URLSearchParams((await lines.next()).value);
if (query.get('state') !== 'state-of-script') throw new Error('another state');
const login = transport();
await (version === '2' ? login.finishAuth(query) : login.finishAuth(query.get('code')));
print({ principal: await whoami(), client: client.client_id, scope: tokens.scope });

const before = tokens;
tokens = { ...tokens, access_token: 'expired' };
print({ principal: await whoami(), rotated: tokens.refresh_token !== before.refresh_token && tokens.access_token !== before.access_token });

const metadata = await (await fetch(new URL('/.well-known/oauth-authorization-server', server))).json();
const revoked = await fetch(metadata.revocation_endpoint, { method: 'POST', body: new URLSearchParams({ token: tokens.refresh_token, client_id: client.client_id }) });
if (!revoked.ok) throw new Error(`revocation: ${revoked.status}`);
print({ principal: await whoami(), authorize: authorizeURL });
process.exit(0);
