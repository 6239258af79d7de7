import type { Route } from '../../lib/routes/route.ts';
import { type Json, literal, python, typescript } from './literal.ts';
import { clientMethodOf } from './names.ts';
import { operationTexts } from './operation-texts.ts';
import { examplePath } from './record.ts';

/** Code samples of an operation, made from its example. Each reads the key from `KEY`. */

export interface CodeSample {
  lang: 'Shell' | 'TypeScript' | 'Python' | 'LSL';
  label: string;
  source: string;
}

interface Example {
  method: Route['method'];
  url: string;
  body: Json | undefined;
}

const curl = ({ method, url, body }: Example): string =>
  [
    `curl ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}-H "X-API-Key: $KEY" '${url}'`,
    ...(method === 'POST' ? ['-H "Idempotency-Key: $(date +%s)"'] : []),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');

/** The call in a row's example with the typed client, which is in `store`. */
export const clientCall = (row: Route): string => {
  const { parameters = {}, request } = operationTexts[row.id] ?? {};
  const names = Object.keys(row.params.shape);
  const query = Object.entries(parameters).filter(([name]) => !names.includes(name));
  const given: Json[] = names.map((name) => String(parameters[name]));
  if (request !== undefined) given.push(request as Json);
  else if (query.length > 0) given.push(Object.fromEntries(query) as Json);
  return `store.${clientMethodOf(row)}(${given.map((value) => literal(value, typescript)).join(', ')})`;
};

const clientScript = (row: Route, baseUrl: string): string =>
  [
    "import { storeClient } from 'store-integration-client';",
    '',
    `const store = storeClient({ baseUrl: '${baseUrl}', apiKey: process.env.KEY! });`,
    row.response ? `console.log(await ${clientCall(row)});` : `await ${clientCall(row)};`,
  ].join('\n');

const pythonScript = ({ method, url, body }: Example, hasAnswer: boolean): string => {
  const imports = [
    'os',
    'urllib.request',
    ...(method === 'POST' ? ['uuid'] : []),
    ...(hasAnswer || body ? ['json'] : []),
  ];
  const headers = [
    '"X-API-Key": os.environ["KEY"]',
    ...(method === 'POST' ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
  return [
    `import ${imports.toSorted().join(', ')}`,
    '',
    ...(body === undefined ? [] : [`body = ${literal(body, python)}`]),
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url)},`,
    `    method="${method}",`,
    `    headers={${headers.join(', ')}},`,
    ...(body === undefined ? [] : ['    data=json.dumps(body).encode(),']),
    ')',
    'with urllib.request.urlopen(request) as answer:',
    `    print(${hasAnswer ? 'json.load(answer)' : 'answer.status'})`,
  ].join('\n');
};

const lslScript = ({ method, url, body }: Example): string => {
  const header = (name: string, value: string) => `            HTTP_CUSTOM_HEADER, "${name}", ${value}`;
  const options = [
    `            HTTP_METHOD, "${method}"`,
    header('X-API-Key', 'KEY'),
    ...(method === 'POST' ? [header('Idempotency-Key', '(string)llGenerateKey()')] : []),
    ...(body === undefined ? [] : ['            HTTP_MIMETYPE, "application/json"']),
    '            HTTP_BODY_MAXLENGTH, 16384',
  ];
  const text = body === undefined ? '""' : JSON.stringify(JSON.stringify(body));
  return [
    'string KEY = "sis_live_..."; // a key with few scopes: whoever reads the script can read it',
    '',
    'default',
    '{',
    '    touch_start(integer count)',
    '    {',
    `        llHTTPRequest("${url}", [`,
    options.join(',\n'),
    `        ], ${text});`,
    '    }',
    '',
    '    http_response(key request, integer status, list metadata, string body)',
    '    {',
    '        llOwnerSay((string)status + " " + body);',
    '    }',
    '}',
  ].join('\n');
};

/** The samples of a row, which call the service at `baseUrl`. */
export const codeSamples = (row: Route, baseUrl: string): CodeSample[] => {
  const body = operationTexts[row.id]?.request as Json | undefined;
  const example = { method: row.method, url: baseUrl + examplePath(row), body };
  return [
    { lang: 'Shell', label: 'curl', source: curl(example) },
    { lang: 'TypeScript', label: 'TypeScript', source: clientScript(row, baseUrl) },
    { lang: 'Python', label: 'Python', source: pythonScript(example, row.response !== undefined) },
    { lang: 'LSL', label: 'LSL', source: lslScript(example) },
  ];
};
