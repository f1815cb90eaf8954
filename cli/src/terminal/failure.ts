/** Something that a person can put right: shown as its one line, without a stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure'
}
