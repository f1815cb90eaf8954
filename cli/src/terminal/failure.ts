/** A failure that a person can fix. Shown as one line, without a stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** The server did not respond. Its code in JSON is `NO_ANSWER`. */
export class NoResponse extends Failure {}
