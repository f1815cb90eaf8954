/**
 * The payload does not match the requested call, and nothing was signed. `member` is the field that differs
 * (`target`, `destination.accountInfo.iban`), or `payloadToSign` if the payload cannot be parsed. Something
 * between this device and the server has changed messages or is broken: do not retry without an
 * investigation.
 */
export class PayloadMismatchError extends Error {
  override readonly name = 'PayloadMismatchError'
  readonly member: string

  constructor(member: string, problem: string) {
    super(`Nothing was signed: ${member} of the payload ${problem}.`)
    this.member = member
  }
}
