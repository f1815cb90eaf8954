/**
 * The payload does not match the requested call, and nothing was signed. `member` names the difference: a
 * field of the payload (`target`, `destination.accountInfo.iban`), or `payloadToSign` if it cannot be read at
 * all. A system between this device and the server has changed messages or is faulty: do not retry without an
 * investigation.
 */
export class PayloadMismatchError extends Error {
  override readonly name = 'PayloadMismatchError'
  readonly member: string

  constructor(member: string, what: string) {
    super(`Nothing was signed: ${member} of the payload ${what}.`)
    this.member = member
  }
}
