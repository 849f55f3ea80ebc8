// The stand-in for GitHub in one process, on free loopback ports:
//
//   the App and people ──> front: every request is checked against GitHub's OpenAPI ──> emulate (npm), state in memory
//   emulate ──> hooks: every delivery gets GitHub's headers and an id of its own, is kept, and goes on to the target
//   the tests ──> control: violations, journal, deliveries, target
//
// Started with a JSON object as its only argument: {root, secret, key, app, slug, installation, org, people, repositories}.
// Prints one line of JSON with its addresses when it is ready. Ends when its standard input ends, so that it never
// outlives the test that started it.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load } from './openapi.mjs';

const world = JSON.parse(process.argv[2]);
const require = createRequire(join(world.root, 'package.json'));
const { createEmulator } = await import(pathToFileURL(join(world.root, 'node_modules/emulate/dist/api.js')));
const { OpenAPIBackend } = require('openapi-backend');
const openapi = await load(JSON.parse(readFileSync(join(world.root, 'openapi.json'))), OpenAPIBackend);

const violations = [];
const journal = [];
const deliveries = [];
let target = null;

function listen(handle) {
  const server = createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      Promise.resolve(handle(req, res, Buffer.concat(chunks))).catch((error) => json(res, 502, { message: String(error) }));
    });
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
}

function json(res, status, body) {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The App's own requests carry a JWT or an installation's token. */
function caller(req) {
  const token = (req.headers.authorization ?? '').replace(/^(bearer|token) /i, '');
  return token.startsWith('ghs_') || token.split('.').length === 3 ? 'app' : 'person';
}

async function front(req, res, body) {
  const entry = { caller: caller(req), method: req.method, path: req.url, status: 0 };
  journal.push(entry);
  res.on('finish', () => { entry.status = res.statusCode; });
  // GraphQL has no OpenAPI description; the emulator answers 404, as a server without it does.
  if (!/^\/(api\/)?graphql$/.test(req.url)) {
    const { operation, errors } = openapi.check({ method: req.method, url: req.url, headers: req.headers, body });
    if (errors.length) {
      violations.push({ method: req.method, path: req.url, operation, errors });
      return json(res, 422, { message: 'the request breaks GitHub\'s OpenAPI description', errors });
    }
    const example = openapi.example(operation);
    if (example) return json(res, example.status, example.mock);
  }
  const headers = { ...req.headers };
  const onward = httpRequest({ host: '127.0.0.1', port: emulatorPort, method: req.method, path: req.url, headers }, (answer) => {
    res.writeHead(answer.statusCode, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', (error) => json(res, 502, { message: String(error) }));
  onward.end(body);
}

function hooks(req, res, body) {
  const delivery = {
    id: randomUUID(),
    event: req.headers['x-github-event'],
    signature: req.headers['x-hub-signature-256'],
    body: body.toString('utf8'),
    answer: null, // the target's status, once there is one; 0 = it could not be reached
  };
  deliveries.push(delivery);
  json(res, 202, {});
  if (!target) return;
  fetch(target, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/standin',
      'x-github-event': delivery.event,
      'x-github-delivery': delivery.id,
      'x-github-hook-id': '1',
      'x-github-hook-installation-target-type': 'integration',
      'x-github-hook-installation-target-id': String(world.app),
      'x-hub-signature-256': delivery.signature,
    },
  }).then(
    (answer) => { delivery.answer = answer.status; },
    () => { delivery.answer = 0; }, // GitHub does not repeat a lost delivery either.
  );
}

function control(req, res, body) {
  switch (`${req.method} ${req.url}`) {
    case 'GET /violations': return json(res, 200, violations);
    case 'GET /journal': return json(res, 200, journal);
    case 'DELETE /journal': journal.length = 0; return json(res, 200, {});
    case 'GET /deliveries': return json(res, 200, deliveries);
    case 'PUT /target': target = JSON.parse(body).url; return json(res, 200, {});
    default: return json(res, 404, { message: 'control knows no such thing' });
  }
}

process.stdin.on('end', () => process.exit(0)).resume();

const emulatorPort = await free();
const [api, webhooks, controls] = await Promise.all([listen(front), listen(hooks), listen(control)]);
const url = `http://127.0.0.1:${api}`;
const scopes = ['repo', 'user', 'admin:org', 'admin:repo_hook'];
const owner = ({ full_name }) => full_name.split('/')[0];
const name = ({ full_name }) => full_name.split('/')[1];
const installed = world.repositories.filter((repository) => repository.installed);
await createEmulator({
  service: 'github',
  port: emulatorPort,
  baseUrl: url, // addresses in bodies lead through the front
  seed: {
    tokens: Object.fromEntries(world.people.map(({ login, token }) => [token, { login, scopes }])),
    github: {
      // An unknown token is taken for the first user: let him be powerless.
      users: [{ login: 'nobody' }, ...world.people.map(({ login }) => ({ login, name: login, email: `${login}@example.com` }))],
      orgs: [{ login: world.org, name: world.org, members: world.people.filter((p) => p.admin).map(({ login }) => ({ login, role: 'admin' })) }],
      repos: world.repositories.map((repository) => ({
        owner: owner(repository), name: name(repository), description: 'For tests', private: repository.private, auto_init: repository.auto_init,
      })),
      apps: [{
        app_id: world.app, slug: world.slug, name: 'Sekisho', private_key: world.key,
        webhook_url: `http://127.0.0.1:${webhooks}/`, webhook_secret: world.secret,
        permissions: { metadata: 'read', contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' },
        events: ['issues', 'issue_comment', 'pull_request', 'label', 'check_run', 'check_suite', 'push', 'installation', 'sub_issues', 'repository'],
        installations: [{ installation_id: world.installation, account: world.org, repository_selection: 'selected', repositories: installed.map(({ full_name }) => full_name) }],
      }],
    },
  },
});
console.log(JSON.stringify({ url, control: `http://127.0.0.1:${controls}` }));

/** A free port: with a base address of our own the emulator would not tell which one it took. */
function free() {
  const server = createServer();
  return new Promise((done) => server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => done(port));
  }));
}
