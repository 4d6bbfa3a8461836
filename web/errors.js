// Errors of questions.

/** An answer that is an error. */
export class ApiError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Whether an error only says that a question was given up. @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";

/** An error in words. @param {unknown} error */
export const inWords = (error) => (isAbort(error) ? "Stopped." : error instanceof Error ? error.message : String(error));
