// @ts-check
/* A plain script, not a module: the page also works when it is opened from a disk. */

/**
 * @typedef {{ preauthorizeApiKey: (scheme: string, key: string) => void }} Renderer
 * @typedef {{ tryIt: boolean, document: object }} Reference
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

/** Fills in the demo key, so that "Try it out" works at once. */
const fillInKey = async () => {
  const { key } = await (await fetch('/_dev/service')).json();
  renderer.preauthorizeApiKey('ApiKey', key);
};

const renderer = SwaggerUIBundle({
  spec: reference.document,
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  // By default the renderer loads the badge of a validator from another site.
  validatorUrl: null,
  tryItOutEnabled: reference.tryIt,
  supportedSubmitMethods: reference.tryIt ? ['get', 'put', 'post', 'delete'] : [],
  onComplete: () => reference.tryIt && fillInKey(),
});
