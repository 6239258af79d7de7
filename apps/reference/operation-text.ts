/** Describes an operation for integrators, with one example. The examples work on the demo data in its first state. */
export interface OperationText {
  description: string;
  /** Values of path and query parameters, by name. */
  parameters?: Record<string, unknown>;
  request?: unknown;
  /** A body that is refused with 400 at the same path. */
  refused?: unknown;
}
