import type { Route } from '../../lib/routes/route.ts';
import { type Json, json, literal, lsl, python } from './literal.ts';
import { operationTexts } from './operation-texts.ts';
import { examplePath } from './record.ts';
import { clientCall } from './samples.ts';

/** docs/guides/samples.md: a program in each of four languages. */

const languages = ['curl', 'typescript', 'python', 'lsl'] as const;
type Language = (typeof languages)[number];

/** The path after `/v1`, with the example's values. */
const samplePath = (row: Route): string => examplePath(row).replace(/^\/v1/, '');

const sampleRequest = (row: Route): Json | undefined => operationTexts[row.id]?.request as Json | undefined;

/** One statement that makes the call in a row's example, with the names that the program around it defines. */
const statementIn: Record<Language, (row: Route) => string> = {
  curl: (row) => {
    const request = sampleRequest(row);
    return [
      String.raw`curl -s -w '\n' -H "X-API-Key: $KEY"`,
      ...(row.method === (request === undefined ? 'GET' : 'POST') ? [] : [`-X ${row.method}`]),
      ...(request === undefined ? [] : [`-d '${literal(request, json).replaceAll("'", "'\\''")}'`]),
      `"$API${samplePath(row)}"`,
    ].join(' ');
  },
  typescript: (row) => `await ${clientCall(row)}`,
  python: (row) => {
    const request = sampleRequest(row);
    return `call("${row.method}", "${samplePath(row)}"${request === undefined ? '' : `, ${literal(request, python)}`})`;
  },
  lsl: (row) => {
    const request = sampleRequest(row);
    return `call("${row.method}", "${samplePath(row)}", ${request === undefined ? '""' : literal(request, lsl)});`;
  },
};

const indent = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by);

/** A whole program that makes the calls and prints their answers. */
const programIn = (language: Language, rows: readonly Route[]): string => {
  const calls = (comment: string, print: (statement: string, index: number) => string): string =>
    rows.map((row, index) => `${comment} ${row.summary}\n${print(statementIn[language](row), index)}`).join('\n');
  const programs: Record<Language, () => string> = {
    curl: () => `KEY=$(node -p "require('./.local/service.json').keys.all")
API=http://127.0.0.1:4000/v1
${calls('#', (statement) => statement)}`,
    typescript: () => `import { storeClient } from 'store-integration-client';

const { STORE_URL = 'http://127.0.0.1:4000', STORE_KEY = '' } = process.env;
const store = storeClient({ baseUrl: STORE_URL, apiKey: STORE_KEY });

${calls('//', (statement) => `console.log(${statement});`)}`,
    python: () => `import json, urllib.error, urllib.request, uuid

with open(".local/service.json") as file:
    KEY = json.load(file)["keys"]["all"]
API = "http://127.0.0.1:4000/v1"

def call(method, path, body=None):
    headers = {"X-API-Key": KEY, "Content-Type": "application/json"}
    if method == "POST":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as refusal:
        raise SystemExit(refusal.read().decode())

${calls('#', (statement) => `print(${statement})`)}`,
    lsl: () => `string KEY = "sis_live_...";
string SERVICE = "https://the.address.of.your.service"; // without a slash at its end
integer next = 0; // the call of the next touch

call(string method, string path, string body)
{
    list options = [HTTP_METHOD, method, HTTP_MIMETYPE, "application/json", HTTP_CUSTOM_HEADER, "X-API-Key", KEY];
    if (method == "POST") options += [HTTP_CUSTOM_HEADER, "Idempotency-Key", (string)llGenerateKey()];
    if (llHTTPRequest(SERVICE + "/v1" + path, options, body) == NULL_KEY) llOwnerSay("Too many requests: try again later.");
}

default
{
    touch_start(integer count)
    {
${indent(
  calls('//', (statement, index) => `if (next == ${index}) ${statement}`),
  '        ',
)}
        next = (next + 1) % ${rows.length};
    }

    http_response(key request, integer status, list metadata, string body)
    {
        llOwnerSay((string)status + " " + body);
    }
}`,
  };
  return `${programs[language]()}\n`;
};

/** The ten calls that integrators make most often. Most programs need the first three. */
export const tenCalls = [
  'sales/create-sale',
  'customers/increment-credit',
  'products/deliver-product',
  'sales/create-quote',
  'store/get-store',
  'customers/get-customer',
  'customers/get-credit',
  'products/list-products',
  'coupons/apply-coupon',
  'gift-cards/grant-gift-card',
];

const sections: Record<Language, readonly [title: string, fence: string, text: string]> = {
  curl: ['curl', 'bash', 'For bash, in the folder of the service; on Windows use Git Bash.'],
  typescript: [
    'TypeScript',
    'ts',
    `With [the typed client](client.md), which repeats a call that got no answer. Save it as \`samples.mjs\` in the project
where you have installed that, and run \`STORE_KEY=sis_test_... node samples.mjs\`.`,
  ],
  python: ['Python', 'python', 'With the standard library alone, in the folder of the service.'],
  lsl: [
    'LSL',
    'lsl',
    `For a script inworld: put in the address of your deployment, a key, and ids of your own instead of the demo's. Each
touch makes the next call. [Calling from LSL](lsl.md) has the limits.`,
  ],
};

/** The text of docs/guides/samples.md. */
export const samplesPage = (routes: readonly Route[]): string => {
  const rows = tenCalls.map((id) => routes.find((row) => row.id === id)).filter((row) => row !== undefined);
  const parts = languages.map((language) => {
    const [title, fence, text] = sections[language];
    return `## ${title}\n\n${text}\n\n\`\`\`${fence}\n${programIn(language, rows)}\`\`\`\n`;
  });
  return `<!-- Written by \`npm run openapi\` from apps/reference/samples-page.ts. -->

# Samples

The ten most used calls in four languages, on the demo data of \`npm start\`. The first three sell, give credit and
deliver. A test runs each program. Make a new UUID for the \`id\` of each sale, and a new \`Idempotency-Key\` for each
other POST ([retrying](retrying.md)).

${parts.join('\n')}`;
};
