/**
 * What was to be signed is not what was asked for, and nothing was signed. `member` names what differs: a member of the
 * payload (`target`, `destination.accountInfo.iban`), or `payloadToSign` where it cannot be read at all. Whoever passes
 * messages between this device and the server has exchanged them, or does not do what it should: do not try again
 * without looking.
 */
export class PayloadMismatchError extends Error {
  override readonly name = 'PayloadMismatchError'
  readonly member: string

  constructor(member: string, what: string) {
    super(`Nothing was signed: ${member} of the payload ${what}.`)
    this.member = member
  }
}
