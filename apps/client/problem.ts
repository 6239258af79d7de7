/**
 * A failure that the service answers: the members of its problem+json, the `requestId` to quote in a question to the
 * merchant, and the `idempotencyKey` that the attempts of a POST carried.
 */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Path of the failing request. */
  readonly instance: string;
  /** One message for each fault; empty if there are none. */
  readonly errors: readonly string[];
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;

  constructor(
    status: number,
    body: unknown,
    path: string,
    { requestId, idempotencyKey }: { requestId: string | undefined; idempotencyKey: string | undefined },
  ) {
    const { title, detail, instance, errors } = (body ?? {}) as Record<string, unknown>;
    const words = typeof detail === 'string' ? detail : `The service answered ${status} without saying why.`;
    super(`${status} ${path}: ${words}`);
    this.status = status;
    this.title = typeof title === 'string' ? title : 'Error';
    this.detail = words;
    this.instance = typeof instance === 'string' ? instance : path;
    this.errors = Array.isArray(errors) ? errors.map(String) : [];
    this.requestId = requestId;
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * A call that ended without an answer: the service was not reached, the last attempt timed out, or `signal` ended it.
 * Its name and message come from its `cause`. The change may have been made, so a repeat must carry the
 * `idempotencyKey`.
 */
export class NoAnswer extends Error {
  readonly idempotencyKey: string | undefined;

  constructor(cause: unknown, idempotencyKey: string | undefined) {
    const { name, message } = cause instanceof Error ? cause : { name: 'Error', message: String(cause) };
    super(message, { cause });
    this.name = name;
    this.idempotencyKey = idempotencyKey;
  }
}
