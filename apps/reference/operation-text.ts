/**
 * Describes an operation for integrators, with one example of it. The examples work on the demo data as it is at first.
 */
export interface OperationText {
  description: string;
  /** Values of path and query parameters, by name. */
  parameters?: Record<string, unknown>;
  request?: unknown;
  /** A body that is refused with 400 at the same path. */
  refused?: unknown;
}
