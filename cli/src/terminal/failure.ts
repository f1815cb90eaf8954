/** A failure that a person can fix: shown as one line, without a stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** The server did not respond: `NO_ANSWER` for a program. */
export class NoAnswer extends Failure {}
