/**
 * Every failure that the service answers, as one class: `status`, `title`, `detail`, `instance` and `errors` as in the
 * problem+json that came, and the `requestId` to name in a question to the merchant.
 */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Path of the failing request. */
  readonly instance: string;
  /** The single validation messages; empty where there are none. */
  readonly errors: readonly string[];
  readonly requestId: string | undefined;

  constructor(status: number, body: unknown, path: string, requestId: string | undefined) {
    const { title, detail, instance, errors } = (body ?? {}) as Record<string, unknown>;
    const words = typeof detail === 'string' ? detail : `The service answered ${status} without saying why.`;
    super(`${status} ${path}: ${words}`);
    this.status = status;
    this.title = typeof title === 'string' ? title : 'Error';
    this.detail = words;
    this.instance = typeof instance === 'string' ? instance : path;
    this.errors = Array.isArray(errors) ? errors.map(String) : [];
    this.requestId = requestId;
  }
}
