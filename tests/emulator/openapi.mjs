// GitHub's OpenAPI description: cut down to what this App and the tests' people call, and asked about each request.
// The checking itself is openapi-backend's (npm); here it is only told what to check.

/** Routes that may be called. A request to any other is a violation: add it here together with its permission. */
const ROUTES = [
  '/app',
  '/app/installations/{installation_id}/access_tokens',
  '/repos/{owner}/{repo}',
  '/repos/{owner}/{repo}/check-runs',
  '/repos/{owner}/{repo}/check-runs/{check_run_id}',
  '/repos/{owner}/{repo}/collaborators/{username}',
  '/repos/{owner}/{repo}/collaborators/{username}/permission',
  '/repos/{owner}/{repo}/commits/{ref}',
  '/repos/{owner}/{repo}/commits/{ref}/check-runs',
  '/repos/{owner}/{repo}/contents/{path}',
  '/repos/{owner}/{repo}/git/refs',
  '/repos/{owner}/{repo}/installation',
  '/repos/{owner}/{repo}/issues',
  '/repos/{owner}/{repo}/issues/{issue_number}',
  '/repos/{owner}/{repo}/issues/{issue_number}/comments',
  '/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by',
  '/repos/{owner}/{repo}/issues/{issue_number}/events',
  '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  '/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}',
  '/repos/{owner}/{repo}/issues/{issue_number}/lock',
  '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues',
  '/repos/{owner}/{repo}/issues/comments',
  '/repos/{owner}/{repo}/issues/comments/{comment_id}',
  '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  '/repos/{owner}/{repo}/labels',
  '/repos/{owner}/{repo}/labels/{name}',
  '/repos/{owner}/{repo}/pulls',
  '/repos/{owner}/{repo}/pulls/{pull_number}',
  '/repos/{owner}/{repo}/pulls/{pull_number}/files',
];

/** Operations that the emulator lacks and GitHub's own example answers instead. They change nothing. */
const EXAMPLES = ['reactions/create-for-issue-comment'];

/** The description with those routes alone, what they refer to, and no answers but the examples'. */
export function cut(description) {
  const paths = {};
  for (const route of ROUTES) {
    if (!description.paths[route]) throw new Error(`GitHub's OpenAPI file has no ${route}`);
    paths[route] = structuredClone(description.paths[route]);
    for (const operation of Object.values(paths[route])) {
      if (operation?.operationId && !EXAMPLES.includes(operation.operationId)) operation.responses = { default: { description: '' } };
    }
  }
  const components = {};
  const pending = references(paths);
  for (let reference = pending.pop(); reference; reference = pending.pop()) {
    const [kind, name] = reference.split('/').slice(2);
    if (components[kind]?.[name]) continue;
    (components[kind] ??= {})[name] = description.components[kind][name];
    pending.push(...references(components[kind][name]));
  }
  const { openapi, info } = description;
  return nullable({ openapi, info, paths, components });
}

function references(node) {
  if (!node || typeof node !== 'object') return [];
  const own = typeof node.$ref === 'string' ? [node.$ref] : [];
  return own.concat(...Object.values(node).map(references));
}

/** OpenAPI 3.0's `nullable` in JSON Schema's words: the schema compiler knows it beside a `type` only. */
function nullable(node) {
  if (!node || typeof node !== 'object') return node;
  if (Array.isArray(node)) return node.map(nullable);
  const mapped = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, nullable(value)]));
  if (mapped.nullable !== true) return mapped;
  const { nullable: _, ...schema } = mapped;
  return { anyOf: [schema, { enum: [null] }] };
}

/** Loads the cut description. `check` names what is wrong with a request; `example` is GitHub's answer, if the emulator has none. */
export async function load(description, OpenAPIBackend) {
  const api = new OpenAPIBackend({ definition: description, quick: true, validate: true, coerceTypes: true, ajvOpts: { strict: false, validateFormats: false } });
  await api.init();
  const read = ({ method, url, headers, body }) => {
    const [path, query = ''] = url.split('?');
    // `{path}` of the contents route may hold slashes, which a template's parameter cannot.
    const flat = path.replace(/^(\/repos\/[^/]+\/[^/]+\/contents\/)(.+)$/, (_, start, rest) => start + rest.replaceAll('/', '%2F'));
    return { method, path: flat, query, headers, body: body.length ? body.toString('utf8') : undefined };
  };
  return {
    check(request) {
      const asked = read(request);
      const operation = api.matchOperation(asked);
      if (!operation) return { operation: null, errors: ['no such route in GitHub\'s OpenAPI description'] };
      if (asked.body !== undefined) {
        try {
          asked.body = JSON.parse(asked.body);
        } catch (error) {
          return { operation: operation.operationId, errors: [`the body is not JSON: ${error.message}`] };
        }
      }
      const { errors } = api.validateRequest(asked, operation);
      return { operation: operation.operationId, errors: (errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`) };
    },
    example(operation) {
      return EXAMPLES.includes(operation) ? api.mockResponseForOperation(operation, { code: 201 }) : null;
    },
  };
}
