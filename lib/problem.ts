/** The body of every failure, as RFC 9457 problem+json. */
export interface ProblemBody {
  status: number;
  title: string;
  detail: string;
  instance: string;
  /** One message for each fault; missing if there are none. */
  errors?: string[];
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export const titleOf = (status: number): string => titles[status] ?? 'Error';

/** A failure that the caller is told about. Any other error is answered as a 500 without details. */
export class Problem extends Error {
  readonly status: number;
  readonly errors: readonly string[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, errors: readonly string[] = [], headers: Record<string, string> = {}) {
    super(detail);
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** 400 with one message for each fault. `detail` joins them. */
export const invalid = (...messages: string[]): Problem => new Problem(400, messages.join(' '), messages);

/** Texts that the gateway's own answers share. */
export const details = {
  unauthorized:
    'Send one valid API key in the X-API-Key header, exactly as it was issued: it begins with sis_live_ (on a local ' +
    'service with sis_test_) and has 71 characters, without Bearer and without quotes. The header Authorization is not read.',
  unavailable: 'The service is busy. Nothing was changed: send the request again.',
  unknownEnd:
    'The service did not complete the request: send it again. If it was to change something, it is not known whether it ' +
    'did: send a POST with the same Idempotency-Key, a sale with the same id, and others after reading first.',
  internalError: 'An unexpected error occurred.',
} as const;

/** 401, unless the request has exactly one live key. */
export const unauthorized = (): Problem => new Problem(401, details.unauthorized);

/** 403, if a key may call the endpoint but must not see what it asks for. */
export const forbidden = (detail: string): Problem => new Problem(403, detail);

/** 404. Its text is always the same, so it says nothing about other stores. */
export const notFound = (): Problem => new Problem(404, 'The requested resource was not found.');

/** 503. Nothing was written, and the client may retry after `retryAfterSeconds`. */
export const unavailable = (retryAfterSeconds = 1): Problem =>
  new Problem(503, details.unavailable, [], { 'Retry-After': String(retryAfterSeconds) });

/**
 * 503 for a call whose outcome nobody knows. The answer says so, since a client that believed in a failure would make
 * the change twice.
 */
export const unknownEnd = (cause: unknown): Problem =>
  Object.assign(new Problem(503, details.unknownEnd, [], { 'Retry-After': '1' }), { cause });

/** 409: a request with the same Idempotency-Key is still running. */
export const requestRunning = (): Problem =>
  new Problem(409, 'A request with this Idempotency-Key is still running: send it again a little later.', [], {
    'Retry-After': '1',
  });

/** 412: the ETag in If-Match is not the current one. Nothing was changed. */
export const preconditionFailed = (): Problem =>
  new Problem(
    412,
    'If-Match names another state than the current one: read the resource again, and send its new ETag.',
  );

/** 422: another request used this Idempotency-Key. */
export const keyReused = (): Problem =>
  new Problem(422, 'This Idempotency-Key was used for another request: a new request needs a new key.');

export const internalError = (): Problem => new Problem(500, details.internalError);

/** The body of a problem's answer. `instance` is the path of the request. */
export const problemBody = ({ status, message, errors }: Problem, instance: string): ProblemBody => ({
  status,
  title: titleOf(status),
  detail: message,
  instance,
  ...(errors.length > 0 && { errors: [...errors] }),
});
