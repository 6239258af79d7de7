/**
 * A failure that the service answers: the members of its problem+json, and the `requestId` to quote in a question to the
 * merchant.
 */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Path of the failing request. */
  readonly instance: string;
  /** One message per fault; empty where there are none. */
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
