// @ts-check
/* A plain script and not a module, so that the page also works from a disk. */

/**
 * @typedef {{ preauthorizeApiKey: (scheme: string, key: string) => void, specActions: { updateUrl: (url: string) => void } }} Renderer
 * @typedef {{ lang: string, label: string, source: string }} Sample
 * @typedef {{ title: string, status: number }} Problem
 * @typedef {{ description: string, content: { 'application/problem+json': { example: Problem } } }} Refusal
 * @typedef {{ responses: Record<string, object>, 'x-codeSamples': Sample[] }} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>>, components: { responses: Record<string, Refusal> }, servers: [{ url: string }] }} Document
 * @typedef {{ tryIt: boolean, document: Document }} Reference
 * @typedef {{ createElement: (...parts: unknown[]) => unknown, useState: (first: string) => [string, (next: string) => void] }} React
 * @typedef {(props: any) => unknown} Component
 */

const { reference, SwaggerUIBundle } =
  /** @type {{ reference: Reference, SwaggerUIBundle: (options: object) => Renderer }} */ (
    /** @type {unknown} */ (globalThis)
  );

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

document.documentElement.classList.toggle('can-try', reference.tryIt);

/** Fills in the demo key, so that "Execute" works at once. */
const fillInKey = async () => {
  const { key } = await (await fetch('/_dev/service')).json();
  renderer.preauthorizeApiKey('ApiKey', key);
};

/** @param {{ status: number }} problem */
const anchorOf = ({ status }) => `problem-${status}`;

/**
 * Shows the problems that all operations share once, below the operations.
 * @param {Record<string, Refusal>} responses
 */
const showProblems = (responses) => {
  const rows = Object.values(responses).map(({ description, content }) => {
    const { example } = content['application/problem+json'];
    const row = document.createElement('section');
    row.id = anchorOf(example);
    const heading = document.createElement('h3');
    heading.textContent = `${example.status} ${example.title}`;
    const text = document.createElement('p');
    text.textContent = description.replaceAll('`', '');
    const body = document.createElement('pre');
    body.textContent = JSON.stringify(example, null, 2);
    body.tabIndex = 0;
    row.append(heading, text, body);
    return row;
  });
  document.querySelector('#problems .all')?.append(...rows);
};
showProblems(reference.document.components.responses);

/** The language of samples that the reader chose last. Operations that they open later begin with it. */
let language = 'curl';

/**
 * Takes the problems out of an operation's answers, and shows its code samples beside them.
 * @param {{ React: React }} system
 */
const plugin = ({ React: { createElement, useState } }) => {
  /** @type {(props: { samples: Sample[] }) => unknown} */
  const Samples = ({ samples }) => {
    const [chosen, choose] = useState(language);
    const shown = samples.find(({ label }) => label === chosen) ?? samples[0];
    const buttons = samples.map(({ label }) => {
      const onClick = () => {
        language = label;
        choose(label);
      };
      return createElement(
        'button',
        { key: label, type: 'button', 'aria-pressed': label === shown?.label, onClick },
        label,
      );
    });
    return createElement(
      'div',
      { className: 'samples' },
      createElement('div', { role: 'group', 'aria-label': 'Language of the sample' }, buttons),
      createElement('pre', { tabIndex: 0 }, shown?.source),
    );
  };
  /** @type {(props: { statuses: string[], own: Problem | undefined }) => unknown} */
  const Problems = ({ statuses, own }) =>
    createElement(
      'div',
      { className: 'refusals' },
      'Problems: ',
      statuses.map((status) => createElement('a', { key: status, href: `#problem-${status}` }, status)),
      own &&
        createElement(
          'details',
          {},
          createElement('summary', {}, 'A request that is refused with 400'),
          createElement('pre', { tabIndex: 0 }, JSON.stringify(own, null, 2)),
        ),
    );
  return {
    wrapComponents: {
      /** @param {Component} Original */
      responses: (Original) => (/** @type {{ path: string, method: string }} */ props) => {
        const operation = reference.document.paths[props.path]?.[props.method];
        if (!operation) return createElement(Original, props);
        const statuses = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
        const refusal = /** @type {Partial<Refusal> | undefined} */ (operation.responses[400]);
        return createElement(
          'div',
          { className: 'beside' },
          createElement(Samples, { samples: operation['x-codeSamples'] ?? [] }),
          createElement(Original, props),
          createElement(Problems, { statuses, own: refusal?.content?.['application/problem+json'].example }),
        );
      },
      /** @param {Component} Original */
      response: (Original) => (/** @type {{ code: string }} */ props) =>
        Number(props.code) >= 400 ? null : createElement(Original, props),
    },
  };
};

/** Gives the renderer's controls names for screen readers. */
const nameControls = () => {
  for (const control of document.querySelectorAll('#reference :is(input, select, textarea):not([aria-label])')) {
    const parameter = control.closest('[data-param-name]')?.getAttribute('data-param-name');
    const name = control.matches('textarea') ? 'Request body' : control.id === 'servers' ? 'Server' : 'Filter';
    control.setAttribute('aria-label', parameter ?? name);
  }
};
new MutationObserver(nameControls).observe(document.body, { childList: true, subtree: true });

const renderer = SwaggerUIBundle({
  plugins: [plugin],
  spec: reference.document,
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  // By default the renderer loads a validator's badge from another site.
  validatorUrl: null,
  tryItOutEnabled: reference.tryIt,
  supportedSubmitMethods: reference.tryIt ? ['get', 'put', 'post', 'delete'] : [],
  onComplete: () => reference.tryIt && fillInKey(),
});
// On a page from a disk, references would lead to the disk, where the renderer cannot read.
renderer.specActions.updateUrl(`${reference.document.servers[0].url}/openapi.json`);
